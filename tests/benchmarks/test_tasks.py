"""The 108 tasks: names, tiers, repeatability, failures."""

from __future__ import annotations

import dataclasses
import math
import warnings

import numpy as np
import pytest

from benchmarks.tasks import evaluation, models
from benchmarks.tasks.data import KINDS, load
from benchmarks.tasks.registry import SETS, TASKS, TIERS, TUNED_ON, find
from benchmarks.tasks.spaces import MODELS
from benchmarks.tasks.task import Task, evaluate_pair
from warpfront import WarpfrontError

CHEAP = {"classification": "iris", "regression": "diabetes"}
# Settings at which every random model really is random, and quick.
LIVELY = {
    "DT": {
        "max_depth": 10,
        "min_samples_split": 0.02,
        "min_samples_leaf": 0.02,
        "min_weight_fraction_leaf": 0.02,
        "max_features": 0.3,
        "min_impurity_decrease": 0.0,
    },
    "MLP-adam": {
        "hidden_layer_sizes": 50,
        "alpha": 1e-3,
        "batch_size": 60,
        "learning_rate_init": 1e-1,
        "tol": 1e-1,
        "validation_fraction": 0.2,
        "beta_1": 0.9,
        "beta_2": 0.999,
        "epsilon": 1e-8,
    },
    "MLP-sgd": {
        "hidden_layer_sizes": 50,
        "alpha": 1e-3,
        "batch_size": 60,
        "learning_rate_init": 1e-2,
        "power_t": 0.5,
        "tol": 1e-2,
        "momentum": 0.9,
        "validation_fraction": 0.2,
    },
    "SVM": {"C": 10.0, "gamma": 1e-3, "tol": 1e-3},
    "ada": {"n_estimators": 10, "learning_rate": 1.0},
    "kNN": {"n_neighbors": 5, "p": 2},
}
LIVELY["RF"] = LIVELY["DT"]
LOGISTIC = {"C": 10.0, "intercept_scaling": 1.0}
LINEAR = {
    "alpha": 0.1,
    "fit_intercept": True,
    "normalize": True,
    "max_iter": 100,
    "tol": 1e-3,
}


def config_of(task):
    if task.model not in ("lasso", "linear"):
        return LIVELY[task.model]
    if task.kind == "classification":
        return LOGISTIC
    return {**LINEAR, "positive": False} if task.model == "lasso" else LINEAR


def on_cheap_data():
    return [task for task in TASKS.values() if task.data == CHEAP[task.kind]]


def test_there_are_108_tasks_and_36_are_deterministic():
    assert len(TASKS) == len({task.name for task in TASKS.values()}) == 108
    assert all(name == task.name for name, task in TASKS.items())
    assert sum(task.deterministic for task in TASKS.values()) == 36


def test_every_model_meets_every_data_set_twice():
    pairs = [(task.model, task.data) for task in TASKS.values()]
    assert {pair: pairs.count(pair) for pair in pairs} == {
        (model, data): 2 for model in MODELS for data in KINDS
    }


def test_tiers():
    assert TIERS["quick"] == (
        "DT_digits_nll",
        "SVM_diabetes_mae",
        "kNN_wine_acc",
        "RF_diabetes_mse",
        "lasso_boston_mae",
        "MLP-sgd_iris_nll",
    )
    medium = [TASKS[name] for name in TIERS["medium"]]
    assert len(set(medium)) == 27
    assert {model: sum(t.model == model for t in medium) for model in MODELS} == dict.fromkeys(
        MODELS, 3
    )
    assert TIERS["full"] == tuple(TASKS)


def test_defaults_are_tuned_on_three_data_sets_and_confirmed_on_the_others():
    tuning, confirmation = SETS["tuning"], SETS["confirmation"]
    assert set(tuning) | set(confirmation) == set(TIERS["medium"])
    assert {TASKS[name].data for name in tuning} == set(TUNED_ON)
    assert {TASKS[name].data for name in confirmation} == {"breast", "diabetes", "wine"}
    assert (len(tuning), len(confirmation)) == (12, 15)
    unseen = set(SETS["unseen"])
    assert not unseen & {*TIERS["quick"], *TIERS["medium"]}
    assert {TASKS[name].data for name in unseen} == {"breast", "diabetes", "wine"}
    assert len(unseen) == 54 - 15 - 3
    assert not set(SETS["synthetic"]) & set(SETS["unseen-functions"])


def test_find_knows_tasks_and_functions_and_says_what_else_there_is():
    assert find("ada_boston_mae") is TASKS["ada_boston_mae"]
    assert find("levy6").minimum == 0.0
    with pytest.raises(KeyError, match="branin"):
        find("DT_digits_mse")


def test_a_task_is_frozen_and_checks_its_names():
    task = Task("kNN", "wine", "acc")
    with pytest.raises(dataclasses.FrozenInstanceError):
        task.metric = "nll"
    with pytest.raises(ValueError, match="'XGB' is no model"):
        Task("XGB", "wine", "acc")
    with pytest.raises(ValueError, match="use one of acc, nll"):
        Task("kNN", "wine", "mse")


