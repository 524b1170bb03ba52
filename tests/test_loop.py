"""The whole optimisation in one call."""

from __future__ import annotations

import math
import os
import re
import signal
import threading
import time
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from decimal import Decimal

import numpy as np
import pytest

from tests.test_history import Mute
from warpfront import HEBO, Categorical, Integer, RandomSearch, Real, Settings, Space, minimize
from warpfront.errors import ConfigurationError, NotEnoughDataError, SettingsError

SPACE = Space(x=Real(-1, 1), n=Integer(1, 8), layers=Categorical([[64], [64, 32]]))
FAST = Settings(generations=4, population=20, starts=1, iterations=10)


def loss(config):
    """At module level, so that a process pool can find it."""
    return (config["x"] - 0.3) ** 2 + config["n"] + len(config["layers"])


def sometimes_fails(config):
    if config["n"] > 4:
        raise ValueError(f"n = {config['n']} does not fit")
    return loss(config)


def search(seed=0):
    return RandomSearch(SPACE, seed)


# --- Budget -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("budget", "batch"), [(1, 8), (7, 3), (8, 8), (9, 8), (5, 1), (3, 100)])
def test_the_budget_is_spent_exactly(budget, batch):
    seen = []
    result = minimize(lambda c: seen.append(c) or loss(c), search(), budget, batch=batch)
    assert len(seen) == len(result.trials) == budget
    assert all(t.state == "completed" for t in result.trials)
    assert not result.interrupted


def test_batches_are_as_large_as_asked(monkeypatch):
    optimizer, sizes = search(), []
    ask = optimizer.ask
    monkeypatch.setattr(optimizer, "ask", lambda n: sizes.append(n) or ask(n))
    minimize(loss, optimizer, 10, batch=4)
    assert sizes == [4, 4, 2]


def test_hebo_is_what_minimises_a_space():
    result = minimize(loss, SPACE, 12, batch=4, seed=3, settings=FAST)
    assert isinstance(result.optimizer, HEBO)
    assert result.optimizer.seed == 3
    assert result.optimizer.settings == FAST
    byhand = HEBO(SPACE, 3, FAST)
    for _ in range(3):
        suggestions = byhand.ask(4)
        byhand.tell(suggestions, [loss(s) for s in suggestions])
    assert result.trials == byhand.history.trials


def test_a_result_shows_its_best_trial_and_how_many_there_are():
    result = minimize(loss, SPACE, 3, batch=3, seed=0, progress=False)
    assert repr(result) == f"Result(best={result.best!r}, trials=3, interrupted=False)"
    with pytest.warns(RuntimeWarning, match="no evaluation succeeded"):
        failed = minimize(lambda c: math.nan, SPACE, 2, progress=False)
    assert repr(failed) == "Result(best=None, trials=2, interrupted=False)"


def test_the_same_seed_gives_the_same_result():
    results = [minimize(loss, SPACE, 10, batch=5, seed=1, settings=FAST) for _ in range(2)]
    assert results[0].trials == results[1].trials


def test_without_a_seed_one_is_drawn_and_told():
    one, two = (minimize(loss, SPACE, 1) for _ in range(2))
    assert one.optimizer.seed != two.optimizer.seed
    assert minimize(loss, SPACE, 1, seed=one.optimizer.seed).trials == one.trials


# --- Workers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [loss, sometimes_fails])
def test_more_workers_give_the_same_result(function):
    results = [
        minimize(function, SPACE, 14, batch=5, seed=0, workers=workers, settings=FAST)
        for workers in (1, 2)
    ]
    assert results[0].trials == results[1].trials
    assert results[0].optimizer.to_json() == results[1].optimizer.to_json()


def waiting_for(event, first):
    """A loss whose evaluation of one configuration ends only after an event."""

    def slow(config):
        if config == first:
            assert event.wait(timeout=20)
        return loss(config)

    return slow


