"""Values at the border: native Python numbers, and JSON values told apart by their texts."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

LEVELS = 50
"""How deeply lists and dicts may be nested in a choice: what saves and shows it is recursive."""


def native(value: Any) -> Any:
    """Turn NumPy scalars into Python ones; leave the rest alone.

    Examples
    --------
    >>> native(np.float64(0.5)), native("text")
    (0.5, 'text')
    """
    return value.item() if isinstance(value, np.generic) else value


def is_number(value: Any) -> bool:
    """Whether ``value`` is an int or a float; a boolean is not a number.

    Examples
    --------
    >>> is_number(3), is_number(True)
    (True, False)
    """
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_finite(value: Any) -> bool:
    """Whether ``value`` is a number within the range of a float.

    Examples
    --------
    >>> is_finite(3), is_finite(float("nan")), is_finite(10**400)
    (True, False, False)
    """
    try:
        return is_number(value) and math.isfinite(value)
    except OverflowError:  # a whole number of more than 300 digits
        return False


def whole(value: Any) -> int | None:
    """``value`` as an int if it is a whole number, else None.

    Examples
    --------
    >>> whole(3.0), whole(3.5) is None
    (3, True)
    """
    if not is_number(value) or (isinstance(value, float) and not value.is_integer()):
        return None
    return int(value)


def json_text(value: Any) -> str:
    """Canonical text of a JSON value: tells 1 from 1.0 and from True, sees lists as their items.

    Raises
    ------
    TypeError, ValueError
        If it is not a JSON value.

    Examples
    --------
    >>> json_text({"b": (1, True), "a": 1.0})
    '{"a": 1.0, "b": [1, true]}'
    """
    return json.dumps(value, sort_keys=True, allow_nan=False, default=native)


def is_deep(value: Any) -> bool:
    """Whether lists and dicts are nested more deeply than :data:`LEVELS`.

    Examples
    --------
    >>> is_deep([[1], {"a": [2]}])
    False
    """
    level = [value]
    for _ in range(LEVELS + 1):
        nested = [one for one in level if isinstance(one, (list, tuple, dict))]
        if not nested:
            return False
        level = [
            item for one in nested for item in (one.values() if isinstance(one, dict) else one)
        ]
    return True


def has_text_keys(value: Any) -> bool:
    """Whether all keys inside a JSON value are texts; JSON would turn numbers into texts.

    Examples
    --------
    >>> has_text_keys([{"a": 1}]), has_text_keys([{1: "a"}])
    (True, False)
    """
    if isinstance(value, dict):
        return all(isinstance(k, str) and has_text_keys(v) for k, v in value.items())
    return not isinstance(value, (list, tuple)) or all(map(has_text_keys, value))
