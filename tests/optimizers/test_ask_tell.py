"""The stateful shell: ask, tell, best, save and load."""

from __future__ import annotations

import copy
import json
import math
import pickle
import re
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests import strategies as my
from tests.space.test_parameters import assert_native
from warpfront import (
    HEBO,
    AtMost,
    Categorical,
    Integer,
    Maximize,
    Measured,
    RandomSearch,
    Real,
    Settings,
    Space,
    Trial,
)
from warpfront.errors import (
    ConfigurationError,
    NotEnoughDataError,
    ObservationError,
    StateError,
    WarpfrontError,
)
from warpfront.optimizers.ask_tell import AskTell, Suggestion

SPACE = Space(x=Real(0, 1), n=Integer(1, 9), layers=Categorical([[64], [64, 32]]))
A = {"x": 0.25, "n": 3, "layers": [64]}
B = {"x": 0.75, "n": 5, "layers": [64, 32]}


def states(optimizer):
    return [t.state for t in optimizer.history.trials]


@pytest.fixture
def optimizer():
    return RandomSearch(SPACE, 0)


@pytest.fixture
def used():
    """An optimiser with completed, failed, replicated and pending trials."""
    optimizer = RandomSearch(SPACE, 7)
    batch = optimizer.ask(4)
    optimizer.tell(batch[1], 0.5)
    optimizer.tell(batch[3], ValueError("boom"))
    optimizer.tell([A, A, B], [1.5, 1.25, math.nan])
    return optimizer


# --- Building ---------------------------------------------------------------------------------


@pytest.mark.parametrize("space", [None, {"x": Real(0, 1)}, Real(0, 1), "x", Space])
def test_what_is_not_a_space_is_refused(space):
    with pytest.raises(
        ConfigurationError, match=re.escape("is not a Space; wrap it: Space({...})")
    ):
        RandomSearch(space)


@pytest.mark.parametrize("seed", [-1, 1.5, True, "0", math.nan, [1]])
def test_a_bad_seed_is_named(seed):
    with pytest.raises(ConfigurationError, match=re.escape(f"seed={seed!r}: must be a whole")):
        RandomSearch(SPACE, seed)


def test_a_seed_is_drawn_if_none_is_given():
    one, two = RandomSearch(SPACE), RandomSearch(SPACE)
    assert one.seed != two.seed
    assert RandomSearch(SPACE, one.seed).ask(3) == one.ask(3)


def test_the_shell_alone_suggests_nothing():
    with pytest.raises(NotImplementedError):
        AskTell(SPACE, 0).ask()


def test_space_and_seed_are_there_to_read(optimizer):
    assert optimizer.space is SPACE
    assert optimizer.seed == 0


# --- Asking -----------------------------------------------------------------------------------


def test_suggestions_are_dicts_that_know_their_numbers(optimizer):
    batch = optimizer.ask(2) + optimizer.ask()
    assert [s.number for s in batch] == [0, 1, 2]
    for suggestion in batch:
        assert isinstance(suggestion, dict)
        assert list(suggestion) == list(SPACE)
        assert_native(dict(suggestion))
        json.dumps(suggestion)
    assert states(optimizer) == ["pending"] * 3
    assert [dict(t.config) for t in optimizer.history.trials] == batch


@pytest.mark.parametrize("n", [0, -1, 1.5, True, None, "2"])
def test_a_bad_number_of_suggestions_is_named(optimizer, n):
    with pytest.raises(
        ConfigurationError, match=re.escape(f"n={n!r}: must be a whole number of at least 1")
    ):
        optimizer.ask(n)
    assert len(optimizer.history) == 0


def test_whole_numbers_of_numpy_are_welcome():
    optimizer = RandomSearch(SPACE, seed=np.int64(3))
    assert optimizer.seed == 3
    assert type(optimizer.seed) is int
    assert len(optimizer.ask(np.int32(2))) == 2
    json.loads(optimizer.to_json())


