"""A real Dask cluster of several processes, and the executor of its client."""

from __future__ import annotations

import os
import signal
import time
import warnings
from pathlib import Path

import pytest

from tests.loop.losses import SPACE, loss, search, sometimes_fails, states
from warpfront import Real, Space, minimize
from warpfront.loop.pools import workers_of

distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
WORKERS = 2


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=WORKERS,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                silence_logs=50,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client


def test_the_cluster_evaluates_and_stays_open(client):
    executor = client.get_executor()
    assert workers_of(executor) == WORKERS
    result = minimize(sometimes_fails, search(), 12, batch=4, workers=executor)
    assert result.trials == minimize(sometimes_fails, search(), 12, batch=4).trials
    assert "failed" in states(result)
    assert client.submit(abs, -3).result(timeout=30) == 3


def test_lambdas_and_closures_are_welcome(client):
    shift = 0.25
    space = Space(x=Real(-1, 1))
    result = minimize(
        lambda c: (c["x"] - shift) ** 2, space, 16, seed=0, workers=client.get_executor()
    )
    assert states(result) == ["completed"] * 16
    assert [t.value for t in result.trials] == [(t.config["x"] - shift) ** 2 for t in result.trials]
    assert result.best.value < 0.01


def test_all_its_processes_work_at_the_same_time(client):
    def where(config, mark=time.time()):  # noqa: B008  (another function for each run)
        time.sleep(0.05)
        return float(os.getpid())

    result = minimize(where, search(), 10, workers=client.get_executor())
    assert len({t.value for t in result.trials}) == WORKERS


def test_equal_configurations_are_evaluated_twice(client, tmp_path):
    """Dask takes calls of the same function with the same arguments for one."""

    def count(config):
        with Path(tmp_path / "calls").open("a") as file:
            file.write("x")
        return 1.0

    space = Space(x=Real(0.5, 0.5))
    result = minimize(count, space, 6, seed=0, workers=client.get_executor())
    assert len(result.trials) == 6
    assert (tmp_path / "calls").read_text() == "x" * 6


def test_a_worker_that_is_killed_in_mid_trial_costs_no_trial(client, tmp_path):
    mark = tmp_path / "killed"

    def deadly(config):
        if config["n"] > 4 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return loss(config)

    result = minimize(deadly, search(), 12, workers=client.get_executor(), timeout=120)
    assert mark.exists()
    assert states(result) == ["completed"] * 12
    client.wait_for_workers(WORKERS, timeout=60)


@pytest.mark.slow
def test_a_configuration_that_kills_every_worker_has_failed(client):
    deadly = search().ask(3)[2]

    def kills(config):
        if config == deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return loss(config)

    result = minimize(kills, search(), 8, batch=4, workers=client.get_executor(), timeout=300)
    assert states(result) == ["completed", "completed", "failed", *["completed"] * 5]
    assert result.trials[2].reason.startswith("KilledWorker: ")
    client.wait_for_workers(WORKERS, timeout=60)


def test_a_cluster_that_goes_away_ends_the_run_with_what_was_observed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            processes=False,
            dashboard_address=None,
            silence_logs=50,
        )
        client = distributed.Client(cluster)
        executor = client.get_executor()

    def leave(result, trial):
        if result.history.told == 4:
            client.close()
            cluster.close()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = minimize(loss, SPACE, 30, seed=0, workers=executor, callbacks=leave, timeout=60)
    assert result.stopped in ("executor", "timeout")
    assert len(result.history.completed) >= 4
    assert "pending" not in states(result)
