"""GP-Hedge beside its arms: the differences by hand, the sentence, and which runs are made."""

from __future__ import annotations

import csv

import pytest

from benchmarks import __main__ as command
from benchmarks.methods import registry
from benchmarks.paper import acquisitions
from benchmarks.paper.acquisitions import ARMS, BATCHES, ENSEMBLE, HEDGE, OURS, THEIRS, describe
from benchmarks.run import command as run
from tests.benchmarks.paper.test_sixteen_by_eight import record
from tests.benchmarks.test_report import final, gather

TASKS = tuple("abcde")
LOSS = {HEDGE: 0.2, ENSEMBLE: 0.1, **dict(zip(ARMS, (0.3, 0.1, 0.2), strict=True))}


def made(losses, tasks=TASKS):
    runs = [final(name, task, 0, loss) for name, loss in losses.items() for task in tasks]
    return gather(runs, tasks=tasks, methods=tuple(losses))


@pytest.mark.parametrize("method", [*OURS, *THEIRS])
def test_every_line_is_a_method_that_can_be_run(method):
    assert registry.find(method).name == method


def test_the_arms_are_those_of_the_hedge():
    kinds = [registry.PRESETS["warpfront-paper"].acquisition]
    kinds += [name.partition("acquisition=")[2] for name in (*ARMS, *BATCHES)]
    assert kinds == ["ensemble", "ei", "pi", "lcb", "qei", "qpi", "qucb"]


def test_the_differences_by_hand(tmp_path):
    findings = describe([made(LOSS)], tmp_path)
    lines = {line.split("|")[1].strip(): line for line in findings.brief.splitlines()[2:7]}
    assert "| +10.00 [+10.00, +10.00] | 5, 0 | +20.00 [+20.00, +20.00] |" in lines["EI"]
    assert "| -10.00 [-10.00, -10.00] | 0, 5 | +0.00" in lines["PI"]
    assert "| – | – | +10.00 [+10.00, +10.00] |" in lines["**GP-Hedge**"]
    assert (
        "warpfront (paper): the mean score of GP-Hedge is number 2 of 4, level with 1 of its arms; "
        "the 95 % interval of its difference excludes zero (above EI, below PI)."
    ) in findings.brief
    with (tmp_path / "acquisitions.csv").open(encoding="utf-8") as stream:
        rows = {row["method"]: row for row in csv.DictReader(stream)}
    assert float(rows["EI"]["hedge_minus_it"]) == pytest.approx(10.0)
    assert rows["GP-Hedge"]["hedge_minus_it"] == rows["ensemble"]["ensemble_minus_it"] == ""


def test_few_tasks_prove_nothing(tmp_path):
    findings = describe([made(LOSS, TASKS[:2])], tmp_path)
    assert "number 2 of 4, level with 1 of its arms; the interval of" in findings.brief


def test_other_families_and_seeds_stand_in_tables_of_their_own(tmp_path):
    theirs = made(dict(zip(THEIRS, (0.4, 0.3, 0.2, 0.1), strict=True)))
    brief = describe([made(LOSS), theirs], tmp_path).brief
    ours, skopt = brief.split("| SkOpt |")
    assert "ensemble minus it" in ours
    assert "ensemble minus it" not in skopt
    assert "SkOpt: the mean score of GP-Hedge is number 4 of 4" in skopt


@pytest.mark.parametrize(
    ("words", "asked"),
    [("", {5: 1, 3: 1}), ("--seeds 3 --batch-seeds 2 --skopt-seeds 1", {5: 3, 3: 2, 4: 1})],
)
def test_the_command_makes_each_family_with_its_seeds(tmp_path, monkeypatch, words, asked):
    found = {}

    def execute(options):
        (seeds,) = options.seeds
        found[len(options.methods)] = len(seeds)
        for task in options.tasks:
            for name in options.methods:
                run.records.write(record(task, name, -0.9), options.runs)

    monkeypatch.setattr(run, "execute", execute)
    where = ["--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "out")]
    where += ["--archive", str(tmp_path / "archive"), "--jobs", "1"]
    assert command.main(["paper", "acquisitions", *words.split(), *where]) == 0
    assert found == asked
    page = (tmp_path / "out" / "acquisitions.md").read_text(encoding="utf-8")
    assert ("SkOpt |" in page) == bool(words)
    assert f"--tasks {acquisitions.SMALL_TASKS[0]} --seeds" in page