def test_withdrawn_suggestions_are_no_longer_pending(optimizer):
    batch = optimizer.ask(3)
    optimizer.withdraw(batch[:1])
    assert states(optimizer) == ["withdrawn", "pending", "pending"]
    optimizer.tell(batch[1], 1.0)
    optimizer.withdraw()
    assert states(optimizer) == ["withdrawn", "completed", "withdrawn"]
    optimizer.withdraw(batch)  # what is told stays told
    assert states(optimizer) == ["withdrawn", "completed", "withdrawn"]
    copy = type(optimizer).from_json(optimizer.to_json())
    assert states(copy) == states(optimizer)
    assert copy.ask(2) == optimizer.ask(2)


@pytest.mark.parametrize(
    "given",
    [
        lambda optimizer, s: s,
        lambda optimizer, s: dict(s),
        lambda optimizer, s: [dict(s)],
        lambda optimizer, s: (s for _ in range(1)),
        lambda optimizer, s: optimizer.history.trials[s.number],
        lambda optimizer, s: optimizer.history.trials[s.number].config,
    ],
    ids=["suggestion", "dict", "list of a dict", "generator", "trial", "configuration"],
)
def test_one_suggestion_is_withdrawn_in_any_form(optimizer, given):
    batch = optimizer.ask(3)
    optimizer.withdraw(given(optimizer, batch[1]))
    assert states(optimizer) == ["pending", "withdrawn", "pending"]


def test_equal_suggestions_are_withdrawn_one_by_one(optimizer):
    held = dict(optimizer.ask()[0])
    batch = optimizer.ask(2, fixed=held)
    optimizer.withdraw([held])
    assert states(optimizer) == ["withdrawn", "pending", "pending"]
    optimizer.withdraw([held, batch[0]])
    assert states(optimizer) == ["withdrawn"] * 3


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (lambda told: dict(told), "no trial of {"),
        (lambda told: {**told, "x": 7}, "parameter 'x': 7 is outside"),
        (lambda told: {}, "is missing"),
        (lambda told: 5, "5 is not a configuration"),
        (lambda told: "x", "'x' is not a configuration"),
    ],
)
def test_what_is_not_pending_cannot_be_withdrawn(optimizer, bad, complaint):
    told, other = optimizer.ask(2)
    optimizer.tell(told, 1.0)
    with pytest.raises(ConfigurationError, match=re.escape(complaint)):
        optimizer.withdraw([other, bad(told)])
    assert states(optimizer) == ["completed", "pending"]


def test_what_is_no_suggestion_at_all_cannot_be_withdrawn(optimizer):
    with pytest.raises(ConfigurationError, match="5 is not a suggestion; give one, or a sequence"):
        optimizer.withdraw(5)


def test_suggestions_of_another_optimiser_withdraw_nothing(optimizer):
    other = RandomSearch(SPACE, seed=99)
    optimizer.ask(2)
    optimizer.withdraw(other.ask(2))
    assert states(optimizer) == ["pending", "pending"]


def test_a_late_result_of_a_withdrawn_suggestion_is_kept(optimizer):
    (suggestion,) = optimizer.ask()
    optimizer.withdraw([suggestion])
    optimizer.tell(suggestion, 2.0)
    assert states(optimizer) == ["withdrawn", "completed"]
    assert optimizer.best.config == dict(suggestion)


def test_changing_a_suggestion_changes_nothing_in_the_history(optimizer):
    (suggestion,) = optimizer.ask()
    before = json.dumps(optimizer.history.to_list())
    suggestion["layers"].append(7)
    suggestion["x"] = 99
    del suggestion["n"]
    assert json.dumps(optimizer.history.to_list()) == before


@pytest.mark.parametrize(
    "clone",
    [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))],  # noqa: S301
    ids=["copy", "deepcopy", "pickle"],
)
def test_a_copied_suggestion_knows_its_number(optimizer, clone):
    for suggestion in optimizer.ask(3):
        copied = clone(suggestion)
        assert type(copied) is Suggestion
        assert copied == suggestion
        assert copied is not suggestion
        assert copied.number == suggestion.number
        optimizer.tell(copied, 1.0)
    assert states(optimizer) == ["completed"] * 3


# --- Telling ----------------------------------------------------------------------------------


def test_suggestions_can_be_told_one_by_one_in_any_order(optimizer):
    batch = optimizer.ask(3)
    for suggestion in (batch[2], batch[0], batch[1]):
        optimizer.tell(suggestion, float(suggestion.number))
    assert [t.value for t in optimizer.history.trials] == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("pack", [list, tuple, iter, np.array, deque])
