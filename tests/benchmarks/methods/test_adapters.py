"""Every method behind its adapter, in its package's own environment where that has been made."""

from __future__ import annotations

import json
import sys
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.methods import registry
from benchmarks.methods.adapter import Run
from benchmarks.methods.adapters.warpfront import Warpfront
from benchmarks.methods.adapters.warpfront_0_1 import Warpfront01
from benchmarks.methods.environments import WARPFRONT_0_1
from benchmarks.tasks.synthetic import MIXED8
from benchmarks.workers.environment import _archive, _run
from benchmarks.workers.worker import Worker
from warpfront import Categorical, Integer, Settings, Space

BATCH, ROUNDS = 4, 4
"""Enough for every method to leave its random start, even after a failure."""

SLOW = (
    *("warpfront-paper", "optuna-gp", "hebo", "smac", "ax", "dragonfly"),
    *("skopt", "skopt-ei", "skopt-pi", "skopt-lcb", "skopt-gbrt"),
)

METHODS = [
    pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name
    for name in registry.METHODS
]

Configuration = Mapping[str, Any]
Loss = Callable[[int, Configuration], float | None]


def start(name: str, folder: Path) -> Worker:
    method = registry.find(name)
    if method.environment is not None and not method.environment.is_complete():
        pytest.skip(f"{method.environment.path} is not made; see benchmarks/methods/environments")
    return method.start(600.0, folder / f"{name}.log")


@pytest.fixture(scope="module", params=METHODS)
def worker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A process of each method for all tests: it serves many runs."""
    with start(request.param, tmp_path_factory.mktemp("logs")) as process:
        yield process


def propose(
    worker: Worker, space: Space, loss: Loss, seed: int, rounds: int = ROUNDS
) -> list[Configuration]:
    """All configurations of a run, each checked to be of the space, with its very types."""
    worker.request("start", space=space.to_dict(), seed=seed, batch=BATCH, rounds=rounds)
    all_configs: list[Configuration] = []
    for _ in range(rounds):
        configs = worker.request("ask", n=BATCH)["configs"]
        assert len(configs) == BATCH
        # As text, because False is 0 and 2.0 is 2.
        assert json.dumps([dict(space.validate(c)) for c in configs]) == json.dumps(configs)
        losses = [loss(len(all_configs) + i, config) for i, config in enumerate(configs)]
        worker.request("tell", configs=configs, losses=losses)
        all_configs.extend(configs)
    return all_configs


def mixed_loss(number: int, config: Configuration) -> float | None:
    return None if number == 2 else MIXED8.truth(config)


def test_a_seed_gives_the_same_run_in_this_process_and_in_another(
    worker: Worker, tmp_path: Path
) -> None:
    first = propose(worker, MIXED8.space, mixed_loss, seed=3)
    other = propose(worker, MIXED8.space, mixed_loss, seed=4)
    again = propose(worker, MIXED8.space, mixed_loss, seed=3)
    with start(worker.name, tmp_path) as another:
        elsewhere = propose(another, MIXED8.space, mixed_loss, seed=3)
    assert again == first
    assert elsewhere == first
    assert other[:BATCH] != first[:BATCH]


@pytest.mark.parametrize("loss", [0.5, None], ids=["constant", "all failed"])
def test_a_space_smaller_than_the_run_is_no_problem(worker: Worker, loss: float | None) -> None:
    space = Space(n=Integer(1, 3), p=Categorical(["a", "b"]))
    configs = propose(worker, space, lambda *_: loss, seed=0)
    assert len({tuple(config.items()) for config in configs}) > 1


def test_what_is_recommended_is_of_the_space(worker: Worker) -> None:
    space = MIXED8.space
    request = {"space": space.to_dict(), "seed": 0, "batch": BATCH, "rounds": 3}
    if worker.request("start", **request)["recommends"] is None:
        pytest.skip(f"{worker.name} has no opinion of its own")
    for round_number in range(3):
        configs = worker.request("ask", n=BATCH)["configs"]
        failed = round_number == 0
        losses = [None if failed else MIXED8.truth(config) for config in configs]
        worker.request("tell", configs=configs, losses=losses)
        if failed and worker.name != "smac":  # a crash has a cost there, and may be the incumbent
            assert worker.request("recommend")["config"] is None
    assert worker.request("recommend")["config"] in space


def test_version_0_1_is_the_code_of_its_revision(tmp_path: Path) -> None:
    """Not that of this process, which has a package of the same name."""
    with start("warpfront-0.1", tmp_path) as process:
        versions = process.request("describe")["versions"]
    assert versions["warpfront"] == "0.1.0"
    assert versions["revision of warpfront"] == WARPFRONT_0_1.revision
    packed = tmp_path / "packed.tar"
    _run(_archive(WARPFRONT_0_1.revision, packed), tmp_path / "log")
    (installed,) = (WARPFRONT_0_1.path / "lib").glob("python3.*/site-packages/warpfront")
    compared = 0
    with tarfile.open(packed) as archive:
        for member in archive.getmembers():
            _, inside, name = member.name.partition("/src/warpfront/")
            if inside and member.isfile():
                stream = archive.extractfile(member)
                assert stream is not None
                assert (installed / name).read_bytes() == stream.read()
                compared += 1
    assert compared > 50


def test_version_0_1_refuses_to_be_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", "/nowhere")
    with pytest.raises(RuntimeError, match="unset PYTHONPATH"):
        Warpfront01(Run((), MIXED8.space.to_dict(), seed=0, batch=1, rounds=1), "default")


def test_versions_are_known(worker: Worker) -> None:
    versions = worker.request("describe")["versions"]
    assert versions.keys() > {"Python"}
    assert all(versions.values())


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("warpfront@acquisition=ei,generations=5", Settings(acquisition="ei", generations=5)),
        ("warpfront-paper@input_warp=false", Settings.paper(input_warp=False)),
        ("warpfront-paper", Settings.paper()),
    ],
)
def test_other_settings_reach_the_optimiser(name: str, settings: Settings) -> None:
    space = Space(n=Integer(1, 3)).to_dict()
    _, *arguments = registry.find(name).module
    method = Warpfront(Run((), space, seed=0, batch=8, rounds=16), *arguments)
    assert method._optimizer.settings == settings
