"""Outcomes by name in a study: bounds, what was not measured, and measured noise."""

import json
import math

import optuna
import pytest
from hypothesis import given
from hypothesis import strategies as st
from optuna.trial import TrialState, create_trial

from tests.integrations.conftest import QUICK
from warpfront import HEBO, AtLeast, AtMost, Maximize, Measured, Minimize, Real, Space
from warpfront.errors import ConfigurationError, ObservationError
from warpfront.integrations.optuna import (
    HEBOSampler,
    directions_of,
    distributions_of,
    load_history,
    record_outcomes,
    stored_outcomes,
    suggest_configuration,
    tell_outcomes,
)

SPACE = Space(x=Real(0, 1), y=Real(0, 1))
ONE = (Minimize("loss"), AtMost("memory", 0.5), AtLeast("recall", 0.2))
TWO = (Maximize("accuracy", reference=0.0), Minimize("latency"), AtMost("memory", 0.5))


def measure(config):
    x, y = config["x"], config["y"]
    return {"loss": (x - 0.8) ** 2 + y, "memory": Measured(x, std=0.01), "recall": y}


def two(config):
    x, y = config["x"], config["y"]
    return {"accuracy": x * (1 - y), "latency": x + y, "memory": y}


def create(goals, seed=0, **keywords):
    sampler = HEBOSampler(seed, search_space=SPACE, settings=QUICK, goals=goals, **keywords)
    return optuna.create_study(directions=directions_of(goals), sampler=sampler)


@pytest.mark.parametrize(("goals", "outcomes"), [(ONE, measure), (TWO, two)])
def test_a_study_is_searched_as_the_core_searches(goals, outcomes):
    study, core = create(goals, 2), HEBO(SPACE, 2, QUICK, goals=goals)
    study.optimize(
        lambda t: record_outcomes(t, outcomes(suggest_configuration(t, SPACE)), goals), 13
    )
    for _ in range(13):
        (config,) = core.ask()
        core.tell(config, outcomes(config))
    assert [trial.params for trial in study.trials] == [dict(t.config) for t in core.history.trials]
    assert load_history(study, SPACE, goals) == core.history


def test_bounds_are_constraints_to_optuna():
    study = create(ONE)
    trial = study.ask(distributions_of(SPACE))
    told = tell_outcomes(study, trial, {"loss": 1.0, "memory": 0.75, "recall": 0.1}, ONE)
    assert told.system_attrs["constraints:memory"] == pytest.approx(0.25)
    assert told.system_attrs["constraints:recall"] == pytest.approx(0.1)
    ok = study.ask(distributions_of(SPACE))
    tell_outcomes(study, ok.number, {"loss": 2.0, "memory": 0.5, "recall": 0.2}, ONE)
    if hasattr(told, "constraints"):  # since Optuna 5
        assert study.best_trial.number == ok.number
    assert load_history(study, SPACE, ONE).best.number == ok.number


def test_what_was_not_measured_is_left_open_and_the_rest_is_used(suggestions):
    study = create(TWO)
    for outcome in ({"memory": 0.3, "latency": 2.0}, {"accuracy": 0.5, "latency": 1.0}, {}):
        tell_outcomes(study, study.ask(distributions_of(SPACE)), outcome, TWO)
    first, second, third = study.trials
    assert (first.state, first.user_attrs["reason"]) == (TrialState.FAIL, "accuracy: not measured")
    assert second.state == TrialState.COMPLETE
    assert third.state == TrialState.FAIL
    history = load_history(study, SPACE, TWO)
    assert [t.state for t in history.trials] == ["completed", "completed", "failed"]
    assert history.trials[0].outcomes == {"accuracy": None, "latency": 2.0, "memory": 0.3}
    assert history.trials[1].outcomes == {"accuracy": 0.5, "latency": 1.0, "memory": None}
    study.ask(distributions_of(SPACE))
    assert suggestions[-1][0].trials[:3] == history.trials


def test_from_an_objective_what_is_missing_fails_the_trial():
    study = create(TWO)
    values = iter([{"latency": 2.0}, ValueError("no"), two({"x": 0.5, "y": 0.5})])

    def objective(trial):
        suggest_configuration(trial, SPACE)
        return record_outcomes(trial, next(values), TWO)

    study.optimize(objective, n_trials=3)
    history = load_history(study, SPACE, TWO)
    assert [t.state for t in history.trials] == ["completed", "failed", "completed"]
    assert history.trials[1].reason == "ValueError: no"
    assert study.trials[2].values == [0.25, 1.0]


