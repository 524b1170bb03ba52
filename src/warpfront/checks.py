"""Checks of plain arguments at the border, with errors that name the argument and the remedy."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from warpfront.errors import ConfigurationError


def whole_number(name: str, value: Any, least: int, otherwise: str = "") -> int:
    """Return ``value`` as an int, NumPy's included, or raise if it is none or too small.

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
