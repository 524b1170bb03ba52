"""History: what is known, as immutable facts."""

from __future__ import annotations

import copy
import json
import math
import operator
import pickle
import re
from dataclasses import FrozenInstanceError
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests import strategies as my
from tests.space.test_parameters import assert_native, same
from warpfront import AtMost, Boolean, Categorical, Integer, Maximize, Real, Space, Trial
from warpfront.dataset import Dataset
from warpfront.errors import ConfigurationError, NotEnoughDataError, ObservationError, StateError
from warpfront.history import History
from warpfront.outcomes import read_value
from warpfront.problem import Problem
from warpfront.trial import ReadOnlyDict

SPACE = Space(x=Real(0, 1), n=Integer(1, 9), layers=Categorical([[64], [64, 32]]))
A = {"x": 0.25, "n": 3, "layers": [64]}
B = {"x": 0.75, "n": 5, "layers": [64, 32]}
EMPTY = History(SPACE)


class Tensor:
    """As PyTorch's: not a number itself, but it has item()."""

    def __init__(self, value):
        self.value = value

    def item(self):
        if isinstance(self.value, list):
            raise RuntimeError("a Tensor with 2 elements cannot be converted to Scalar")
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class Mute(Exception):  # noqa: N818
    """It fails at saying what it is."""

    def __str__(self):
        return self.args[5]

    __repr__ = __str__


# --- Values -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "loss"),
    [
        (1.5, 1.5),
        (3, 3.0),
        (-0.0, 0.0),
        (True, 1.0),
        (1e308, 1e308),
        (5e-324, 5e-324),
        (10**300, 1e300),
        (np.float64(2.5), 2.5),
        (np.float32(0.5), 0.5),
        (np.float16(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.int8(-3), -3.0),
        (np.uint64(2**63), 2.0**63),
        (np.bool_(False), 0.0),
        (np.array(4.5), 4.5),
        (np.array([4.5]), 4.5),
        (np.array([[7]]), 7.0),
        (Fraction(1, 4), 0.25),
        (Decimal("1.5"), 1.5),
        (Tensor(0.25), 0.25),
        (np.ma.array([0.25]), 0.25),
        (np.ma.array([0.25, 9.0], mask=[False, True]).mean(), 0.25),
    ],
)
def test_numbers_of_any_kind_are_losses(value, loss):
    found, reason = read_value(value)
    assert found == loss
    assert type(found) is float
    assert reason is None


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "no value was given"),
        (math.nan, "the value was nan"),
        (math.inf, "the value was inf"),
        (-math.inf, "the value was -inf"),
        (np.float32("nan"), "the value was nan"),
        (np.array(np.inf), "the value was inf"),
        (Tensor(math.nan), "the value was nan"),
        (10**400, "the value was beyond the range of a float"),
        (-(10**400), "the value was beyond the range of a float"),
        (Fraction(10**400), "the value was beyond the range of a float"),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (MemoryError(), "MemoryError"),
        (KeyboardInterrupt("stop"), "KeyboardInterrupt: stop"),
        (Mute(), "Mute: (its text cannot be read: IndexError)"),
        (Decimal("NaN"), "the value was nan"),
        (Decimal("sNaN"), "the value was sNaN"),
        (np.ma.masked, "the value was masked"),
        (np.ma.array([1.0, 2.0], mask=True).mean(), "the value was masked"),
        (np.ma.array([3.0], mask=True), "the value was masked"),
    ],
)
def test_what_is_not_a_finite_number_is_a_failure_with_a_reason(value, reason):
    assert read_value(value) == (None, reason)


@pytest.mark.parametrize(
    "value",
    [
        *("good", "1.5", "", b"1", 1j, np.complex128(1), [1.0], (1.0,), {}, {"loss": 1}, object()),
        *(np.array([1.0, 2.0]), np.array("a"), np.array([]), Tensor([1, 2]), ValueError, print),
        Tensor(KeyError("gone")),
        *(np.datetime64("2020-01-01"), np.ma.array([1.0, 2.0], mask=[False, True])),
    ],
)
def test_what_is_not_a_number_at_all_is_refused_with_the_remedy(value):
    with pytest.raises(ObservationError, match=r"is not a number; tell a float, or math\.nan"):
        read_value(value)


