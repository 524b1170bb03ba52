"""Rank correlation: Spearman's, ties and all, and nan where there is nothing to correlate."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from tests.strategies import FINITE
from warpfront.diagnostics.correlation import rank_correlation

PAIRS = st.lists(
    st.tuples(st.integers(-30, 30), st.integers(-30, 30)), min_size=3, max_size=20
).map(lambda pairs: np.array(pairs, dtype=float).T)
"""Two arrays (n,) of few values, so that some tie."""

INCREASING = {
    "line": lambda x: 3.0 * x - 7.0,
    "cube": lambda x: x**3,
    "exponential": np.exp,
    "arc tangent": np.arctan,
    "units": lambda x: 1e300 * x,
}


def varies(x):
    return len(set(x.tolist())) > 1


@pytest.mark.parametrize("values", [3, 1000], ids=["ties", "few ties"])
def test_it_is_spearmans(values):
    one, noise = np.random.default_rng(0).integers(0, values, (2, 40)).astype(float)
    other = 0.5 * one + noise
    expected = spearmanr(one, other)
    assert rank_correlation(one, other) == pytest.approx((expected.statistic, expected.pvalue))
    assert 0.1 < expected.statistic < 0.9


def test_ties_share_their_mean_rank():
    one, other = np.array([1.0, 2.0, 2.0, 9.0]), np.array([1.0, 3.0, 2.0, 4.0])
    # Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: deviations with products 4.5 and squares 4.5 and 5.
    assert rank_correlation(one, other)[0] == pytest.approx(4.5 / math.sqrt(4.5 * 5.0))


def test_the_p_value_falls_with_the_number_of_pairs():
    few, many = (np.arange(float(n)) for n in (6, 60))
    swapped = [np.where(x % 2 == 0, x + 1, x - 1) for x in (few, many)]  # neighbours change places
    p_values = [rank_correlation(x, y)[1] for x, y in zip((few, many), swapped, strict=True)]
    assert p_values[1] < 1e-9 < p_values[0] < 0.1


@pytest.mark.parametrize("value", [0.0, 0.1, -1e308, -math.inf])
def test_what_does_not_vary_has_no_correlation(value):
    """And no warning of SciPy's either: those are errors here."""
    constant, varied = np.full(5, value), np.arange(5.0)
    for arrays in ((constant, varied), (varied, constant), (constant, constant)):
        assert np.isnan(rank_correlation(*arrays)).all()


@pytest.mark.parametrize("n", [0, 1, 2])
def test_fewer_than_three_pairs_have_none(n):
    assert np.isnan(rank_correlation(np.arange(float(n)), -np.arange(float(n)))).all()


@given(PAIRS)
def test_both_count_alike(pairs):
    one, other = pairs
    found = rank_correlation(one, other)
    assert found == pytest.approx(rank_correlation(other, one), nan_ok=True)
    assert math.isnan(found[0]) == (not varies(one) or not varies(other))


@given(PAIRS, st.sampled_from(list(INCREASING)))
def test_only_the_order_counts(pairs, name):
    one, other = pairs
    correlation, p_value = rank_correlation(one, other)
    mapped = INCREASING[name](one)
    assert rank_correlation(mapped, other) == pytest.approx((correlation, p_value), nan_ok=True)
    turned = rank_correlation(-mapped, other)
    assert turned == pytest.approx((-correlation, p_value), nan_ok=True)


@given(st.lists(st.floats(**FINITE), min_size=3, max_size=20).map(np.array).filter(varies))
def test_whatever_varies_agrees_with_itself(x):
    assert rank_correlation(x, x)[0] == pytest.approx(1.0)
