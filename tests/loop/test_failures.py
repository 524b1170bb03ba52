"""Whatever a loss returns or raises: one failed evaluation at the most, unless it is broken."""

from __future__ import annotations

import gc
import io
import math
import pickle
import sys
import traceback
import weakref
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal

import numpy as np
import pytest

from tests.loop.losses import FAST, SPACE, Mute, Recorder, loss, search, states
from warpfront import HEBO, minimize
from warpfront.errors import LossFailedError, NotEnoughDataError, RunError
from warpfront.failure import LONGEST_REASON
from warpfront.loop.evaluation import evaluate

# --- What is a failed evaluation --------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (ValueError("boom"), "ValueError: boom (test_failures.py:*)"),
        (MemoryError(), "MemoryError (test_failures.py:*)"),
        (StopIteration("end"), "StopIteration: end (test_failures.py:*)"),
        (SystemExit(3), "SystemExit: 3 (test_failures.py:*)"),
        (GeneratorExit(), "GeneratorExit (test_failures.py:*)"),
        (Mute(), "Mute: (its text cannot be read: IndexError) (test_failures.py:*)"),
        (math.nan, "the value was nan"),
        (math.inf, "the value was inf"),
        (None, "no value was given"),
        (Decimal("sNaN"), "the value was sNaN"),
        (np.ma.masked, "the value was masked"),
        ("good", "the value 'good' is not a number"),
        ([1.0], "the value [1.0] is not a number"),
        ({"loss": 1.0}, "outcome 'loss' is not one of the goals; tell value"),
        (1j, "the value 1j is not a number"),
        (np.array([1.0, 2.0]), "the value array([1., 2.]) is not a number"),
    ],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
def test_failures_are_observations(workers, outcome, reason):
    def fail(config):
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    with pytest.warns(RuntimeWarning) as caught:
        result = minimize(fail, search(), 3, batch=2, workers=workers, on_error="record")
    assert states(result) == ["failed"] * 3
    for trial in result.trials:
        head, star, tail = reason.partition("*")
        assert trial.reason.startswith(head)
        assert trial.reason == reason if not star else trial.reason.endswith(tail)
    assert [str(warning.message) for warning in caught] == [
        f"no evaluation succeeded; the last failure: {result.trials[-1].reason}"
    ]
    assert caught[0].filename == __file__
    assert np.all(np.isinf(result.best_so_far))
    with pytest.raises(NotEnoughDataError, match="the last failure"):
        _ = result.best
    assert repr(result) == "<Result of 3 trials: no success yet, 3 failed; stopped by: budget>"


class Angry:
    """It raises whatever it is asked."""

    def _raise(self, *_):
        raise RuntimeError("leave me alone")

    __float__ = __int__ = __index__ = __repr__ = __str__ = __len__ = __eq__ = __bool__ = _raise
    __hash__ = __iter__ = __array__ = __reduce__ = _raise


class NoAttributes(Angry):
    def __getattr__(self, name):
        raise RuntimeError(f"no {name} here")


class NoClass(Angry):
    @property
    def __class__(self):
        raise RuntimeError("nobody's business")


class Exits:
    def __float__(self):
        sys.exit("not this way")

    @property
    def item(self):
        sys.exit("nor this")


class FalseFloat(float):
    def __float__(self):
        raise ZeroDivisionError("no")


class LongText(str):
    def __repr__(self):
        return "x" * 50_000_000


class Unsendable(Exception):  # noqa: N818
    """It can be pickled in the worker, and not unpickled by us."""

    def __init__(self, one, two):
        super().__init__("half of it is missing")


HOSTILE = {
    "angry": Angry,
    "without attributes": NoAttributes,
    "without a class": NoClass,
    "that exits": Exits,
    "no float": FalseFloat,
    "of 50 MB": lambda: "x" * 50_000_000,
    "of a long text": LongText,
}


def hostile(config):
    """Now and then it returns or raises something dreadful."""
    kinds = [*HOSTILE, "raises 50 MB", "raises the unsendable", "raises a class of its own"]
    kind = kinds[int(config["n"]) % len(kinds)] if config["x"] > 0 else None
    if kind is None:
        return loss(config)
    if kind in HOSTILE:
        return HOSTILE[kind]()
    if kind == "raises 50 MB":
        raise ValueError("y" * 50_000_000)
    if kind == "raises the unsendable":
        raise Unsendable(1, 2)

    class Local(Exception):  # noqa: N818
        def __reduce__(self):
            raise TypeError("I stay here")

    raise Local("no process but mine knows me")


@pytest.mark.parametrize("kind", ["this thread", "threads", "processes"])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_the_most_hostile_loss_costs_its_own_evaluations_only(kind):
    if kind == "processes":
        with ProcessPoolExecutor(2) as pool:
            result = minimize(hostile, search(), 24, batch=8, workers=pool)
    else:
        result = minimize(hostile, search(), 24, batch=8, workers=1 if kind != "threads" else 2)
    assert result.stopped == "budget"
    for trial in result.trials:
        expected = "failed" if trial.config["x"] > 0 else "completed"
        assert trial.state == expected
        assert len(trial.reason or "") <= LONGEST_REASON
    assert len({trial.reason for trial in result.history.of_state("failed")}) >= 5
    assert len(result.optimizer.to_json()) < 50_000


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_is_hostile_is_a_failure_with_a_reason(kind):
    outcome = evaluate(lambda config: HOSTILE[kind](), {})
    assert outcome.failure is not None
    assert outcome.failure.is_error
    assert 5 < len(outcome.failure.reason) <= LONGEST_REASON
    assert pickle.loads(pickle.dumps(outcome)).failure == outcome.failure  # noqa: S301