def test_a_refused_value_is_named():
    with pytest.raises(ObservationError, match="the value 'good' is not a number"):
        read_value("good")
    with pytest.raises(ObservationError, match=re.escape("the value [1.5]")):
        read_value([1.5])
    with pytest.raises(ObservationError, match=re.escape("the value (its text cannot be read")):
        read_value([Mute()])


@given(my.losses())
def test_a_value_is_either_a_loss_or_a_failure(value):
    loss, reason = read_value(value)
    if loss is None:
        assert isinstance(reason, str)
    else:
        assert type(loss) is float
        assert math.isfinite(loss)
        assert loss == float(value)
        assert reason is None


# --- Asking and telling -----------------------------------------------------------------------


def test_a_history_never_changes():
    asked = EMPTY.ask([A, B])
    told = asked.tell([(0, A, 1.0)])
    assert len(EMPTY) == 0
    assert [t.state for t in asked.trials] == ["pending", "pending"]
    assert [t.state for t in told.trials] == ["completed", "pending"]
    with pytest.raises(FrozenInstanceError):
        told.trials = ()
    with pytest.raises(FrozenInstanceError):
        told.trials[0].outcomes = {"value": -1.0}
    for facts in (told.trials[0].config, told.trials[0].outcomes, told.trials[0].noise):
        with pytest.raises(TypeError):
            facts["value"] = 0.5


def test_a_trial_keeps_what_it_was_given_whatever_happens_to_it():
    config = {"x": 0.5, "n": 1, "layers": [64]}
    history = EMPTY.ask([config]).tell([(None, config, 1.0), (None, B, 2.0)])
    described = json.dumps(history.to_list())
    config["layers"].append(7)
    config["x"] = 0.9
    history.to_list()[1]["config"]["layers"].append(7)
    history.to_list()[0]["config"]["x"] = 0.9
    assert json.dumps(history.to_list()) == described


def test_a_number_completes_its_trial_in_any_order():
    history = EMPTY.ask([A, B, A])
    history = history.tell([(2, A, 3.0)]).tell([(0, A, 1.0)]).tell([(1, B, 2.0)])
    assert [(t.number, t.value) for t in history.trials] == [(0, 1.0), (1, 2.0), (2, 3.0)]


def test_a_plain_configuration_completes_the_first_pending_trial_that_matches():
    history = EMPTY.ask([A, B, B]).tell([(None, B, 2.0)])
    assert [t.state for t in history.trials] == ["pending", "completed", "pending"]
    history = history.tell([(None, {**B, "n": np.int64(5), "layers": (64, 32)}, 4.0)])
    assert [t.value for t in history.trials] == [None, 2.0, 4.0]
    assert len(history) == 3


def test_a_match_tells_apart_what_python_calls_equal():
    space = Space(c=Categorical([1, True, 1.0]))
    history = History(space).ask([{"c": 1}, {"c": True}]).tell([(None, {"c": True}, 5.0)])
    assert [t.state for t in history.trials] == ["pending", "completed"]
    history = history.tell([(None, {"c": 1.0}, 6.0)])
    assert [t.state for t in history.trials] == ["pending", "completed", "completed"]
    assert type(history.trials[2].config["c"]) is float


def test_without_a_match_it_is_a_new_trial():
    history = EMPTY.ask([A]).tell([(None, B, 2.0)])
    assert [(t.number, t.state) for t in history.trials] == [(0, "pending"), (1, "completed")]


def test_a_number_with_another_configuration_records_what_was_evaluated():
    history = EMPTY.ask([A]).tell([(0, B, 2.0)])
    assert len(history) == 1
    assert dict(history.trials[0].config) == B
    assert history.best.value == 2.0


