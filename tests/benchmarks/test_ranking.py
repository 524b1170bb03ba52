"""The ranking of methods, from runs made by hand.

Every reference has best 0 and clip 1, so that a loss of 0.1 is a score of 90.
"""

from __future__ import annotations

import argparse
import csv
import math

import numpy as np
import pytest

from benchmarks import records, score
from benchmarks.archive.digest import Digest
from benchmarks.records import Design, Evaluated, Key, Recommended, Record, Round
from benchmarks.report import command, ranking, ranking_page
from benchmarks.report.bootstrap import FEWEST
from benchmarks.report.ranking import REGRET_FLOOR, Choice, Measure
from benchmarks.report.results import collect
from benchmarks.score import Reference
from benchmarks.tasks.registry import SETS

DESIGN = Design(2, 2)
TABLES = ("hpobench_car", "hpobench_kc1")


def run(method, task, seed, truth, recommended=None, *, error=None, loss=None):
    """A run that finds `truth` in its third evaluation, with a smaller loss."""
    losses = [1.0, 2.0, truth - 0.5 if loss is None else loss, 1.5]
    trials = tuple(
        Evaluated({}, loss, held_out=truth if i == 2 else 3.0 if i == 0 else None)
        for i, loss in enumerate(losses)
    )
    advice = (
        () if recommended is None else (Recommended(2, {}, 9.0), Recommended(4, {}, recommended))
    )
    key = Key(task, method, seed, DESIGN.batch, DESIGN.rounds)
    return Record(key, trials, (Round(0.2, 0.2), Round(0.4, 0.4)), error, {}, advice)


def reference(task):
    return Reference(task, best=0.0, clip=1.0, pool=())


def gather(found, tasks=TABLES, methods=None):
    references = {task: reference(task) for task in tasks}
    return collect(map(Digest.of, found), DESIGN, references, {}, methods)


def by_method(results, against="warpfront", choice=Choice.LUCKIEST):
    return {row.method: row for row in ranking.rows(results, against, choice)}


# Scores on the first table: warpfront 90 and 70, pySOT 80, random 80 and 10.
ONE = [
    run("warpfront", TABLES[0], 0, 0.1, 0.3),
    run("warpfront", TABLES[0], 1, 0.3, 0.3),
    run("pysot", TABLES[0], 0, 0.2, 0.2),
    run("random", TABLES[0], 0, 0.2, 0.2),
    run("random", TABLES[0], 1, 0.9, 0.9),
]


def test_ranks_by_hand():
    rows = by_method(gather(ONE, TABLES[:1]))
    # pySOT beats one of two runs of warpfront; random ties with pySOT once and loses once.
    assert rows["warpfront"].rank.value == pytest.approx(1 + 1 / 2 + 1 / 4)
    assert rows["pysot"].rank.value == pytest.approx(1 + 1 / 2 + 1 / 4)
    assert rows["random"].rank.value == pytest.approx(1 + 3 / 4 + 3 / 4)
    assert sum(row.rank.value for row in rows.values()) == pytest.approx(1 + 2 + 3)


def test_the_number_of_seeds_does_not_change_a_rank():
    more = [run("pysot", TABLES[0], seed, 0.2, 0.2) for seed in range(1, 5)]
    before, after = (by_method(gather(found, TABLES[:1])) for found in (ONE, ONE + more))
    assert {name: row.rank for name, row in before.items()} == {
        name: row.rank for name, row in after.items()
    }


def test_differences_are_paired_by_task():
    found = [*ONE, run("warpfront", TABLES[1], 0, 0.5), run("pysot", TABLES[1], 0, 0.1)]
    rows = by_method(gather(found))
    assert rows["warpfront"].difference is None
    assert rows["pysot"].difference.value == pytest.approx((0.0 + 40.0) / 2)
    assert rows["pysot"].common == 2
    assert rows["random"].difference.value == pytest.approx(45.0 - 80.0)
    assert rows["random"].common == 1
    assert by_method(gather(found), "pysot")["warpfront"].difference.value == pytest.approx(-20.0)


def test_a_method_that_lacks_a_task_has_no_rank_and_takes_none_from_others():
    found = [*ONE, run("warpfront", TABLES[1], 0, 0.5), run("pysot", TABLES[1], 0, 0.6)]
    results = gather(found)
    rows = ranking.rows(results, "warpfront")
    assert [row.method for row in rows] == ["warpfront", "pysot", "random"]
    assert rows[-1].rank is None
    assert rows[0].rank.value == pytest.approx((1.5 + 1.0) / 2)


def test_recommendations_are_ranked_by_their_own_truth():
    results = gather(ONE, TABLES[:1])
    assert ranking.choices(results) == (Choice.LUCKIEST, Choice.RECOMMENDED)
    rows = by_method(results, choice=Choice.RECOMMENDED)
    assert rows["warpfront"].mean.value == pytest.approx(70.0)
    assert rows["pysot"].rank.value == pytest.approx(1 + 0 + 1 / 4)


def test_old_runs_have_no_recommendation_and_new_ones_keep_theirs():
    results = gather([*ONE, run("turbo", TABLES[0], 0, 0.0)], TABLES[:1])
    assert "turbo" in by_method(results)
    assert "turbo" not in by_method(results, choice=Choice.RECOMMENDED)