def test_sequences_of_any_kind_can_be_told(optimizer, pack):
    batch = optimizer.ask(3)
    optimizer.tell(tuple(batch), pack([3.0, 1.0, 2.0]))
    assert [t.value for t in optimizer.history.trials] == [3.0, 1.0, 2.0]


def test_trials_can_be_told(optimizer):
    optimizer.ask(3)
    pending = optimizer.history.trials
    optimizer.tell(pending[1], 1.0)
    optimizer.tell([pending[2], pending[0]], [2.0, 0.0])
    assert [t.value for t in optimizer.history.trials] == [0.0, 1.0, 2.0]


def test_a_plain_dict_completes_the_matching_pending_trial(optimizer):
    batch = optimizer.ask(3)
    optimizer.tell(json.loads(json.dumps(batch[1])), 1.0)
    assert states(optimizer) == ["pending", "completed", "pending"]
    optimizer.tell([dict(batch[2]), dict(batch[0])], [2.0, 0.0])
    assert [t.value for t in optimizer.history.trials] == [0.0, 1.0, 2.0]


def test_a_changed_suggestion_records_what_was_evaluated(optimizer):
    (suggestion,) = optimizer.ask()
    suggestion.update(B)
    optimizer.tell(suggestion, 2.0)
    assert [dict(t.config) for t in optimizer.history.trials] == [B]
    assert states(optimizer) == ["completed"]


@pytest.mark.parametrize(
    "clone",
    [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))],  # noqa: S301
    ids=["copy", "deepcopy", "pickle"],
)
def test_a_copied_and_changed_suggestion_completes_its_own_trial(optimizer, clone):
    batch = optimizer.ask(3)
    before = dict(batch[1])
    edited = clone(batch[1])
    edited.update(B)
    edited = clone(edited)  # the change survives, and so does the trial
    assert edited == B
    assert batch[1] == before != B
    optimizer.tell(edited, 2.0)
    assert states(optimizer) == ["pending", "completed", "pending"]
    assert dict(optimizer.history.trials[1].config) == B


def test_a_changed_suggestion_completes_its_trial_of_a_resumed_optimiser(optimizer):
    batch = optimizer.ask(2)
    resumed = RandomSearch.from_json(optimizer.to_json())
    batch[1].update(B)
    resumed.tell(batch[1], 2.0)
    assert states(resumed) == ["pending", "completed"]
    assert dict(resumed.history.trials[1].config) == B


def as_suggestions(optimizer):
    return optimizer.ask(3)


def as_pending_trials(optimizer):
    optimizer.ask(3)
    return list(optimizer.history.trials)


def as_completed_trials(optimizer):
    optimizer.tell(optimizer.ask(3), [7.0, 8.0, 9.0])
    return list(optimizer.history.trials)