def test_the_noise_of_one_objective_needs_no_other_attribute():
    goals = [Minimize("loss")]
    stored = stored_outcomes(Measured(0.31, std=0.02), goals)
    assert stored.values == [0.31]
    assert stored.user_attrs == {"warpfront:std": {"loss": 0.02}}
    study = optuna.create_study()
    study.add_trial(
        create_trial(
            **stored.to_dict(), params={"x": 0.1, "y": 0.2}, distributions=distributions_of(SPACE)
        )
    )
    (trial,) = load_history(study, SPACE, goals).trials
    assert (trial.value, trial.noise) == (0.31, {"loss": 0.02})


def test_without_goals_constraints_stand_for_the_bounds():
    study = create(ONE)
    outcome = {"loss": 1.0, "memory": 0.75, "recall": 0.5}
    tell_outcomes(study, study.ask(distributions_of(SPACE)), outcome, ONE)
    history = load_history(study, SPACE)
    expected = {"value": 1.0, "constraint memory": 0.25, "constraint recall": -0.3}
    assert history.trials[0].outcomes == pytest.approx(expected)
    assert list(history.goals[1:]) == [
        AtMost("constraint memory", 0.0),
        AtMost("constraint recall", 0.0),
    ]


def test_bounds_are_read_from_the_constraints_of_users():
    attrs = {"constraints:memory": 0.25, "constraints:recall": -0.3, "constraints:other": 2.0}
    study = optuna.create_study()
    params = {"x": 0.1, "y": 0.2}
    study.add_trial(
        create_trial(
            value=1.0, params=params, distributions=distributions_of(SPACE), system_attrs=attrs
        )
    )
    history = load_history(study, SPACE, ONE)
    assert history.goals == (*ONE, AtMost("constraint other", 0.0))
    assert history.trials[0].outcomes == pytest.approx(
        {"loss": 1.0, "memory": 0.75, "recall": 0.5, "constraint other": 2.0}
    )


def test_goals_of_other_directions_are_refused():
    study = optuna.create_study(sampler=HEBOSampler(0, goals=TWO), directions=["minimize"] * 2)
    for use in (lambda: study.ask(distributions_of(SPACE)), lambda: load_history(study, None, TWO)):
        with pytest.raises(ConfigurationError, match=r"\['maximize', 'minimize'\]"):
            use()
    with pytest.raises(ObservationError, match="'speed' is not one of the goals"):
        stored_outcomes({"speed": 1.0}, TWO)
    with pytest.raises(ObservationError, match="does not say of which outcome"):
        stored_outcomes(1.0, TWO)


def test_attributes_that_others_have_written_are_ignored():
    study = optuna.create_study()
    for attrs in (
        {"warpfront:outcomes": [1], "warpfront:std": "x"},
        {"warpfront:outcomes": {"memory": "much", "unknown": 3}, "warpfront:std": {"loss": -1.0}},
    ):
        study.add_trial(
            create_trial(
                value=1.0,
                params={"x": 0.1, "y": 0.2},
                distributions=distributions_of(SPACE),
                user_attrs=attrs,
            )
        )
    for trial in load_history(study, SPACE, ONE).trials:
        assert (trial.outcomes, trial.noise) == ({"loss": 1.0, "memory": None, "recall": None}, {})


numbers = st.floats(-1e9, 1e9, allow_nan=False)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            name: st.none()
            | numbers
            | st.builds(Measured, numbers, st.floats(0, 10) | st.none())
            | st.just(math.nan)
            for name in ("accuracy", "latency", "memory")
        },
    )
)
def test_outcomes_go_there_and_back(outcome):
    stored = stored_outcomes(outcome, TWO)
    json.dumps([stored.user_attrs, stored.system_attrs], allow_nan=False)
    study = optuna.create_study(directions=directions_of(TWO))
    params = {"x": 0.1, "y": 0.2}
    study.add_trial(
        create_trial(**stored.to_dict(), params=params, distributions=distributions_of(SPACE))
    )
    core = HEBO(SPACE, 0, goals=TWO)
    core.tell(params, outcome)
    assert load_history(study, SPACE, TWO).trials == core.history.trials
