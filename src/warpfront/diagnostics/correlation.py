"""Rank correlation: whether two quantities grow together."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAST_PAIRS = 3
"""Two points always lie on a line."""
TELLING_PAIRS = 5
"""Of four pairs, two orders of 24 are as far from chance as can be: p = 0.083. So fewer pairs than
five are never significant."""
EXACT_PAIRS = 7
"""Of no more pairs all orders, up to 5,040, are counted; of more, Student's t is near enough."""


def rank_correlation(one: Floats, other: Floats) -> tuple[float, float]:
    """Spearman's correlation of two arrays (n,), and its p-value.

    Both are nan for fewer than three pairs and where one of the arrays does not vary. The p-value
    of up to seven pairs is exact.

    Examples
    --------
    >>> found = rank_correlation(np.arange(5.0), np.array([5.0, 7.0, 6.0, 8.0, 70.0]))
    >>> round(found[0], 2), round(found[1], 3)
    (0.9, 0.083)
    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.ones(3))
    (nan, nan)
    """
    if len(one) < LEAST_PAIRS or one.min() == one.max() or other.min() == other.max():
        return math.nan, math.nan
    from scipy import stats  # half a second to import, so not before

    found = stats.spearmanr(one, other)
    if len(one) > EXACT_PAIRS:
        return float(found.statistic), float(found.pvalue)
    # Ranks less their mean are whole halves: equal sums of products are exactly equal.
    a, b = (stats.rankdata(x) - (len(x) + 1) / 2.0 for x in (one, other))
    orders = np.abs(np.array(list(permutations(b))) @ a)
    return float(found.statistic), float(np.mean(orders >= abs(a @ b)))