@pytest.mark.parametrize("one_call", [True, False])
@pytest.mark.parametrize("given", [as_suggestions, as_pending_trials, as_completed_trials])
def test_what_another_optimiser_asked_for_leaves_ours_pending(optimizer, given, one_call):
    theirs = given(RandomSearch(SPACE, 1))
    ours = optimizer.ask(3)
    configs = [dict(t.config) if isinstance(t, Trial) else dict(t) for t in theirs]
    if one_call:
        optimizer.tell(theirs, [1.0, 2.0, 3.0])
    else:
        for trial, value in zip(theirs, [1.0, 2.0, 3.0], strict=True):
            optimizer.tell(trial, value)
    assert states(optimizer) == ["pending"] * 3 + ["completed"] * 3
    assert [dict(t.config) for t in optimizer.history.trials] == [*ours, *configs]
    assert [t.value for t in optimizer.history.trials[3:]] == [1.0, 2.0, 3.0]
    optimizer.tell(ours, [4.0, 5.0, 6.0])  # each still completes its own
    assert [t.value for t in optimizer.history.trials] == [4.0, 5.0, 6.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("given", [as_suggestions, as_pending_trials, as_completed_trials])
def test_what_another_optimiser_asked_for_completes_ours_of_the_same_configuration(
    optimizer, given
):
    optimizer.ask(3)
    theirs = given(RandomSearch(SPACE, 0))  # the same seed, so the same configurations
    optimizer.tell(theirs[1], 2.0)
    assert states(optimizer) == ["pending", "completed", "pending"]


def test_a_trial_of_a_number_beyond_ours_is_new(optimizer):
    (ours,) = optimizer.ask()
    for trial in (Trial(5, A), Trial(-1, A), Trial(10**30, A)):
        optimizer.tell(trial, 1.0)
    assert states(optimizer) == ["pending"] + ["completed"] * 3
    optimizer.tell(ours, 2.0)
    assert optimizer.history.trials[0].value == 2.0


def test_old_data_is_welcome(optimizer):
    optimizer.tell(A, 2.0)
    optimizer.tell([B, {**B, "n": np.int64(2)}], [1.0, Fraction(1, 2)])
    assert [t.value for t in optimizer.history.trials] == [2.0, 1.0, 0.5]
    for trial in optimizer.history.trials:
        assert_native(trial.to_dict())
    assert optimizer.ask()[0].number == 3


def test_repeats_are_replicates(optimizer):
    (suggestion,) = optimizer.ask()
    optimizer.tell(suggestion, 1.0)
    optimizer.tell(suggestion, 3.0)
    optimizer.tell(dict(suggestion), 2.0)
    assert [t.value for t in optimizer.history.trials] == [1.0, 3.0, 2.0]
    assert len({json.dumps(dict(t.config)) for t in optimizer.history.trials}) == 1


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({**A, "x": 1.5}, "parameter 'x': 1.5 is outside [0.0, 1.0]"),
        ({**A, "layers": [1]}, "parameter 'layers': [1] is not among"),
        ({"x": 0.5}, "parameter 'n' is missing"),
        ({**A, "z": 1}, "parameter 'z' is unknown"),
    ],
)
def test_what_is_outside_the_space_is_refused_by_name(optimizer, config, message):
    batch = optimizer.ask(2)
    before = optimizer.history
    for configs, values in ((config, 1.0), ([batch[0], config, batch[1]], [1.0, 1.0, 1.0])):
        with pytest.raises(ConfigurationError, match=re.escape(message)):
            optimizer.tell(configs, values)
    assert optimizer.history is before


@pytest.mark.parametrize(
    "value", ["good", 1j, [1.0], {"value": [1.0]}, np.array([1.0, 2.0]), print]
)
def test_what_is_not_a_number_is_refused_and_nothing_is_recorded(optimizer, value):
    batch = optimizer.ask(2)
    before = optimizer.history
    with pytest.raises(ObservationError, match="is not a number"):
        optimizer.tell(batch[0], value)
    with pytest.raises(ObservationError, match="is not a number"):
        optimizer.tell(batch, [1.0, value])
    assert optimizer.history is before


def test_an_outcome_that_is_no_goal_is_refused_and_nothing_is_recorded(optimizer):
    batch = optimizer.ask(2)
    before = optimizer.history
    for values in ([1.0, {"loss": 1.0}], [{"value": 1.0}, {"value": 1.0, "loss": 2.0}]):
        with pytest.raises(ObservationError, match="outcome 'loss' is not one of the goals"):
            optimizer.tell(batch, values)
    assert optimizer.history is before


@pytest.mark.parametrize(
    ("configs", "values", "message"),
    [
        ([A, B], [1.0], "2 configurations but 1 values; give one for each"),
        ([A], [1.0, 2.0], "1 configurations but 2 values"),
        ([A, B], 1.0, r"values=1\.0: give a sequence with a loss for each evaluation; or tell one"),
        (5, 1.0, "configs=5: give a sequence with a configuration for each evaluation"),
        (None, None, "configs=None: give a sequence"),
        ([A, B], {0: 3.0, 1: 4.0}, "values={0: 3.0, 1: 4.0}: a dict does not say which loss"),
        ([A, B], {3.0, 4.0}, "a set does not say which loss is of which configuration"),
        ([A, B], frozenset([3.0, 4.0]), "a frozenset does not say"),
    ],
)
def test_what_does_not_pair_up_is_refused(optimizer, configs, values, message):
    with pytest.raises(ObservationError, match=message):
        optimizer.tell(configs, values)
    assert len(optimizer.history) == 0


