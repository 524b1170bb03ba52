"""A paired comparison of two models: the mean difference, its interval, and a test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from warpfront.errors import ConfigurationError

LEVEL = 0.05
"""The level of significance of all tests. Two-sided, it is the paper's threshold of 0.025 on one
side."""

Verdict = Literal["significantly better", "better", "no difference", "worse", "significantly worse"]


@dataclass(frozen=True)
class Comparison:
    """How much greater the scores of one model are than those of another.

    Attributes
    ----------
    difference
        The mean of the paired differences.
    low, high
        Its 95 % interval.
    p_value
        Of the two-sided paired t-test of no difference; nan with fewer than two pairs.
    pairs
        How many pairs there are.

    Examples
    --------
    >>> found = paired_comparison([1.1, 2.3, 3.2, 4.1], [1.0, 2.0, 3.0, 4.0])
    >>> round(found.difference, 3), found.verdict
    (0.175, 'significantly better')
    """

    difference: float
    low: float
    high: float
    p_value: float
    pairs: int

    @property
    def is_significant(self) -> bool:
        """Whether the test rejects equal means at 5 %."""
        return self.p_value < LEVEL

    @property
    def verdict(self) -> Verdict:
        """The column of the paper's table into which the comparison belongs."""
        if self.difference == 0.0:
            return "no difference"
        if self.difference > 0.0:
            return "significantly better" if self.is_significant else "better"
        return "significantly worse" if self.is_significant else "worse"


def paired_comparison(scores: ArrayLike, others: ArrayLike, *, overlap: float = 0.0) -> Comparison:
    """Compare paired scores, of which greater ones are better, by a t-test.

    Parameters
    ----------
    scores, others
        Finite scores of the two models, (n,) each.
    overlap
        For scores on repeated random splits of the same data: held-out observations for each
        one in the training part. Such scores depend on each other, and an ordinary t-test would
        find differences where there are none; the variance of their mean is taken to be
        1/n + overlap of theirs instead of 1/n (Nadeau and Bengio, 2003). 0: independent pairs.

    Examples
    --------
    >>> paired_comparison([1.0, 3.0, 5.0], [1.0, 3.0, 5.0]).verdict
    'no difference'
    >>> found = paired_comparison([1.1, 2.3, 3.2, 4.1], [1.0, 2.0, 3.0, 4.0], overlap=1 / 3)
    >>> round(found.low, 2), round(found.high, 2), found.verdict
    (-0.06, 0.41, 'better')
    """
    one, other = np.asarray(scores, dtype=float), np.asarray(others, dtype=float)
    if one.shape != other.shape or one.ndim != 1 or len(one) == 0:
        raise ConfigurationError(
            f"scores of shapes {one.shape} and {other.shape}: give as many of one as of the other, "
            "one score for each pair"
        )
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise ConfigurationError("scores must be finite; leave pairs out where one is not")
    if overlap < 0.0:
        raise ConfigurationError(f"overlap={overlap!r}: must be 0 or more")
    from scipy.special import stdtr, stdtrit

    differences = one - other
    n, mean = len(differences), float(differences.mean())
    if n < 2:
        return Comparison(mean, -math.inf, math.inf, math.nan, n)
    error = float(differences.std(ddof=1)) * math.sqrt(1.0 / n + overlap)
    reach = float(stdtrit(n - 1, 1.0 - LEVEL / 2.0)) * error
    if error > 0.0:
        p_value = 2.0 * float(stdtr(n - 1, -abs(mean) / error))
    else:  # all differences are equal
        p_value = 1.0 if mean == 0.0 else 0.0
    return Comparison(mean, mean - reach, mean + reach, p_value, n)
