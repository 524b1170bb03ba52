"""The text of what went wrong: short, with file and line, whatever was raised."""

from __future__ import annotations

import json

import pytest

from tests.loop.losses import Mute
from warpfront import HEBO, Real, Space
from warpfront.failure import LONGEST_REASON, LONGEST_TRACEBACK, Failure, cut, place_of, quoted


def raised(function, *arguments):
    try:
        function(*arguments)
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def user_code(text):
    return json.loads(text)  # fails in the standard library


def test_the_place_is_the_innermost_line_of_the_users_own_code():
    error = raised(user_code, "{")
    line = user_code.__code__.co_firstlineno + 1
    assert place_of(error) == f"test_failure.py:{line}"
    assert Failure.of(error).reason.endswith(f"(test_failure.py:{line})")
    assert Failure.of(error).kind == "JSONDecodeError"


def test_without_code_of_the_users_it_is_that_of_a_library():
    error = raised(json.loads, "{")
    error.__traceback__ = error.__traceback__.tb_next  # without this file
    assert place_of(error).startswith("decoder.py:")


def test_our_own_files_are_never_the_place():
    error = raised(HEBO(Space(x=Real(0, 1)), seed=0).tell, {"x": 5.0}, 1.0)
    assert place_of(error).startswith("test_failure.py:")
    error.__traceback__ = error.__traceback__.tb_next.tb_next
    assert place_of(error) is None


def test_what_is_told_with_a_traceback_keeps_its_place():
    optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    optimizer.tell({"x": 0.5}, raised(user_code, "{"))
    assert "(test_failure.py:" in optimizer.history.trials[0].reason


@pytest.mark.parametrize("text", ["x" * 10_000_000, "x\n" * 1_000_000, "", " \n ", "a\nb"])
def test_reasons_are_one_line_of_a_sane_length(text):
    failure = Failure.of(raised(exec, f"raise ValueError({text!r})"))
    assert len(failure.reason) <= LONGEST_REASON
    assert "\n" not in failure.reason
    assert failure.reason.startswith("ValueError")
    assert len(failure.traceback) <= LONGEST_TRACEBACK
    assert failure.traceback.count("Traceback (most recent call last)") in (0, 1)


def test_an_endless_recursion_has_a_short_traceback():
    def endless():
        return endless()

    failure = Failure.of(raised(endless))
    assert failure.kind == "RecursionError"
    assert len(failure.traceback) <= LONGEST_TRACEBACK


class Worse(Exception):  # noqa: N818
    @property
    def __traceback__(self):
        raise KeyError("no traceback")

    @property
    def __cause__(self):
        raise SystemExit("never")


def test_exceptions_that_cannot_be_read_are_failures():
    assert Failure.of(Mute()).reason == "Mute: (its text cannot be read: IndexError)"
    assert Failure.of(raised(_raise, Worse("x"))).kind == "Worse"


def _raise(error):
    raise error


class Sly(str):
    def __len__(self):
        raise RuntimeError

    def __getitem__(self, key):
        raise RuntimeError


class SaysSly:
    def __repr__(self):
        return Sly("text")


def test_texts_of_a_class_of_its_own_are_plain_texts():
    assert quoted(repr, SaysSly()) == "text"
    assert type(quoted(repr, SaysSly())) is str


def test_a_text_is_cut_in_its_middle():
    assert cut("0123456789" * 10, 20) == "012345678901 … 56789"
    assert len(cut("x" * 100, 20)) <= 20