@pytest.mark.parametrize("number", [0, 99, -1, None])
def test_a_number_that_is_not_pending_is_a_replicate(number):
    history = EMPTY.tell([(None, A, 1.0)]).tell([(number, A, 3.0)])
    assert [t.value for t in history.trials] == [1.0, 3.0]
    assert [t.number for t in history.trials] == [0, 1]


def test_replicates_are_kept_within_one_call_too():
    history = EMPTY.tell([(None, A, 1.0), (None, A, 2.0), (None, A, 1.0)])
    data = Dataset.of(history)
    assert data.objective.y.tolist() == [1.0, 1.0, 2.0]
    assert data.objective.row.tolist() == [0, 0, 0]
    np.testing.assert_array_equal(data.X, SPACE.encoding.encode([A]))


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        ((None, A, "good"), ObservationError, "'good' is not a number"),
        ((None, {**A, "x": 7}, 1.0), ConfigurationError, "parameter 'x': 7 is outside [0.0, 1.0]"),
        ((0, {"x": 0.5}, 1.0), ConfigurationError, "parameter 'n' is missing"),
        ((1, {**A, "y": 1}, 1.0), ConfigurationError, "parameter 'y' is unknown"),
    ],
)
def test_one_bad_outcome_and_nothing_is_recorded(bad, error, message):
    history = EMPTY.ask([A, B])
    before = history.to_list()
    with pytest.raises(error, match=re.escape(message)):
        history.tell([(0, A, 1.0), bad, (1, B, 1.0)])
    assert history.to_list() == before


def test_a_history_with_gaps_in_its_numbers_loses_nothing_and_gives_new_ones():
    gaps = History(
        SPACE, (Trial(1, A), Trial(4, B, "completed", {"value": 2.0}))
    )  # of a study, say
    told = gaps.tell([(1, A, 9.0)])
    assert [(t.number, t.value) for t in told.trials] == [(1, 9.0), (4, 2.0)]
    assert gaps.tell([(None, A, 9.0)]) == told
    assert [t.number for t in gaps.ask([A, B]).trials] == [1, 4, 5, 6]
    told = gaps.tell([(None, B, 3.0), (1, A, 9.0), (4, B, 5.0)])
    assert [(t.number, t.value) for t in told.trials] == [(1, 9.0), (4, 2.0), (5, 3.0), (6, 5.0)]


def test_failures_are_trials_with_a_reason():
    history = EMPTY.ask([A]).tell([(0, A, math.nan), (None, B, ValueError("boom"))])
    assert [t.state for t in history.trials] == ["failed", "failed"]
    assert [t.value for t in history.trials] == [None, None]
    assert [t.reason for t in history.trials] == ["the value was nan", "ValueError: boom"]
    assert history.completed == ()


# --- Looking at it ----------------------------------------------------------------------------


def test_best_is_the_smallest_loss_and_the_earliest_of_several():
    history = EMPTY.tell([(None, A, 2.0), (None, B, -1.0), (None, A, -1.0), (None, B, math.nan)])
    assert history.best.number == 1


def test_minus_infinity_is_not_the_best():
    assert EMPTY.tell([(None, A, 2.0), (None, B, -math.inf)]).best.number == 0


def test_best_of_nothing_says_what_to_do_and_why():
    with pytest.raises(NotEnoughDataError, match=r"tell at least one finite value first$"):
        _ = EMPTY.ask([A]).best
    with pytest.raises(NotEnoughDataError, match=re.escape("(the last failure: OSError: disk)")):
        _ = EMPTY.tell([(None, A, None), (None, B, OSError("disk"))]).best


def test_the_best_so_far_holds_from_the_first_success_on():
    values = [math.nan, 3.0, None, 5.0, 1.0, 2.0]
    config = {"x": 0.5, "n": 1, "layers": [64]}
    history = History(SPACE).tell([(None, config, value) for value in values])
    assert history.best_so_far.tolist() == [math.inf, 3.0, 3.0, 3.0, 1.0, 1.0]
    assert len(History(SPACE).best_so_far) == 0