def test_the_result_does_not_depend_on_which_worker_was_faster(monkeypatch):
    others_done, optimizer = threading.Event(), search()
    told, tell = [], optimizer.tell

    def watch(suggestion, value):
        tell(suggestion, value)
        told.append(suggestion.number)
        if len(told) == 3:
            others_done.set()

    monkeypatch.setattr(optimizer, "tell", watch)
    slow = waiting_for(others_done, search().ask(4)[0])
    result = minimize(slow, optimizer, 4, batch=4, workers=4)
    assert told[-1] == 0
    assert result.trials == minimize(loss, search(), 4, batch=4).trials


def test_workers_work_at_the_same_time():
    barrier = threading.Barrier(2)

    def meet(config):
        barrier.wait(timeout=20)  # fails unless two evaluations are under way at once
        return loss(config)

    result = minimize(meet, search(), 4, batch=2, workers=2)
    assert [t.state for t in result.trials] == ["completed"] * 4


def test_threads_of_ours_end():
    before = threading.active_count()
    minimize(loss, search(), 4, batch=2, workers=2)
    for thread in threading.enumerate():
        if thread.name.startswith("warpfront"):
            thread.join(timeout=20)
    assert threading.active_count() <= before


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_an_executor_of_the_users_is_used_and_left_open(kind):
    with kind(2) as pool:
        result = minimize(sometimes_fails, search(), 10, batch=4, workers=pool)
        assert pool.submit(abs, -3).result(timeout=20) == 3
    assert result.trials == minimize(sometimes_fails, search(), 10, batch=4).trials
    reasons = {t.reason for t in result.history.of_state("failed")}
    assert reasons
    assert all(reason.startswith("ValueError: n = ") for reason in reasons)


class Recorder(Executor):
    """Any executor will do: this one works at once, and keeps a record."""

    def __init__(self):
        self.submitted = []
        self.closed = False

    def submit(self, fn, /, *args, **kwargs):
        self.submitted.append(args)
        future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.closed = True


def test_any_executor_gets_plain_dicts():
    pool = Recorder()
    minimize(loss, search(), 5, batch=2, workers=pool)
    assert [type(config) for (config,) in pool.submitted] == [dict] * 5
    assert not pool.closed


# --- Failures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (ValueError("boom"), "ValueError: boom"),
        (MemoryError("too big"), "MemoryError: too big"),
        (AssertionError("no"), "AssertionError: no"),
        (StopIteration("end"), "StopIteration: end"),
        (math.nan, "the loss was nan"),
        (math.inf, "the loss was inf"),
        (None, "no loss was given"),
        (Mute(), "Mute: (its text cannot be read: IndexError)"),
        (Decimal("sNaN"), "the loss was sNaN"),
        (np.ma.masked, "the loss was masked"),
    ],
)
def test_failures_are_observations(workers, outcome, reason):
    def fail(config):
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    with pytest.warns(RuntimeWarning) as caught:
        result = minimize(fail, search(), 3, batch=2, workers=workers)
    assert [str(warning.message) for warning in caught] == [
        f"no evaluation succeeded; the last failure: {reason}"
    ]
    assert caught[0].filename == __file__
    assert [(t.state, t.reason) for t in result.trials] == [("failed", reason)] * 3
    assert np.all(np.isinf(result.best_so_far))
    with pytest.raises(NotEnoughDataError, match="the last failure"):
        _ = result.best


def test_all_failures_are_no_end_for_hebo():
    with pytest.warns(RuntimeWarning, match="no evaluation succeeded; .* division by zero"):
        result = minimize(lambda c: 1 / 0, SPACE, 8, batch=4, seed=0, settings=FAST)
    assert [t.reason for t in result.trials] == ["ZeroDivisionError: division by zero"] * 8


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    "value", ["good", [1.0], {"loss": 1.0}, 1j, np.array([1.0, 2.0])], ids=repr
)
def test_a_loss_that_returns_no_number_is_a_failure(workers, value):
    with pytest.warns(RuntimeWarning, match="no evaluation succeeded; .* is not a number"):
        result = minimize(lambda c: value, search(), 3, batch=2, workers=workers)
    assert not result.interrupted
    assert [t.state for t in result.trials] == ["failed"] * 3
    for trial in result.trials:
        assert f"ObservationError: the value {value!r} is not a number; tell" in trial.reason


