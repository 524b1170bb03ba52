"""Optuna's own contract tests of samplers, for each way in which this one can be used.

Optuna has no suite of its own for constraints: a sampler with constraints must pass the others, and
treat constraints as Optuna's own samplers are tested to do.
"""

import math

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.trial import TrialState

from tests.integrations.conftest import QUICK
from warpfront import AtMost, Integer, Minimize, Real, Space
from warpfront.integrations.optuna import HEBOSampler, load_history, suggest_configuration

samplers = pytest.importorskip(
    "optuna.testing.pytest_samplers", reason="this version of Optuna has no contract tests"
)


class TestHEBOSampler(
    samplers.BasicSamplerTestCase,
    samplers.RelativeSamplerTestCase,
    samplers.MultiObjectiveSamplerTestCase,
):
    @pytest.fixture
    def sampler(self):
        return lambda: HEBOSampler(seed=0, settings=QUICK)


class TestHEBOSamplerOnAGivenSpace(samplers.MultiObjectiveSamplerTestCase):
    @pytest.fixture
    def sampler(self):
        space = {"x": FloatDistribution(0.0, 1.0)}
        return lambda: HEBOSampler(seed=0, search_space=space, settings=QUICK)


def constraints(trial):
    """Half of the trials are feasible."""
    return [trial.number % 2 - 0.5, -1.0]


class TestHEBOSamplerWithConstraints(
    samplers.BasicSamplerTestCase, samplers.MultiObjectiveSamplerTestCase
):
    @pytest.fixture
    def sampler(self):
        return lambda: HEBOSampler(seed=0, settings=QUICK, constraints_func=constraints)


class TestHEBOSamplerWithGoals(samplers.BasicSamplerTestCase):
    @pytest.fixture
    def sampler(self):
        goals = [Minimize("loss"), AtMost("memory", 1.0)]
        return lambda: HEBOSampler(seed=0, settings=QUICK, goals=goals)


class TestHEBOSamplerOnASpaceWithConstraints(samplers.MultiObjectiveSamplerTestCase):
    @pytest.fixture
    def sampler(self):
        space = Space(x=Real(0, 1), n=Integer(1, 9), constraints=["x * n <= 4"])
        return lambda: HEBOSampler(seed=0, search_space=space, settings=QUICK)


# What Optuna's own constrained samplers are tested to do.


@pytest.mark.parametrize("directions", [["minimize"], ["minimize", "maximize"]])
def test_constraints_are_computed_once_for_each_trial_that_has_values(directions):
    asked = []

    def record(trial):
        asked.append((trial.number, trial.state))
        return (0.5,)

    def objective(trial):
        x = trial.suggest_float("x", 0, 1)
        if trial.number == 1:
            raise ValueError
        if trial.number == 2 and len(directions) == 1:
            trial.report(x, 1)
            raise optuna.TrialPruned
        return [x] * len(directions)

    sampler = HEBOSampler(seed=0, settings=QUICK, constraints_func=record)
    study = optuna.create_study(directions=directions, sampler=sampler)
    study.optimize(objective, n_trials=4, catch=ValueError)
    assert [number for number, _ in asked] == [0, 2, 3]
    assert list(study.trials[0].system_attrs["constraints"]) == [0.5]
    assert "constraints" not in study.trials[1].system_attrs


@pytest.mark.parametrize("bad", [math.nan, (math.nan, 1.0)])
def test_constraints_that_are_no_numbers_are_an_error(bad):
    sampler = HEBOSampler(seed=0, settings=QUICK, constraints_func=lambda trial: bad)
    study = optuna.create_study(sampler=sampler)
    with pytest.raises((ValueError, TypeError)):
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)


@pytest.mark.skipif(
    not hasattr(optuna.trial.Trial, "set_constraint"), reason="Optuna 4 has no set_constraint"
)
def test_set_constraint_is_constraints_func():
    def objective(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        if use_set:
            trial.set_constraint("0", 0.4 - x)
        else:
            trial.set_user_attr("c", [0.4 - x])
        return x + y

    tried = []
    for use_set in (True, False):
        func = None if use_set else lambda trial: trial.user_attrs["c"]
        sampler = HEBOSampler(seed=0, settings=QUICK, constraints_func=func)
        study = optuna.create_study(sampler=sampler)
        study.optimize(objective, n_trials=14)
        tried.append([trial.params for trial in study.trials])
    assert tried[0] == tried[1]


def test_the_feasible_side_of_a_constraint_is_searched():
    space = Space(x=Real(0, 1), y=Real(0, 1))

    def objective(trial):
        config = suggest_configuration(trial, space)
        trial.set_user_attr("c", [0.6 - config["x"], config["y"] - 0.5])
        return config["x"] - config["y"]  # the optimum, x = 0.6 and y = 0.5, is at both borders

    sampler = HEBOSampler(
        seed=0, settings=QUICK, search_space=space, constraints_func=lambda t: t.user_attrs["c"]
    )
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=24)
    feasible = [t for t in study.trials if max(t.system_attrs["constraints"]) <= 0]
    assert len([t for t in feasible if t.number >= 12]) >= 6  # at random, one fifth
    assert min(t.value for t in feasible) < 0.15
    assert load_history(study, space).best.value == min(t.value for t in feasible)


def test_a_study_of_constraints_that_never_hold_goes_on():
    sampler = HEBOSampler(seed=0, settings=QUICK, constraints_func=lambda trial: [1.0])
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=12)
    assert [t.state for t in study.trials] == [TrialState.COMPLETE] * 12


def test_several_objectives_and_constraints_together():
    def objective(trial):
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        trial.set_user_attr("c", [0.25 - x * y])
        return x, y

    sampler = HEBOSampler(seed=0, settings=QUICK, constraints_func=lambda t: t.user_attrs["c"])
    study = optuna.create_study(directions=["minimize"] * 2, sampler=sampler)
    study.optimize(objective, n_trials=24)
    front = load_history(study).front
    assert len(front) >= 3
    assert all(t.config["x"] * t.config["y"] >= 0.25 for t in front)