def test_trials_by_state():
    history = EMPTY.ask([A, B, A]).tell([(1, B, 1.0), (2, A, None)])
    assert [t.number for t in history.of_state("pending")] == [0]
    assert [t.number for t in history.of_state("completed")] == [1]
    assert [t.number for t in history.of_state("failed")] == [2]
    data = Dataset.of(history)
    np.testing.assert_array_equal(data.pending, SPACE.encoding.encode([A]))
    np.testing.assert_array_equal(data.X, SPACE.encoding.encode([B]))
    np.testing.assert_array_equal(data.failed, SPACE.encoding.encode([A]))


def arrays(history):
    """All arrays of the dataset of a history."""
    data = Dataset.of(history)
    observed = [a for o in data.outcomes for a in (o.row, o.y, o.std)]
    return [data.X, *observed, data.failed, data.pending]


@pytest.mark.parametrize(
    "clone",
    [lambda h: h, copy.copy, copy.deepcopy, lambda h: pickle.loads(pickle.dumps(h))],  # noqa: S301
    ids=["itself", "copy", "deepcopy", "pickle"],
)
def test_its_arrays_cannot_be_changed(clone):
    history = EMPTY.ask([A, B, A]).tell([(1, B, 1.0), (2, A, None)])
    for known in (history, clone(history)):
        for array in arrays(known):
            assert array.size
            with pytest.raises(ValueError, match="read-only"):
                array *= -1
    assert clone(history) == history


def test_an_empty_history_has_empty_arrays():
    X, row, y, std, failed, pending = arrays(EMPTY)
    assert X.shape == failed.shape == pending.shape == (0, 3)
    assert row.shape == y.shape == std.shape == (0,)


@hypothesis_settings(max_examples=50)
@given(my.spaces(max_size=3), st.data())
def test_arrays_do_not_depend_on_the_order_of_telling(space, data):
    told = data.draw(
        st.lists(st.tuples(st.none(), my.user_configurations(space), my.losses()), max_size=6)
    )
    other = data.draw(st.permutations(told))
    asked = [space.validate(config) for _, config, _ in told[:2]]
    one = History(space).tell(told).ask(asked)
    two = History(space)
    for outcome in other:
        two = two.tell([outcome])
    two = two.ask(asked[::-1])
    for first, second in zip(arrays(one), arrays(two), strict=True):
        np.testing.assert_array_equal(first, second)


@hypothesis_settings(max_examples=50)
@given(my.spaces(max_size=3).flatmap(my.histories))
def test_nothing_is_lost(history):
    X, row, y, std, failed, pending = arrays(history)
    states = [t.state for t in history.trials]
    assert len(row) == len(y) == states.count("completed") == len(history.completed)
    assert np.isnan(std).all()
    assert len(failed) == states.count("failed")
    assert len(pending) == states.count("pending")
    assert [t.number for t in history.trials] == list(range(len(history)))
    measured = history.encode(history.completed)
    told = zip(map(tuple, measured.tolist()), (t.value for t in history.completed), strict=True)
    assert sorted(zip(map(tuple, X[row].tolist()), y.tolist(), strict=True)) == sorted(told)
    assert len(np.unique(X, axis=0)) == len(X)
    assert np.all(np.diff(row) >= 0)
    assert np.all(np.isfinite(X))
    for trial in history.trials:
        assert trial.config in history.space
        assert (trial.value is not None) == (trial.state == "completed")
        assert (trial.reason is not None) == (trial.state == "failed")
        assert_native(trial.to_dict())


# --- Saving -----------------------------------------------------------------------------------


@hypothesis_settings(max_examples=50)
@given(my.spaces(max_size=3).flatmap(my.histories))
def test_a_history_survives_real_json_text(history):
    text = json.dumps(history.to_list(), allow_nan=False)
    clone = History.from_list(history.space, json.loads(text))
    assert clone == history
    assert json.dumps(clone.to_list()) == text


