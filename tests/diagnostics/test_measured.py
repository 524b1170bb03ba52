"""The best of what was measured, as far as it is feasible."""

import numpy as np
import pytest

from warpfront import AtMost, Maximize, Minimize, Real, Space
from warpfront.dataset import Dataset
from warpfront.diagnostics.measured import feasible_rows, incumbent
from warpfront.history import History
from warpfront.problem import Problem
from warpfront.surrogate.options import CANDIDATES
from warpfront.surrogate.selection import fit_model

SPACE = Space(x=Real(0, 1))


def model_of(told, *goals):
    history = History(Problem(SPACE, goals)).tell([(None, {"x": x}, y) for x, y in told])
    data, rng = Dataset.of(history), np.random.default_rng(0)
    return fit_model(data, data.objective, CANDIDATES["warped"], rng)


def test_the_incumbent_is_the_best_observed_configuration():
    told = [(0.1, 3.0), (0.4, 1.0), (0.5, 2.0), (0.9, np.inf), (0.7, 1.5)]
    assert incumbent(model_of(told)) == pytest.approx([0.4])


def test_what_is_maximised_has_the_greatest():
    told = [(0.1, 3.0), (0.4, 1.0), (0.5, 2.0)]
    assert incumbent(model_of(told, Maximize("gain"))) == pytest.approx([0.1])


def test_of_repeats_their_mean_counts():
    lucky = [(0.2, 0.5), (0.2, 3.0), (0.2, 3.1), (0.8, 1.0), (0.8, 1.1), (0.5, 4.0)]
    assert incumbent(model_of(lucky)) == pytest.approx([0.8])


def test_what_is_beyond_a_bound_is_no_candidate():
    goals = Minimize("loss"), AtMost("size", 1.0)
    told = [(x, {"loss": -x, "size": 2.0 * x}) for x in (0.1, 0.3, 0.5, 0.8)]
    model = model_of(told, *goals)
    np.testing.assert_allclose(feasible_rows(model).ravel(), [0.1, 0.3, 0.5])
    assert incumbent(model) == pytest.approx([0.5])


def test_where_nothing_is_feasible_all_measured_ones_are_candidates():
    goals = Minimize("loss"), AtMost("size", 0.0)
    told = [(x, {"loss": -x, "size": x}) for x in (0.1, 0.3)] + [(0.9, {"size": 2.0})]
    model = model_of(told, *goals)
    np.testing.assert_allclose(feasible_rows(model).ravel(), [0.1, 0.3])
    assert incumbent(model) == pytest.approx([0.3])