@pytest.mark.parametrize("workers", [1, 2])
def test_other_outcomes_are_not_lost_for_one_that_is_no_number(workers):
    good = minimize(loss, search(), 8, batch=4)
    bad = [good.trials[k].config for k in (0, 5)]
    result = minimize(
        lambda c: "good" if c in bad else loss(c), search(), 8, batch=4, workers=workers
    )  # and without a warning, since some succeeded
    for k, (trial, other) in enumerate(zip(result.trials, good.trials, strict=True)):
        if k in (0, 5):
            assert trial.state == "failed"
            assert "the value 'good' is not a number" in trial.reason
            assert trial.config == other.config
        else:
            assert trial == other


def test_earlier_successes_are_successes():
    optimizer = search()
    optimizer.tell({"x": 0.3, "n": 1, "layers": [64]}, -5.0)
    assert minimize(lambda c: None, optimizer, 3).best.value == -5.0


def test_a_loss_that_cannot_be_sent_to_a_process_is_refused_at_once():
    optimizer, seen = search(), []
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.raises(ConfigurationError, match="cannot be sent to another process") as caught,
    ):
        minimize(lambda c: seen.append(c), optimizer, 4, workers=pool)
    assert "<lambda>" in str(caught.value)
    assert "use threads: workers=8" in str(caught.value)
    assert len(optimizer.history) == 0
    with ThreadPoolExecutor(1) as pool:  # nothing is sent anywhere
        assert len(minimize(lambda c: loss(c), optimizer, 4, workers=pool).trials) == 4


@pytest.mark.parametrize("workers", [1, 2])
def test_a_loss_that_changes_its_argument_changes_nothing_else(workers):
    def vandal(config):
        value = loss(config)
        config["layers"].append(99)
        config.clear()
        return value

    result = minimize(vandal, search(), 4, batch=2, workers=workers)
    assert result.trials == minimize(loss, search(), 4, batch=2).trials


# --- Interruption -----------------------------------------------------------------------------


def test_an_interrupt_returns_what_was_observed():
    count = 0

    def interrupted(config):
        nonlocal count
        count += 1
        if count == 6:
            raise KeyboardInterrupt
        return loss(config)

    result = minimize(interrupted, search(), 20, batch=4)
    assert result.interrupted
    assert [t.state for t in result.trials] == ["completed"] * 5 + ["withdrawn"] * 3
    assert result.best.value == min(t.value for t in result.history.completed)


def test_an_interrupt_while_asking_leaves_nothing_pending_but_what_was(monkeypatch):
    optimizer = RandomSearch(SPACE, seed=0)
    optimizer.ask(1)
    ask, asked = optimizer.ask, []

    def interrupted(n):
        asked.append(ask(n))
        if len(asked) == 2:
            raise KeyboardInterrupt
        return asked[-1]

    monkeypatch.setattr(optimizer, "ask", interrupted)
    result = minimize(loss, optimizer, 20, batch=4)
    states = [t.state for t in result.trials]
    assert states == ["pending"] + ["completed"] * 4 + ["withdrawn"] * 4


def test_an_interrupt_in_a_worker_is_no_failed_trial():
    """Ctrl-C reaches the processes of a pool too."""

    def interrupted(config):
        raise KeyboardInterrupt

    result = minimize(interrupted, search(), 20, batch=4, workers=Recorder())
    assert result.interrupted
    assert [t.state for t in result.trials] == ["withdrawn"] * 4


def test_an_interrupt_keeps_what_other_workers_have_finished(monkeypatch):
    """Seven are done while the first still runs: Ctrl-C must not lose them."""
    interrupt, optimizer = threading.Event(), search()
    tell = optimizer.tell

    def tell_seven(suggestion, value):
        tell(suggestion, value)
        if len(optimizer.history.completed) == 7:
            interrupt.set()
            raise KeyboardInterrupt

    monkeypatch.setattr(optimizer, "tell", tell_seven)
    slow = waiting_for(interrupt, search().ask(8)[0])
    result = minimize(slow, optimizer, 16, batch=8, workers=8)
    assert result.interrupted
    assert [t.state for t in result.trials] == ["withdrawn"] + ["completed"] * 7


