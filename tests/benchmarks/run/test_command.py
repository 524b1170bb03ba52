"""The command as a user runs it: a tiny tier for real, killed, resumed, doubled, on a cluster."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks import records
from benchmarks.archive import store
from benchmarks.archive.digest import Digest, Improvement
from benchmarks.methods.registry import METHODS
from benchmarks.records import Key
from benchmarks.revision import revision
from benchmarks.workers.environment import EnvironmentUnavailableError

REPOSITORY = Path(__file__).resolve().parents[3]
TINY = shlex.split(
    "--tasks kNN_wine_acc DT_iris_nll --methods warpfront random --seeds 0 --batch 2"
)


def start(folder, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks", "run", *arguments, "--runs", str(folder)],
        cwd=REPOSITORY,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    _, stderr = process.communicate(timeout=120)
    assert process.returncode == 0, stderr
    return stderr


def everything(folder):
    return {record.key: record for record in records.read_all(folder)}


def suggestions(folder):
    return {
        key: [(trial.config, trial.loss) for trial in record.trials]
        for key, record in everything(folder).items()
    }


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """The records of the tiny tier, and what the command said."""
    folder = tmp_path_factory.mktemp("tiny")
    said = finish(start(folder, *TINY, "--rounds", "4", "--jobs", "2"))
    return folder, said


def test_a_tiny_tier_for_real(tiny):
    folder, said = tiny
    found = everything(folder)
    assert set(found) == {
        Key(task, method, 0, 2, 4)
        for task in ("kNN_wine_acc", "DT_iris_nll")
        for method in ("warpfront", "random")
    }
    assert all(len(r.trials) == 8 and r.error is None for r in found.values())
    assert "4 runs, 4 of them to do" in said
    assert "min left" in said


def test_what_is_done_is_not_done_again(tiny, capsys):
    folder, _ = tiny
    before = {path: path.stat().st_mtime_ns for path in folder.glob("*x*/*/*.json")}
    arguments = [*TINY, "--rounds", "4", "--jobs", "1", "--runs", str(folder)]
    assert command.main(["run", *arguments]) == 0
    assert "4 runs, 0 of them to do" in capsys.readouterr().err
    assert before == {path: path.stat().st_mtime_ns for path in folder.glob("*x*/*/*.json")}


@pytest.mark.slow
def test_two_processes_never_do_the_same_run(tiny, tmp_path):
    folder, _ = tiny
    both = [start(tmp_path, *TINY, "--rounds", "4", "--jobs", "1") for _ in range(2)]
    said = "".join(finish(process) for process in both)
    assert said.count(": best ") == 4  # each run was done once, whoever did it
    assert suggestions(tmp_path) == suggestions(folder)


def test_killed_in_the_middle_it_goes_on(here, tmp_path):
    arguments = shlex.split("--tasks RF_digits_acc --methods random --seeds 0 --batch 4 --rounds 8")
    process = start(tmp_path, *arguments, "--jobs", "1")
    journal = tmp_path / "4x8" / "random" / ".RF_digits_acc-0.journal"
    deadline = time.monotonic() + 60.0
    while not (journal.exists() and journal.read_text().count("\n") >= 5):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert not list(tmp_path.glob("4x8/*/*.json"))
    _wait_until_silent(journal)
    known = journal.read_text().splitlines()
    assert 5 <= len(known) < 32
    assert command.main(["run", *arguments, "--jobs", "1", "--runs", str(tmp_path)]) == 0
    (record,) = everything(tmp_path).values()
    assert len(record.trials) == 32
    kept = [trial.cpu for trial in record.trials[: len(known)]]
    assert [f'"cpu": {cpu}' in line for cpu, line in zip(kept, known, strict=True)] == [True] * len(
        known
    )  # the very evaluations of the killed process
    assert not journal.exists()


def _wait_until_silent(journal):
    """Until nobody writes any more: the processes of a killed command end by themselves."""
    size = -1
    deadline = time.monotonic() + 30.0
    while size != journal.stat().st_size:
        assert time.monotonic() < deadline, "orphaned processes go on"
        size = journal.stat().st_size
        time.sleep(1.0)


def test_a_method_without_environment_is_recorded_and_tried_again(
    all_here, tmp_path, monkeypatch, capsys
):
    method = METHODS["random"]

    def unavailable(self):
        raise EnvironmentUnavailableError("no such Python")

    arguments = ["run", *TINY[:3], "--methods", "random", "--seeds", "0", "--batch", "2"]
    arguments += ["--rounds", "1", "--jobs", "1", "--runs", str(tmp_path)]
    with monkeypatch.context() as patch:
        patch.setattr(type(method), "ensure", unavailable)
        assert command.main(arguments) == 0
    assert {r.error for r in everything(tmp_path).values()} == {"unavailable: no such Python"}
    assert "random was not run: no such Python" in capsys.readouterr().err
    assert command.main(arguments) == 0
    assert {r.error for r in everything(tmp_path).values()} == {None}


@pytest.fixture
def archived(tmp_path):
    """A run of branin in an archive, one that ended early, and the words that ask for both."""
    for seed, error in ((0, None), (1, "died")):
        key = Key("branin", "random", seed, 2, 1)
        facts = {"revision": "abc1234"} if error is None else {}
        one = Digest(key, 2, 0, (Improvement(1, 0.5, 0.5),), (0.1,), error, facts)
        store.add([one], tmp_path / "archive")
    words = ["run", "--tasks", "branin", "--methods", "random", "--seeds", "0-1", "--batch", "2"]
    words += ["--rounds", "1", "--jobs", "1", "--runs", str(tmp_path / "runs")]
    return [*words, "--archive", str(tmp_path / "archive")]


@pytest.mark.parametrize(
    ("option", "done", "says"),
    [
        ([], [], "2 runs, 0 of them to do; 2 taken from the archive (of revision abc1234, unknown"),
        (["--again"], [1], "2 runs, 1 of them to do; 1 taken from the archive (of revision abc"),
        (["--anew"], [0, 1], "2 runs, 2 of them to do\n"),
    ],
)
def test_what_is_archived_is_done_unless_told_otherwise(
    all_here, archived, option, done, says, tmp_path, capsys
):
    assert command.main([*archived, *option]) == 0
    assert says in capsys.readouterr().err
    assert [key.seed for key in everything(tmp_path / "runs")] == done
    assert command.main([*archived, "--anew"]) == 0
    said = f"2 runs, {2 - len(done)} of them to do"  # a record counts as done all the same
    if done:
        said += f"; {len(done)} have records (of revision {revision()})"
    assert f"{said}\n" in capsys.readouterr().err


def test_for_archived_runs_no_environment_is_made(archived, tmp_path, monkeypatch, capsys):
    def unavailable(self):
        raise EnvironmentUnavailableError("no such Python")

    monkeypatch.setattr(type(METHODS["random"]), "ensure", unavailable)
    assert command.main(archived) == 0
    assert "was not run" not in capsys.readouterr().err
    assert everything(tmp_path / "runs") == {}


def test_a_broken_archive_is_named(archived, tmp_path, capsys):
    (tmp_path / "archive" / "2x1" / "random.jsonl").write_text("{}\n", encoding="utf-8")
    assert command.main(archived) == 1
    assert "random.jsonl is no archived run" in capsys.readouterr().err


@pytest.mark.slow
def test_on_a_dask_cluster(tiny, tmp_path):
    distributed = pytest.importorskip("distributed")
    folder, _ = tiny
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, protocol="tcp"
    ) as cluster:
        address = cluster.scheduler_address
        said = finish(start(tmp_path, *TINY, "--rounds", "4", "--dask", address))
    assert said.count(": best ") == 4
    assert suggestions(tmp_path) == suggestions(folder)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--tasks", "no_such_task"], "is not a task"),
        (["--seeds", "x"], "is no seed"),
        (["--seeds", "3-1"], "is no seed"),
        (["--time-limit", "nan"], "not a positive number of seconds"),
        (["--time-limit", "-5"], "not a positive number of seconds"),
        (["--batch", "0"], "not a positive whole number"),
        (["--methods", "grid"], "is no method; use one of"),
        (["--methods", "turbo@initial=1"], "only warpfront and warpfront-paper take other"),
        (["--methods", "warpfront@startz=1"], "startz"),
        (["--methods", "warpfront@initial=0"], "at least 1"),
        (["--methods", "warpfront@initial"], "write a change as name=value"),
    ],
)
def test_bad_options_are_named(arguments, says, capsys):
    with pytest.raises(SystemExit):
        command.main(["run", *arguments])
    assert says in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "what"), [([], "--batch 8"), (["--batch", "1", "--methods", "pysot"], "pysot")]
)
def test_workers_need_single_suggestions_and_a_method_that_knows_pending_points(
    arguments, what, capsys, tmp_path
):
    assert command.main(["run", "--workers", "2", *arguments, "--runs", str(tmp_path)]) == 2
    assert f"--workers 2 does not go with {what}" in capsys.readouterr().err


def test_a_broken_record_is_named(tmp_path, capsys):
    path = Key("kNN_wine_acc", "random", 0, 8, 16).path(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    with pytest.raises(ValueError, match=r"kNN_wine_acc-0\.json is no record"):
        records.read(path)
    tasks = ["--tasks", "kNN_wine_acc", "--methods", "random", "--seeds", "0"]
    assert command.main(["run", *tasks, "--runs", str(tmp_path)]) == 1
    assert "kNN_wine_acc-0.json is no record" in capsys.readouterr().err