@hypothesis_settings(max_examples=30)
@given(my.spaces(max_size=3).flatmap(my.histories))
def test_a_history_and_its_trials_survive_pickling_and_copying(history):
    for clone in (
        copy.copy(history),
        copy.deepcopy(history),
        pickle.loads(pickle.dumps(history)),  # noqa: S301
    ):
        assert clone == history
        assert clone.to_list() == history.to_list()
    trial = history.trials[0]
    for clone in (copy.copy(trial), copy.deepcopy(trial), pickle.loads(pickle.dumps(trial))):  # noqa: S301
        assert clone == trial
        with pytest.raises(TypeError):
            clone.config["x"] = 1


GOOD = {
    "number": 0,
    "config": A,
    "state": "completed",
    "outcomes": {"value": 1.0},
    "reason": None,
}
NOTHING = {"outcomes": {}}


def test_the_good_description_is_good():
    assert History.from_list(SPACE, [GOOD]).best.value == 1.0


@pytest.mark.parametrize(
    ("state", "value", "reason"),
    [("completed", 1.5, None), ("failed", None, "boom"), ("pending", None, None)],
)
def test_descriptions_of_version_0_1_are_read(state, value, reason):
    old = {"number": 0, "config": A, "state": state, "value": value, "reason": reason}
    (trial,) = History.from_list(SPACE, [old]).trials
    outcomes = {} if value is None else {"value": value}
    assert trial == Trial(0, A, state, outcomes, reason=reason)
    with pytest.raises(StateError):
        History.from_list(SPACE, [old | {"value": math.nan}])


SEVERAL = Problem(SPACE, (Maximize("accuracy"), AtMost("memory", 512)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"outcomes": {"value": 1.0}}, "outcome 'value' is not one of the goals"),
        ({"outcomes": {"accuracy": None, "memory": None}}, "cannot have the outcomes"),
        ({"outcomes": None}, "trial 0 cannot be read"),
        ({"outcomes": 5}, "trial 0 cannot be read"),
        ({"noise": {"accuracy": -0.1}}, "the noise {'accuracy': -0.1}"),
        ({"noise": {"accuracy": math.nan}}, "the noise {'accuracy': nan}"),
        ({"noise": {"accuracy": math.inf}}, "the noise {'accuracy': inf}"),
        ({"noise": {"speed": 0.1}}, "the noise {'speed': 0.1}"),
        ({"noise": 5}, "trial 0 cannot be read"),
        ({"proposer": 5}, "the proposer 5 is not a text"),
    ],
)
def test_garbage_is_not_a_history_of_several_goals(changes, message):
    good = GOOD | {"outcomes": {"accuracy": 0.9, "memory": 256.0}, "noise": {"accuracy": 0.1}}
    (trial,) = History.from_list(SEVERAL, [good]).trials
    assert (trial.outcomes, trial.noise) == (good["outcomes"], good["noise"])
    with pytest.raises(StateError, match=re.escape(message)):
        History.from_list(SEVERAL, [good | changes])