def die_beyond(config):
    """A worker process that is killed, as by the kernel when memory runs out."""
    if config["x"] > 0.7:
        os.kill(os.getpid(), signal.SIGKILL)
    return config["x"]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_pool_that_breaks_ends_the_run_with_what_was_observed():
    optimizer = search()
    with (
        ProcessPoolExecutor(1) as pool,
        pytest.warns(RuntimeWarning, match="the run ended early: .* terminated abruptly"),
    ):
        result = minimize(die_beyond, optimizer, 64, batch=4, workers=pool)
    states = [t.state for t in result.trials]
    assert result.interrupted
    assert result.best.value <= 0.7
    assert "withdrawn" in states
    assert set(states) <= {"completed", "withdrawn"}
    assert len(states) < 64


@pytest.mark.parametrize("cancel", [False, True])
@pytest.mark.parametrize("at", [3, 8])
def test_a_pool_that_is_shut_down_ends_the_run_with_what_was_observed(at, cancel):
    seen = []

    def shutting(config):
        seen.append(config)
        if len(seen) == at:
            pool.shutdown(wait=False, cancel_futures=cancel)
        return loss(config)

    pool = ThreadPoolExecutor(1)
    with pytest.warns(RuntimeWarning, match="the run ended early: (cannot schedule|.* cancelled)"):
        result = minimize(shutting, search(), 24, batch=8, workers=pool)
    assert result.interrupted
    assert len(result.history.completed) == len(seen)
    assert at <= len(seen) <= (at if cancel else 8)
    assert {t.state for t in result.trials} == {"completed", "withdrawn"}


@pytest.mark.parametrize("notified", [False, True])
def test_an_evaluation_that_is_cancelled_ends_the_run_after_the_others(notified):
    class Cancelling(Recorder):
        def submit(self, fn, /, *args, **kwargs):
            future = super().submit(fn, *args, **kwargs)
            if len(self.submitted) != 6:
                return future
            future = Future()
            future.cancel()
            if notified:
                future.set_running_or_notify_cancel()
            return future

    with pytest.warns(RuntimeWarning, match="ended early: the executor cancelled an evaluation"):
        result = minimize(loss, search(), 16, batch=4, workers=Cancelling())
    assert result.interrupted
    assert [t.state for t in result.trials] == [
        *(["completed"] * 5),
        *("withdrawn", "completed", "completed"),
    ]


def breaks_its_own(config):
    if config["n"] > 4:
        raise BrokenExecutor("a pool of the loss")
    return loss(config)


@pytest.mark.parametrize("kind", [int, ThreadPoolExecutor])
def test_a_loss_whose_own_pool_breaks_has_failed(kind):
    result = minimize(breaks_its_own, search(), 16, batch=4, workers=kind(2))
    assert not result.interrupted
    assert [t.state for t in result.trials] == [
        "failed" if t.config["n"] > 4 else "completed" for t in result.trials
    ]
    assert "a pool of the loss" in result.history.of_state("failed")[0].reason


@pytest.mark.parametrize("workers", [1, 2])
def test_an_exit_in_the_loss_is_passed_on_and_nothing_stays_pending(workers):
    def leave(config):
        raise SystemExit(3)

    optimizer = search()
    with pytest.raises(SystemExit):
        minimize(leave, optimizer, 4, workers=workers)
    assert [t.state for t in optimizer.history.trials] == ["withdrawn"] * 4


def test_unfinished_work_is_cancelled_when_something_goes_wrong(monkeypatch):
    release, optimizer = threading.Event(), search()
    started, futures = [], []

    def wait(config):
        started.append(config)
        if len(started) > 1:
            release.wait(timeout=20)
        return 1.0

    def broken(suggestion, value):
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(optimizer, "tell", broken)
    deadline = threading.Timer(5, release.set)  # nobody waits longer, whatever goes wrong
    deadline.start()
    try:
        with ThreadPoolExecutor(1) as pool:
            submit = pool.submit
            monkeypatch.setattr(
                pool, "submit", lambda *a: futures.append(submit(*a)) or futures[-1]
            )
            began = time.monotonic()
            with pytest.raises(RuntimeError, match="the disk is full"):
                minimize(wait, optimizer, 8, batch=8, workers=pool)
            assert time.monotonic() - began < 5
            assert [f.cancelled() for f in futures[2:]] == [True] * 6
            release.set()
    finally:
        release.set()
        deadline.cancel()
    assert len(started) <= 2


