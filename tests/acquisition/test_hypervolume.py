"""Hypervolume and its improvement against pymoo, brute force and Monte Carlo."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from warpfront.acquisition.functions import log_ei
from warpfront.acquisition.hypervolume import (
    REFERENCE_MARGIN,
    expected_improvement,
    free_cells,
    hypervolume,
    improvement,
    infer_reference,
    non_dominated,
    scalarised_improvement,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from pymoo.indicators.hv import HV


def dominated_by_any(F, i):
    """Whether another row is no worse everywhere and better somewhere, or is equal and earlier."""
    for j, other in enumerate(F):
        if np.all(other <= F[i]) and (np.any(other < F[i]) or j < i):
            return True
    return False


def levels(k, least=0, most=8):
    """Points on a coarse grid, so that ties and duplicates are common."""
    return st.integers(least, most).flatmap(
        lambda n: arrays(float, (n, k), elements=st.integers(0, 4).map(float))
    )


def random_front(k, n, seed=0):
    return np.random.default_rng(seed).random((n, k))


class TestNonDominated:
    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_it_is_the_definition(self, k):
        @given(levels(k))
        def check(F):
            expected = [not dominated_by_any(F, i) for i in range(len(F))]
            assert non_dominated(F).tolist() == expected

        check()

    def test_infinite_values_are_values(self):
        F = np.array([[np.inf, 0.0], [0.0, np.inf], [np.inf, np.inf], [1.0, 1.0]])
        assert non_dominated(F).tolist() == [True, True, False, True]


class TestHypervolume:
    @pytest.mark.parametrize("k", [1, 2, 3, 4])
    @pytest.mark.parametrize("n", [1, 2, 7, 20])
    def test_it_is_pymoos(self, k, n):
        for seed in range(3):
            F, reference = random_front(k, n, seed), np.full(k, 0.9)
            inside = F[(reference > F).all(axis=1)]
            expected = float(HV(ref_point=reference)(inside)) if len(inside) else 0.0
            assert hypervolume(F, reference) == pytest.approx(expected, rel=1e-9)

    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_it_is_the_count_of_dominated_cells_of_a_grid(self, k):
        corners = np.stack(np.meshgrid(*[np.arange(4.0)] * k, indexing="ij"), -1).reshape(-1, k)

        @given(levels(k))
        def check(F):
            covered = [(corner >= F).all(axis=1).any() if len(F) else False for corner in corners]
            assert hypervolume(F, np.full(k, 4.0)) == pytest.approx(sum(covered))

        check()

    def test_points_beyond_the_reference_do_not_count(self):
        reference = np.array([1.0, 1.0])
        assert hypervolume(np.array([[0.5, 1.0], [2.0, -9.0]]), reference) == 0.0
        assert hypervolume(np.array([[0.5, 0.5], [2.0, -9.0]]), reference) == pytest.approx(0.25)
        assert hypervolume(np.empty((0, 2)), reference) == 0.0

    def test_shifts_and_units_do_what_they_must(self):
        F, reference = random_front(3, 8), np.ones(3)
        shift, unit = np.array([5.0, -3.0, 100.0]), np.array([2.0, 0.1, 1e6])
        moved = hypervolume(unit * F + shift, unit * reference + shift)
        assert moved == pytest.approx(unit.prod() * hypervolume(F, reference), rel=1e-6)


class TestCells:
    @pytest.mark.parametrize("k", [1, 2, 3, 4])
    def test_each_point_below_the_reference_is_dominated_or_in_one_cell(self, k):
        rng = np.random.default_rng(3)
        F, reference = random_front(k, 9, seed=4), np.full(k, 0.95)
        cells = free_cells(F, reference)
        points = rng.uniform(-0.5, 1.2, (3000, k))
        inside = (points[:, None] > cells[:, 0]) & (points[:, None] <= cells[:, 1])
        count = inside.all(axis=2).sum(axis=1)
        below = (points < reference).all(axis=1)
        near = F[(reference > F).all(axis=1)]
        dominated = (near[:, None] <= points).all(axis=2).any(axis=0)
        np.testing.assert_array_equal(count, (below & ~dominated).astype(int))
        assert 0 < count.sum() < len(points)

    def test_without_a_front_all_below_the_reference_is_free(self):
        (cell,) = free_cells(np.empty((0, 3)), np.array([1.0, 2.0, 3.0]))
        np.testing.assert_array_equal(cell[0], np.full(3, -np.inf))
        np.testing.assert_array_equal(cell[1], [1.0, 2.0, 3.0])

    def test_duplicates_and_dominated_points_change_nothing(self):
        F, reference = random_front(3, 6), np.ones(3)
        more = np.vstack([F, F[:3], F + 0.01])
        for cells in (free_cells(more, reference), free_cells(more[::-1], reference)):
            np.testing.assert_array_equal(cells, free_cells(F, reference))


class TestImprovement:
    @pytest.mark.parametrize("k", [1, 2, 3, 4])
    def test_it_is_the_growth_of_the_hypervolume(self, k):
        F, reference = random_front(k, 7, seed=1), np.full(k, 0.9)
        new = np.random.default_rng(2).uniform(-0.3, 1.0, (25, k))
        before = hypervolume(F, reference)
        expected = [hypervolume(np.vstack([F, row]), reference) - before for row in new]
        found = improvement(new, free_cells(F, reference))
        np.testing.assert_allclose(found, expected, atol=1e-9)
        assert 0 < np.sum(found > 0.0) < 25

    def test_of_nothing_there_is_nothing(self):
        cells = free_cells(random_front(2, 4), np.ones(2))
        assert improvement(np.empty((0, 2)), cells).shape == (0,)


class TestExpectedImprovement:
    @pytest.mark.parametrize(("k", "n"), [(1, 3), (2, 0), (2, 6), (3, 5), (4, 4)])
    def test_it_is_that_of_monte_carlo(self, k, n):
        rng = np.random.default_rng(5)
        F, reference = random_front(k, n, seed=6), np.full(k, 1.0)
        cells = free_cells(F, reference)
        mean, std = rng.uniform(0.0, 1.0, (6, k)), rng.uniform(0.3, 0.8, (6, k))
        found = expected_improvement(mean, std, cells)
        for i in range(6):
            draws = improvement(rng.normal(mean[i], std[i], (40_000, k)), cells)
            error = draws.std() / np.sqrt(len(draws))
            assert found[i] == pytest.approx(draws.mean(), abs=4.5 * error)
        assert np.all(found > 0.0)

    def test_of_one_objective_it_is_the_expected_improvement(self):
        F, mean, std = random_front(1, 5), np.linspace(-1, 2, 9)[:, None], np.full((9, 1), 0.3)
        found = expected_improvement(mean, std, free_cells(F, np.array([9.0])))
        expected = np.exp(log_ei(mean[:, 0], std[:, 0], float(F.min())))
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-15)

    def test_of_what_is_certain_it_is_the_improvement(self):
        F, reference = random_front(3, 6), np.ones(3)
        cells = free_cells(F, reference)
        mean = np.random.default_rng(7).uniform(-0.2, 1.0, (20, 3))
        found = expected_improvement(mean, np.full((20, 3), 1e-9), cells)
        np.testing.assert_allclose(found, improvement(mean, cells), atol=1e-6)

    @pytest.mark.parametrize("far", [-1e6, 1e6])
    def test_far_away_it_is_finite_and_not_negative(self, far):
        cells = free_cells(random_front(2, 5), np.ones(2))
        found = expected_improvement(np.full((1, 2), far), np.full((1, 2), 0.1), cells)
        assert np.isfinite(found[0])
        assert found[0] == 0.0 if far > 0.0 else found[0] > 1e11


class TestReference:
    def test_it_lies_a_tenth_of_the_range_beyond_the_front(self):
        F = np.array([[0.0, 4.0], [1.0, 2.0], [3.0, 0.0], [3.0, 4.0], [0.5, 3.5]])
        np.testing.assert_allclose(
            infer_reference(F), [3.0 + 3.0 * REFERENCE_MARGIN, 4.0 + 4.0 * REFERENCE_MARGIN]
        )

    def test_it_is_no_better_than_the_median_of_all(self):
        F = np.vstack([[[0.0, 1.0], [1.0, 0.0]], np.full((9, 2), 50.0)])
        np.testing.assert_array_equal(infer_reference(F), [50.0, 50.0])

    @given(levels(2, least=1))
    def test_no_point_of_the_front_is_beyond_it(self, F):
        front = F[non_dominated(F)]
        assert np.all(front <= infer_reference(F))


class TestScalarised:
    """An estimate of the same, up to a constant that depends on the number of objectives."""

    @pytest.mark.parametrize("k", [2, 3])
    def test_of_many_directions_it_is_proportional_to_the_improvement(self, k):
        rng = np.random.default_rng(8)
        F, reference = random_front(k, 5, seed=9), np.ones(k)
        weights = np.abs(rng.normal(size=(20_000, k)))
        weights /= np.linalg.norm(weights, axis=1, keepdims=True)
        new = rng.uniform(-0.2, 0.6, (6, k))
        exact = improvement(new, free_cells(F, reference))
        found = scalarised_improvement(new[None], F, reference, weights)
        # The volume of a body is its mean reach to the power k, times that of the unit ball's part.
        ball = {2: np.pi / 4.0, 3: np.pi / 6.0}[k]
        np.testing.assert_allclose(ball * found, exact, rtol=0.1, atol=5e-3)

    def test_it_is_the_mean_over_samples(self):
        rng = np.random.default_rng(10)
        F, reference, weights = random_front(2, 3), np.ones(2), np.array([[0.6, 0.8], [0.8, 0.6]])
        samples = rng.uniform(-0.5, 1.0, (7, 4, 2))
        each = [scalarised_improvement(s[None], F, reference, weights) for s in samples]
        found = scalarised_improvement(samples, F, reference, weights)
        np.testing.assert_allclose(found, np.mean(each, axis=0), rtol=1e-12)

    def test_without_a_front_all_counts(self):
        weights = np.array([[0.6, 0.8]])
        samples = np.array([[[0.4, 0.2], [2.0, 2.0]]])
        found = scalarised_improvement(samples, np.empty((0, 2)), np.ones(2), weights)
        np.testing.assert_allclose(found, [1.0, 0.0])
