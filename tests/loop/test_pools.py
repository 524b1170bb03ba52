"""Executors: those of the standard library, any other, and workers that die."""

from __future__ import annotations

import logging
import os
import re
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)

import pytest

from tests.loop.losses import (
    DieOnce,
    Recorder,
    die_beyond,
    loss,
    search,
    sometimes_fails,
    states,
)
from warpfront import minimize
from warpfront.errors import ConfigurationError, LossFailedError
from warpfront.loop.pools import workers_of

pytestmark = pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded:DeprecationWarning"
)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_an_executor_of_the_users_is_used_and_left_open(kind):
    with kind(2) as pool:
        result = minimize(sometimes_fails, search(), 10, batch=4, workers=pool)
        assert len(minimize(sometimes_fails, search(), 10, workers=pool).trials) == 10
        assert pool.submit(abs, -3).result(timeout=20) == 3
    assert result.trials == minimize(sometimes_fails, search(), 10, batch=4).trials
    reasons = {t.reason for t in result.history.of_state("failed")}
    assert reasons
    for reason in reasons:
        assert re.fullmatch(r"ValueError: n = \d does not fit \(losses\.py:\d+\)", reason)


def test_any_executor_gets_plain_dicts():
    pool = Recorder()
    result = minimize(loss, search(), 5, batch=2, workers=pool)
    assert [type(config) for _, config, _ in pool.submitted] == [dict] * 5
    assert len({token for *_, token in pool.submitted}) == 5  # no scheduler takes two for one
    assert not pool.closed
    assert result.trials == minimize(loss, search(), 5, batch=2).trials


# --- How many workers -------------------------------------------------------------------------


class Silent(Recorder):
    max_workers = None


class Renamed(Recorder):
    max_workers = None
    num_workers = 7


def test_an_executor_says_how_many_workers_it_has():
    with ThreadPoolExecutor(3) as threads, ProcessPoolExecutor(2) as processes:
        assert (workers_of(threads), workers_of(processes)) == (3, 2)
    assert (workers_of(Recorder()), workers_of(Renamed())) == (4, 7)
    assert workers_of(Silent()) == os.cpu_count()


def test_one_that_does_not_is_told_how_to(caplog):
    minimize(loss, search(), 2, workers=Silent())
    assert "Silent does not say how many workers it has" in caplog.text
    assert "max_workers" in caplog.text
    caplog.clear()
    minimize(loss, search(), 2, workers=Renamed())
    assert caplog.text == ""


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, None, "2", [], ThreadPoolExecutor])
def test_bad_workers_are_named(workers):
    optimizer = search()
    with pytest.raises(ConfigurationError) as caught:
        minimize(loss, optimizer, 4, workers=workers)
    assert str(caught.value).startswith(f"workers={workers!r}: must be a whole number")
    assert "or an executor" in str(caught.value)
    assert len(optimizer.history) == 0


# --- Workers that die -------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [None, 4])
def test_a_worker_process_that_dies_costs_its_own_trial_only_which_is_tried_again(
    tmp_path, batch, caplog
):
    with ProcessPoolExecutor(2) as pool:
        result = minimize(DieOnce(tmp_path), search(), 24, batch=batch, workers=pool)
    assert 1 <= len(list(tmp_path.iterdir())) <= 2  # two may die at the same moment
    assert states(result) == ["completed"] * 24
    assert any(trial.config["x"] > 0.7 for trial in result.trials)
    assert result.stopped == "budget"
    assert "is tried again" in caplog.text


def test_a_configuration_that_kills_twice_has_failed(tmp_path):
    with ProcessPoolExecutor(2) as pool:
        result = minimize(DieOnce(tmp_path, most=1000), search(), 24, workers=pool)
    assert result.stopped == "budget"
    for trial in result.trials:
        assert trial.state == ("failed" if trial.config["x"] > 0.7 else "completed")
        if trial.state == "failed":
            assert trial.reason.startswith("BrokenProcessPool: ")
    killers = len(result.history.of_state("failed"))
    assert killers > 0
    # Twice each, but for those that were only waiting for a process when the pool broke.
    assert killers < len(list(tmp_path.iterdir())) <= 2 * killers


def set_mark(mark):
    global MARK
    MARK = mark


def marked(config):
    return die_beyond(config) if MARK == "set" else 1 / 0


def test_new_processes_are_begun_as_the_old_ones_were():
    with ProcessPoolExecutor(2, initializer=set_mark, initargs=("set",)) as pool:
        result = minimize(marked, search(), 20, workers=pool)
    assert set(states(result)) == {"completed", "failed"}
    assert {t.reason.split(":")[0] for t in result.history.of_state("failed")} == {
        "BrokenProcessPool"
    }


class Fragile(Recorder):
    """Breaks for good at one of its submissions."""

    def __init__(self, at, error, raises=False):
        super().__init__()
        self.at, self.error, self.raises = at, error, raises

    def submit(self, fn, /, *args, **kwargs):
        if len(self.submitted) + 1 >= self.at:
            self.submitted.append(args)
            if self.raises:
                raise self.error
            future = Future()
            future.set_exception(self.error)
            return future
        return super().submit(fn, *args, **kwargs)


