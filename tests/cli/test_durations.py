"""Durations: what people write, and what no timer can wait for."""

import threading

import pytest

from warpfront.cli.durations import LONGEST, parse_duration


@pytest.mark.parametrize("text", ["36501d", "999999999999h", 10**400, "9" * 400, float("inf")])
def test_what_is_too_long_is_refused_with_the_limit(text):
    with pytest.raises(ValueError, match="is longer than 36500d; write at most that, or leave it"):
        parse_duration(text)


def test_the_longest_is_taken_by_a_timer():
    longest = parse_duration(f"{LONGEST}d")
    assert longest < threading.TIMEOUT_MAX
    assert parse_duration(int(longest)) == longest


@pytest.mark.parametrize("text", [0, -1, "0s", "", "soon", True, None, float("nan")])
def test_what_is_no_duration(text):
    with pytest.raises(ValueError, match="is not a duration; write seconds, or such as"):
        parse_duration(text)