def test_what_is_wrong_in_a_batch_is_said_with_its_place(optimizer):
    with pytest.raises(ConfigurationError, match=r"^at index 1: parameter 'x': 7 is outside"):
        optimizer.tell([A, {**B, "x": 7}], [1.0, 2.0])
    with pytest.raises(ObservationError, match=r"^at index 1: the value 'two' is not a number"):
        optimizer.tell([A, B], [1.0, "two"])
    with pytest.raises(ObservationError, match=r"^the value 'two' is not a number"):
        optimizer.tell(A, "two")
    assert len(optimizer.history) == 0


def test_telling_nothing_is_fine(optimizer):
    optimizer.tell([], [])
    assert len(optimizer.history) == 0


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, None, ValueError("no"), 10**400, np.float32("nan")]
)
def test_failures_are_recorded_and_the_optimiser_goes_on(optimizer, value):
    optimizer.tell(optimizer.ask(), [value])
    assert states(optimizer) == ["failed"]
    assert optimizer.ask()[0] in SPACE
    with pytest.raises(NotEnoughDataError, match="no evaluation has completed yet"):
        _ = optimizer.best


def test_best_and_recommendation(optimizer):
    optimizer.tell([A, B, A], [2.0, 1.0, 1.0])
    assert optimizer.best == Trial(1, B, "completed", {"value": 1.0}, proposer=None)
    assert optimizer.recommendation == optimizer.best


def test_a_snapshot_of_the_history_does_not_change(optimizer):
    snapshot = optimizer.history
    optimizer.tell(A, 1.0)
    assert len(snapshot) == 0
    assert len(optimizer.history) == 1


# --- Saving -----------------------------------------------------------------------------------


CLONES = {
    "json": lambda o: type(o).from_json(o.to_json()),
    "pickle": lambda o: pickle.loads(pickle.dumps(o)),  # noqa: S301
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}


@pytest.mark.parametrize("clone", CLONES.values(), ids=CLONES)
def test_a_resumed_optimiser_goes_on_as_the_uninterrupted_one(used, clone):
    resumed = clone(used)
    assert type(resumed) is RandomSearch
    assert resumed.space == used.space
    assert resumed.seed == used.seed
    assert resumed.history == used.history
    assert states(resumed) == (
        ["pending", "completed", "pending", "failed", "completed", "completed", "failed"]
    )
    assert [t.reason for t in resumed.history.trials][3] == "ValueError: boom"
    assert resumed.best == used.best
    assert resumed.ask(5) == used.ask(5)
    assert resumed.to_json() == used.to_json()


@pytest.mark.parametrize("clone", CLONES.values(), ids=CLONES)
def test_a_copy_leads_its_own_life(used, clone):
    before = used.to_json()
    other = clone(used)
    other.tell(A, -1.0)
    other.ask(3)
    assert used.to_json() == before


@pytest.mark.parametrize("clone", CLONES.values(), ids=CLONES)
def test_a_resumed_hebo_goes_on_as_the_uninterrupted_one(clone):
    settings = Settings(generations=3, population=12, models=["warped"])
    optimizer = HEBO(Space(x=Real(0, 1), n=Integer(1, 9)), 3, settings)
    batch = optimizer.ask(6)
    optimizer.tell(batch[:4], [s["x"] * s["n"] for s in batch[:4]])
    optimizer.tell(batch[4], math.nan)
    resumed = clone(optimizer)
    assert resumed.settings == settings
    assert resumed.ask(2) == optimizer.ask(2)
    assert resumed.model.predict([batch[0]]) is not None
    assert resumed.to_json() == optimizer.to_json()


@hypothesis_settings(max_examples=40)
@given(my.spaces(max_size=3), st.integers(0, 2**70), st.data())
def test_any_optimiser_survives_real_json_text(space, seed, data):
    optimizer = RandomSearch(space, seed)
    batch = optimizer.ask(3)
    optimizer.tell(batch[0], data.draw(my.losses()))
    optimizer.tell(data.draw(my.user_configurations(space)), data.draw(my.losses()))
    text = optimizer.to_json()
    json.loads(text, parse_constant=pytest.fail)  # strict JSON: no NaN, no Infinity
    resumed = RandomSearch.from_json(text)
    assert resumed.to_json() == text
    assert resumed.ask(2) == optimizer.ask(2)
    assert RandomSearch.from_json(text.encode()).to_json() == text


