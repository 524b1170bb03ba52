"""Heteroscedasticity: whether the spread of repeated evaluations is the same everywhere.

Paper, "Statistical Hypothesis Testing for Heteroscedasticity and Non-Stationarity", and its
appendix "Additional Detail of Hypothesis Tests": k configurations, n repeats of each, Levene's and
the Fligner-Killeen test of H0: all k variances are equal.

Glossary
--------
group
    the losses of repeated evaluations of one configuration.
level, spread
    median and standard deviation of a group.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from warpfront.diagnostics.comparison import LEVEL
from warpfront.diagnostics.correlation import rank_correlation
from warpfront.errors import ConfigurationError

Floats = NDArray[np.float64]

LEAST_REPEATS = 3
"""Of two losses both deviate equally from their centre, so that neither test has anything to
compare the differences between groups with."""
LEAST_GROUPS = 2
ROUNDED = 8.0 * sys.float_info.epsilon
"""Losses within this share of their size are the same but for their last digits."""
TAILS = (0.1, 0.9)
"""The quantiles of the spreads whose ratio is the effect size."""


@dataclass(frozen=True)
class SpreadTests:
    """Whether the spread of repeated losses depends on the configuration.

    Attributes
    ----------
    levene, levene_p
        Levene's statistic W and its p-value.
    fligner, fligner_p
        The Fligner-Killeen statistic (chi-square) and its p-value.
    ratio
        Effect size: the 90 % quantile of the spreads over their 10 % quantile; infinite if that
        is 0.
    expected_ratio
        About what the ratio of so many groups would be, by chance, if the noise were normal and
        the same everywhere.
    correlation, correlation_p
        Spearman's rank correlation of spread and level, and its p-value; nan for fewer than three
        groups and where one of the two does not vary.
    levels, spreads
        Median and standard deviation of each group that was used, (k,).
    repeats
        How many losses each of these has, (k,).
    failed
        How many evaluations were left out because they have no finite loss.
    dropped
        How many groups were left out because fewer than three finite losses remain.
    note
        Why a test says nothing, else None. Statistics and p-values are then nan, unless losses
        vary between groups only: equal spreads of 0 have the statistic 0 and the p-value 1.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> quiet, loud = rng.normal(size=(10, 8)), rng.normal(scale=9.0, size=(10, 8))
    >>> spread_tests(np.vstack([quiet, loud])).is_heteroscedastic
    True
    >>> spread_tests(quiet).is_heteroscedastic
    False
    """

    levene: float
    levene_p: float
    fligner: float
    fligner_p: float
    ratio: float
    expected_ratio: float
    correlation: float
    correlation_p: float
    levels: Floats
    spreads: Floats
    repeats: NDArray[np.intp]
    failed: int = 0
    dropped: int = 0
    note: str | None = None

    @property
    def is_heteroscedastic(self) -> bool | None:
        """Whether both tests reject equal spreads at 5 %; None if they could not be done.

        Both: skewed noise that is the same everywhere makes Fligner-Killeen reject too often.
        """
        if math.isnan(self.levene_p) or math.isnan(self.fligner_p):
            return None
        return self.levene_p < LEVEL and self.fligner_p < LEVEL


def spread_tests(
    groups: Sequence[ArrayLike] | NDArray[np.float64],
    centre: Literal["median", "mean"] = "median",
) -> SpreadTests:
    """Test whether repeated evaluations of different configurations have the same spread.

    Give each configuration an even number of repeats. Of an odd one the median is a loss of its
    own, whose deviation is 0: spreads from 1 to 5 are found in 54 % of all cases with 10 x 6
    losses, and in 2 % with 10 x 5.

    Parameters
    ----------
    groups
        Losses, (k configurations, n repeats), or a sequence of k arrays of any lengths. What is
        not finite is a failed evaluation, and is left out; what differs in the last digits only
        is equal.
    centre
        Levene's deviations are from the median of a group (Brown and Forsythe; SciPy's default)
        or from its mean, as the paper prints the formula. With the mean the test rejects far too
        often: for 50 x 10 losses of equal spread in 13 % of all cases if they are normal, and in
        94 % if they are exponential, where it should be 5 %. With the median it is 1 % and 6 %.

    Examples
    --------
    >>> found = spread_tests([[1.0, 1.1, 0.9, 1.0], [5.0, 8.0, 2.0, 6.0], [3.0, float("nan")]])
    >>> found.failed, found.dropped, found.levels
    (1, 1, array([1. , 5.5]))
    >>> spread_tests([[1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]).note
    'All repeats gave the same value each time: the objective is deterministic.'
    """
    if centre not in ("median", "mean"):
        raise ConfigurationError(f"centre={centre!r}: must be 'median' or 'mean'")
    told = [np.asarray(group, dtype=float).ravel() for group in groups]
    finite = [group[np.isfinite(group)] for group in told]
    failed = sum(map(len, told)) - sum(map(len, finite))
    used = [group for group in finite if len(group) >= LEAST_REPEATS]
    used = [group if varies(group) else np.full_like(group, group[0]) for group in used]
    # All that follows is the same for losses in other units; squares must not overflow.
    unit = max((float(np.abs(group).max()) for group in used), default=0.0) or 1.0
    levels = np.array([float(np.median(group / unit)) for group in used]) * unit
    spreads = np.array([_spread(group) for group in used])
    repeats = np.array([len(group) for group in used], dtype=np.intp)
    note, results = None, (math.nan, math.nan, math.nan, math.nan)
    if len(used) < LEAST_GROUPS:
        note = (
            f"The tests need {LEAST_GROUPS} configurations with {LEAST_REPEATS} successful "
            f"evaluations each; there are {len(used)}."
        )
    elif not spreads.any() and not varies(levels):
        note = (
            "All repeats of all configurations gave one value, as on a plateau: whether there is "
            "noise elsewhere is not known."
        )
    elif not spreads.any():
        note = "All repeats gave the same value each time: the objective is deterministic."
        results = 0.0, 1.0, 0.0, 1.0
    else:
        results = _tests([group / unit for group in used], centre)
    return SpreadTests(
        *results,
        *_ratios(spreads, repeats),
        *rank_correlation(levels, spreads),
        levels=levels,
        spreads=spreads,
        repeats=repeats,
        failed=failed,
        dropped=len(told) - len(used),
        note=note,
    )


def varies(losses: Floats) -> bool:
    """Whether losses (n,), n >= 1, differ by more than rounding.

    Examples
    --------
    >>> varies(np.array([0.3, 0.1 + 0.2])), varies(np.array([0.3, 0.3000001]))
    (False, True)
    """
    low, high = float(losses.min()), float(losses.max())  # whose difference may be infinite
    return high - low > ROUNDED * max(abs(low), abs(high))


def _spread(group: Floats) -> float:
    """Standard deviation, exactly 0 for equal losses, at most the greatest number."""
    reach = float(np.abs(group / 2.0 - group[0] / 2.0).max())  # halves: signs may differ
    if reach == 0.0:
        return 0.0
    spread = float(((group / 2.0 - group[0] / 2.0) / reach).std(ddof=1)) * reach * 2.0
    return min(spread, sys.float_info.max)


def _tests(groups: list[Floats], centre: str) -> tuple[float, float, float, float]:
    from scipy import stats  # half a second to import, so not before

    # Where all losses of each group deviate equally, Levene's statistic divides by 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        levene = stats.levene(*groups, center=centre)
        fligner = stats.fligner(*groups, center="median")
    found = (levene.statistic, levene.pvalue, fligner.statistic, fligner.pvalue)
    W, W_p, chi2, chi2_p = (float(value) for value in found)
    if math.isnan(W):  # 0 / 0: all deviations are equal, those of different groups included
        W, W_p = 0.0, 1.0
    if math.isnan(chi2):
        chi2, chi2_p = 0.0, 1.0
    return W, W_p, chi2, chi2_p


def _ratios(spreads: Floats, repeats: NDArray[np.intp]) -> tuple[float, float]:
    """The ratio of the tails of the spreads, and the one that equal variances would give."""
    if len(spreads) == 0:
        return math.nan, math.nan
    from scipy.special import chdtri

    low, high = (float(q) for q in np.quantile(spreads, TAILS))
    ratio = high / low if low > 0.0 else (math.inf if high > 0.0 else 1.0)
    # (n - 1) spread^2 / variance is chi-square with n - 1 degrees of freedom. The medians of k
    # such, in order, lie at about these quantiles; the tails of few are not those of all.
    k, free = len(spreads), float(np.median(repeats)) - 1.0
    places = (np.arange(1, k + 1) - 1.0 / 3.0) / (k + 1.0 / 3.0)
    usual = np.quantile(np.sqrt(chdtri(free, 1.0 - places)), TAILS)
    return ratio, float(usual[1] / usual[0])
