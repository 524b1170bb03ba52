"""The paired comparison: the t-test, its correction for splits that overlap, and verdicts."""

import math

import numpy as np
import pytest
from scipy import stats

from warpfront.diagnostics.comparison import LEVEL, Comparison, paired_comparison
from warpfront.errors import ConfigurationError


def test_independent_pairs_are_compared_by_the_t_test():
    rng = np.random.default_rng(0)
    one, other = rng.normal(0.3, 1.0, 12), rng.normal(size=12)
    found = paired_comparison(one, other)
    expected = stats.ttest_rel(one, other)
    assert found.p_value == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(1.0 - LEVEL)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))
    assert found.pairs == 12


@pytest.mark.parametrize(
    ("difference", "p_value", "verdict"),
    [
        (1.0, 0.01, "significantly better"),
        (1.0, 0.2, "better"),
        (1.0, math.nan, "better"),
        (0.0, 1.0, "no difference"),
        (-1.0, 0.2, "worse"),
        (-1.0, 0.01, "significantly worse"),
    ],
)
def test_verdicts(difference, p_value, verdict):
    assert Comparison(difference, -9.0, 9.0, p_value, 5).verdict == verdict


def split_scores(rng, n=60, splits=20, share=0.25):
    """Mean differences over random parts of n observations, none of which differ on average."""
    each = rng.normal(size=n)
    parts = rng.permuted(np.tile(np.arange(n), (splits, 1)), axis=1)[:, : int(share * n)]
    return each[parts].mean(axis=1)


def test_overlapping_splits_are_corrected_for():
    """Without the correction, every other comparison of equals would be significant."""
    rng = np.random.default_rng(0)
    tables = [split_scores(rng) for _ in range(400)]
    zeros = np.zeros(20)
    naive = np.mean([paired_comparison(t, zeros).is_significant for t in tables])
    corrected = np.mean([paired_comparison(t, zeros, overlap=1 / 3).is_significant for t in tables])
    assert naive > 0.3
    assert corrected < stats.binom.ppf(0.999, len(tables), LEVEL) / len(tables)
    assert corrected > 0.01  # and it is no test that never rejects


def test_differences_that_are_all_equal():
    assert paired_comparison([2.0, 3.0], [1.0, 2.0]).p_value == 0.0
    assert paired_comparison([2.0, 3.0], [2.0, 3.0]).p_value == 1.0


def test_one_pair_proves_nothing():
    found = paired_comparison([2.0], [1.0])
    assert (found.low, found.high, found.verdict) == (-math.inf, math.inf, "better")
    assert math.isnan(found.p_value)


@pytest.mark.parametrize(
    ("one", "other", "overlap", "message"),
    [
        ([1.0], [1.0, 2.0], 0.0, "as many of one as of the other"),
        ([], [], 0.0, "as many of one as of the other"),
        ([math.inf], [1.0], 0.0, "finite"),
        ([1.0], [1.0], -1.0, "overlap=-1.0"),
    ],
)
def test_what_cannot_be_compared_is_an_error(one, other, overlap, message):
    with pytest.raises(ConfigurationError, match=message):
        paired_comparison(one, other, overlap=overlap)
