"""What ends a run early, and who is called after each outcome."""

from __future__ import annotations

import math
import threading
import time

import pytest

from tests.loop.losses import FAST, SPACE, UP, loss, search, states
from warpfront import HEBO, AtMost, Maximize, Minimize, RandomSearch, Result, minimize
from warpfront.errors import CallbackError, ConfigurationError, NotEnoughDataError
from warpfront.stopping import NoGain, Patience, TargetReached


def counting(values):
    left = iter(values)
    return lambda config: next(left)


# --- A target ---------------------------------------------------------------------------------


def test_a_target_that_is_reached_ends_the_run():
    result = minimize(counting([5, 4, math.nan, 2.5, 1, 0]), search(), 6, stop=TargetReached(2.5))
    assert [t.value for t in result.trials] == [5, 4, None, 2.5]
    assert result.stopped == "TargetReached(value=2.5)"
    assert not result.interrupted


def test_a_target_is_a_value_of_the_users_also_where_it_is_maximised():
    values = [0.5, 0.7, 0.95, 1.0]
    result = minimize(counting(values), search(goals=UP), 4, stop=TargetReached(0.9))
    assert [t.value for t in result.trials] == values[:3]


def test_rules_can_be_asked_in_a_loop_of_ones_own():
    optimizer, rule = search(), TargetReached(1.0)
    assert not rule(optimizer)
    optimizer.tell({"x": 0.3, "n": 1, "layers": [64]}, 1.0)
    assert rule(optimizer)
    assert rule(Result(optimizer))


def test_with_several_objectives_there_is_no_target():
    several = search(goals=[Minimize("a"), Maximize("b")])
    several.tell({"x": 0.3, "n": 1, "layers": [64]}, {"a": 1, "b": 2})
    with pytest.raises(ConfigurationError, match="there are 2 objectives; give a function"):
        TargetReached(1.0)(several)


def test_a_target_must_be_feasible():
    optimizer = search(goals=[Minimize("a"), AtMost("b", 5)])
    optimizer.tell({"x": 0.3, "n": 1, "layers": [64]}, {"a": 1, "b": 9})
    assert not TargetReached(1.0)(optimizer)
    optimizer.tell({"x": 0.3, "n": 1, "layers": [64]}, {"a": 1, "b": 4})
    assert TargetReached(1.0)(optimizer)


# --- Patience ---------------------------------------------------------------------------------


def test_patience_counts_evaluations_since_the_best_one_failures_too():
    values = [3, 4, 2, math.nan, 5, 1, 2, None, 2, 0]
    result = minimize(counting(values), search(), 10, stop=Patience(3))
    assert len(result.trials) == 9
    assert result.best.number == 5


def test_there_is_no_impatience_before_the_first_success():
    values = [math.nan] * 6 + [1.0, 2.0, 3.0, 0.0]
    result = minimize(counting(values), search(), 10, stop=Patience(2))
    assert len(result.trials) == 9


def test_patience_goes_by_the_users_values():
    values = [3, 4, 2, 1, 0]
    result = minimize(counting(values), search(goals=UP), 5, stop=Patience(2))
    assert [t.value for t in result.trials] == [3, 4, 2, 1]


def test_patience_with_several_objectives_counts_from_the_last_one_on_the_front():
    several = search(goals=[Minimize("a"), Minimize("b")])
    for a, b in ((1, 3), (3, 1), (4, 4), (5, 5)):
        several.tell({"x": 0.3, "n": 1, "layers": [64]}, {"a": a, "b": b})
    assert Patience(2)(several)
    several.tell({"x": 0.3, "n": 1, "layers": [64]}, {"a": 2, "b": 2})
    assert not Patience(1)(several)


# --- No gain ----------------------------------------------------------------------------------


class Prophet(RandomSearch):
    """It knows what gain to expect: that of its list, by the number of outcomes."""

    gains = (9.0, 9.0, 0.5, 0.05, 0.5)

    @property
    def expected_gain(self):
        if not self.history.completed:
            raise NotEnoughDataError("no model yet")
        return self.gains[self.history.told - 1]