@pytest.mark.parametrize(
    ("garbage", "message"),
    [
        (5, "the trials cannot be read: 5 is not a list"),
        (None, "None is not a list"),
        ({}, "{} is not a list"),
        ("trials", "is not a list"),
        ([5], "trial 0 cannot be read"),
        ([None], "trial 0 cannot be read"),
        (["trial"], "trial 0 cannot be read"),
        ([[]], "trial 0 cannot be read"),
        ([{}], "trial 0 cannot be read: 'state'"),
        ([{k: v for k, v in GOOD.items() if k != "config"}], "trial 0 cannot be read: 'config'"),
        ([{k: v for k, v in GOOD.items() if k != "reason"}], "trial 0 cannot be read: 'reason'"),
        ([GOOD, GOOD], "trial 1 cannot be read: number 0"),
        ([GOOD | {"number": 1}], "trial 0 cannot be read: number 1"),
        ([GOOD | {"state": "running"}], "state 'running'"),
        ([GOOD | NOTHING], "a completed trial cannot have the outcomes {}"),
        ([GOOD | {"outcomes": {"value": None}}], "cannot have the outcomes {'value': None}"),
        ([GOOD | {"outcomes": {"value": math.nan}}], "cannot have the outcomes {'value': nan}"),
        ([GOOD | {"outcomes": {"value": math.inf}}], "cannot have the outcomes {'value': inf}"),
        ([GOOD | {"outcomes": {"value": "1.0"}}], "'1.0' is not a number"),
        ([GOOD | {"outcomes": {"loss": 1.0}}], "outcome 'loss' is not one of the goals"),
        ([GOOD | {"state": "pending"}], "a pending trial cannot have the outcomes {'value': 1.0}"),
        (
            [GOOD | {"state": "failed", "reason": "why"}],
            "a failed trial cannot have the outcomes {'value': 1.0}",
        ),
        ([GOOD | {"state": "failed"} | NOTHING], "cannot have the reason None"),
        ([GOOD | {"reason": "why"}], "a completed trial cannot have the reason 'why'"),
        ([GOOD | {"reason": 5}], "a completed trial cannot have the reason 5"),
        ([GOOD | {"reason": []}], "a completed trial cannot have the reason []"),
        ([GOOD | {"state": "failed", "reason": 5} | NOTHING], "cannot have the reason 5"),
        ([GOOD | {"config": {**A, "x": 7}}], "parameter 'x': 7 is outside"),
        ([GOOD | {"config": None}], "None is not a configuration"),
        ([GOOD | {"config": {"x": 0.5}}], "parameter 'n' is missing"),
    ],
)
def test_garbage_is_not_a_history(garbage, message):
    with pytest.raises(StateError, match=re.escape(message)):
        History.from_list(SPACE, garbage)


# --- The text of a trial ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trial", "text"),
    [
        (Trial(0, {"x": 0.5}), "trial 0: pending at {'x': 0.5}"),
        (Trial(3, {"x": 0.5}, "completed", {"value": 1.5}), "trial 3: 1.5 at {'x': 0.5}"),
        (
            Trial(5, {"x": 0.5}, "completed", {"accuracy": 0.9, "memory": None}),
            "trial 5: {'accuracy': 0.9, 'memory': None} at {'x': 0.5}",
        ),
        (
            Trial(4, {"x": 0.5}, "failed", reason="OSError: disk"),
            "trial 4: failed (OSError: disk) at {'x': 0.5}",
        ),
    ],
)
def test_the_text_of_a_trial(trial, text):
    assert str(trial) == text


def test_trials_compare_by_content():
    assert Trial(0, A) == Trial(0, dict(A))
    assert Trial(0, A) != Trial(1, A)
    assert Trial(0, A) != Trial(0, B)
    assert Trial(0, {"b": True}, "completed", {"value": 1.0}) != Trial(0, {"b": True})


# --- The configuration of a trial -------------------------------------------------------------


def delete(config):
    del config["x"]


CHANGES = {
    "setitem": lambda c: c.__setitem__("x", 1),
    "delitem": delete,
    "or": lambda c: operator.ior(c, {"x": 1}),
    "clear": lambda c: c.clear(),
    "pop": lambda c: c.pop("x"),
    "pop default": lambda c: c.pop("missing", None),
    "popitem": lambda c: c.popitem(),
    "setdefault": lambda c: c.setdefault("z", 1),
    "update": lambda c: c.update(x=1),
    "update nothing": lambda c: c.update(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize(
    "clone",
    [lambda c: c, copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))],  # noqa: S301
    ids=["itself", "copy", "deepcopy", "pickle"],
)
def test_the_configuration_of_a_trial_cannot_be_changed(change, clone):
    config = clone(Trial(0, A).config)
    assert type(config) is ReadOnlyDict
    with pytest.raises(TypeError, match=r"cannot be changed; copy them with dict\(\.\.\.\)"):
        change(config)
    assert config == A