def test_a_run_that_broke_off_counts_with_what_it_had():
    broken = run("turbo", TABLES[0], 0, 0.25, error="died")
    rows = by_method(gather([*ONE, broken], TABLES[:1]), choice=Choice.RECOMMENDED)
    assert rows["turbo"].mean.value == pytest.approx(75.0)
    assert rows["turbo"].early == 1


def test_regrets_are_compared_by_their_logarithms_down_to_a_floor():
    # The functions' own minimum, not the reference's, is what regret is measured from.
    branin = score.load_reference("branin").best
    found = [run("warpfront", "branin", 0, branin + 0.1), run("pysot", "branin", 0, branin + 1e-9)]
    found += [run("turbo", "branin", 0, branin)]
    results = gather(found, ("branin",))
    assert ranking.measure_of(results.tasks) is Measure.LOG_REGRET
    rows = by_method(results)
    assert rows["warpfront"].mean.value == pytest.approx(-1.0)
    assert rows["pysot"].mean.value == math.log10(REGRET_FLOOR)
    assert rows["pysot"].rank.value == rows["turbo"].rank.value == 1.5
    assert rows["warpfront"].rank.value == 3.0


def test_a_run_that_found_nothing_counts_as_a_median_draw():
    key = Key("branin", "turbo", 0, DESIGN.batch, DESIGN.rounds)
    nothing = Record(key, (), (), "died")
    rows = by_method(gather([nothing, *[run("pysot", "branin", 0, 1.0)]], ("branin",)))
    assert rows["turbo"].mean.value == math.log10(1.0)  # clip - best


@pytest.mark.parametrize("tier", ["bbob-tuning", "bbob-noisy-tuning", "mixint", "synthetic"])
def test_functions_are_compared_by_regret(tier):
    assert ranking.measure_of(SETS[tier]) is Measure.LOG_REGRET


@pytest.mark.parametrize("tier", ["tables", "quick"])
def test_other_tasks_are_compared_by_score(tier):
    assert ranking.measure_of(SETS[tier]) is Measure.SCORE


def test_there_are_intervals_from_some_tasks_on():
    tasks = SETS["tables"][:FEWEST]
    rng = np.random.default_rng(0)
    found = [
        run(method, task, seed, rng.random())
        for method in ("warpfront", "pysot")
        for task in tasks
        for seed in range(2)
    ]
    row = by_method(gather(found, tasks))["pysot"]
    for estimate in (row.rank, row.mean, row.difference):
        assert estimate.low < estimate.value < estimate.high
    assert by_method(gather(found, tasks[:-1]))["pysot"].rank.ends is None


def test_the_page_shows_both_choices_and_no_picture(tmp_path):
    brief = ranking_page.write(gather(ONE, TABLES[:1]), tmp_path, {"date": "today"}, "pysot")
    text = (tmp_path / "ranking.md").read_text(encoding="utf-8")
    assert brief.strip() in text
    assert "By the luckiest observation" in text
    assert "By the recommendation" in text
    assert "minus pySOT, paired" in text
    assert "| **pySOT** | 1 × 1 | 1.75 [–] | 80.00 [–] | – | 0 | 0.30 |" in text
    assert "![" not in text
    assert {path.name for path in tmp_path.iterdir()} == {
        "ranking.md",
        "ranking.csv",
        "ranking-runs.csv",
    }


def test_the_sheets_parse_back(tmp_path):
    ranking_page.write(gather(ONE, TABLES[:1]), tmp_path, {}, "warpfront")
    with (tmp_path / "ranking.csv").open(encoding="utf-8", newline="") as stream:
        rows = {(row["choice"], row["method"]): row for row in csv.DictReader(stream)}
    assert len(rows) == 6
    assert float(rows["luckiest observation", "pysot"]["rank"]) == 1.75
    assert rows["recommendation", "warpfront"]["difference"] == ""
    with (tmp_path / "ranking-runs.csv").open(encoding="utf-8", newline="") as stream:
        values = [float(row["value"]) for row in csv.DictReader(stream)]
    assert values == pytest.approx([90, 70, 80, 10, 80, 70, 70, 80, 10, 80])


def test_the_page_says_what_is_missing(tmp_path):
    ranking_page.write(gather(ONE, TABLES[:1]), tmp_path, {}, "turbo")
    text = (tmp_path / "ranking.md").read_text(encoding="utf-8")
    assert "There is no run of turbo, so there are no differences to it" in text


def test_the_command_ranks_public_tasks_and_any_others_when_asked(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(score, "load_reference", reference)
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    for record in [*ONE, run("warpfront", "DT_iris_nll", 0, 0.1)]:
        records.write(record, tmp_path)
    where = ["--runs", str(tmp_path), "--output", str(tmp_path), "--design", "2x2"]
    options = parser.parse_args(["--tasks", TABLES[0], *where])
    assert command.execute(options) == 0
    assert "minus warpfront, paired" in capsys.readouterr().out
    options = parser.parse_args(["--tasks", "DT_iris_nll", "--against", "turbo", *where])
    assert command.execute(options) == 0
    assert "minus TuRBO, paired" in capsys.readouterr().out
    assert "--against turbo" in command.command_line(options)
    assert not list(tmp_path.rglob("*.png"))
