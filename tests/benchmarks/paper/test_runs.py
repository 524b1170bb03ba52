"""The items that make runs: one query at a time, and the ablation."""

from __future__ import annotations

import pytest

from benchmarks import __main__ as command
from benchmarks import records
from benchmarks.ablation import PAPER, Effect, Worth
from benchmarks.paper import ablation, sequential
from benchmarks.paper.page import QUOTED
from benchmarks.records import Evaluated, Key, Record, Round
from benchmarks.report.bootstrap import Estimate
from tests.benchmarks.test_report import final, gather


def test_one_query_at_a_time(all_here, tmp_path, capsys):
    arguments = (
        "paper sequential --tasks kNN_wine_acc --methods warpfront turbo --rounds 5 --jobs 1"
    )
    where = ["--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "out")]
    assert command.main([*arguments.split(), *where]) == 0
    assert "2 runs, 2 of them to do" in capsys.readouterr().err
    page = (tmp_path / "out" / "sequential.md").read_text(encoding="utf-8")
    assert "5 rounds of 1, 1 of 108 tasks, 2 runs" in page
    row = next(line for line in page.splitlines() if line.startswith("| TuRBO | 1 × 1 |"))
    assert "[–]" in row  # one run has no interval
    assert "--tasks kNN_wine_acc --methods warpfront turbo --rounds 5" in page
    assert command.main([*arguments.split(), *where]) == 0
    assert "2 runs, 0 of them to do" in capsys.readouterr().err


def test_a_run_that_ended_with_an_error_is_done_again_when_told(all_here, tmp_path, capsys):
    key = Key("kNN_wine_acc", "random", 0, batch=1, rounds=2)
    records.write(Record(key, (), (), "died"), tmp_path / "runs")
    arguments = ["paper", "sequential", "--tasks", "kNN_wine_acc", "--methods", "random"]
    arguments += ["--rounds", "2", "--jobs", "1"]
    where = ["--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "out")]
    assert command.main([*arguments, *where]) == 0
    assert "1 runs, 0 of them to do" in capsys.readouterr().err
    assert command.main([*arguments, *where, "--again"]) == 0
    assert "1 runs, 1 of them to do" in capsys.readouterr().err


def test_the_small_size_has_the_papers_two_asynchronous_methods():
    assert {"bohb", "dragonfly"} < set(sequential.SMALL_METHODS)
    assert set(sequential.SMALL_METHODS) <= set(sequential.FULL_METHODS)
    assert str(sequential.DESIGN) == "1x100"


def effect(change, tasks):
    return Effect(Estimate(change, change, change), None, better=0, worse=0, tasks=tasks)


def worth(component, removed, added, tasks=5):
    return Worth(component, effect(removed, tasks), effect(added, tasks))


def test_components_in_the_order_of_their_worth():
    found = [worth("ensemble", -3.0, 1.0), worth("input warp", 2.0, 5.0), worth("x", -9.0, -1.0)]
    _, paper, removed, added = ablation.orders([*found, Worth("none", None, None)])
    assert paper[1] == "output warp, ensemble, input warp, robustness"
    assert removed[1] == "x, ensemble, input warp"
    assert added[1] == "input warp, ensemble, x"


def test_few_tasks_have_no_order():
    found = [worth(name, -1.0, 1.0, tasks=4) for name in ("ensemble", "input warp")]
    assert [line[0] for line in ablation.orders(found)] == ["most important first", "the paper"]


def test_the_page_of_the_ablation(tmp_path):
    part = "output warp"
    losses = {PAPER.whole: 0.1, PAPER.without(part): 0.4}
    losses |= {PAPER.with_only(part): 0.5, PAPER.base: 0.7}
    found = [final(name, task, 0, loss) for name, loss in losses.items() for task in "abcde"]
    scored = gather(found, tasks=tuple("abcde"), methods=tuple(losses))
    findings = ablation.describe(scored, tmp_path)
    assert (
        "| output warp | -30.00 [-30.00, -30.00] | -15.00 [-15.00, -15.00] | 5, 0 | +20.00 ["
        in (findings.brief)
    )
    assert "| ours, removed from the whole | output warp |" in findings.brief
    sheet = (tmp_path / "ablation.csv").read_text(encoding="utf-8").splitlines()
    assert sheet[1] == "output warp,-30,-30,-30,-15,0,5,20,20,20,10,5,0,5"
    assert sheet[2] == f"ensemble{',' * 13}0"
    assert (tmp_path / "ablation.png").read_bytes().startswith(b"\x89PNG")


def test_the_ablation_at_its_smallest(tmp_path, capsys):
    # All runs have their records: to make them is the runner's part, tested elsewhere.
    for method in PAPER.methods:
        trials = (Evaluated({}, -0.9 if method == PAPER.whole else -0.8),) * 8
        key = Key("kNN_wine_acc", method, 0, batch=8, rounds=1)
        records.write(Record(key, trials, (Round(0.1, 0.1),)), tmp_path / "runs")
    arguments = "paper ablation --tasks kNN_wine_acc --rounds 1 --jobs 1"
    where = ["--runs", str(tmp_path / "runs"), "--output", str(tmp_path / "out")]
    assert command.main([*arguments.split(), *where]) == 0
    assert "11 runs, 0 of them to do" in capsys.readouterr().err
    page = (tmp_path / "out" / "ablation.md").read_text(encoding="utf-8")
    assert "1 rounds of 8, 1 of 108 tasks, 11 runs" in page
    removed = [
        line.split("|")[2].split()[0] for line in page.splitlines() if line.endswith(", 0 | 1 |")
    ]
    assert len(removed) == 4
    assert all(float(value) < 0.0 for value in removed)


def test_every_item_is_quoted_and_every_quoted_one_is_an_item(capsys):
    with pytest.raises(SystemExit):
        command.main(["paper", "--help"])
    listed = capsys.readouterr().out
    assert all(f"    {item}" in listed for item in (*QUOTED, "page"))
