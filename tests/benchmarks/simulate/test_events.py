"""The simulation of many workers, with an optimiser that takes a known time."""

from __future__ import annotations

import pytest

from benchmarks.__main__ import main
from benchmarks.busy import SPACE, value
from benchmarks.simulate.events import OnDemand, Simulation
from warpfront import RandomSearch
from warpfront.loop.pace import Pace


class Ticking:
    """A clock on which each look takes half the time of a suggestion."""

    def __init__(self, seconds):
        self.seconds, self.now = seconds, 0.0

    def __call__(self):
        self.now += self.seconds
        return self.now


def simulate(workers, budget, cost, policy, duration=lambda number: 10.0, **options):
    return Simulation(
        RandomSearch(SPACE, seed=0),
        value,
        duration,
        workers=workers,
        budget=budget,
        policy=policy,
        clock=Ticking(cost),
        **options,
    ).run()


def test_an_optimiser_that_takes_no_time_leaves_nobody_idle():
    run = simulate(4, 40, 0.0, OnDemand())
    assert run.busy == pytest.approx(1.0)
    assert run.asking == 0.0
    assert run.per_hour == pytest.approx(4 * 360, rel=0.15)
    assert not run.ended_early


def test_one_worker_waits_for_each_suggestion():
    # Ten seconds of work, one for telling, one for asking.
    run = simulate(1, 40, 1.0, OnDemand())
    assert run.busy == pytest.approx(10 / 12, rel=0.03)
    assert run.asking == pytest.approx(2 / 12, rel=0.1)


def test_suggestions_ahead_of_demand_keep_workers_busy():
    def spread(number):
        return 5.0 + number % 11

    on_demand = simulate(4, 80, 0.6, OnDemand(), spread)
    ahead = simulate(4, 80, 0.6, Pace(), spread)
    assert on_demand.busy < 0.9 < ahead.busy


def test_an_optimiser_slower_than_all_workers_is_the_bottleneck():
    # 1.0 s for each, 100 workers that want ten suggestions a second.
    run = simulate(100, 400, 1.0, OnDemand())
    assert run.busy < 0.2
    assert run.asking > 0.8


def test_the_real_time_is_limited():
    run = simulate(8, 1000, 1.0, OnDemand(), limit=20.0)
    assert run.ended_early
    assert run.told < 30


def test_the_command_adds_to_its_tables(tmp_path, capsys):
    words = ["simulate", "--ways", "random", "--least", "8", "--output", str(tmp_path)]
    assert main([*words, "--workers", "4"]) == 0
    assert main([*words, "--workers", "2"]) == 0
    assert "| 2 | random search |" in capsys.readouterr().out
    lines = (tmp_path / "simulation.md").read_text().splitlines()[-2:]
    assert [line[:21] for line in lines] == ["| 2 | random search |", "| 4 | random search |"]
    assert (tmp_path / "simulation.csv").read_text().startswith("way,workers,elapsed,busy")
