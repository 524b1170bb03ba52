"""The guard: what it is told, and what it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from warpfront.cli import guard

STUBBORN = """
import signal, time
signal.signal(signal.{name}, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(600)
"""


@pytest.fixture
def start():
    """Starts Python code in a process group of its own."""
    started = []

    def run(code):
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", code], stdout=subprocess.PIPE, start_new_session=True
        )
        started.append(process)
        assert process.stdout.readline() == b"ready\n"
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def obedient(start):
    return start("import time; print('ready', flush=True); time.sleep(600)")


@pytest.fixture
def script():
    """The guard as a worker starts it; what is written to it is sent at once."""
    process = subprocess.Popen(
        [sys.executable, guard.__file__], stdin=subprocess.PIPE, bufsize=0, text=False
    )
    yield process
    process.kill()
    process.wait()
    process.stdin.close()


def test_groups_are_noted_until_they_end():
    watch = guard.Watch()
    assert all(watch.heed(line) for line in ["+12", "+34", "-12", "-99", "", "unknown"])
    assert watch.groups == {34}
    assert not watch.heed(guard.FAREWELL)


def test_a_time_runs_until_it_is_taken_back():
    watch = guard.Watch()
    assert watch.wait() is None
    watch.heed("!12 60")
    assert 59 < watch.wait() <= 60
    watch.heed("!")
    assert watch.wait() is None
    watch.strike()  # nobody
    watch.heed("!12 0")
    assert watch.wait() == 0.0


def test_nobody_is_struck_before_the_time_is_over(start):
    process = obedient(start)
    watch = guard.Watch()
    watch.heed(f"!{process.pid} 60")
    watch.strike()
    assert process.poll() is None


def test_a_process_whose_time_is_over_ends_by_the_signal_that_says_so(start):
    process = obedient(start)
    watch = guard.Watch()
    watch.heed(f"!{process.pid} 0")
    watch.strike()
    assert process.wait(10) == -guard.LATE
    watch.late = process.pid, 0.0, signal.SIGKILL
    watch.strike()  # it is gone already


def test_a_process_that_ignores_the_signal_is_killed(start, monkeypatch):
    monkeypatch.setattr(guard, "PATIENCE", 0.1)
    process = start(STUBBORN.format(name="SIGVTALRM"))
    watch = guard.Watch()
    watch.heed(f"!{process.pid} 0")
    watch.strike()
    assert 0.0 < watch.wait() <= 0.1
    time.sleep(0.1)
    assert process.poll() is None
    watch.strike()
    assert process.wait(10) == -signal.SIGKILL


def test_a_group_is_asked_to_end_first(start):
    process = obedient(start)
    assert guard.exists(process.pid)
    guard.end(process.pid, 0.2)
    assert process.wait(10) == -signal.SIGTERM
    assert not guard.exists(process.pid)
    guard.end(process.pid)  # nothing is left of it


def test_what_is_left_of_a_group_is_killed(start):
    process = start(STUBBORN.format(name="SIGTERM"))
    guard.end(process.pid, 0.1)
    assert process.wait(10) == -signal.SIGKILL


def test_a_group_of_somebody_else_exists(monkeypatch):
    def refuse(group, number):
        raise PermissionError

    monkeypatch.setattr(os, "killpg", refuse)
    assert guard.exists(1)
    guard.end(1, 0.0)  # and is left alone


@pytest.mark.parametrize("farewell", [b"", b".\n"])
def test_groups_that_are_left_end_when_the_worker_has_gone(start, script, farewell):
    left, over = obedient(start), obedient(start)
    script.stdin.write(f"+{left.pid}\n+{over.pid}\n-{over.pid}".encode())
    script.stdin.write(b"\n" + farewell)
    script.stdin.close()
    assert left.wait(20) == -signal.SIGTERM
    assert script.wait(20) == 0
    assert over.poll() is None


def test_the_script_ends_a_process_in_time(start, script):
    process = obedient(start)
    script.stdin.write(f"!{process.pid} 0.1\n".encode())
    assert process.wait(20) == -guard.LATE
    script.stdin.write(b".\n")
    assert script.wait(20) == 0
