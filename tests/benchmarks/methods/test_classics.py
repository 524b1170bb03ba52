"""The adapters of the paper's competitors, in the packages' own environment."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.methods.adapters.pysot import _bounds, _configuration
from benchmarks.methods.environments import CLASSICS
from benchmarks.methods.parameters import Parameter, parse_space
from benchmarks.methods.registry import find
from benchmarks.tasks.spaces import search_space
from benchmarks.tasks.synthetic import MIXED8
from benchmarks.workers.worker import Worker
from warpfront import Space

METHODS = (
    *("pysot", "hyperopt", "opentuner", "nevergrad", "bohb"),
    *(pytest.param(n, marks=pytest.mark.slow) for n in ("skopt-gbrt", "skopt", "dragonfly")),
)
"""The last three take seconds a batch."""

BATCH, ROUNDS = 4, 3
TINY = search_space("kNN", "regression")

Configuration = Mapping[str, Any]
Loss = Callable[[int, Configuration], float | None]


def start(name: str, folder: Path) -> Worker:
    if not CLASSICS.is_complete():
        pytest.skip(f"{CLASSICS.path} is not made; see benchmarks/methods/environments.py")
    return find(name).start(600.0, folder / f"{name}.log")


@pytest.fixture(scope="module", params=METHODS)
def worker(request, tmp_path_factory) -> Iterator[Worker]:
    """One process for all runs of a method: most of the time goes into its imports."""
    with start(request.param, tmp_path_factory.mktemp("logs")) as process:
        yield process


def propose(
    worker: Worker, space: Space, loss: Loss, rounds: int = ROUNDS, seed: int = 3
) -> list[Configuration]:
    """All configurations of a run, each checked to be of the space, with its very types."""
    worker.request("start", space=space.to_dict(), seed=seed, batch=BATCH, rounds=rounds)
    proposed: list[Configuration] = []
    for _ in range(rounds):
        configs = worker.request("ask", n=BATCH)["configs"]
        assert len(configs) == BATCH
        # As text, because False is 0 and 2.0 is 2.
        assert json.dumps([dict(space.validate(c)) for c in configs]) == json.dumps(configs)
        losses = [loss(len(proposed) + i, config) for i, config in enumerate(configs)]
        worker.request("tell", configs=configs, losses=losses)
        proposed.extend(configs)
    return proposed


def one_failure(number: int, config: Configuration) -> float | None:
    return None if number == 2 else MIXED8.truth(config)


def test_a_seed_gives_the_same_run_in_this_process_and_in_another(worker, tmp_path):
    first = propose(worker, MIXED8.space, one_failure)
    other = propose(worker, MIXED8.space, one_failure, seed=4)
    again = propose(worker, MIXED8.space, one_failure)
    with start(worker.name, tmp_path) as another:
        elsewhere = propose(another, MIXED8.space, one_failure)
    assert again == first
    assert elsewhere == first
    assert other != first


@pytest.mark.parametrize("loss", [0.5, None], ids=["constant", "all failed"])
def test_losses_that_tell_nothing_are_no_problem(worker, loss):
    configs = propose(worker, TINY, lambda *_: loss)
    assert len({tuple(config.items()) for config in configs}) > 1


def test_huge_losses_are_no_problem(worker):
    configs = propose(worker, MIXED8.space, lambda i, _: 1e300 if i % 2 else float(i))
    assert len(configs) == BATCH * ROUNDS


def test_a_bowl_is_searched_where_it_is_low(worker):
    def bowl(config: Configuration) -> float:
        return abs(config["n_neighbors"] - 7) / 25 + abs(config["p"] - 2) / 4

    losses = [bowl(c) for c in propose(worker, TINY, lambda _, c: bowl(c), rounds=8)]
    assert min(losses) < min(losses[:BATCH])


def test_versions_are_known(worker):
    versions = worker.request("describe")["versions"]
    assert len(versions) > 1
    assert all(versions.values())


def test_a_category_of_pysot_is_its_largest_coordinate():
    parameter = Parameter("a", "categorical", choices=("x", "y", "z"))
    assert _bounds(parameter) == [(0, 1)] * 3
    assert _configuration([parameter], [0.1, 0.9, 0.3]) == {"a": "y"}


def test_pysot_rounds_what_has_equal_steps_only():
    parameters = parse_space(MIXED8.space.to_dict())
    bounds = [bound for parameter in parameters for bound in _bounds(parameter)]
    lowest = _configuration(parameters, [low for low, _ in bounds])
    highest = _configuration(parameters, [high for _, high in bounds])
    assert bounds[3] == (50, 200)
    assert bounds[4] == (0, 1)
    assert (lowest["units"], lowest["depth"], lowest["patch"], lowest["bias"]) == (50, 1, 8, False)
    assert (highest["units"], highest["depth"], highest["patch"]) == (200, 8, 64)
    assert highest["bias"] is True
    assert math.isclose(highest["rate"], 0.1)