def test_ctrl_c_alone_is_passed_on():
    def interrupted(config):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(interrupted, {})


def test_other_outcomes_are_not_lost_for_one_that_failed():
    good = minimize(loss, search(), 8, batch=4)
    bad = [good.trials[k].config for k in (0, 5)]
    result = minimize(lambda c: "good" if c in bad else loss(c), search(), 8, batch=4)
    # and without a warning, since some succeeded
    for k, (trial, other) in enumerate(zip(result.trials, good.trials, strict=True)):
        if k in (0, 5):
            assert (trial.state, trial.config) == ("failed", other.config)
        else:
            assert trial == other
    assert ", 2 failed;" in repr(result)


@pytest.mark.parametrize("with_rich", [True, False])
def test_a_display_that_fails_does_not_end_the_run(monkeypatch, with_rich):
    """As after a loss has closed standard error."""
    if not with_rich:
        monkeypatch.setattr("warpfront.progress._rich_bar", lambda: None)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)

    def closes(config):
        stream.close()
        return loss(config)

    result = minimize(closes, search(), 4, progress=True)
    assert states(result) == ["completed"] * 4


def test_failures_do_not_keep_what_the_loss_had_in_memory():
    class Large:
        pass

    alive = []

    def fail(config):
        large = Large()
        alive.append(weakref.ref(large))
        if len(alive) % 2:
            raise ValueError(large)
        return 1.0

    result = minimize(fail, search(), 8, on_error="record")
    gc.collect()
    assert states(result).count("failed") == 4
    assert [ref() for ref in alive] == [None] * 8


# --- A loss that is broken --------------------------------------------------------------------


def broken(config):
    return config["learning_rate"]  # SPACE has no such parameter


def test_a_broken_loss_does_not_burn_the_budget():
    with pytest.raises(LossFailedError) as caught:
        minimize(broken, SPACE, 1000, seed=0, settings=FAST)
    line = broken.__code__.co_firstlineno + 1
    assert str(caught.value).startswith(
        "all of the first 5 evaluations failed: KeyError: 'learning_rate' "
        f"(test_failures.py:{line}); mend the loss, or give on_error='record'"
    )
    assert isinstance(caught.value.__cause__, KeyError)
    shown = "".join(traceback.format_exception(caught.value))
    assert 'return config["learning_rate"]' in shown
    assert states(caught.value.result) == ["failed"] * 5
    assert isinstance(caught.value, RunError)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_the_traceback_comes_from_another_process_too():
    with ProcessPoolExecutor(2) as pool, pytest.raises(LossFailedError) as caught:
        minimize(broken, search(), 1000, workers=pool)
    assert 'return config["learning_rate"]' in "".join(traceback.format_exception(caught.value))
    assert "pending" not in states(caught.value.result)
    assert caught.value.result.history.told <= 5


@pytest.mark.parametrize(("budget", "count"), [(1, 1), (3, 3), (5, 5), (9, 5)])
def test_of_a_small_budget_all_must_fail(budget, count):
    with pytest.raises(LossFailedError) as caught:
        minimize(broken, search(), budget)
    assert len(caught.value.result.trials) == count
    which = "the evaluation" if count == 1 else f"all of the first {count} evaluations"
    assert str(caught.value).startswith(f"{which} failed: KeyError")


def test_those_who_want_to_learn_from_them_may_go_on():
    with pytest.warns(RuntimeWarning, match="no evaluation succeeded; .* division by zero"):
        result = minimize(
            lambda c: 1 / 0, SPACE, 8, batch=4, seed=0, settings=FAST, on_error="record"
        )
    assert states(result) == ["failed"] * 8


@pytest.mark.parametrize(
    "outcomes",
    [
        [ValueError(), ValueError(), TypeError(), ValueError(), ValueError(), ValueError()],
        [ValueError(), ValueError(), ValueError(), ValueError(), 1.0, ValueError()],
        [1.0, *[ValueError()] * 5],
        [math.nan] * 6,  # the loss says itself that it failed
        [math.inf] * 6,
        [ValueError(), math.nan, *[ValueError()] * 4],
    ],
)
@pytest.mark.filterwarnings("ignore:no evaluation succeeded:RuntimeWarning")
def test_what_may_be_a_matter_of_the_configuration_goes_on(outcomes):
    left = iter(outcomes)

    def mixed(config):
        outcome = next(left)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    assert len(minimize(mixed, search(), 6).trials) == 6


@pytest.mark.parametrize("returned", [None, "text", [1.0]])
def test_a_loss_that_never_returns_a_number_is_broken(returned):
    with pytest.raises(LossFailedError, match=r"no value was given|is not a number"):
        minimize(lambda c: returned, search(), 50)


def test_where_something_has_succeeded_before_failures_are_only_failures():
    optimizer = search()
    optimizer.tell({"x": 0.3, "n": 1, "layers": [64]}, -5.0)
    result = minimize(broken, optimizer, 7)
    assert states(result) == ["completed"] + ["failed"] * 7
    assert result.best.value == -5.0


def test_nothing_that_was_observed_is_lost():
    optimizer = HEBO(SPACE, seed=0, settings=FAST)
    with pytest.raises(LossFailedError) as caught:
        minimize(broken, optimizer, 20, batch=8)
    result = caught.value.result
    assert states(result) == ["failed"] * 5 + ["withdrawn"] * 3
    assert result.history is optimizer.history
    assert len(minimize(loss, result, 4).history.completed) == 4


def test_workers_that_are_still_busy_are_not_waited_for():
    pool = Recorder()
    with pytest.raises(LossFailedError):
        minimize(broken, search(), 20, batch=8, workers=pool)
    assert not pool.closed
