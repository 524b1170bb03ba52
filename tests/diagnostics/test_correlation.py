"""Rank correlation: Spearman's, exact for few pairs, and nan where nothing can be correlated."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test, spearmanr

from tests.strategies import FINITE
from warpfront.diagnostics.comparison import LEVEL
from warpfront.diagnostics.correlation import TELLING_PAIRS, rank_correlation

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


def test_the_p_value_of_few_pairs_is_the_share_of_orders_that_agree_so_well():
    """Counted by SciPy's permutation test, and known from tables of Spearman's correlation."""
    one, other = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0]), np.array([2.0, 7.0, 1.0, 8.0, 2.0, 3.0])
    expected = permutation_test(
        (one,),
        lambda x: abs(spearmanr(x, other).statistic),
        permutation_type="pairings",
        alternative="greater",
        n_resamples=np.inf,
    )
    assert rank_correlation(one, other)[1] == pytest.approx(expected.pvalue)
    swapped = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 5.0])
    assert rank_correlation(np.arange(7.0), swapped)[1] == pytest.approx(2 * 7 / 5040)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7])
def test_the_least_p_value_is_that_of_two_orders(n):
    """SciPy's, of Student's t, would be 0, and three pairs in order would prove anything."""
    for other in (np.arange(float(n)), -np.arange(float(n))):
        _, p_value = rank_correlation(np.arange(float(n)), other)
        assert p_value == pytest.approx(2 / math.factorial(n))
        assert (p_value < LEVEL) == (n >= TELLING_PAIRS)


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
