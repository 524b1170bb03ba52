"""How many suggestions are asked for, and when."""

from __future__ import annotations

import pytest

from warpfront.loop.pace import Pace


def measured(asking, evaluating):
    pace = Pace()
    pace.asked(asking)
    pace.evaluated(evaluating)
    return pace


def test_at_first_each_worker_gets_one():
    pace = Pace()
    assert [pace.wanted(8, k) for k in (0, 5, 8)] == [8, 3, 0]
    pace.asked(0.5)
    assert [pace.wanted(8, k) for k in (0, 5, 8)] == [8, 3, 0]


def test_nothing_is_asked_for_ahead_where_waiting_costs_next_to_nothing():
    pace = measured(asking=0.1, evaluating=60.0)
    assert [pace.wanted(8, k) for k in (5, 6, 7, 8)] == [2, 1, 1, 0]


def test_where_waiting_would_cost_something_a_few_are_made_ahead():
    pace = measured(asking=0.05, evaluating=1.0)  # 5 % of a worker's time
    assert [pace.wanted(8, k) for k in (7, 8, 9, 10)] == [2, 2, 1, 0]


def test_never_more_than_half_the_workers_are_ahead_however_slow_the_optimiser():
    pace = measured(asking=10.0, evaluating=0.001)
    assert [pace.wanted(8, k) for k in (0, 8, 11, 12)] == [8, 4, 1, 0]
    assert [pace.wanted(2, k) for k in (0, 2, 3)] == [2, 1, 0]


def test_one_worker_and_executors_without_a_queue_get_nothing_ahead():
    pace = measured(asking=1.0, evaluating=0.1)
    assert [pace.wanted(1, k) for k in (0, 1)] == [1, 0]
    assert [pace.wanted(8, k, may_queue=False) for k in (0, 7, 8)] == [8, 1, 0]


def test_workers_that_ended_together_go_off_in_smaller_and_smaller_groups():
    pace, under_way, groups = measured(asking=0.1, evaluating=60.0), 0, []
    while wanted := pace.wanted(16, under_way):
        groups.append(wanted)
        under_way += wanted
    assert groups == [8, 4, 2, 1, 1]


def test_what_was_slow_long_ago_is_forgotten():
    pace = measured(asking=2.0, evaluating=1.0)  # the first call imports SciPy
    assert pace.wanted(8, 8) == 4
    for _ in range(12):
        pace.asked(0.001)
    assert pace.wanted(8, 8) == 0


@pytest.mark.parametrize("workers", [1, 2, 3, 256])
def test_no_worker_stays_idle(workers):
    for asking in (1e-6, 0.01, 1.0, 100.0):
        pace = measured(asking, 1.0)
        assert all(pace.wanted(workers, k) >= 1 for k in range(workers))
