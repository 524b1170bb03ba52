"""Beliefs: where the user thinks that good values lie, as a prior density on encoded rows.

The density of one parameter is 1 at what the user named. For numbers it falls like a Cauchy density
with the distance: half as high after one ``WIDTH`` of the range, a hundredth at the far end, never
zero, so that data can overrule a wrong belief. The choices of a category that the user did not name
have ``OTHER_CHOICE`` each.

Glossary
--------
X : (n, d)
    encoded configurations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warpfront.space.choice import Choice
from warpfront.space.parameter import Parameter

Floats = NDArray[np.float64]

WIDTH = 0.1
"""The distance, as a share of the range on its scale, at which a belief has fallen to one half."""
OTHER_CHOICE = 0.2
"""The density of a choice that was not named, beside 1 for one that was."""


def log_density(parameter: Parameter, positions: Floats) -> Floats:
    """Log of the prior density of a parameter at positions (n,); 0 at most, 0 without a belief.

    Examples
    --------
    >>> from warpfront import Boolean, Real
    >>> np.exp(log_density(Real(0, 1, likely=(0.2, 0.4)), np.array([0.3, 0.5, 1.0])).round(2))
    array([1.        , 0.50157607, 0.02705185])
    >>> np.exp(log_density(Boolean(likely=True), np.array([0.0, 1.0])))
    array([0.2, 1. ])
    """
    if parameter.likely is None:
        return np.zeros(len(positions))
    if isinstance(parameter, Choice):
        codes = parameter.likely_codes or ()
        if parameter.is_category:
            named = np.isin(parameter.level_of(positions), codes)
            return np.where(named, 0.0, math.log(OTHER_CHOICE))
        places = parameter.positions()[list(codes)]
        distance = np.abs(positions[:, None] - places).min(axis=1)
    else:
        likely = parameter.likely
        low, high = likely if isinstance(likely, tuple) else (likely, likely)
        start, stop = parameter.snap(parameter.encode([low, high]))
        distance = np.maximum(np.maximum(start - positions, positions - stop), 0.0)
    return np.asarray(-np.log1p((distance / WIDTH) ** 2))


def log_belief(
    parameters: Sequence[Parameter], X: Floats, active: NDArray[np.bool_] | None
) -> Floats:
    """The sum over the parameters with a belief, (n,), where they are active (n, d).

    Examples
    --------
    >>> from warpfront import Real
    >>> log_belief([Real(0, 1, likely=0.3), Real(0, 1)], np.array([[0.4, 0.9]]), None).round(2)
    array([-0.69])
    """
    total = np.zeros(len(X))
    for j, parameter in enumerate(parameters):
        if parameter.likely is not None:
            added = log_density(parameter, X[:, j])
            total += added if active is None else np.where(active[:, j], added, 0.0)
    return total
