"""The watch over one evaluation: who decides that its time is over."""

from __future__ import annotations

import threading

import pytest

from warpfront.cli import overdue
from warpfront.cli.outcome import over
from warpfront.cli.overdue import BACKSTOP, GRACE, Overdue

PATIENT = 30.0


class Guard:
    """What the guard is told."""

    def __init__(self):
        self.allowed = []

    def allow(self, seconds):
        self.allowed.append(seconds)


@pytest.fixture
def guard():
    return Guard()


def never(reason):
    raise AssertionError(reason)


def test_without_a_limit_nobody_watches(guard):
    with Overdue(None, guard, never):
        pass
    assert guard.allowed == []


def test_an_evaluation_in_time_takes_the_limit_back(guard):
    with Overdue(60.0, guard, never):
        assert guard.allowed == [60.0 + GRACE + BACKSTOP]
    assert guard.allowed[1:] == [None]


def test_an_error_is_passed_on_and_takes_the_limit_back(guard):
    with pytest.raises(ZeroDivisionError), Overdue(60.0, guard, never):
        raise ZeroDivisionError
    assert guard.allowed[1:] == [None]


def test_a_function_that_does_not_end_in_time_is_given_up_once(guard, monkeypatch):
    monkeypatch.setattr(overdue, "GRACE", 0.05)
    given_up, has_returned, release = [], threading.Event(), threading.Event()
    is_over = threading.Event()

    def give_up(reason):
        given_up.append(reason)
        is_over.set()

    def evaluate():
        with Overdue(0.05, guard, give_up):
            release.wait(PATIENT)
        has_returned.set()

    threading.Thread(target=evaluate, daemon=True).start()
    assert is_over.wait(PATIENT)
    release.set()  # too late: the process is about to end, and this evaluation must not be told
    assert not has_returned.wait(0.3)
    assert len(given_up) == 1
    assert given_up[0].startswith(over(0.05))
    assert guard.allowed == [0.05 + 0.05 + BACKSTOP]


def test_a_late_process_ends_at_once_by_the_exit_code_of_timeout(monkeypatch):
    codes = []
    monkeypatch.setattr("os._exit", codes.append)
    overdue.exit_late()
    assert codes == [overdue.EXIT] == [124]
