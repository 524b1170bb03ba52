"""Decimal rounding of whole arrays, to the same floats as Python's own rounding of one number.

An integer N below 2**53 divided or multiplied by a power of ten up to 10**22 is the float nearest
to that decimal number, so that scaling, rounding to the nearest integer and scaling back is exact,
except where the scaled number lies so close to a tie that its own rounding error decides. Those few
are left to Python.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

POWERS = 10.0 ** np.arange(23)
"""The powers of ten that a float holds exactly."""
AMBIGUITY = 4 * float(np.finfo(float).eps)
"""How close to a tie, relative to the scaled number, rounding is left to Python."""


def round_places(values: Floats, places: int) -> Floats:
    """``round(v, places)`` of each value, (n,).

    Examples
    --------
    >>> round_places(np.array([0.30000000000000004, 2.675]), 2)
    array([0.3 , 2.67])
    """
    if abs(places) >= len(POWERS):
        return np.array([round(v, places) for v in values.tolist()], dtype=float)
    power = POWERS[abs(places)]
    scaled = values * power if places >= 0 else values / power
    nearest = np.rint(scaled)
    result = nearest / power if places >= 0 else nearest * power
    certain = np.abs(scaled - nearest) < 0.5 - AMBIGUITY * np.abs(scaled)
    if not certain.all():
        for place in np.flatnonzero(~certain):
            result[place] = round(float(values[place]), places)
    return np.asarray(result)


def round_digits(values: Floats, digits: int) -> Floats:
    """Positive values to so many significant digits, as ``float(f"{v:.{digits}g}")`` of each.

    Examples
    --------
    >>> round_digits(np.array([0.0123456, 123456.0]), 3)
    array([1.23e-02, 1.23e+05])
    """
    with np.errstate(all="ignore"):
        exponents = digits - 1 - np.floor(np.log10(values))
        usable = np.abs(exponents) < len(POWERS)
        power = POWERS[np.where(usable, np.abs(exponents), 0).astype(int)]
        scaled = np.where(exponents >= 0, values * power, values / power)
        nearest = np.rint(scaled)
        result = np.where(exponents >= 0, nearest / power, nearest * power)
    certain = usable & (np.abs(scaled - nearest) < 0.5 - AMBIGUITY * np.abs(scaled))
    # The logarithm of a number next to a power of ten may be off by one.
    certain &= (scaled >= POWERS[digits - 1]) & (scaled < POWERS[digits])
    if not certain.all():
        for place in np.flatnonzero(~certain):
            result[place] = float(f"{values[place]:.{digits}g}")
    return np.asarray(result)
