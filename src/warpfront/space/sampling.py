"""Points of the unit cube that cover it evenly."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SOBOL_MAX_DIMENSION = 21_201
"""How far the direction numbers of SciPy's Sobol sequence reach."""


def sobol(n: int, d: int, rng: np.random.Generator, *, skip: int = 0) -> Floats:
    """Points ``skip``, ..., ``skip + n - 1`` of a scrambled Sobol sequence, (n, d).

    Examples
    --------
    >>> sobol(3, 2, np.random.default_rng(0)).shape
    (3, 2)
    """
    if d > SOBOL_MAX_DIMENSION:
        return rng.random((skip + n, d))[skip:]
    from scipy.stats import qmc  # costs half a second, so not at import

    # A power of two keeps the sequence balanced; a prefix of it does not depend on n.
    length = max(1, math.ceil(math.log2(max(skip + n, 1))))
    points: Floats = qmc.Sobol(d, scramble=True, seed=rng).random_base2(length)
    return points[skip : skip + n]
