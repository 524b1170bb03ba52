"""Conditions of parameters, inferred from completed trials."""

import itertools
import math

import numpy as np
import optuna
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import create_trial
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.problems.conditional import TREE
from tests.integrations.conftest import QUICK
from tests.strategies import small_spaces
from warpfront.integrations.optuna import (
    HEBOSampler,
    load_history,
    sampler,
    suggest_configuration,
)
from warpfront.integrations.optuna.conditional import Inferred, infer
from warpfront.integrations.optuna.history import PUBLISHED
from warpfront.integrations.optuna.inferred import common
from warpfront.integrations.optuna.translation import Translation


def run(objective, n=16, seed=0):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    study.optimize(objective, n_trials=n)
    return study.trials


def when(objective, n=16):
    found = infer(run(objective, n))
    return {
        name: {parent: list(levels) for parent, levels in condition.items()}
        for name, condition in found.when.items()
    }


def x(trial, name="x"):
    return trial.suggest_float(name, 0, 1)


def test_without_conditions_it_is_what_all_trials_share():
    trials = run(
        lambda t: x(t) + t.suggest_int("n", 1, 9) + (t.suggest_categorical("c", "ab") > "a")
    )
    assert infer(trials) == Inferred(common(trials))
    assert infer([]) == Inferred({})


def test_a_choice_decides():
    def objective(trial):
        kind = trial.suggest_categorical("kind", ["svm", "net", None])
        if kind == "svm":
            return x(trial, "C") + x(trial, "gamma")
        return x(trial, "rate") if kind is None else 0.5

    assert when(objective) == {
        "C": {"kind": [0]},
        "gamma": {"kind": [0]},
        "rate": {"kind": [2]},
    }


def test_conditions_may_be_nested_and_the_nearest_parent_is_taken():
    def objective(trial):
        if trial.suggest_categorical("model", ["svm", "forest"]) == "forest":
            return trial.suggest_int("trees", 1, 500) / 500
        kernel = trial.suggest_categorical("kernel", ["rbf", "poly", "linear"])
        total = x(trial, "gamma") if kernel != "linear" else 0.5
        return total + (trial.suggest_int("degree", 2, 5) if kernel == "poly" else 0)

    assert when(objective, 24) == {
        "trees": {"model": [1]},
        "kernel": {"model": [0]},
        "gamma": {"kernel": [0, 1]},
        "degree": {"kernel": [1]},
    }


def test_whole_numbers_decide_from_a_value_on():
    def objective(trial):
        layers = trial.suggest_int("layers", 1, 5)
        total = sum(trial.suggest_int(f"units{i}", 4, 64) for i in range(layers))
        return total + (x(trial) if layers <= 2 else 0)

    found = when(objective, 24)
    assert found["units1"] == {"layers": [2, 3, 4, 5]}
    assert found["units4"] == {"layers": [5]}
    assert found["x"] == {"layers": [1, 2]}


def test_two_choices_may_decide_together():
    def objective(trial):
        a, b = trial.suggest_categorical("a", "pq"), trial.suggest_categorical("b", "rst")
        trial.suggest_categorical("c", "uv")
        return x(trial) if a == "p" and b != "r" else 0.5

    assert when(objective, 40) == {"x": {"a": [0], "b": [1, 2]}}


def test_what_no_choice_explains_is_left_apart():
    def objective(trial):
        return x(trial, "y") if x(trial) > 0.5 else 0.5

    found = infer(run(objective))
    assert (found.when, found.apart) == ({}, ("y",))
    assert list(found.distributions) == ["x"]


def test_a_parent_must_be_chosen_before():
    trials = [
        create_trial(
            params={"a": 0.5, "c": 1} if i % 2 else {"c": 0},
            distributions={
                **({"a": FloatDistribution(0, 1)} if i % 2 else {}),
                "c": CategoricalDistribution([0, 1]),
            },
            value=0.0,
        )
        for i in range(8)
    ]
    assert infer(trials).apart == ("a",)