def test_read_only_dicts_give_dicts_that_can_be_changed():
    config = Trial(0, A).config
    for changeable in (dict(config), config.copy(), config | {}, {**config}):
        assert type(changeable) is dict
        changeable["x"] = 0.5
    assert config == A


def test_the_configuration_of_a_trial_is_a_dict_for_json_and_keywords():
    config = Trial(0, A).config
    assert isinstance(config, dict)
    assert json.dumps(config) == json.dumps(A)
    assert (lambda **given: given)(**config) == A
    assert list(config) == list(A)


NESTED = Categorical([[64], [64, 32], {"units": [64]}])
READINGS = {
    "[]": lambda c: c["layers"],
    "get": lambda c: c.get("layers"),
    "values": lambda c: next(iter(c.values())),
    "items": lambda c: dict(c.items())["layers"],
    "dict": lambda c: dict(c)["layers"],
    "**": lambda c: (lambda layers: layers)(**c),
    "{**}": lambda c: {**c}["layers"],
    "| to its left": lambda c: (c | {})["layers"],
    "| to its right": lambda c: ({} | c)["layers"],
    "update": lambda c: _updated({}, c)["layers"],
    "copy": lambda c: c.copy()["layers"],
    "copy.copy": lambda c: copy.copy(c)["layers"],
    "match": lambda c: _matched(c),
}


def _updated(target, source):
    target.update(source)
    return target


def _matched(config):
    match config:
        case {"layers": layers}:
            return layers


@pytest.mark.parametrize("read", READINGS.values(), ids=READINGS)
@pytest.mark.parametrize("value", NESTED.choices, ids=str)
def test_what_is_read_from_a_trial_is_the_readers_own(read, value):
    config = Trial(0, {"layers": value}).config
    mine = read(config)
    assert same(mine, value)
    (mine if isinstance(mine, list) else mine["units"]).append(10)
    assert json.loads(json.dumps(config)) == {"layers": value}
    assert config == {"layers": value}
    assert dict(config) == {"layers": value}


def test_a_read_only_dict_is_read_as_a_dict():
    config = Trial(0, A).config
    assert config.get("nothing") is None
    assert config.get("nothing", 3) == 3
    assert list(config.keys()) == list(config) == list(A)
    assert list(config.items()) == list(A.items())
    assert list(config.values()) == list(A.values())
    assert ("x", 0.25) in config.items()
    assert repr(config) == repr(A)
    with pytest.raises(KeyError, match="nothing"):
        config["nothing"]


def test_building_on_the_best_configuration_changes_nothing_that_is_known():
    history = EMPTY.tell([(None, A, 1.0), (None, B, 2.0)])
    saved = json.dumps(history.to_list())
    history.best.config["layers"].append(10)
    data = Dataset.of(history.tell([(None, A, 3.0)]))
    assert np.all(np.isfinite(data.X))
    assert len(data.X) == 2
    assert json.dumps(history.to_list()) == saved


def test_a_deep_copied_configuration_shares_no_lists():
    trial = Trial(0, A)
    copied = copy.deepcopy(trial)
    assert copied == trial
    copied.config["layers"].append(1)
    assert trial.config == A


@pytest.mark.parametrize(
    "trial",
    [
        Trial(0, A),
        Trial(1, A, "completed", {"value": 1.5}, {"value": 0.1}),
        Trial(2, B, "failed", reason="boom"),
    ],
    ids=str,
)
def test_trials_can_be_members_of_sets(trial):
    same = [copy.deepcopy(trial), pickle.loads(pickle.dumps(trial))]  # noqa: S301
    assert len({trial, *same}) == 1
    other = Trial(trial.number, B | {"x": 0.125}, trial.state, trial.outcomes, trial.noise)
    assert len({trial, other}) == 2
    assert {trial: "found"}[same[0]] == "found"


def test_a_boolean_space_keeps_its_trials_apart():
    history = History(Space(b=Boolean())).ask([{"b": True}, {"b": False}])
    assert history.tell([(None, {"b": False}, 1.0)]).best.number == 1
