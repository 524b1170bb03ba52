"""Runs on problems: records, the archive, the report and the command line."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest

from benchmarks.__main__ import main
from benchmarks.problems import command, methods, records
from benchmarks.problems.perform import Runs
from benchmarks.problems.records import Digest, Record
from benchmarks.problems.registry import find
from benchmarks.problems.served import Run, Served
from benchmarks.records import Design, Key, Round
from tests.benchmarks.conftest import Here

SMALL = ["--rounds", "3", "--batch", "4"]


@pytest.fixture
def words(tmp_path, monkeypatch):
    """The options that keep a command within its folder, and its runs within this process."""

    @contextmanager
    def pool(jobs):
        yield Here()

    monkeypatch.setattr(command, "one_thread_pool", pool)
    return [*SMALL, "--runs", str(tmp_path / "runs"), "--archive", str(tmp_path / "archive")]


def record(seed=0, method="random", problem="gardner-waves", losses=(1.0, 0.5), error=None):
    outcomes = tuple({"loss": loss, "c": 0.0} for loss in losses)
    timings = tuple(Round(0.1, 0.1, 0.2, 0.2) for _ in losses)
    configs = tuple({"x": 1.0, "y": 1.0} for _ in losses)
    key = Key(problem, method, seed, 1, len(losses))
    return Record(key, configs, outcomes, timings, error, {"revision": "abc"})


def test_a_record_is_read_as_it_was_written(tmp_path):
    written = record()
    assert Record.read(written.write(tmp_path)) == written
    assert list(records.recorded(tmp_path, Design(1, 2))) == [written]


def test_a_broken_record_is_named(tmp_path):
    path = record().write(tmp_path)
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match="gardner-waves-0"):
        Record.read(path)


def test_the_archive_keeps_whole_runs(tmp_path):
    problem = find("gardner-waves")
    whole = Digest.of(record(), problem)
    assert whole.levels == (1.0, 0.5)
    assert whole.cpu == (0.3, 0.3)
    assert whole.feasible_from == 1
    assert records.archive([whole], tmp_path) == 1
    assert records.archive([whole], tmp_path) == 0
    early = Digest.of(record(losses=(2.0, 2.0), error="it died"), problem)
    assert records.archive([early], tmp_path) == 0
    assert list(records.archived(tmp_path, Design(1, 2))) == [whole]
    other = Digest.of(record(seed=1), problem)
    assert records.archive([other], tmp_path) == 1
    assert [run.key.seed for run in records.archived(tmp_path, Design(1, 2))] == [0, 1]


def test_runs_are_made_resumed_archived_and_reported(words, tmp_path, capsys):
    some = ["--problems", "gardner-waves", "zdt1", *words]
    run = ["problems", "run", "--methods", "warpfront", "random", "--seeds", "0", *some]
    assert main(run) == 0
    assert "4 runs, 4 of them to do" in capsys.readouterr().err
    assert main(run) == 0
    assert "4 runs, 0 of them to do" in capsys.readouterr().err
    assert main(["problems", "archive", *some]) == 0
    assert "4 runs added" in capsys.readouterr().out
    assert main(["problems", "report", *some]) == 0
    shown = capsys.readouterr().out
    assert "# constrained, 3 rounds of 4" in shown
    assert "# several, 3 rounds of 4" in shown
    assert "| random search | 1 × 1 |" in shown
    # The archive is enough: for a report, and not to repeat a run.
    assert main([*run[:-3], str(tmp_path / "none"), *run[-2:]]) == 0
    assert "4 runs, 0 of them to do" in capsys.readouterr().err


def test_the_same_seed_gives_the_same_run(tmp_path):
    key = Key("hartmann-ball", "warpfront", 3, 4, 3)
    found = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        assert Runs(folder, 300.0).perform(key).error is None
        found.append(Record.read(key.path(folder)))
    assert found[0].configs == found[1].configs
    assert len(found[0].configs) == 12


def test_a_method_that_takes_too_long_ends_its_own_run_only(tmp_path):
    key = Key("gardner-waves", "random", 0, 4, 3)
    result = Runs(tmp_path, 1e-6).perform(key)
    assert "given up" in result.error
    assert Record.read(key.path(tmp_path)).error == result.error


def test_a_report_of_nothing_is_an_error(words, capsys):
    assert main(["problems", "report", *words]) == 1
    assert "problems run" in capsys.readouterr().err


def test_problems_are_listed(capsys):
    assert main(["problems", "list", "--family", "constrained", "--part", "tuning"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 5


def test_adapters_are_told_what_packages_minimise():
    goals = [goal.to_dict() for goal in find("hartmann-ball").goals]
    run = Run((), {}, goals, 0, 4, 25)
    assert run.minimised({"yield": 2.0, "norm": 1.5}) == [-2.0]
    assert run.violations({"yield": 2.0, "norm": 1.5}) == [0.5]


def test_requests_are_answered_in_json():
    class Adapter:
        def __init__(self, run):
            self.run = run

        def ask(self, n):
            return [{"x": 0.5}] * n

        def tell(self, configs, outcomes):
            assert outcomes == [{"loss": 1.0}, None]

    served = Served(Adapter, ("numpy",))
    with pytest.raises(RuntimeError, match="send start first"):
        served.ask({"n": 1})
    space = find("gardner-waves").space.to_dict()
    served.start({"space": space, "goals": [], "seed": 0, "batch": 2, "rounds": 1})
    assert len(served.ask({"n": 2})["configs"]) == 2
    json.dumps(served.tell({"configs": [{}, {}], "outcomes": [{"loss": 1.0}, None]}))
    assert "numpy" in served.describe({})["versions"]


def test_methods_are_found_with_their_settings():
    assert methods.find("warpfront@initial=8").label == "warpfront, initial=8"
    for name in ("sphere", "random@initial=8", "warpfront@initial=x"):
        with pytest.raises(KeyError):
            methods.find(name)


PACKAGES = [
    (name, problem)
    for name, method in methods.METHODS.items()
    if method.environment is not None
    for problem in ("cantilevers", "disc-brake", "tree")
    if methods.can_do(name, find(problem).family)
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "problem"), PACKAGES)
def test_packages_propose_configurations_of_the_space(name, problem, tmp_path):
    if not methods.find(name).environment.is_complete():
        pytest.skip("its environment is not made; see benchmarks/methods/environments")
    result = Runs(tmp_path, 600.0).perform(Key(problem, name, 0, 4, 5))
    assert result.error is None
