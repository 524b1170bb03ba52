"""Does it optimise? Regret against random search of 16 rounds of 8, with fixed seeds."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from benchmarks.tasks.synthetic import BRANIN, HARTMANN6
from warpfront import HEBO, Boolean, Categorical, Integer, RandomSearch, Real, Settings, Space

ROUNDS, BATCH = 16, 8
EARLY = 10
"""Rounds that suffice to be far better than random search after all of its own."""
PAPER_SHARE = {"branin": 0.1, "hartmann": 0.2, "mixed": 0.1}
"""The most that the paper's settings may leave of random search's regret. Hartmann-6 has a local
optimum at a regret of 0.12, a ninth of random search's, in which they end on about half of the
seeds, and the default on about a third."""


@dataclass(frozen=True)
class Task:
    """A test function that carries its truth."""

    space: Space
    loss: Callable[[Mapping[str, Any]], float]
    minimum: float
    minimiser: Mapping[str, Any]


def mixed(config):
    """A valley whose place depends on the category, a bent whole number, and a switch."""
    place = {"adam": 0.3, "sgd": 0.7, "lion": 0.5}[config["method"]]
    base = {"adam": 0.0, "sgd": 0.2, "lion": 0.6}[config["method"]]
    rate = math.log10(config["rate"]) + 3.0
    return (
        base
        + (config["x"] - place) ** 2
        + 0.3 * (rate - (config["x"] - place)) ** 2
        + (config["layers"] - 7) ** 2 / 100
        + (0.0 if config["norm"] else 0.1 * (1 + config["x"]))
    )


TASKS = {
    name: Task(truth.space, truth.function, truth.minimum, truth.minimisers[0])
    for name, truth in (("branin", BRANIN), ("hartmann", HARTMANN6))
} | {
    "mixed": Task(
        Space(
            x=Real(0, 1),
            rate=Real(1e-5, 1e-1, scale="log"),
            layers=Integer(1, 20),
            method=Categorical(["sgd", "adam", "lion"]),
            norm=Boolean(),
        ),
        mixed,
        0.0,
        {"x": 0.3, "rate": 1e-3, "layers": 7, "method": "adam", "norm": True},
    ),
}


def regret(task, optimizer, size=BATCH, rounds=ROUNDS):
    """What is left to the minimum after all rounds; ``size`` are asked for at a time."""
    for _ in range(rounds):
        batch = [s for _ in range(BATCH // size) for s in optimizer.ask(size)]
        optimizer.tell(batch, [task.loss(c) for c in batch])
    assert len(optimizer.history) == rounds * BATCH
    return optimizer.best.value - task.minimum


@cache
def random_regret(name):
    """Median over many seeds: it costs nothing."""
    task = TASKS[name]
    return np.median([regret(task, RandomSearch(task.space, seed=s)) for s in range(15)])


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_the_tasks_carry_their_truth(task):
    assert task.loss(task.minimiser) == pytest.approx(task.minimum, abs=1e-6)
    assert min(task.loss(c) for c in task.space.sample(2000, seed=0)) > task.minimum


@pytest.mark.parametrize("name", TASKS)
def test_the_default_is_far_better_than_random_search(name):
    task = TASKS[name]
    found = [regret(task, HEBO(task.space, seed=seed), rounds=EARLY) for seed in range(3)]
    assert np.median(found) < 0.01 * random_regret(name)


def test_the_papers_settings_are_far_better_than_random_search():
    task = TASKS["branin"]
    found = regret(task, HEBO(task.space, 0, Settings.paper()), rounds=EARLY)
    assert found < PAPER_SHARE["branin"] * random_regret("branin")


@pytest.mark.parametrize("name", ["hartmann", "mixed"])
def test_suggestions_one_by_one_are_as_good_as_batches(name):
    # Eight are asked for before the first is told: only what is pending tells them apart.
    task = TASKS[name]
    found = regret(task, HEBO(task.space, seed=0), size=1, rounds=EARLY)
    assert found < 0.05 * random_regret(name)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, BATCH])
@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.parametrize("name", TASKS)
def test_every_way_of_asking_is_far_better_than_random_search(name, preset, size):
    task = TASKS[name]
    settings = Settings.paper() if preset == "paper" else Settings()
    share = PAPER_SHARE[name] if preset == "paper" or name == "hartmann" else 0.01
    found = [regret(task, HEBO(task.space, seed, settings), size) for seed in range(10, 13)]
    assert np.median(found) < share * random_regret(name)