def test_the_latest_range_of_a_conditional_parameter_counts():
    def trial(kind, high, value):
        distributions = {"kind": CategoricalDistribution("ab")}
        params = {"kind": kind}
        if kind == "a":
            distributions["n"], params["n"] = IntDistribution(1, high), value
        return create_trial(params=params, distributions=distributions, value=0.0)

    found = infer([trial("a", 9, 3), trial("b", 0, 0), trial("a", 20, 15)])
    assert found.distributions["n"] == IntDistribution(1, 20)


def test_within_some_parameters_only_those_with_their_parents_are_left():
    found = Inferred(
        {
            "c": CategoricalDistribution("ab"),
            "x": FloatDistribution(0, 1),
            "y": FloatDistribution(0, 1),
        },
        {"y": {"c": [0]}},
    )
    assert found.within(found.distributions) == found
    rest = {name: d for name, d in found.distributions.items() if name != "c"}
    assert list(found.within(rest).distributions) == ["x"]
    other = {**found.distributions, "c": CategoricalDistribution("abc")}
    assert list(found.within(other).distributions) == ["c", "x"]


@settings(max_examples=40, deadline=None)
@given(small_spaces(), st.integers(1, 24))
def test_what_is_inferred_agrees_with_every_trial(space, n):
    trials = run(lambda t: float(len(suggest_configuration(t, space))), n)
    found = infer(trials)
    assert set(found.distributions) | set(found.apart) == set().union(*(t.params for t in trials))
    translation = Translation.inferred(found)
    for trial in trials:
        expected = {name for name in trial.params if name in translation.parameters}
        assert translation.config(trial.params).keys() == expected
        assert translation.is_whole(translation.config(trial.params))


def kernels(trial):
    kernel = trial.suggest_categorical("kernel", ["rbf", "poly", "linear"])
    total = (trial.suggest_float("C", 1e-3, 1e3, log=True) - 1) ** 2 / 1e6
    if kernel != "linear":
        total += abs(x(trial, "gamma") - 0.3)
    if kernel == "poly":
        total += trial.suggest_int("degree", 2, 5) / 10
    return total + (kernel == "linear")


def test_one_model_suggests_all_active_parameters_together(suggestions):
    study = optuna.create_study(sampler=HEBOSampler(0, settings=QUICK))
    study.optimize(kernels, n_trials=24)
    late = [(h, k) for h, k in suggestions if k["number"] >= 16]
    assert [k["number"] for _, k in late] == list(range(16, 24))  # one for each trial
    for history, _ in late:
        assert set(history.space.names) == {"kernel", "C", "gamma", "degree"}
        assert history.space["gamma"].when == {"kernel": [0, 1]}
        assert len(history.completed) == len(history.trials)  # none is left out
    for trial in study.trials[16:]:
        assert trial.system_attrs[PUBLISHED].keys() == trial.params.keys()


def test_trials_that_explore_hold_the_branch_only(suggestions):
    study = optuna.create_study(sampler=HEBOSampler(0, settings=QUICK))
    study.optimize(kernels, n_trials=34)
    held = {k["number"]: k["fixed"] for _, k in suggestions if k["number"] >= 10}
    assert {number for number, fixed in held.items() if fixed} == set(range(10, 34, 4))
    assert all(fixed.keys() == {"kernel"} for fixed in held.values() if fixed)
    assert {fixed["kernel"] for fixed in held.values() if fixed} == {0, 1, 2}


def test_failed_and_running_trials_of_a_branch_take_part(suggestions):
    study = optuna.create_study(sampler=HEBOSampler(0, settings=QUICK))
    study.optimize(kernels, n_trials=12)

    def fails(trial):
        kernels(trial)
        raise ValueError

    study.optimize(fails, n_trials=2, catch=ValueError)
    kernels(study.ask())
    kernels(study.ask())
    history = suggestions[-1][0]
    assert len(history.of_state("failed")) == 2
    assert len(history.of_state("pending")) == 1


