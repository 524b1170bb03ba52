"""Ctrl-C, and other ends in the middle: what was observed is returned, nothing stays pending."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.loop.losses import Recorder, loss, search, states
from warpfront import minimize


def interrupting_at(count):
    seen = []

    def interrupted(config):
        seen.append(config)
        if len(seen) == count:
            raise KeyboardInterrupt
        return loss(config)

    return interrupted


@pytest.mark.parametrize("batch", [None, 4])
def test_an_interrupt_returns_what_was_observed(batch, caplog):
    result = minimize(interrupting_at(6), search(), 20, batch=batch)
    assert (result.stopped, result.interrupted) == ("interrupt", True)
    assert states(result) == ["completed"] * 5 + ["withdrawn"] * (3 if batch else 1)
    assert result.best.value == min(t.value for t in result.history.completed)
    assert [r.message for r in caplog.records] == [
        "interrupted by Ctrl-C; 5 evaluations observed, and returned"
    ]


def test_an_interrupt_while_asking_leaves_nothing_pending_but_what_was(monkeypatch):
    optimizer = search()
    optimizer.ask(1)
    ask, asked = optimizer.ask, []

    def interrupted(n):
        asked.append(ask(n))
        if len(asked) == 2:
            raise KeyboardInterrupt
        return asked[-1]

    monkeypatch.setattr(optimizer, "ask", interrupted)
    result = minimize(loss, optimizer, 20, batch=4)
    assert states(result) == ["pending"] + ["completed"] * 4 + ["withdrawn"] * 4


def test_an_interrupt_in_a_worker_is_no_failed_trial():
    """Ctrl-C reaches the processes of a pool, too, all of them."""

    def interrupted(config):
        raise KeyboardInterrupt

    result = minimize(interrupted, search(), 20, batch=4, workers=Recorder())
    assert result.interrupted
    assert states(result) == ["withdrawn"] * 4


def test_an_interrupt_keeps_what_other_workers_have_finished():
    """Seven are done while the first still runs: Ctrl-C must not lose them."""
    interrupt = threading.Event()
    first = search().ask(8)[0]

    def slow(config):
        if config == first:
            assert interrupt.wait(timeout=20)
        return loss(config)

    def watch(result, trial):
        if len(result.history.completed) == 7:
            interrupt.set()
            raise KeyboardInterrupt

    result = minimize(slow, search(), 16, batch=8, workers=8, callbacks=watch)
    assert result.interrupted
    assert states(result)[1:] == ["completed"] * 7


def test_a_second_interrupt_is_passed_on():
    class Stubborn(Recorder):
        """Interrupted while it is told to cancel."""

        def submit(self, fn, /, *args, **kwargs):
            class Busy(Future):
                def cancel(self):
                    raise KeyboardInterrupt

            if len(self.submitted) < 3:
                return super().submit(fn, *args, **kwargs)
            self.submitted.append(args)
            if len(self.submitted) == 5:
                raise KeyboardInterrupt
            return Busy()

    optimizer = search()
    with pytest.raises(KeyboardInterrupt):
        minimize(loss, optimizer, 20, batch=8, workers=Stubborn())
    assert len(optimizer.history.completed) == 3


SCRIPT = """
import signal, sys, time
from warpfront import RandomSearch, Real, Space, minimize

signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in the background

def slow(config):
    sys.stdout.write("begun\\n"); sys.stdout.flush()
    time.sleep(0.02 if config["x"] < 0.5 else 0.05)
    return config["x"]

search = RandomSearch(Space(x=Real(0, 1)), 0)
result = minimize(slow, search, 100_000, workers=int(sys.argv[1]))
assert result.interrupted
assert all(trial.state in ("completed", "withdrawn") for trial in result.trials)
print("returned", len(result.history.completed) > 0)
"""


@pytest.mark.parametrize("workers", [1, 3])
def test_a_real_ctrl_c_says_so_in_one_line(workers):
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(workers)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as process:
        try:
            for _ in range(8):
                assert "begun" in process.stdout.readline()
            os.kill(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0, err
    assert out.splitlines()[-1] == "returned True"
    (line,) = err.splitlines()
    assert line.startswith("interrupted by Ctrl-C; ")


def test_a_run_that_went_wrong_cancels_what_is_left(monkeypatch):
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
    assert not optimizer.history.of_state("pending")