# --- Arguments --------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["loss", None, 5, {"x": 0.5}])
def test_a_loss_that_cannot_be_called_is_named_before_anything_is_spent(given):
    optimizer = search()
    with pytest.raises(ConfigurationError, match=re.escape(f"loss={given!r}: must be a function")):
        minimize(given, optimizer, 5)
    assert len(optimizer.history) == 0


@pytest.mark.parametrize("name", ["budget", "batch"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, None, "8", math.nan])
def test_a_bad_budget_or_batch_is_named(name, value):
    arguments = {"budget": 4, "batch": 2, name: value}
    with pytest.raises(ConfigurationError) as caught:
        minimize(loss, search(), **arguments)
    assert str(caught.value) == f"{name}={value!r}: must be a whole number of at least 1"


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, None, "2", [], ThreadPoolExecutor])
def test_bad_workers_are_named(workers):
    optimizer = search()
    with pytest.raises(ConfigurationError) as caught:
        minimize(loss, optimizer, 4, workers=workers)
    assert str(caught.value).startswith(f"workers={workers!r}: must be a whole number")
    assert "or an executor" in str(caught.value)
    assert len(optimizer.history) == 0


def test_what_is_no_space_is_named():
    with pytest.raises(ConfigurationError, match="is no Space; wrap it"):
        minimize(loss, {"x": Real(0, 1)}, 4)
    with pytest.raises(SettingsError, match="settings='fast'"):
        minimize(loss, SPACE, 4, settings="fast")
    with pytest.raises(ConfigurationError, match="seed=-1: must be a whole number"):
        minimize(loss, SPACE, 4, seed=-1)


@pytest.mark.parametrize("given", [{"seed": 0}, {"settings": FAST}])
def test_an_optimiser_has_its_own_seed_and_settings(given):
    with pytest.raises(ConfigurationError, match="its own seed and settings; leave them out"):
        minimize(loss, search(), 4, **given)


# --- Going on ---------------------------------------------------------------------------------


def test_a_run_in_two_parts_is_the_run_in_one():
    whole = minimize(loss, SPACE, 16, batch=4, seed=2, settings=FAST)
    first = minimize(loss, SPACE, 8, batch=4, seed=2, settings=FAST)
    resumed = HEBO.from_json(first.optimizer.to_json())
    assert minimize(loss, resumed, 8, batch=4).trials == whole.trials
    assert minimize(loss, first.optimizer, 8, batch=4).trials == whole.trials


def test_a_warm_start_counts_neither_as_budget_nor_is_lost():
    optimizer = search()
    optimizer.tell({"x": 0.3, "n": 1, "layers": [64]}, -5.0)
    result = minimize(loss, optimizer, 3)
    assert len(result.trials) == 4
    assert result.best.number == 0


# --- The result -------------------------------------------------------------------------------


def test_the_result_shows_history_best_and_recommendation():
    result = minimize(loss, SPACE, 12, batch=4, seed=0, settings=FAST)
    assert result.history is result.optimizer.history
    assert result.trials == result.history.trials
    assert result.best == min(result.trials, key=lambda t: t.value)
    assert result.recommendation in result.trials
    by_random = minimize(loss, search(), 5)
    assert by_random.recommendation == by_random.best


def test_best_so_far_falls_and_is_infinite_before_the_first_success():
    values = iter([math.nan, 3.0, 5.0, None, 1.0, 2.0])
    result = minimize(lambda c: next(values), search(), 6, batch=2)
    assert result.best_so_far.tolist() == [math.inf, 3.0, 3.0, 3.0, 1.0, 1.0]
    assert result.best_so_far.dtype == np.float64