def test_a_finite_tree_is_used_up():
    def objective(trial):
        return trial.suggest_int("n", 1, 3) if trial.suggest_categorical("c", "ab") == "a" else 9

    study = optuna.create_study(sampler=HEBOSampler(0, settings=QUICK))
    study.optimize(objective, n_trials=24)
    seen = {tuple(sorted(t.params.items())) for t in study.trials}
    assert seen == {(("c", "b"),), *((("c", "a"), ("n", n)) for n in (1, 2, 3))}


def test_many_trials_say_the_same_as_each_of_them_once():
    def objective(trial):
        layers = trial.suggest_int("layers", 1, 8)
        return sum(x(trial, f"x{i}") for i in range(layers))

    trials = run(objective, 64)
    many = list(itertools.islice(itertools.cycle(trials), 2000))
    assert infer(many).when == infer(trials).when


def test_a_history_without_a_space_has_the_conditions(storages):
    def objective(trial):
        kind = trial.suggest_categorical("kind", ["svm", None, math.nan])
        if kind == "svm":
            return trial.suggest_int("n", 1, 9 + trial.number) + (x(trial) if kind else 0)
        return 3.0 if kind is None else x(trial, "rate")

    study = optuna.create_study(storage=storages(), sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(objective, n_trials=20)
    history = load_history(study)
    assert len(history.completed) == 20
    assert history.space["n"].when == {"kind": "'svm'"}
    assert history.space["n"].high > 20
    assert history.space["rate"].when == {"kind": "nan"}
    for trial, told in zip(study.trials, history.trials, strict=True):
        assert trial.params.keys() == told.config.keys()
        assert trial.params.get("n") == told.config.get("n")


# Measured: one model of all active parameters against branches that are modelled apart.


def two_models(trial):
    kind, scale = trial.suggest_categorical("kind", ["svm", "net"]), x(trial, "scale")
    if kind == "svm":
        C = trial.suggest_float("C", 1e-3, 1e3, log=True)
        gamma = trial.suggest_float("gamma", 1e-4, 1e1, log=True)
        return 0.3 + math.log10(C) ** 2 + (math.log10(gamma) + 2) ** 2 + scale
    layers = trial.suggest_int("layers", 1, 9)
    rates = [x(trial, f"rate{i}") for i in range(3)]
    return 0.1 + (layers - 6) ** 2 / 25 + sum((r - 0.3) ** 2 for r in rates) + (1 - scale) ** 2


def tree(trial):
    config = suggest_configuration(trial, TREE.space)
    return TREE.function(config)["loss"]


def kernels_of_a_classifier(trial):
    X, y = load_breast_cancer(return_X_y=True)
    kernel = trial.suggest_categorical("kernel", ["rbf", "poly", "linear"])
    options = {"C": trial.suggest_float("C", 1e-3, 1e3, log=True), "kernel": kernel}
    if kernel != "linear":
        options["gamma"] = trial.suggest_float("gamma", 1e-5, 10, log=True)
    if kernel == "poly":
        options["degree"] = trial.suggest_int("degree", 2, 5)
        options["coef0"] = trial.suggest_float("coef0", 0, 2)
    model = make_pipeline(StandardScaler(), SVC(max_iter=20_000, **options))
    return -cross_val_score(model, X, y, cv=5, scoring="balanced_accuracy").mean()


def apart(trials):
    """What is inferred if only the common parameters are modelled together."""
    shared = common(trials)
    rest = set().union(*(t.distributions for t in trials)).difference(shared)
    return Inferred(shared, {}, tuple(sorted(rest)))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("objective", [two_models, tree, kernels_of_a_classifier])
def test_one_model_of_all_branches_is_no_worse_than_one_for_each(objective, monkeypatch):
    """On average over seeds; ``pytest -s`` prints the means."""
    found = {}
    for name, inference in (("one model", infer), ("apart", apart)):
        monkeypatch.setattr(sampler, "infer", inference)
        values = []
        for seed in range(5):
            own = HEBOSampler(seed, warn_independent_sampling=False)
            study = optuna.create_study(sampler=own)
            study.optimize(objective, n_trials=50)
            values.append(study.best_value)
        found[name] = float(np.mean(values))
    print(objective.__name__, found)
    assert found["one model"] <= found["apart"] + 1e-3
