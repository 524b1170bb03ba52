"""Numbers and configuration values as short texts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

DIGITS = 6
"""Significant digits of a number in the report."""


def number(value: float, digits: int = DIGITS) -> str:
    """A number with a few significant digits; whole ones with all of theirs.

    Examples
    --------
    >>> number(0.123456789), number(1e-5), number(12345678)
    ('0.123457', '1e-5', '12345678')
    """
    if isinstance(value, int):
        return str(value)
    return re.sub(r"e([+-])0*(\d)", lambda m: "e" + m[1].strip("+") + m[2], f"{value:.{digits}g}")


def numbers(values: Sequence[float]) -> list[str]:
    """Labels of the ticks of one axis, with as many digits as it takes to tell them apart.

    Examples
    --------
    >>> numbers([0.001, 0.01]), numbers([1000.0001, 1000.0002]), numbers([0, 20_000_000])
    (['0.001', '0.01'], ['1000.0001', '1000.0002'], ['0', '2e7'])
    """
    gaps = np.diff(np.sort(np.array(values, dtype=float)))
    slack = 0.05 * float(gaps.min(initial=np.inf))
    for digits in range(DIGITS, 17):
        labels = [number(float(value), digits) for value in values]
        if all(abs(float(label) - v) <= slack for label, v in zip(labels, values, strict=True)):
            return labels
    return [repr(value) for value in values]


def shown(value: Any) -> str:
    """A value of a configuration: texts as they are, all else as JSON with short numbers.

    Examples
    --------
    >>> shown("relu"), shown(True), shown(None), shown(0.1 + 0.2), shown([64, 32])
    ('relu', 'true', 'null', '0.3', '[64, 32]')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return number(value)
    return json.dumps(value, ensure_ascii=False)


def cut(text: str, most: int) -> str:
    """``text``, or its beginning with an ellipsis where it is longer than ``most`` characters.

    Examples
    --------
    >>> cut("activation", 6), cut("units", 6)
    ('activ…', 'units')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def shortened(text: str, most: int) -> str:
    """``text``, or its beginning and its end: names often differ in their ends only.

    Examples
    --------
    >>> shortened("a choice of number 17", 12), shortened("units", 12)
    ('a choi…er 17', 'units')
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return text[: most - 1 - end] + "…" + text[len(text) - end :]


def listed(items: Sequence[str], most: int = 12) -> str:
    """Items in one line; of many, the first ones and how many more there are.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a", "b", "c"], most=2)
    ('a, b, c', 'a, b and 1 more')
    """
    if len(items) <= most:
        return ", ".join(items)
    return ", ".join(items[:most]) + f" and {len(items) - most} more"