def good():
    return json.loads(RandomSearch(SPACE, 0).to_json())


def with_trial(**changes):
    optimizer = RandomSearch(SPACE, 0)
    optimizer.tell(A, 1.0)
    (trial,) = optimizer.history.to_list()
    return good() | {"trials": [trial | changes]}


def test_what_version_0_1_wrote_is_read():
    old = good() | {"warpfront": 1}
    del old["goals"]
    trial = {"number": 0, "config": A, "reason": None}
    old["trials"] = [
        trial | {"state": "completed", "value": 1.0},
        trial | {"number": 1, "state": "failed", "value": None, "reason": "boom"},
        trial | {"number": 2, "state": "pending", "value": None},
    ]
    resumed = RandomSearch.from_json(json.dumps(old))
    assert states(resumed) == ["completed", "failed", "pending"]
    assert resumed.best == Trial(0, A, "completed", {"value": 1.0})
    assert [goal.name for goal in resumed.goals] == ["value"]
    saved = json.loads(resumed.to_json())
    assert saved["warpfront"] == 2
    assert saved["trials"][0]["outcomes"] == {"value": 1.0}


GOALS = [Maximize("accuracy"), AtMost("memory", 512)]


@pytest.mark.parametrize("clone", CLONES.values(), ids=CLONES)
def test_goals_outcomes_noise_and_proposers_are_saved(clone):
    optimizer = RandomSearch(SPACE, 0, goals=GOALS)
    batch = optimizer.ask(2)
    optimizer.tell(batch[0], {"accuracy": Measured(0.9, std=0.1), "memory": 256})
    optimizer.tell(batch[1], {"accuracy": 0.8})
    resumed = clone(optimizer)
    assert resumed.goals == optimizer.goals == tuple(GOALS)
    assert resumed.history == optimizer.history
    first, second = resumed.history.trials
    assert (first.outcomes, first.noise) == (
        {"accuracy": 0.9, "memory": 256.0},
        {"accuracy": 0.1},
    )
    assert (second.outcomes, second.noise) == ({"accuracy": 0.8, "memory": None}, {})
    assert (first.proposer, second.proposer) == ("random", "random")
    assert resumed.best == first


def without(key):
    return {k: v for k, v in good().items() if k != key}


@pytest.mark.parametrize(
    ("garbage", "message"),
    [
        ("", "not a saved warpfront optimiser"),
        ("hello", "not a saved warpfront optimiser"),
        ('{"warpfront": 2', "not a saved warpfront optimiser"),
        (b"\xff\xfe\xff", "not a saved warpfront optimiser"),
        ("[" * 100_000, "not a saved warpfront optimiser"),
        (None, "not a saved warpfront optimiser"),
        (5, "not a saved warpfront optimiser"),
        ([], "must be a JSON object"),
        ({}, 'with "warpfront": 2'),
        (good() | {"warpfront": 3}, 'with "warpfront": 2'),
        (good() | {"warpfront": "2"}, 'with "warpfront": 2'),
        (good() | {"optimizer": "HEBO"}, "saved by 'HEBO', not 'RandomSearch'"),
        (without("optimizer"), "saved by None, not 'RandomSearch'"),
        (without("seed"), "the saved optimiser has no 'seed'"),
        (without("space"), "the saved optimiser has no 'space'"),
        (without("options"), "the saved optimiser has no 'options'"),
        (without("trials"), "the saved optimiser has no 'trials'"),
        (good() | {"seed": -1}, "cannot be read: seed=-1"),
        (good() | {"seed": "0"}, "cannot be read: seed='0'"),
        (good() | {"seed": None}, "cannot be read: seed=None: must be a whole number"),
        (good() | {"space": None}, "cannot be read: None is not a space"),
        (good() | {"space": {"x": {"type": []}}}, "cannot be read: parameter 'x'"),
        (good() | {"trials": None}, "None is not a list"),
        (good() | {"trials": 5}, "5 is not a list"),
        (with_trial(config={**A, "x": 7}), "trial 0 cannot be read: parameter 'x': 7 is outside"),
        (with_trial(outcomes={"value": math.nan}), "cannot have the outcomes {'value': nan}"),
        (with_trial(outcomes={"value": None}), "cannot have the outcomes {'value': None}"),
        (with_trial(outcomes={}), "a completed trial cannot have the outcomes {}"),
        (with_trial(outcomes={"loss": 1.0}), "outcome 'loss' is not one of the goals"),
        (with_trial(noise={"value": -1.0}), "the noise {'value': -1.0} is not one of"),
        (with_trial(proposer=3), "the proposer 3 is not a text"),
        (good() | {"goals": [{"kind": "minimise"}]}, "cannot be read"),
        (good() | {"goals": 5}, "cannot be read"),
        (with_trial(state="running"), "state 'running'"),
        (with_trial(number=1), "trial 0 cannot be read: number 1"),
    ],
)
def test_garbage_is_no_saved_optimiser(garbage, message):
    text = json.dumps(garbage) if isinstance(garbage, (dict, list)) else garbage
    with pytest.raises(StateError, match=re.escape(message)):
        RandomSearch.from_json(text)