@pytest.mark.parametrize(
    ("name", "shape", "held_out", "classes"),
    [
        ("boston", (404, 13), 102, 0),
        ("breast", (455, 30), 114, 2),
        ("diabetes", (353, 10), 89, 0),
        ("digits", (1437, 64), 360, 10),
        ("iris", (120, 4), 30, 3),
        ("wine", (142, 13), 36, 3),
    ],
)
def test_data(name, shape, held_out, classes):
    data = load(name)
    assert data.X.shape == shape
    assert len(data.X_held_out) == len(data.y_held_out) == held_out
    assert data.classes == classes
    assert load(name) is data
    with pytest.raises(ValueError, match="read-only"):
        data.X[0, 0] = 0.0
    scored = np.concatenate([score_on for _, score_on in data.folds])
    assert sorted(scored) == list(range(len(data.X)))
    assert all(not set(fit_on) & set(score_on) for fit_on, score_on in data.folds)
    if classes:
        assert all(len(np.unique(data.y[rows])) == classes for fold in data.folds for rows in fold)


def test_another_split_is_another_data_set():
    assert not np.array_equal(load("iris").X, load("iris", split_seed=1).X)


@pytest.mark.parametrize("task", on_cheap_data(), ids=lambda task: task.name)
def test_losses_repeat_for_a_seed_and_vary_with_it_unless_deterministic(task):
    config = config_of(task)
    first, again, other = (task.evaluate(config, seed) for seed in (0, 0, 1))
    assert not first.failed
    assert first == again
    assert first.loss == pytest.approx(np.mean(first.fold_losses), rel=1e-15)
    if task.deterministic:
        assert first == other
    elif task.name not in SELDOM_VARIES:
        assert first.fold_losses != other.fold_losses


# The seed moves their losses by less than what these settings and data can show.
SELDOM_VARIES = ("ada_iris_acc", "lasso_iris_acc")


def test_the_folds_have_random_states_of_their_own():
    states = [evaluation.random_state_of(seed, fit) for seed in range(20) for fit in range(6)]
    assert len(set(states)) == 120
    with pytest.raises(TypeError):
        evaluation.random_state_of(0.5, 0)
    with pytest.raises(ValueError, match="non-negative"):
        evaluation.random_state_of(-1, 0)


def test_ada_varies_with_the_seed():
    task = TASKS["ada_wine_nll"]
    config = {"n_estimators": 50, "learning_rate": 5.0}
    assert task.evaluate(config, 0) != task.evaluate(config, 1)


@pytest.mark.parametrize("model", ["SVM", "DT", "lasso"])
@pytest.mark.parametrize("data", ["iris", "diabetes"])
def test_a_pair_gives_the_losses_of_its_two_tasks(model, data):
    tasks = [task for task in TASKS.values() if (task.model, task.data) == (model, data)]
    config = config_of(tasks[0])
    both = evaluate_pair(model, data, config, 3)
    assert list(both) == [task.metric for task in tasks]
    for task in tasks:
        assert both[task.metric] == task.evaluate(config, 3)
        assert both[task.metric].loss != task.held_out(config, 3).loss


def test_ridge_ignores_two_of_its_parameters():
    task = TASKS["linear_diabetes_mse"]
    assert task.evaluate(LINEAR, 0) == task.evaluate({**LINEAR, "max_iter": 11, "tol": 0.1}, 0)


def test_global_random_state_and_warning_filters_are_left_alone():
    state, filters = np.random.get_state()[1].copy(), list(warnings.filters)  # noqa: NPY002
    TASKS["SVM_iris_nll"].evaluate(LIVELY["SVM"], 0)  # its estimator warns of a deprecation
    assert np.array_equal(state, np.random.get_state()[1])  # noqa: NPY002
    assert warnings.filters == filters


def test_a_configuration_outside_the_space_raises():
    task = TASKS["kNN_iris_acc"]
    for config in ({"n_neighbors": 0, "p": 2}, {"n_neighbors": 3}, {**LIVELY["kNN"], "leaf": 1}):
        with pytest.raises(WarpfrontError):
            task.evaluate(config, 0)
        with pytest.raises(WarpfrontError):
            task.held_out(config, 0)


class Broken:
    """An estimator that fails as told."""

    def __init__(self, fit=None, labels=0, probabilities=0.5):
        self.error, self.labels, self.probabilities = fit, labels, probabilities

    def fit(self, X, y):
        if self.error:
            raise self.error

    def predict(self, X):
        return np.full(len(X), self.labels)

    def predict_proba(self, X):
        return np.full((len(X), 3), self.probabilities)


def test_a_fit_that_raises_is_a_failed_evaluation(monkeypatch):
    monkeypatch.setattr(models, "build", lambda *_: Broken(fit=ValueError("no")))
    for outcome in evaluate_pair("kNN", "iris", LIVELY["kNN"], 0).values():
        assert outcome.failed
        assert outcome.loss == math.inf
        assert outcome.failure == "ValueError: no"
        assert outcome.fold_losses == ()
    assert TASKS["kNN_iris_nll"].held_out(LIVELY["kNN"], 0).loss == math.inf


def test_a_loss_that_is_not_finite_fails_for_its_metric_only(monkeypatch):
    monkeypatch.setattr(models, "build", lambda *_: Broken(probabilities=math.nan))
    pair = evaluate_pair("kNN", "iris", LIVELY["kNN"], 0)
    assert pair["nll"].loss == math.inf
    assert "nan" in pair["nll"].failure
    assert not pair["acc"].failed
    monkeypatch.setattr(models, "build", lambda *_: Broken(labels=math.inf))
    pair = evaluate_pair("kNN", "diabetes", LIVELY["kNN"], 0)
    assert [outcome.loss for outcome in pair.values()] == [math.inf, math.inf]


def test_an_interrupt_is_no_failure(monkeypatch):
    monkeypatch.setattr(models, "build", lambda *_: Broken(fit=KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        TASKS["kNN_iris_acc"].evaluate(LIVELY["kNN"], 0)