@pytest.mark.parametrize("batch", [None, 4])
@pytest.mark.parametrize("raises", [True, False])
def test_an_executor_that_breaks_ends_the_run_with_what_was_observed(batch, raises):
    pool = Fragile(7, BrokenExecutor("the cluster is gone"), raises)
    with pytest.warns(RuntimeWarning, match="the run ended early: the cluster is gone") as caught:
        result = minimize(loss, search(), 24, batch=batch, workers=pool)
    assert caught[0].filename == __file__
    assert (result.stopped, result.interrupted) == ("executor", True)
    assert len(result.history.completed) == 6
    assert set(states(result)) == {"completed", "withdrawn"}


@pytest.mark.parametrize("error", [RuntimeError("cannot start a thread"), OSError(11, "EAGAIN")])
def test_an_executor_that_raises_on_submit_ends_the_run_with_what_was_observed(error):
    with pytest.warns(RuntimeWarning, match="the run ended early: .*(thread|EAGAIN)"):
        result = minimize(loss, search(), 24, workers=Fragile(5, error, raises=True))
    assert result.stopped == "executor"
    assert len(result.history.completed) == 4
    assert not result.history.of_state("pending")


class Flaky(Recorder):
    """Loses one worker, as a cluster may."""

    def submit(self, fn, /, *args, **kwargs):
        if len(self.submitted) == 3:
            self.submitted.append(args)
            future = Future()
            future.set_exception(ConnectionError("worker 4 is gone"))
            return future
        return super().submit(fn, *args, **kwargs)


def test_a_worker_that_any_executor_loses_costs_no_trial(caplog):
    result = minimize(loss, search(), 12, batch=4, workers=Flaky())
    assert result.trials == minimize(loss, search(), 12, batch=4).trials
    assert "the worker of trial 3 is lost, it is tried again: worker 4 is gone" in caplog.text
    assert [r.levelno for r in caplog.records] == [logging.WARNING]


class KilledWorker(Exception):  # noqa: N818  (the name that Dask gives it)
    pass


class GivesUp(Recorder):
    """Tries itself, as Dask does, and says so."""

    def submit(self, fn, /, *args, **kwargs):
        future = super().submit(fn, *args, **kwargs)
        if len(self.submitted) == 4:
            future = Future()
            future.set_exception(KilledWorker("four workers died"))
        return future


def test_what_the_executor_has_tried_itself_is_not_tried_again():
    pool = GivesUp()
    result = minimize(loss, search(), 8, batch=4, workers=pool)
    assert len(pool.submitted) == 8
    assert result.trials[3].reason == "KilledWorker: four workers died"
    assert states(result).count("failed") == 1


@pytest.mark.parametrize("cancel", [False, True])
@pytest.mark.parametrize("batch", [None, 8])
@pytest.mark.parametrize("at", [3, 8])
def test_a_pool_that_is_shut_down_ends_the_run_with_what_was_observed(at, cancel, batch):
    seen = []

    def shutting(config):
        seen.append(config)
        if len(seen) == at:
            pool.shutdown(wait=False, cancel_futures=cancel)
        return loss(config)

    pool = ThreadPoolExecutor(1)
    with pytest.warns(RuntimeWarning, match="the run ended early: (cannot schedule|.* cancelled)"):
        result = minimize(shutting, search(), 24, batch=batch, workers=pool)
    assert result.interrupted
    assert len(result.history.completed) == len(seen)
    assert at <= len(seen) <= (at if cancel else 8)
    assert "pending" not in states(result)


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
    assert states(result) == [*(["completed"] * 5), "withdrawn", "completed", "completed"]


# --- Losses that do not get there -------------------------------------------------------------


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


def missing_there():
    raise ModuleNotFoundError("No module named 'only_here'")


class OnlyHere:
    """It can be pickled, and not unpickled, as what is defined in the caller's own script."""

    def __call__(self, config):
        return 1.0

    def __reduce__(self):
        return missing_there, ()


def test_a_loss_that_no_worker_can_load_is_found_out():
    with ProcessPoolExecutor(2) as pool, pytest.raises(LossFailedError) as caught:
        minimize(OnlyHere(), search(), 100, workers=pool)
    assert "BrokenProcessPool" in str(caught.value)
    assert 5 <= caught.value.result.history.told <= 8


def breaks_its_own(config):
    if config["n"] > 4:
        raise BrokenExecutor("a pool of the loss")
    return loss(config)


@pytest.mark.parametrize("kind", [int, ThreadPoolExecutor, ProcessPoolExecutor])
def test_a_loss_whose_own_pool_breaks_has_failed(kind):
    workers = kind(2)
    result = minimize(breaks_its_own, search(), 16, workers=workers)
    if isinstance(workers, Executor):
        workers.shutdown()
    assert not result.interrupted
    assert states(result) == ["failed" if t.config["n"] > 4 else "completed" for t in result.trials]
    assert "a pool of the loss" in result.history.of_state("failed")[0].reason
