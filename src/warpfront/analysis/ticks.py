"""The axis of a parameter: positions as the model sees them, labels in the user's units.

Pictures are drawn over positions (see :mod:`warpfront.space.parameters`), so that a log or logit
parameter has the axis on which it is searched, and a category is a row of equal places.
"""

from __future__ import annotations

import math
import sys

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.texts import numbers, shown
from warpfront.space import Categorical, Ordinal, Parameter

Floats = NDArray[np.float64]


def ticks(parameter: Parameter, most: int) -> tuple[Floats, list[str]]:
    """Positions and labels of at most about ``most`` values.

    Examples
    --------
    >>> from warpfront import Boolean, Real
    >>> positions, labels = ticks(Real(1e-4, 1.0, scale="log"), 5)
    >>> [round(float(p), 4) for p in positions], labels
    ([0.0, 0.25, 0.5, 0.75, 1.0], ['0.0001', '0.001', '0.01', '0.1', '1'])
    >>> ticks(Boolean(), 5)
    (array([0., 1.]), ['false', 'true'])
    """
    levels = parameter.levels
    choice = isinstance(parameter, (Categorical, Ordinal))
    if levels is not None and (choice or levels <= most):
        positions = parameter.positions()[:: math.ceil(levels / most)]
    else:
        values = _round_values(parameter, most)
        positions = np.unique(parameter.snap(parameter.encode(values)))
    at = [parameter.decode(position) for position in positions.tolist()]
    return positions, [shown(value) for value in at] if choice else numbers(at)


def limits(parameter: Parameter) -> tuple[float, float]:
    """Where the axis of a parameter begins and ends.

    Examples
    --------
    >>> from warpfront import Boolean, Real
    >>> limits(Real(5, 7)), limits(Boolean())
    ((0.0, 1.0), (-0.5, 1.5))
    """
    return (-0.5, (parameter.levels or 1) - 0.5) if parameter.is_category else (0.0, 1.0)


def edges(parameter: Parameter, positions: Floats) -> Floats:
    """The ends of the cells around positions (m,) of a parameter, (m + 1,).

    Examples
    --------
    >>> from warpfront import Boolean
    >>> edges(Boolean(), np.array([0.0, 1.0]))
    array([-0.5,  0.5,  1.5])
    """
    low, high = limits(parameter)
    return np.concatenate([[low], (positions[:-1] + positions[1:]) / 2, [high]])


def _round_values(parameter: Parameter, most: int) -> list[float]:
    """Round numbers within the range of a numeric parameter, evenly spread on its scale."""
    description = parameter.to_dict()
    low, high, scale = (description[key] for key in ("low", "high", "scale"))
    found: list[float] = []
    if scale == "log":
        decades = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
        mantissas = (1,) if len(decades) > 3 else (1, 2, 5)
        found = [float(f"{m}e{k}") for k in decades for m in mantissas]
    elif scale == "logit":
        tails = [float(f"1e-{k}") for k in range(1, 16)]
        found = sorted({*tails, 0.5, *(1.0 - tail for tail in tails)})
    found = [value for value in found if low <= value <= high]
    if len(found) < 3:
        return _evenly(low, high, most)
    return found[:: math.ceil(len(found) / most)]


def _evenly(low: float, high: float, most: int) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten in [low, high], at most ``most``."""
    span = high - low
    power = 10.0 ** math.floor(math.log10(max(span / most, sys.float_info.min)))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if span / (m * power) <= most)
    found = [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return [value for value in found if low <= value <= high] or [low, high]
