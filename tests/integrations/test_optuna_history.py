"""What the sampler learns from the trials of a study."""

import math

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.trial import TrialState, create_trial

from warpfront import AtMost, Maximize, Minimize
from warpfront.integrations.optuna.history import (
    PROPOSER,
    PUBLISHED,
    Knowledge,
    decided,
    state_of,
)
from warpfront.integrations.optuna.translation import Translation

SPACE = {"x": FloatDistribution(0, 1), "c": CategoricalDistribution(("a", "b"))}
PARAMS = {"x": 0.5, "c": "b"}


def trial(number=0, params=PARAMS, value=None, **keywords):
    """A frozen trial; complete if it has a value, else running unless it says otherwise."""
    state = keywords.pop("state", TrialState.RUNNING if value is None else TrialState.COMPLETE)
    frozen = create_trial(
        state=state,
        params=params,
        distributions={name: SPACE[name] for name in params},
        value=value,
        **keywords,
    )
    frozen.number = number
    return frozen


@pytest.mark.parametrize(
    ("frozen", "state", "loss"),
    [
        (trial(value=1.5), "completed", 1.5),
        (trial(value=math.inf), "failed", None),
        (trial(value=-math.inf), "failed", None),
        (trial(state=TrialState.FAIL), "failed", None),
        (trial(), "pending", None),
        (trial(state=TrialState.WAITING), "pending", None),
        (
            trial(state=TrialState.PRUNED, intermediate_values={9: 2.0, 0: 5.0, 3: 4.0}),
            "completed",
            2.0,
        ),
        (
            trial(state=TrialState.PRUNED, intermediate_values={0: 5.0, 1: math.nan}),
            "failed",
            None,
        ),
        (trial(state=TrialState.PRUNED), "failed", None),
    ],
    ids=["complete", "inf", "-inf", "fail", "running", "waiting", "pruned", "nan", "no value"],
)
def test_each_outcome_has_its_meaning(frozen, state, loss):
    for goal in (Minimize(), Maximize()):
        found, outcome = state_of(frozen, (goal,))
        assert (found, outcome.values.get("value")) == (state, loss)
        assert (outcome.reason is not None) == (state == "failed")


def test_constraints_that_were_not_measured_are_none_and_infinite_ones_fail_or_hold():
    goals = (Minimize("a"), Minimize("b"), AtMost("constraint 0", 0.0))

    def read(values=(1.0, 2.0), **system_attrs):
        frozen = optuna.create_trial(values=values, system_attrs=system_attrs)
        state, outcome = state_of(frozen, goals)
        return state, dict(outcome.values), outcome.reason

    measured = {"a": 1.0, "b": 2.0}
    assert read(constraints=[0.5]) == ("completed", {**measured, "constraint 0": 0.5}, None)
    assert read(**{"constraints:0": 0.5}) == read(constraints=[0.5])
    assert read() == ("completed", {**measured, "constraint 0": None}, None)
    assert read(constraints=[-math.inf])[1]["constraint 0"] == 0.0
    assert read(constraints=[math.inf]) == ("failed", {}, "constraint 0: the value was inf")
    assert read((1.0, math.inf)) == ("failed", {}, "b: the value was inf")


def test_a_suggested_value_counts_before_an_enqueued_and_this_before_a_published_one():
    translation = Translation(SPACE)
    attrs = {"fixed_params": {"x": 0.2}, PUBLISHED: {"x": 0.3, "c": 0}}
    assert decided(trial(params={}, system_attrs=attrs), translation) == {"x": 0.2, "c": 0}
    assert decided(trial(params={"x": 0.1}, system_attrs=attrs), translation) == {"x": 0.1, "c": 0}


def test_a_published_value_does_not_stand_for_one_outside_the_space():
    attrs = {"fixed_params": {"x": 7.0}, PUBLISHED: {"x": 0.3, "c": 0}}
    assert decided(trial(params={}, system_attrs=attrs), Translation(SPACE)) == {"c": 0}


def test_what_is_settled_is_in_the_order_of_the_space():
    frozen = trial(params={"c": "b"}, system_attrs={PUBLISHED: {"x": 0.3}})
    assert list(decided(frozen, Translation(SPACE))) == ["x", "c"]


@pytest.mark.parametrize("junk", ["{}", 3, None, [1], {"x": "1"}, {"x": {}, "c": 9}, {"z": 1}])
def test_junk_in_the_storage_is_ignored(junk):
    frozen = trial(params={}, system_attrs={PUBLISHED: junk})
    assert decided(frozen, Translation(SPACE)) == {}


