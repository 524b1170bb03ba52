"""One cell of a table: what is written there, and what is meant by it.

Spreadsheets change what they touch: they round numbers to what they show, write 3 as 3.0 and true
as TRUE, turn texts into dates, and run what begins with =. What is harmless is understood.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Any

from warpfront.cli.placeholders import show_value
from warpfront.errors import ConfigurationError
from warpfront.space import (
    Boolean,
    Categorical,
    Configuration,
    Integer,
    Ordinal,
    Parameter,
    Real,
    Space,
)

FAILED = ("failed", "fail", "failure", "nan", "error")
"""Words in a result column for an evaluation that failed."""
MISSING = ("missing", "unknown", "n/a", "na")
"""Words in a result column for an outcome that will never be known, though others are."""
DIGITS = 3
"""A rounded number must show so many digits to count as the one that was suggested."""
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_COMMA = re.compile(r"[-+]?\d+,\d+([eE][-+]?\d+)?")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")


def is_number(text: str) -> bool:
    """Whether a text is a number, which no spreadsheet takes for a formula."""
    try:
        float(text.replace("_", "x"))
    except ValueError:
        return False
    return True


def protect(text: str) -> str:
    """A text as no spreadsheet runs it: an apostrophe before what would begin a formula.

    Examples
    --------
    >>> protect("=1+1"), protect("-0.5"), protect("relu"), unprotect(protect("'=1"))
    ("'=1+1", '-0.5', 'relu', "'=1")
    """
    return f"'{text}" if _FORMULA.match(text) and not is_number(text) else text


def unprotect(text: str) -> str:
    """The text that :func:`protect` was given."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text


def show_cell(value: Any) -> str:
    """A value as it stands in a table.

    Examples
    --------
    >>> show_cell(True), show_cell([64, 32]), show_cell("@relu")
    ('TRUE', '[64, 32]', "'@relu")
    """
    return str(value).upper() if isinstance(value, bool) else protect(show_value(value))


def read_outcome(text: str) -> float | None:
    """The number of a result cell; None for a word of :data:`MISSING`.

    Examples
    --------
    >>> read_outcome("0.5"), read_outcome("missing")
    (0.5, None)
    >>> read_outcome("0,5")
    Traceback (most recent call last):
    warpfront.errors.ConfigurationError: '0,5' is not a number; write 0.5 with a point
    """
    if text.lower() in MISSING:
        return None
    if is_number(text) and math.isfinite(number := float(text)):
        return number
    remedy = "write a number such as 0.5, 'failed', or nothing if it is not known yet"
    if _COMMA.fullmatch(text):
        remedy = _without_comma(text)
    raise ConfigurationError(f"{text!r} is not a number; {remedy}")


def _without_comma(text: str) -> str:
    """How to write a number with a comma, which may stand for a point or between thousands."""
    remedy = f"write {text.replace(',', '.')} with a point"
    if _THOUSANDS.fullmatch(text):
        remedy += f", or {text.replace(',', '')} if the comma parts thousands"
    return remedy


def is_same(parameter: Parameter, value: Any, text: str) -> bool:
    """Whether a cell still shows the value that was written there.

    Examples
    --------
    >>> is_same(Integer(1, 9), 3, "3.0"), is_same(Boolean(), True, "TRUE")
    (True, True)
    >>> is_same(Real(0, 1), 0.123456789, "0.1235"), is_same(Real(0, 1), 0.123456789, "0.13")
    (True, False)
    """
    if text == show_cell(value).strip():  # first of all: other choices may be written alike
        return True
    if isinstance(parameter, Real) and _is_rounded(value, text):
        return True
    try:
        return bool(parameter.encode([read_cell(parameter, text)]) == parameter.encode([value]))
    except ConfigurationError:
        return False


def _is_rounded(value: float, text: str) -> bool:
    try:
        shown = Decimal(text)
        digits = shown.as_tuple()
        if not isinstance(digits.exponent, int) or len(digits.digits) < DIGITS:
            return False
        return abs(Decimal(value) - shown) <= Decimal(1).scaleb(digits.exponent) / 2
    except InvalidOperation:
        return False


def read_cell(parameter: Parameter, text: str) -> Any:
    """The value that a cell stands for; it raises if the parameter has no such value.

    Examples
    --------
    >>> read_cell(Integer(1, 9), "3.0"), read_cell(Categorical(["relu", 32]), "32.0")
    (3, 32)
    """
    if isinstance(parameter, (Real, Integer)):
        if _COMMA.fullmatch(text):
            raise ConfigurationError(f"{text!r} is not a number; {_without_comma(text)}")
        if not is_number(text):
            raise ConfigurationError(f"{text!r} is not a number")
        return parameter.canonical(float(text))
    candidates: list[Any] = []
    if text.lower() in ("true", "false"):
        candidates.append(text.lower() == "true")
    if isinstance(parameter, Boolean) and text in ("1", "0", "1.0", "0.0"):
        candidates.append(text.startswith("1"))
    candidates += [text, unprotect(text)]
    with suppress(ValueError, RecursionError):
        candidates.append(json.loads(text))
    if isinstance(parameter, (Categorical, Ordinal)):  # blanks at its ends are lost in a table
        candidates += [c for c in parameter.choices if show_cell(c).strip() == text]
    for candidate in candidates:
        try:
            return parameter.canonical(candidate)
        except ConfigurationError:
            continue
    return parameter.canonical(text)  # raises, and says what there is


def read_cells(
    cells: Mapping[str, str], space: Space, base: Mapping[str, Any] | None = None
) -> Configuration:
    """The configuration that the cells of a row stand for; an inactive parameter has an empty one.

    What has no cell is as in ``base``.

    Examples
    --------
    >>> space = Space(deep=Boolean(), layers=Integer(1, 9, when={"deep": True}))
    >>> read_cells({"deep": "FALSE", "layers": ""}, space)
    {'deep': False}
    """
    config = dict(base or {})
    for name, text in cells.items():
        if not text and space[name].when is not None and "" not in _choices(space[name]):
            config.pop(name, None)
            continue
        try:
            config[name] = read_cell(space[name], text)
        except ConfigurationError as error:
            raise ConfigurationError(f"column {name!r}: {error}") from None
    return space.validate(config)


def _choices(parameter: Parameter) -> tuple[Any, ...]:
    return parameter.choices if isinstance(parameter, (Categorical, Ordinal)) else ()