def test_no_expected_gain_ends_the_run():
    result = minimize(loss, Prophet(SPACE, 0), 5, stop=NoGain(0.1, least=2))
    assert len(result.trials) == 4
    assert result.stopped == "NoGain(tolerance=0.1, least=2)"
    assert NoGain(0.1, least=2)(result.optimizer)


def test_some_evaluations_are_made_in_any_case():
    assert len(minimize(loss, Prophet(SPACE, 0), 5, stop=NoGain(10.0, least=3)).trials) == 3
    assert len(minimize(loss, Prophet(SPACE, 0), 5, stop=NoGain(10.0)).trials) == 5


def test_an_optimiser_without_a_model_is_refused_before_anything_is_spent():
    seen = []
    with pytest.raises(ConfigurationError, match="RandomSearch does not know what gain to expect"):
        minimize(lambda c: seen.append(c) or 1.0, search(), 5, stop=NoGain(0.1))
    assert seen == []


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: TargetReached(math.nan), "value=nan: must be a finite number"),
        (lambda: TargetReached("0.5"), "value='0.5': must be a finite number"),
        (lambda: Patience(0), "evaluations=0: must be a whole number of at least 1"),
        (lambda: NoGain(-1.0), "tolerance=-1.0: must be at least 0"),
        (lambda: NoGain(0.1, least=0), "least=0: must be a whole number"),
    ],
)
def test_rules_check_what_they_are_given(build, message):
    with pytest.raises(ConfigurationError, match=message):
        build()


# --- Rules of one's own -----------------------------------------------------------------------


def test_any_function_of_a_result_is_a_rule():
    def enough(result):
        assert isinstance(result, Result)
        return result.best.value < 3  # an error before the first success: no reason to stop

    result = minimize(counting([None, math.nan, 4, 2.5, 1]), search(), 5, stop=enough)
    assert len(result.trials) == 4
    assert result.stopped == "enough"


def test_of_several_rules_one_suffices():
    result = minimize(counting([3, 4, 5, 6]), search(), 4, stop=[TargetReached(-1.0), Patience(2)])
    assert result.stopped == "Patience(evaluations=2)"


def test_a_rule_that_raises_ends_the_run_with_what_was_observed():
    def wrong(result):
        return result.history.told > 2 and 1 / 0

    with pytest.raises(CallbackError, match=r"stop\[1\] raised ZeroDivisionError") as caught:
        minimize(loss, search(), 9, stop=[Patience(5), wrong])
    assert len(caught.value.result.history.completed) == 3
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_what_is_under_way_when_a_rule_holds_is_waited_for():
    release = threading.Event()
    first = search().ask(1)[0]

    def slow_at_first(config):
        if config == first:
            assert release.wait(timeout=20)
        return loss(config)

    def free(result, trial):
        if result.history.told == 3:
            release.set()

    result = minimize(
        slow_at_first,
        search(),
        40,
        workers=2,
        callbacks=free,
        stop=lambda result: result.history.told >= 3,
    )
    assert result.stopped == "<lambda>"
    assert states(result)[0] == "completed"
    assert set(states(result)) <= {"completed", "withdrawn"}
    assert len(result.trials) <= 6


# --- Time -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("workers", "batch"), [(1, None), (2, None), (1, 50), (2, 50)])
def test_when_the_time_is_over_nothing_new_begins(workers, batch):
    begun = time.monotonic()
    result = minimize(
        lambda c: time.sleep(0.05) or 1.0,
        search(),
        1000,
        timeout=0.3,
        workers=workers,
        batch=batch,
    )
    assert time.monotonic() - begun < 5.0
    assert result.stopped == "timeout"
    assert not result.interrupted
    assert 1 <= len(result.history.completed) <= 7 * workers
    assert set(states(result)) <= {"completed", "withdrawn"}


