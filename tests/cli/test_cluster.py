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

from warpfront.cli import cluster  # noqa: E402
from warpfront.cli.errors import INTERRUPTED, WRONG, CommandError  # noqa: E402
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
        ) as local:
            yield local.scheduler_address


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
    monkeypatch.setattr(cluster, "CONNECT", 0.5)
    with pytest.raises(CommandError, match="no Dask scheduler answers there"):
        cluster.connect("tcp://127.0.0.1:9")


@pytest.fixture(scope="module")
def client():
    """A cluster in this process, which starts at once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=1,
                threads_per_worker=2,
                processes=False,
                protocol="tcp://",
                dashboard_address=None,
                silence_logs=50,
            ) as local,
            distributed.Client(local, set_as_default=False) as client,
        ):
            yield client


@pytest.fixture
def launch(client):
    """Starts a program as a task; returns the task, and the list of all that it says."""

    def start(code, **env):
        topic = f"tests-{time.monotonic_ns()}"
        said = []
        client.subscribe_topic(topic, lambda event: said.append(event[1]))
        future = client.submit(
            cluster.work, ["-u", "-c", code], env, topic, key=f"{topic}-0", pure=False
        )
        return cluster.Task(future), said

    return start


def wait_until(holds, seconds=30.0):
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


def exit_code(task):
    wait_until(lambda: task.poll() is not None)
    return task.wait(1.0)


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def pid_in(said):
    wait_until(lambda: any("pid" in message for message in said))
    return next(message["pid"] for message in said if "pid" in message)


def test_trials_at_the_same_time_are_the_threads_of_the_cluster(client):
    assert cluster.slots(client) == 2


def test_a_study_is_worked_on_by_a_cluster(folder, client):
    (folder / "tune.toml").write_text(SPEC.format(trials=2))
    (folder / "model.py").write_text("def loss(c):\n    print('evaluating')\n    return c['x']\n")
    code, text = tune(folder, client.scheduler.address, "--workers", "1")
    assert code == 0, text
    assert "evaluating" in text  # what the objective prints comes back
    assert len(completed(folder)) == len(trials_of(folder)) == 2


def test_a_task_passes_on_lines_and_exit_code_of_its_process(launch):
    code = "import os; print(os.environ['WORD']); print('two'); raise SystemExit(3)"
    task, said = launch(code, WORD="one")
    assert exit_code(task) == 3
    wait_until(lambda: any("code" in message for message in said))
    assert len({message.pop("key") for message in said}) == 1
    assert pid_in(said) > 0
    assert [line for message in said for line in message.get("lines", [])] == ["one", "two"]
    assert said[-1]["code"] == 3


def test_a_task_that_is_closed_tells_its_process_to_end(launch):
    task, said = launch("import sys; sys.stdin.read(); print('farewell')")
    pid = pid_in(said)
    assert task.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        task.wait(0.05)
    task.stdin.close()
    wait_until(lambda: gone(pid))
    wait_until(lambda: any("code" in message for message in said))
    assert list(said[-2]["lines"]) == ["farewell"]
    assert said[-1]["code"] == 0


def test_a_process_that_does_not_end_with_its_task_is_killed(launch, monkeypatch):
    monkeypatch.setattr(cluster, "FAREWELL", 0.5)
    task, said = launch("import time; time.sleep(600)")
    pid = pid_in(said)
    task.kill()
    assert task.wait(1.0) == INTERRUPTED
    wait_until(lambda: gone(pid))


def test_a_task_that_ends_with_an_error_is_a_worker_that_failed(client):
    task = cluster.Task(client.submit(lambda: 1 / 0, pure=False))
    assert exit_code(task) == WRONG


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