@pytest.mark.parametrize(
    "options", [None, 5, [], {}, {"settings": 5}, {"settings": {"population": 0}}]
)
def test_garbage_options_are_no_saved_hebo(options):
    data = json.loads(HEBO(SPACE, 0).to_json()) | {"options": options}
    with pytest.raises(StateError):
        HEBO.from_json(json.dumps(data))


@given(st.sampled_from(list(good())), my.json_values(max_leaves=8))
def test_any_damage_is_a_state_error_or_harmless(key, value):
    try:
        RandomSearch.from_json(json.dumps(good() | {key: value}))
    except WarpfrontError as error:
        outcome = type(error)
    else:
        outcome = None
    assert outcome in (StateError, None)
    if key in ("space", "optimizer"):
        assert outcome is StateError or value == good()[key]
    if key == "warpfront":
        assert (outcome is None) == (value in (1, 2))


# --- Threads ----------------------------------------------------------------------------------


def test_eight_threads_lose_nothing():
    optimizer = RandomSearch(SPACE, 0)
    start = threading.Barrier(8)

    def work(k):
        start.wait(timeout=60)
        numbers = []
        for i in range(12):
            batch = optimizer.ask(1 + i % 3)
            numbers += [s.number for s in batch]
            optimizer.tell(batch, [float(s.number) for s in batch])
            optimizer.tell({**A, "n": 1 + k}, 1000.0 + k)
        return numbers

    with ThreadPoolExecutor(8) as pool:
        numbers = [n for found in pool.map(work, range(8)) for n in found]
    asked = 8 * (1 + 2 + 3) * 4
    assert len(numbers) == len(set(numbers)) == asked
    trials = optimizer.history.trials
    assert [t.number for t in trials] == list(range(asked + 8 * 12))
    assert {t.number for t in trials if t.value == t.number} == set(numbers)
    for k in range(8):
        assert sum(t.value == 1000.0 + k for t in trials) == 12


def test_threads_get_the_suggestions_of_one_thread():
    """Whoever asks, the suggestion of a number is the same."""
    optimizer = RandomSearch(SPACE, 4)
    with ThreadPoolExecutor(8) as pool:
        batches = list(pool.map(lambda _: optimizer.ask(2), range(40)))
    alone = RandomSearch(SPACE, 4)
    expected = {s.number: s for _ in range(40) for s in alone.ask(2)}
    assert {s.number: s for batch in batches for s in batch} == expected


@pytest.mark.parametrize("fixed", [0, [], "", np.array([])], ids=["0", "list", "text", "array"])
def test_what_is_fixed_must_be_a_mapping(optimizer, fixed):
    with pytest.raises(ConfigurationError, match="is not a configuration"):
        optimizer.ask(fixed=fixed)
    assert len(optimizer.history) == 0


def test_numpy_may_be_told_to_raise_where_a_value_underflows():
    optimizer = RandomSearch(Space(x=Real(0, 3)), seed=0)
    with np.errstate(all="raise"):
        optimizer.tell({"x": 1e-320}, 1.0)
    assert optimizer.best.config["x"] == 1e-320