def test_an_evaluation_under_way_is_waited_for_and_counts():
    result = minimize(lambda c: time.sleep(0.3) or 1.0, search(), 10, timeout=0.05, workers=2)
    assert result.stopped == "timeout"
    assert states(result) == ["completed"] * 2


def test_time_or_a_rule_may_take_the_place_of_a_budget():
    assert minimize(lambda c: time.sleep(0.02) or 1.0, search(), timeout=0.1).stopped == "timeout"
    assert len(minimize(loss, search(), stop=lambda r: r.history.told == 7).trials) == 7
    with pytest.raises(ConfigurationError, match="or give a timeout or a stop rule"):
        minimize(loss, search())


def test_an_infinite_time_is_no_limit():
    assert minimize(loss, search(), 3, timeout=math.inf).stopped == "budget"


# --- Callbacks --------------------------------------------------------------------------------


def test_callbacks_get_the_result_so_far_and_the_trial():
    seen = []

    def note(result, trial):
        assert isinstance(result, Result)
        assert result.stopped == ""
        assert trial == result.trials[trial.number]
        seen.append((len(result.trials), trial.number, trial.state, trial.value))

    minimize(counting([3.0, math.nan, 1.0]), search(), 3, callbacks=note)
    assert seen == [(1, 0, "completed", 3.0), (2, 1, "failed", None), (3, 2, "completed", 1.0)]


def test_callbacks_see_the_users_values():
    seen = []
    minimize(
        counting([3.0, 5.0]),
        search(goals=UP),
        2,
        callbacks=lambda result, trial: seen.append((trial.value, result.best.value)),
    )
    assert seen == [(3.0, 3.0), (5.0, 5.0)]


def test_a_result_that_a_callback_keeps_stays_as_it_is():
    kept = []
    minimize(loss, search(), 3, callbacks=lambda result, trial: kept.append(result))
    assert [len(result.trials) for result in kept] == [1, 2, 3]
    assert [len(result.events) for result in kept] == [2, 4, 6]


def test_all_callbacks_are_called_in_their_order():
    seen = []
    minimize(
        loss,
        search(),
        2,
        callbacks=[lambda r, t: seen.append("first"), lambda r, t: seen.append("second")],
    )
    assert seen == ["first", "second"] * 2


@pytest.mark.parametrize("workers", [1, 2])
def test_a_callback_that_raises_ends_the_run_with_what_was_observed(workers):
    def fragile(result, trial):
        if result.history.told == 3:
            raise OSError("the tracker is down")

    optimizer = search()
    with pytest.raises(CallbackError) as caught:
        minimize(loss, optimizer, 40, workers=workers, callbacks=[print, fragile])
    assert str(caught.value).startswith("callbacks[1] raised OSError: the tracker is down (test_")
    assert isinstance(caught.value.__cause__, OSError)
    result = caught.value.result
    assert len(result.history.completed) >= 3
    assert "pending" not in states(result)
    assert result.stopped == "error"
    assert result.history is optimizer.history
    assert len(minimize(loss, result, 2).trials) == len(result.trials) + 2


def test_an_exit_in_a_callback_is_meant():
    def leave(result, trial):
        raise SystemExit(3)

    optimizer = search()
    with pytest.raises(SystemExit):
        minimize(loss, optimizer, 4, callbacks=leave)
    assert [t.state for t in optimizer.history.trials] == ["completed"]


@pytest.mark.parametrize("name", ["stop", "callbacks"])
@pytest.mark.parametrize("given", [5, "x", [print, 5], {"a": 1}])
def test_what_is_not_a_function_is_named(name, given):
    with pytest.raises(ConfigurationError, match=f"^{name}=.* is not a function"):
        minimize(loss, search(), 3, **{name: given})


def test_going_on_with_a_model_is_possible_in_a_callback():
    """A result under way has all that a finished one has."""
    seen = []

    def look(result, trial):
        if len(result.history.completed) >= 6:
            seen.append(result.recommendation.number)

    minimize(loss, HEBO(SPACE, 0, FAST), 8, callbacks=look)
    assert len(seen) == 3
