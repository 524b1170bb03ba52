"""The adapters of the paper's competitors, in the packages' own environment."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from benchmarks.methods.adapters.pysot import _bounds, _configuration
from benchmarks.methods.parameters import Parameter, parse_space
from benchmarks.tasks.spaces import search_space
from benchmarks.tasks.synthetic import MIXED8
from benchmarks.workers.worker import Worker
from tests.benchmarks.methods.test_adapters import BATCH, ROUNDS, Configuration, propose, start

METHODS = (
    *("pysot", "hyperopt", "opentuner", "nevergrad", "bohb", "bohb-independent"),
    *(
        pytest.param(n, marks=pytest.mark.slow)
        for n in ("skopt-gbrt", "skopt", "skopt-pi", "dragonfly")
    ),
)
"""The last four take seconds a batch."""

SEED = 3
TINY = search_space("kNN", "regression")


@pytest.fixture(scope="module", params=METHODS)
def worker(request, tmp_path_factory) -> Iterator[Worker]:
    """One process for all runs of a method: most of the time goes into its imports."""
    with start(request.param, tmp_path_factory.mktemp("logs")) as process:
        yield process


@pytest.mark.parametrize("loss", [0.5, None], ids=["constant", "all failed"])
def test_losses_that_tell_nothing_are_no_problem(worker, loss):
    configs = propose(worker, TINY, lambda *_: loss, SEED)
    assert len({tuple(config.items()) for config in configs}) > 1


def test_huge_losses_are_no_problem(worker):
    configs = propose(worker, MIXED8.space, lambda i, _: 1e300 if i % 2 else float(i), SEED)
    assert len(configs) == BATCH * ROUNDS


def test_a_bowl_is_searched_where_it_is_low(worker):
    def bowl(config: Configuration) -> float:
        return abs(config["n_neighbors"] - 7) / 25 + abs(config["p"] - 2) / 4

    losses = [bowl(c) for c in propose(worker, TINY, lambda _, c: bowl(c), SEED, rounds=8)]
    assert min(losses) < min(losses[:BATCH])


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