def history(*trials, asking=99, unused=False):
    return Knowledge(Translation(SPACE), (Minimize(),), unused).history(trials, asking)


@pytest.mark.parametrize("junk", [3, None, ["local"]])
def test_who_proposed_a_trial_is_read_and_junk_is_not(junk):
    known = history(
        trial(0, value=1.0, system_attrs={PROPOSER: "local"}),
        trial(1, value=2.0, system_attrs={PROPOSER: junk}),
    )
    assert [t.proposer for t in known.trials] == ["local", None]


def test_only_whole_configurations_of_other_trials_inside_the_space_take_part():
    known = history(
        trial(0, value=1.0),
        trial(1, params={"x": 0.5}, value=2.0),  # no c
        trial(2, params={}, system_attrs={PUBLISHED: {"x": 0.1, "c": 0}}),
        trial(3, params={}, system_attrs={"fixed_params": {"x": 3.0, "c": "a"}}),  # outside
        trial(4),
        asking=4,
    )
    assert [(t.number, t.state) for t in known.trials] == [(0, "completed"), (2, "pending")]


@pytest.mark.parametrize("unused", [False, True])
def test_what_a_completed_trial_did_not_use_counts_in_a_given_space_only(unused):
    attrs = {PUBLISHED: {"x": 0.3, "c": 0}}
    known = history(trial(params={"x": 0.3}, value=1.0, system_attrs=attrs), unused=unused)
    assert [dict(t.config) for t in known.trials] == [{"x": 0.3, "c": 0}] * unused


@pytest.mark.parametrize("unused", [False, True])
@pytest.mark.parametrize("state", [TrialState.FAIL, TrialState.PRUNED])
@pytest.mark.parametrize("attrs", [{PUBLISHED: {"x": 0.9, "c": 0}}, {"fixed_params": {"c": "a"}}])
def test_what_a_trial_did_not_come_to_before_it_failed_or_was_pruned_counts(unused, state, attrs):
    known = history(
        trial(0, params={"x": 0.3}, state=state, system_attrs=attrs),
        trial(1, params={"x": 0.3}, state=state),  # of a sampler that publishes nothing
        unused=unused,
    )
    assert [(t.number, dict(t.config)) for t in known.trials] == [(0, {"x": 0.3, "c": 0})]
    assert known.trials[0].state == "failed"


def test_a_trial_pruned_early_counts_with_its_last_value():
    frozen = trial(
        params={"x": 0.3},
        state=TrialState.PRUNED,
        intermediate_values={0: 2.0},
        system_attrs={PUBLISHED: {"x": 0.3, "c": 0}},
    )
    assert [(t.state, t.value) for t in history(frozen).trials] == [("completed", 2.0)]


def test_a_running_trial_counts_alike_when_it_has_failed():
    attrs = {PUBLISHED: {"x": 0.3, "c": 0}}
    knowledge = Knowledge(Translation(SPACE), (Minimize(),), unused=False)
    states = {TrialState.RUNNING: "pending", TrialState.FAIL: "failed"}
    for state, read in states.items():
        (fact,) = knowledge.history([trial(params={}, state=state, system_attrs=attrs)]).trials
        assert (fact.state, fact.config) == (read, {"x": 0.3, "c": 0})


def test_a_trial_that_was_tried_again_is_no_failure():
    known = history(
        trial(0, state=TrialState.FAIL),
        trial(1, state=TrialState.FAIL),
        trial(2, system_attrs={"failed_trial": 0, "retry_history": [0]}),
    )
    assert [(t.number, t.state) for t in known.trials] == [(1, "failed"), (2, "pending")]


def test_finished_trials_are_read_once_and_another_object_is_read_anew():
    knowledge = Knowledge(Translation(SPACE), (Minimize(),), unused=False)
    finished, running = trial(0, value=1.0), trial(1)
    first = knowledge.history([finished, running], 2)
    again = knowledge.history([finished, running], 2)
    assert again.trials[0] is first.trials[0]
    assert again.trials[1] is not first.trials[1]
    other = knowledge.history([trial(0, params={"x": 0.25, "c": "a"}, value=3.0)], 2)
    assert (other.trials[0].config, other.trials[0].value) == ({"x": 0.25, "c": 0}, 3.0)
