"""Checks of plain arguments at the border, with errors that name the argument and the remedy."""

from __future__ import annotations

import math
import numbers
import operator
from typing import Any

import numpy as np

from warpfront.errors import ConfigurationError


def whole_number(name: str, value: Any, least: int, otherwise: str = "") -> int:
    """Return ``value`` as an int, NumPy's included, or raise if it is not one or too small.

    Examples
    --------
    >>> whole_number("budget", 8, 1)
    8
    >>> whole_number("budget", 0.5, 1)
    Traceback (most recent call last):
    warpfront.errors.ConfigurationError: budget=0.5: must be a whole number of at least 1
    """
    try:
        number = None if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < least:
        raise ConfigurationError(
            f"{name}={value!r}: must be a whole number of at least {least}{otherwise}"
        )
    return number


def real_number(value: Any) -> float:
    """Return ``value`` as a float, NumPy's numbers included; NaN if it is not one or too large.

    Examples
    --------
    >>> real_number(np.float32(0.5)), real_number("0.5")
    (0.5, nan)
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    try:
        is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        return float(value) if is_number else math.nan
    except OverflowError:  # a whole number of more than 300 digits
        return math.nan
