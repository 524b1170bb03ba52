"""The items that read records: tables and pictures from records made by hand.

Every reference has best 0 and clip 1, so that a loss of 0.1 is a score of 90.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import records, score
from benchmarks.archive.digest import Digest, Improvement
from benchmarks.methods.registry import find
from benchmarks.paper import best_counts, grid, sixteen_by_eight, summary
from benchmarks.paper.printed import HEBO, SUMMARY
from benchmarks.records import Evaluated, Key, Record, Round
from benchmarks.report.results import collect
from benchmarks.run import command as run
from tests.benchmarks.test_report import final, gather, reference

TASKS = ("DT_iris_acc", "DT_iris_nll")

LOSSES = {
    "warpfront-paper": (0.1, 0.3),
    "warpfront": (0.2, 0.0),
    "pysot": (0.3, 0.2),
    "turbo": (0.1, 0.4),
    "skopt": (0.0,),  # lacks a task
}


def results():
    found = [
        final(method, task, seed, loss)
        for method, losses in LOSSES.items()
        for task, loss in zip(TASKS, losses, strict=False)
        for seed in (0, 1)
    ]
    return gather(found, tasks=TASKS)


def own_rows(made):
    return summary.rows(made, lambda run: run.score, made.random[:, -1])


class TestSummary:
    def test_each_method_of_the_paper_is_followed_by_ours(self):
        names = [(row.method, row.is_paper) for row in own_rows(results())]
        assert names[:5] == [
            (HEBO, True),
            ("warpfront-paper", False),
            ("warpfront", False),
            ("pysot", True),
            ("pysot", False),
        ]
        assert ("skopt", False) not in names  # it lacks a task
        assert names[-2:] == [("random", True), ("random", False)]

    def test_the_numbers_by_hand(self):
        made = results()
        rows = {(row.method, row.is_paper): row for row in own_rows(made)}
        ours = rows["warpfront-paper", False]
        assert ours.scores.mean == pytest.approx(80.0)
        assert ours.scores.median == pytest.approx(80.0)
        assert ours.scores.std == pytest.approx(np.std([90, 90, 70, 70], ddof=1))
        assert ours.scores.centiles[3] == pytest.approx(np.percentile([90, 90, 70, 70], 5))
        assert ours.extent == "2 × 2"
        chance = float(score.random_curve(reference("a"), 4)[-1])
        assert ours.gain == pytest.approx(80.0 / chance - 1.0)
        assert rows[HEBO, True].gain == pytest.approx(100.12 / 92.0 - 1.0)
        assert rows["random", False].scores.mean == pytest.approx(chance)

    def test_the_page_says_who_is_left_out(self, tmp_path):
        findings = summary.report(results(), tmp_path)
        assert (
            "Left out, for want of runs on all these tasks: warpfront 0.1, HEBO 0.3.6, HyperOpt"
            in (findings.brief)
        )
        assert "| **HEBO** | the paper: 108 × 20 | 100.12 | 8.70 | 100.01 |" in findings.brief
        assert "| ours: pySOT | 2 × 2 | 75.00 |" in findings.brief
        with (tmp_path / "summary.csv").open(encoding="utf-8") as stream:
            rows = list(csv.DictReader(stream))
        assert len(rows) == len(SUMMARY) + 5  # four methods of ours, and expected random search
        assert (tmp_path / "summary.png").read_bytes().startswith(b"\x89PNG")

    def test_the_lead_over_the_best_other_method(self):
        paper, ours, default, *turbo = summary.leads(results()).splitlines()
        assert paper.endswith("the best other method, pySOT, by 1.94")
        # pySOT and TuRBO have 75 both, our HEBOs 80 and 90.
        assert ours.startswith(
            "- ours: warpfront (paper) minus the best other method, pySOT: +5.00"
        )
        assert ": +15.00 [" in default
        assert "(paired, 2 tasks)" in default
        assert turbo[0] == "- the paper: HEBO minus TuRBO: +2.17"
        assert turbo[1].startswith("- ours: warpfront (paper) minus TuRBO: +5.00 [")
        assert turbo[-1] == "- the paper: TuRBO+ minus TuRBO: -2.66"
        alone = gather([final("warpfront", task, 0, 0.1) for task in TASKS], tasks=TASKS)
        assert all("the paper: " in line for line in summary.leads(alone).splitlines())

    def test_the_kits_values_follow_where_they_are_known(self, tmp_path):
        references = {task: reference(task) for task in TASKS}
        kit = {
            task: score.Reference(task, best=0.0, clip=2.0, pool=reference(task).pool)
            for task in TASKS
        }
        found = [Digest.of(final("pysot", task, 0, 0.2)) for task in TASKS]
        made = collect(found, results().design, references, kit)
        findings = summary.report(made, tmp_path)
        own, theirs = findings.brief.split("On the challenge's scale")
        assert "| ours: pySOT | 2 × 1 | 80.00 |" in own
        assert "| ours: pySOT | 2 × 1 | 90.00 |" in theirs
        assert "WARPFRONT_BAYESMARK_KIT=FILE" in theirs
        assert "pysot,2 × 1,90" in (tmp_path / "summary-kit.csv").read_text(encoding="utf-8")

    def test_without_the_kit_there_is_one_table(self, tmp_path):
        findings = summary.report(results(), tmp_path)
        assert "challenge's scale" not in findings.brief
        assert not (tmp_path / "summary-kit.csv").exists()


class TestBestCounts:
    def test_one_hebo_runs_in_each_race(self):
        made = results()
        race = best_counts.race(made, "warpfront-paper")
        assert race.winners == {
            "DT_iris_acc": ["warpfront-paper", "turbo"],  # skopt lacks a task, so it is out
            "DT_iris_nll": ["pysot"],
        }
        assert race.won["warpfront-paper"] == (1, 0)
        assert race.won["pysot"] == (1, 1)
        assert race.won["turbo"] == (1, 0)
        other = best_counts.race(made, "warpfront")
        assert other.winners == {"DT_iris_acc": ["turbo"], "DT_iris_nll": ["warpfront"]}

    def test_the_table_beside_the_papers(self, tmp_path):
        findings = best_counts.report(results(), tmp_path)
        lines = findings.brief.splitlines()
        assert lines[0].count("HEBO is") == 2
        # The captions give both tasks to somebody; here 1 of 2 to each HEBO.
        hebo = next(line for line in lines if line.startswith("| HEBO "))
        assert hebo.startswith("| HEBO | 71, 66% |")
        assert hebo.endswith("| 1, 50% (0) | 1, 50% (1) |")
        assert "| SkOpt | 5, 5% | 1, 50% | – | – |" in lines  # its captions say so
        sheet = (tmp_path / "best-counts.csv").read_text(encoding="utf-8").splitlines()
        assert sheet[0] == "task,paper,with_warpfront-paper,with_warpfront"
        assert sheet[2].endswith(",pysot,warpfront")

    def test_without_hebo_there_is_no_race(self, tmp_path):
        made = gather([final("pysot", task, 0, 0.1) for task in TASKS], tasks=TASKS)
        with pytest.raises(ValueError, match="none of warpfront-paper, warpfront, "):
            best_counts.report(made, tmp_path)


class TestGrid:
    def test_a_panel_is_the_mean_over_both_metrics(self):
        made = grid.over_metrics(results())
        assert made.tasks == ("DT_iris",)
        runs = made.runs["warpfront"]
        assert [run.key.seed for run in runs] == [0, 1]
        assert runs[0].score == runs[0].curve[-1] == pytest.approx(90.0)  # 80 and 100
        assert "skopt" not in made.runs  # it has one of the two metrics only

    def test_where_only_the_end_is_known_a_panel_has_no_curve(self, tmp_path):
        whole = [final("warpfront", task, 0, 0.1) for task in TASKS]
        ends = [
            replace(
                Digest.of(final("turbo", task, 0, loss)),
                improvements=(Improvement(None, loss, None),),
            )
            for task, loss in zip(TASKS, (0.2, 0.4), strict=True)
        ]
        made = gather([*whole, *ends], tasks=TASKS)
        (run,) = grid.over_metrics(made).runs["turbo"]
        assert run.curve is None
        assert run.score == pytest.approx(70.0)
        findings = grid.report(made, tmp_path)
        assert "| TuRBO | 70.00 | 0 |" in findings.brief
        assert "Only the end is known of the runs of TuRBO:" in findings.brief

    def test_36_panels_spread_evenly(self):
        names = tuple(f"task {i}" for i in range(54))
        made = gather([final("pysot", name, 0, 0.1) for name in names], tasks=names)
        shown = grid.choose(made)
        assert len(shown.tasks) == len(shown.random) == 36
        assert (shown.tasks[0], shown.tasks[-1]) == ("task 0", "task 53")
        assert len(shown.runs["pysot"]) == 36

    def test_the_page(self, tmp_path):
        findings = grid.report(results(), tmp_path)
        assert "| warpfront | 90.00 | 1 |" in findings.brief
        assert "1 panels" in findings.size
        assert (tmp_path / "grid.png").read_bytes().startswith(b"\x89PNG")


def record(task, method, loss):
    trials = (Evaluated({}, loss),) * 128
    return Record(Key(task, method, 0, 8, 16), trials, (Round(0.1, 0.1),) * 16)


@pytest.fixture
def made(monkeypatch):
    """Runs are made up, not made: how many were asked for, by command."""
    asked = []

    def execute(options):
        keys = list(product(options.tasks, options.methods, *options.seeds))
        asked.append(len(keys))
        for task, method, seed in keys:
            assert (options.batch, options.rounds, seed) == (8, 16, 0)
            records.write(record(task, method, score.load_reference(task).best), options.runs)

    monkeypatch.setattr(run, "execute", execute)
    return asked


@pytest.mark.parametrize("item", ["summary", "best-counts", "grid"])
def test_the_small_size_makes_its_runs(item, tmp_path, made, request):
    where = ["--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "out")]
    where += ["--archive", str(tmp_path / "archive")]
    assert command.main(["paper", item, *where, "--jobs", "1"]) == 0
    assert made == [9]
    page = (tmp_path / "out" / f"{item}.md").read_text(encoding="utf-8")
    assert "16 rounds of 8, 3 of 108 tasks, 9 runs" in page
    assert f"`python -m benchmarks paper {item}`" in page
    request.getfixturevalue("undrawn")
    command.main(["paper", item, *where, "--tier", "medium"])
    assert made == [9]  # of a tier the records are read, and nothing is run


@pytest.mark.parametrize("name", sixteen_by_eight.SMALL_METHODS)
def test_the_small_size_needs_no_environment(name):
    assert find(name).environment is None


@pytest.mark.parametrize("item", ["summary", "best-counts", "grid"])
def test_a_task_that_is_none_of_the_paper_is_named(item, tmp_path, capsys):
    with pytest.raises(SystemExit):
        command.main(["paper", item, "--tasks", "branin", "--output", str(tmp_path)])
    assert "argument --tasks: invalid choice: 'branin'" in capsys.readouterr().err


@pytest.mark.parametrize("item", ["summary", "best-counts", "grid"])
def test_the_commands_read_a_folder_of_records(item, tmp_path, capsys):
    runs, out = tmp_path / "runs", tmp_path / "out"
    arguments = ["paper", item, "--tasks", "DT_iris_nll", "--runs", str(runs), "--output", str(out)]
    arguments += ["--archive", str(tmp_path / "archive")]
    assert command.main(arguments) == 1
    assert "no run of design 8x16" in capsys.readouterr().err
    best = score.load_reference("DT_iris_nll").best
    for method, loss in (("warpfront-paper", best), ("turbo", best + 1.0)):
        records.write(record("DT_iris_nll", method, loss), runs)
    assert command.main(arguments) == 0
    page = (out / f"{item}.md").read_text(encoding="utf-8")
    assert f"`python -m benchmarks paper {item} --tasks DT_iris_nll`" in page
    assert "16 rounds of 8, 1 of 108 tasks, 2 runs" in page
    assert "TuRBO" in page
