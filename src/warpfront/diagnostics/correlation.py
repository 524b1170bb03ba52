"""Rank correlation: whether two quantities grow together."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAST_PAIRS = 3
"""Two points always lie on a line."""


def rank_correlation(one: Floats, other: Floats) -> tuple[float, float]:
    """Spearman's correlation of two arrays (n,), and its p-value.

    Both are nan for fewer than three pairs and where one of the arrays does not vary.

    Examples
    --------
    >>> found = rank_correlation(np.arange(5.0), np.array([5.0, 7.0, 6.0, 8.0, 70.0]))
    >>> round(found[0], 2), round(found[1], 3)
    (0.9, 0.037)
    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.ones(3))
    (nan, nan)
    """
    if len(one) < LEAST_PAIRS or one.min() == one.max() or other.min() == other.max():
        return math.nan, math.nan
    from scipy import stats  # half a second to import, so not before

    found = stats.spearmanr(one, other)
    return float(found.statistic), float(found.pvalue)
