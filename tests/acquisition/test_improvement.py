"""What a new configuration may gain."""

import numpy as np
import pytest

from warpfront.acquisition.functions import log_ei
from warpfront.acquisition.hypervolume import (
    expected_improvement,
    free_cells,
    hypervolume,
    improvement,
)
from warpfront.acquisition.improvement import TINY, BelowThreshold, BeyondFront

FRONT = np.array([[0.0, 1.0], [0.4, 0.5], [1.0, 0.1], [1.0, 1.0]])
REFERENCE = np.array([1.2, 1.2])
BEYOND = BeyondFront(FRONT, REFERENCE)


class TestBelowThreshold:
    def test_the_expected_improvement_is_that_of_one_objective(self):
        mean, std = np.linspace(-2.0, 30.0, 9)[:, None], np.full((9, 1), 0.7)
        found = BelowThreshold(0.3).log_expected(mean, std)
        np.testing.assert_array_equal(found, log_ei(mean[:, 0], std[:, 0], 0.3))

    def test_of_a_sample_the_least_value_is_best(self):
        samples = np.array([[3.0], [-1.0], [2.0]])
        np.testing.assert_array_equal(BelowThreshold(0.0).cost(samples), [3.0, -1.0, 2.0])


class TestBeyondFront:
    def test_the_expected_improvement_is_that_of_the_hypervolume(self):
        rng = np.random.default_rng(0)
        mean, std = rng.uniform(0.0, 1.5, (8, 2)), rng.uniform(0.1, 0.5, (8, 2))
        expected = expected_improvement(mean, std, free_cells(FRONT, REFERENCE))
        np.testing.assert_allclose(np.exp(BEYOND.log_expected(mean, std)), expected, rtol=1e-12)

    def test_where_nothing_can_be_gained_the_logarithm_is_finite(self):
        found = BEYOND.log_expected(np.full((1, 2), 1e3), np.full((1, 2), 1e-3))
        assert found[0] == np.log(TINY)

    def test_what_improves_costs_less_the_more_it_improves(self):
        rng = np.random.default_rng(1)
        samples = rng.uniform(-0.3, 1.3, (60, 2))
        gained = improvement(samples, BEYOND.cells)
        cost = BEYOND.cost(samples)
        better = gained > 0.0
        assert 10 < better.sum() < 50
        np.testing.assert_array_equal(cost[better], -gained[better])
        assert np.all(cost[~better] >= 0.0)
        best = int(np.argmin(cost))
        volumes = [hypervolume(np.vstack([FRONT, row]), REFERENCE) for row in samples]
        assert best == int(np.argmax(volumes))

    def test_what_does_not_improve_costs_how_far_it_is_from_the_front(self):
        samples = np.array([[0.4, 0.5], [0.5, 0.6], [0.7, 0.55], [1.0, 1.1]])
        found = BEYOND.cost(samples)
        # By how much all objectives must fall to reach a point of the front, the nearest one.
        np.testing.assert_allclose(found, [0.0, 0.1, 0.3, 0.6], atol=1e-12)

    def test_without_a_front_the_reference_is_what_to_reach(self):
        beyond = BeyondFront(np.empty((0, 2)), REFERENCE)
        found = beyond.cost(np.array([[0.2, 0.2], [1.3, 0.2], [1.3, 1.7]]))
        np.testing.assert_allclose(found, [-1.0, 0.1, 0.5])

    def test_dominated_points_change_nothing(self):
        clean = BeyondFront(FRONT[:3], REFERENCE)
        samples = np.random.default_rng(2).uniform(-0.3, 1.5, (40, 2))
        np.testing.assert_array_equal(BEYOND.cost(samples), clean.cost(samples))

    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_any_number_of_objectives(self, k):
        rng = np.random.default_rng(k)
        beyond = BeyondFront(rng.random((5, k)), np.ones(k))
        mean, std = rng.random((4, k)), np.full((4, k), 0.2)
        assert np.all(np.isfinite(beyond.log_expected(mean, std)))
        assert beyond.cost(mean).shape == (4,)
