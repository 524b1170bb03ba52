"""When trials ran: units, lanes, and what does not fit."""

from datetime import datetime, timedelta, timezone

import pytest

from warpfront.analysis.times import Times, duration
from warpfront.errors import ConfigurationError

NOON = datetime(2026, 5, 1, 12, 0)


def test_nothing_known_is_none():
    assert Times.of(None) is Times.of({}) is Times.of({0: (None, None), 1: (None, 3.0)}) is None


def test_dates_become_seconds_since_the_first():
    times = Times.of({3: (NOON + timedelta(minutes=1), None), 1: (NOON, NOON + timedelta(hours=2))})
    assert dict(times.spans) == {1: (0.0, 7200.0), 3: (60.0, None)}
    assert (times.began, times.ended) == (NOON, NOON + timedelta(hours=2))
    assert times.ends() == {1: 7200.0}
    assert (times.seconds(1), times.seconds(3), times.seconds(9)) == (7200.0, None, None)


def test_clocks_of_two_machines_may_differ():
    times = Times.of({0: (NOON, NOON - timedelta(seconds=2)), 1: (NOON, None)})
    assert times.spans[0] == (0.0, 0.0)
    with pytest.raises(ConfigurationError, match="trial 0 ends"):
        Times.of({0: (2.0, 0.0)})


@pytest.mark.parametrize(
    ("total", "unit"), [(1.0, "seconds"), (200.0, "minutes"), (2e4, "hours"), (1e6, "days")]
)
def test_the_unit_fits_the_length(total, unit):
    assert Times.of({0: (0.0, total)}).unit[1] == unit


def test_a_lane_is_used_again_once_it_is_free():
    times = Times.of({0: (0, 10), 1: (1, None), 2: (9.99, 20), 3: (12, 13)})
    assert times.lanes() == {0: 0, 1: 1, 2: 0, 3: 2}


@pytest.mark.parametrize(
    "second",
    [(5.0, 6.0), (NOON.replace(tzinfo=timezone.utc), None), (NOON, 7.0)],
    ids=["seconds", "time zone", "mixed"],
)
def test_moments_of_two_kinds_are_refused(second):
    with pytest.raises(ConfigurationError, match="does not fit the others; give all moments as"):
        Times.of({0: (NOON, NOON), 1: second})


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), "soon"])
def test_what_is_no_moment_is_refused(wrong):
    with pytest.raises(ConfigurationError, match="of trial 0 does not fit"):
        Times.of({0: (0.0, wrong)})


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min"),
        (3599.9, "1 h"),
        (3600.0, "1 h"),
        (86400.0 * 3 + 60, "3 d"),
    ],
)
def test_durations(seconds, text):
    assert duration(seconds) == text
