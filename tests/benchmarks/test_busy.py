"""Asynchronous workers are busy: measured with the real optimiser, scaled down."""

from __future__ import annotations

import pytest

from benchmarks.__main__ import main
from benchmarks.busy import Share, run, share_of
from warpfront import RandomSearch, Real, Result, Space
from warpfront.result import Event


def test_the_share_is_that_of_the_evaluations():
    events = (
        Event(0.5, "asked", 0),
        Event(0.5, "asked", 1),
        Event(0.6, "asked", 2),
        Event(1.5, "told", 0, 0.9),
        Event(2.0, "told", 1, 1.4),
        Event(2.5, "told", 2, 0.7),
    )
    result = Result(RandomSearch(Space(x=Real(0, 1)), 0), events=events)
    assert share_of(result, 2) == Share(evaluating=3.0, elapsed=2.0, workers=2, ahead=1 / 6)
    assert share_of(result, 2).busy == 0.75


def test_workers_are_busy_though_the_optimiser_takes_its_time():
    """Four workers, 0.25 s each: as often a suggestion as in the figure of the documentation."""
    result = run(workers=4, trials=24, duration=0.25, seed=0)
    share = share_of(result, 4)
    assert len(result.history.completed) == 24
    assert 0.6 < share.busy <= 1.0  # the machine may be busy with something else
    assert share.ahead <= 2


@pytest.mark.slow
def test_eight_workers_and_an_objective_of_a_second_are_busy():
    assert share_of(run(8, 128, 1.0, seed=0), 8).busy > 0.9  # 0.95 on a machine of its own


def test_the_command_prints_the_share(capsys):
    assert main(["busy", "--workers", "2", "--trials", "4", "--seconds", "0.02"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("4 trials of 0.02 s, 2 workers: busy ")
    assert "suggestions ahead on average" in out
