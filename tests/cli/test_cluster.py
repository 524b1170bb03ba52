"""`warpfront tune --dask` on a real cluster of processes on this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings

import pytest

distributed = pytest.importorskip("distributed")

import optuna  # noqa: E402

from warpfront.cli.spec import read_spec  # noqa: E402
from warpfront.cli.study import open_study, storage_url  # noqa: E402

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SPEC = """
name = "cluster"
trials = {trials}
[objective]
python = "model:loss"
[space]
x = {{ type = "real", low = 0, high = 1 }}
"""
MODEL = """
import os, pathlib, signal, time
import psutil

def dask_worker():
    found = psutil.Process()
    while found.ppid() != int(os.environ["TESTS_PID"]):
        found = found.parent()
    return found.pid

def loss(config):
    x = config["x"]
    print("evaluating", flush=True)
    with open("workers.txt", "a") as file:
        file.write(f"{dask_worker()}\\n")
    flag = pathlib.Path("killed")
    if os.environ.get("KILL") and x > 0.3:
        try:
            flag.touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            os.kill(dask_worker(), signal.SIGKILL)
            time.sleep(60)
    time.sleep(float(os.environ.get("PAUSE", "0.1")))
    return (x - 0.3) ** 2
"""


@pytest.fixture
def address(monkeypatch):
    monkeypatch.setenv("TESTS_PID", str(os.getpid()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster:
            yield cluster.scheduler_address


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tune.toml").write_text(SPEC.format(trials=8))
    (tmp_path / "model.py").write_text(MODEL)
    return tmp_path


def start(folder, address, *options):
    return subprocess.Popen(
        [sys.executable, "-m", "warpfront", "tune", "--dask", address, *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def tune(folder, address, *options):
    process = start(folder, address, *options)
    try:
        text, _ = process.communicate(timeout=240)
    finally:
        process.kill()
    return process.returncode, text


def trials_of(folder):
    return optuna.load_study(
        study_name="cluster", storage=f"sqlite:///{folder / 'cluster.db'}"
    ).get_trials(deepcopy=False)


def completed(folder):
    return [t for t in trials_of(folder) if t.state == optuna.trial.TrialState.COMPLETE]


def test_an_address_without_a_scheduler_is_refused(folder, monkeypatch):
    from warpfront.cli import cluster
    from warpfront.cli.errors import CommandError

    monkeypatch.setattr(cluster, "CONNECT", 0.5)
    with pytest.raises(CommandError, match="no Dask scheduler answers there"):
        cluster.connect("tcp://127.0.0.1:9")


@pytest.mark.slow
def test_trials_run_on_all_workers_of_the_cluster(folder, address):
    code, text = tune(folder, address)
    assert code == 0, text
    assert "best" in text
    assert "evaluating" in text  # what the objective prints comes back
    assert len(completed(folder)) == 8
    assert len(set((folder / "workers.txt").read_text().split())) == 2


@pytest.mark.slow
def test_the_workers_of_the_cluster_share_a_study_on_postgresql(folder, address, postgresql):
    url = postgresql.new_database()
    code, text = tune(folder, address, "--storage", url)
    assert code == 0, text
    assert not (folder / "cluster.db").exists()
    spec = read_spec(folder / "tune.toml")
    opened = open_study(spec, storage_url(spec, url))
    try:
        trials = opened.study.get_trials(deepcopy=False)
    finally:
        opened.close()
    assert [t.state for t in trials] == [optuna.trial.TrialState.COMPLETE] * 8
    assert len(set((folder / "workers.txt").read_text().split())) == 2


@pytest.mark.slow
def test_a_worker_that_dies_costs_its_own_trial_only(folder, address, monkeypatch):
    with distributed.Client(address, set_as_default=False) as client:
        client.run(lambda: os.environ.update(KILL="1"))
    code, text = tune(folder, address)
    assert code == 0, text
    assert (folder / "killed").exists()
    trials = trials_of(folder)
    assert len(completed(folder)) == 8
    assert len(trials) - 8 <= 1  # the one that was lost, if it was not simply put back


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_runs_on_once_the_tuner_is_gone(folder, address, number):
    with distributed.Client(address, set_as_default=False) as client:
        client.run(lambda: os.environ.update(PAUSE="1"))
    process = start(folder, address, "--trials", "500")
    until = time.monotonic() + 120
    while time.monotonic() < until and not (folder / "workers.txt").exists():
        time.sleep(0.1)
    process.send_signal(number)
    text, _ = process.communicate(timeout=120)
    if number == signal.SIGTERM:  # SIGINT is ignored in a shell's background
        assert "go on with" in text
    time.sleep(15)
    before = (folder / "workers.txt").read_text()
    time.sleep(5)
    assert (folder / "workers.txt").read_text() == before
    assert len(before.split()) < 200
