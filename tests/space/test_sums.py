"""Sums: moving on them, and drawing on them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from warpfront import Integer, Real, Space
from warpfront.space.structure import Sum
from warpfront.space.sums import Sums, pseudo_inverse


def sums(parameters, *rows):
    """The sums of rows of coefficients with their total in the last place."""
    d = len(parameters)
    found = [Sum(tuple(range(d)), tuple(row[:-1]), row[-1], 1e-9) for row in rows]
    return Sums(found, parameters)


def restored(found, V, free=None):
    V = np.atleast_2d(np.array(V, dtype=float))
    free = np.ones(V.shape, bool) if free is None else np.atleast_2d(free)
    return found.restored(V, free, np.ones((len(V), len(found.totals)), bool))


def test_the_change_is_the_smallest_in_units_of_the_ranges():
    found = sums([Real(0, 1), Real(0, 1), Real(0, 10)], [1, 1, 1, 5])
    V = np.array([0.5, 0.5, 3.0])
    moved = restored(found, V)[0]
    # The gap of 1 is shared as 1 : 1 : 100, the squares of the ranges.
    np.testing.assert_allclose(moved - V, np.array([1, 1, 100]) / 102, rtol=1e-9)


def test_bounds_are_kept_and_what_is_fixed_stays():
    found = sums([Real(0, 1)] * 4, [1, 1, 1, 1, 3.5])
    moved = restored(found, [0.9, 0.1, 0.5, 0.2], [True, True, True, False])
    np.testing.assert_allclose(moved.sum(), 3.2)  # as far as possible
    moved = restored(found, [0.9, 0.1, 0.5, 0.6], [True, True, True, False])
    np.testing.assert_allclose(moved, [[0.9667, 0.9333, 1.0, 0.6]], atol=0.07)
    np.testing.assert_allclose(moved.sum(), 3.5)
    assert moved.max() <= 1.0


@pytest.mark.parametrize("seed", range(5))
def test_random_sums_are_restored(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 12))
    parameters = [Real(low, low + 10 ** rng.uniform(-3, 3)) for low in rng.normal(size=d)]
    low, high = np.array([(p.low, p.high) for p in parameters]).T
    row = rng.normal(size=d)
    inside = rng.uniform(low, high, (50, d))
    for V in rng.uniform(low, high, (50, d)):
        target = inside[rng.integers(50)] @ row
        found = sums(parameters, [*row, target])
        moved = restored(found, V)
        scale = np.abs(row) @ np.maximum(np.abs(low), np.abs(high))
        assert abs(moved[0] @ row - target) < 1e-9 * scale
        assert np.all((moved >= low) & (moved <= high))


def test_several_sums_are_restored_together():
    found = sums([Real(0, 1)] * 4, [1, 1, 1, 0, 1], [0, 1, 0, 2, 0.7])
    V = np.random.default_rng(0).random((200, 4))
    moved = restored(found, V)
    np.testing.assert_allclose(moved[:, :3].sum(axis=1), 1, atol=1e-8)
    np.testing.assert_allclose(moved[:, 1] + 2 * moved[:, 3], 0.7, atol=1e-8)
    assert moved.min() >= 0
    assert moved.max() <= 1


def test_whole_numbers_move_by_whole_steps():
    found = sums([Integer(0, 100)] * 4, [1, 1, 1, 1, 37])
    V = np.random.default_rng(0).integers(0, 101, (200, 4))
    moved = restored(found, V)
    assert np.all(moved == np.rint(moved))
    assert np.all(moved.sum(axis=1) == 37)
    assert moved.min() >= 0
    found = sums([Integer(0, 10, step=5), Integer(-3, 3), Real(0, 1)], [1, -1, 1, 7.25])
    moved = restored(found, [[0, 0, 0], [10, 3, 1], [5, -3, 0.5]])
    np.testing.assert_allclose(moved @ [1, -1, 1], 7.25, atol=1e-9)
    assert np.all(moved[:, :2] == np.rint(moved[:, :2]))
    assert set(moved[:, 0]) <= {0.0, 5.0, 10.0}


def test_what_holds_already_is_left_alone():
    found = sums([Real(0, 1), Real(0, 1)], [1, 1, 1])
    V = np.array([[0.3, 0.7], [0.1, 0.9 + 1e-10]])
    np.testing.assert_array_equal(restored(found, V), V)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_draws_on_the_simplex_are_uniform(k):
    found = sums([Real(0, 1)] * k, [1] * k + [1])
    U = np.random.default_rng(0).random((4000, k))
    V = found.drawn(np.zeros((4000, k)), U, np.ones((4000, k), bool), np.ones((4000, 1), bool))
    np.testing.assert_allclose(V.sum(axis=1), 1, atol=1e-9)
    for column in V.T:  # the marginals of the uniform distribution on the simplex
        assert stats.kstest(column, stats.beta(1, k - 1).cdf).pvalue > 1e-3


@pytest.mark.parametrize("total", [0.0, 1e-9, 0.3, 5.0, 9.7, 10.0])
def test_draws_keep_to_their_bounds(total):
    found = sums([Real(0, 1)] * 10, [1] * 10 + [total])
    U = np.random.default_rng(0).random((500, 10))
    everything = np.ones((500, 10), bool)
    V = found.drawn(np.zeros((500, 10)), U, everything, everything[:, :1])
    assert V.min() >= 0
    assert V.max() <= 1
    np.testing.assert_allclose(V.sum(axis=1), total, atol=1e-9)
    assert total in (0.0, 10.0) or len(np.unique(V.round(15))) > 400


def test_draws_follow_the_signs_of_the_coefficients():
    found = sums([Real(-1, 2), Real(0, 5)], [1, -1, 0])
    U = np.random.default_rng(0).random((2000, 2))
    everything = np.ones((2000, 2), bool)
    V = found.drawn(np.zeros((2000, 2)), U, everything, everything[:, :1])
    np.testing.assert_allclose(V[:, 0], V[:, 1], atol=1e-9)
    assert stats.kstest(V[:, 0] / 2, "uniform").statistic < 0.1


def test_suggested_sums_are_exact_to_the_last_shown_digit():
    space = Space({f"x{i}": Real(0, 1) for i in range(3)}, constraints=["x0 + x1 + x2 == 1"])
    for config in space.sample(50, seed=0):
        assert abs(sum(config.values()) - 1) < 1e-15 * 3


def test_pseudo_inverses():
    A = np.random.default_rng(0).normal(size=(5, 1, 4))
    np.testing.assert_allclose(pseudo_inverse(A), np.linalg.pinv(A), atol=1e-12)
    assert not pseudo_inverse(np.zeros((2, 1, 3))).any()
