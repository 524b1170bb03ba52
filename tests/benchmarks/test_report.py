"""The report of the benchmark, from records made by hand.

Every reference has best 0 and clip 1, so that a loss of 0.1 is a score of 90.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import records, score
from benchmarks.archive import store
from benchmarks.archive.digest import Digest, Improvement
from benchmarks.methods.registry import METHODS
from benchmarks.records import Design, Evaluated, Key, Record, Round
from benchmarks.report import command, page, tables
from benchmarks.report.bootstrap import FEWEST
from benchmarks.report.figures import _apart, draw_scores
from benchmarks.report.held_out import held_out
from benchmarks.report.palette import look_of
from benchmarks.report.results import collect, kit_references
from benchmarks.report.statistics import (
    EXPECTED_RANDOM,
    TIE,
    best_on,
    mean_curve,
    summaries,
    winners,
)
from benchmarks.score import Reference
from benchmarks.tasks.synthetic import SYNTHETIC

BATCH, ROUNDS = 2, 2


def reference(task):
    return Reference(task, best=0.0, clip=1.0, pool=tuple(np.linspace(0.0, 2.0, 201)))


def record(method, task, seed, losses, *, error=None, held_out=None, cpu=0.2):
    trials, best = [], math.inf
    for loss in losses:
        is_best = loss < best
        best = min(best, loss)
        failure = None if math.isfinite(loss) else "ValueError: no"
        trials.append(Evaluated({}, loss, failure, held_out if is_best else None))
    timings = tuple(Round(cpu, cpu, tell_cpu=0.1) for _ in range(len(losses) // BATCH))
    facts = {"numpy": "2.4.6", "machine": "x86_64", method: "1.0"}
    return Record(Key(task, method, seed, BATCH, ROUNDS), tuple(trials), timings, error, facts)


def final(method, task, seed, loss, **more):
    """A whole run that finds `loss` in its third evaluation."""
    return record(method, task, seed, [1.0, 2.0, loss, 1.5], **more)


def gather(found, tasks=("a", "b"), **more):
    digests = [one if isinstance(one, Digest) else Digest.of(one) for one in found]
    references = {task: reference(task) for task in tasks}
    return collect(digests, Design(BATCH, ROUNDS), references, {}, **more)


def row_of(results, label):
    return next(row for row in summaries(results) if row.label == label)


TWO = [
    *(final("warpfront", "a", seed, loss) for seed, loss in enumerate([0.1, 0.2])),
    *(final("warpfront", "b", seed, loss) for seed, loss in enumerate([0.0, 0.0])),
    *(final("pysot", "a", seed, loss) for seed, loss in enumerate([0.4, 0.1])),
    *(final("pysot", "b", seed, loss) for seed, loss in enumerate([0.0, 0.0])),
]
"""Mean scores: warpfront 85 and 100, pySOT 75 and 100."""


def test_means_differences_and_wins_by_hand():
    results = gather(TWO)
    ours, theirs = row_of(results, "warpfront"), row_of(results, "pySOT")
    assert ours.mean.value == pytest.approx(92.5)
    assert theirs.mean.value == pytest.approx(87.5)
    assert ours.std == pytest.approx(np.std([90, 80, 100, 100], ddof=1))
    assert ours.percentiles[50] == pytest.approx(95.0)
    assert ours.percentiles[20] == pytest.approx(np.percentile([90, 80, 100, 100], 20))
    assert ours.difference is None
    assert theirs.difference.value == pytest.approx(-5.0)  # (-30 + 10) / 2 on a, 0 on b
    assert theirs.difference.ends is None  # of two tasks
    assert theirs.common == 2
    assert best_on(results) == {"warpfront": (2, 1), "pysot": (1, 0)}  # b is a tie
    assert ours.cpu == pytest.approx(0.3)  # 0.2 to ask and 0.1 to tell


def test_the_winners_of_a_task_are_all_that_tie():
    assert winners(gather(TWO)) == {"a": ["warpfront"], "b": ["warpfront", "pysot"]}


def test_variants_of_warpfront_do_not_take_wins_from_each_other():
    variants = ["warpfront-paper", "warpfront@starts=1"]
    more = [final(v, task, 0, 0.0) for v in variants for task in "ab"]  # better than all on both
    everyone = ["warpfront", "pysot", *variants]
    assert best_on(gather([*TWO, *more], methods=everyone)) == {
        "warpfront": (2, 1),
        "pysot": (1, 0),
        **dict.fromkeys(variants, (2, 1)),  # pySOT is as good on b
    }


def test_without_warpfront_its_variants_take_part():
    found = [final("warpfront-paper", "a", 0, 0.0), final("pysot", "a", 0, 0.1)]
    assert best_on(gather(found, tasks=["a"])) == {"warpfront-paper": (1, 1), "pysot": (0, 0)}


def test_variants_are_shown_if_they_are_asked_for():
    digests = [*TWO, final("warpfront@starts=1", "a", 0, 0.0)]
    assert set(gather(digests).runs) == {"warpfront", "pysot"}
    assert set(gather(digests, methods=["warpfront@starts=1"]).runs) == {"warpfront@starts=1"}


def test_a_method_without_all_tasks_wins_none():
    partial = [final("turbo", "a", 0, 0.0)]  # better than both on a
    assert winners(gather([*TWO, *partial])) == winners(gather(TWO))
    assert winners(gather(partial)) == {"a": [], "b": []}
    assert best_on(gather(partial)) == {}


@pytest.mark.parametrize(("gap", "tied"), [(0.5 * TIE, True), (10.0 * TIE, False)])
def test_mean_scores_that_differ_by_rounding_tie(gap, tied):
    # A score is 100 times a loss's distance from the clip.
    found = [final("warpfront", "a", 0, 0.0), final("pysot", "a", 0, gap / 100.0)]
    assert winners(gather(found, tasks=("a",))) == {
        "a": ["warpfront", "pysot"] if tied else ["warpfront"]
    }


@pytest.mark.parametrize(("digit", "tied"), [(9, True), (8, False)])
def test_losses_that_a_sheet_prints_alike_tie(digit, tied):
    less, more = 1.0 / 3.0, 1.0 / 3.0 + 10.0**-digit
    found = [
        final("warpfront", "a", 0, less, held_out=less),
        final("pysot", "a", 0, more, held_out=more),
    ]
    results = gather(found, tasks=("a",))
    assert winners(results) == {"a": ["warpfront", "pysot"] if tied else ["warpfront"]}
    theirs = next(row for row in held_out(results) if row.method == "pysot")
    assert (theirs.equal, theirs.worse) == ((1, 0) if tied else (0, 1))


def test_differences_are_of_the_same_tasks_with_all_their_seeds():
    more = [final("warpfront", "a", 7, 0.6), final("warpfront", "c", 0, 1.0)]
    results = gather([*TWO, *more], tasks=("a", "b", "c"))
    row = row_of(results, "pySOT")
    assert row.common == 2  # c is warpfront's alone
    assert row.difference.value == pytest.approx((75 - 70 + 100 - 100) / 2)
    assert results.runs["warpfront"][2].key.seed == 7


def test_of_a_function_the_truth_counts_and_luck_with_the_noise_does_not():
    # The second evaluation is a lucky one at a worse place.
    trials = [Evaluated({}, loss, held_out=truth) for loss, truth in [(4.0, 3.0), (1.0, 5.0)]]
    lucky = Record(Key("branin", "warpfront", 0, BATCH, ROUNDS), (*trials, *trials), ())
    branin = score.load_reference("branin")
    (run,) = collect([Digest.of(lucky)], Design(BATCH, ROUNDS), {"branin": branin}, {}).runs[
        "warpfront"
    ]
    assert run.loss == 5.0
    assert run.score == run.curve[-1] == pytest.approx(score.normalised(5.0, branin))
    assert run.curve[0] == pytest.approx(score.normalised(3.0, branin))


def test_runs_of_some_seeds_can_be_chosen():
    results = gather(TWO, seeds=[1])
    assert {run.key.seed for runs in results.runs.values() for run in runs} == {1}
    assert row_of(results, "pySOT").difference.value == pytest.approx(5.0)


def test_curve_is_the_mean_over_tasks_after_each_evaluation():
    mean, _, _ = mean_curve(gather(TWO), "warpfront")
    assert mean.tolist() == pytest.approx([0.0, 0.0, 92.5, 92.5])


@pytest.mark.parametrize("tasks", ["abcd", "abcde"])
def test_a_curve_has_an_interval_if_there_are_enough_tasks(tasks, tmp_path):
    results = gather([final("turbo", task, 0, 0.1) for task in tasks], tasks=tasks)
    mean, low, high = mean_curve(results, "turbo")
    command.write(results, tmp_path, "the command")
    ends = [(row["low"], row["high"]) for row in rows(tmp_path / "curves.csv")]
    if len(tasks) < FEWEST:
        assert np.isnan([low, high]).all()
        assert set(ends) == {("", "")}
    else:
        assert np.all((low <= mean) & (mean <= high))
        assert ends[3] == ("90", "90")


def test_random_search_is_a_row_from_the_references():
    results = gather(TWO)
    row = row_of(results, EXPECTED_RANDOM)
    assert row.mean.value == pytest.approx(score.random_curve(reference("a"), 4)[-1])
    assert row.difference.value == pytest.approx(row.mean.value - 92.5)
    assert row.best_on is None
    assert "random" not in best_on(results)


def test_a_run_that_ended_early_counts_with_what_it_had_found():
    found = [*TWO, record("turbo", "a", 0, [0.3, 0.5], error="killed\nafter 5 s")]
    found += [record("turbo", "b", 0, [], error="did not start")]
    results = gather(found)
    row = row_of(results, "TuRBO")
    assert row.mean.value == pytest.approx((70 + 0) / 2)
    assert row.early == 2
    text = page.report(results, summaries(results), {})
    assert "TuRBO, 1 run ended early: killed after 5 s" in text
    assert "TuRBO, 1 run ended early: did not start" in text
    assert "70.0†" in text


def test_failed_evaluations_are_counted():
    results = gather([*TWO, record("turbo", "a", 0, [math.inf, 0.5, math.inf, 0.6])])
    row = row_of(results, "TuRBO")
    assert row.failed == 2
    assert row.early == 0
    assert row.mean.value == pytest.approx(50.0)


def test_a_method_without_all_tasks_is_shown_last_and_not_ranked():
    results = gather([*TWO, final("turbo", "a", 0, 0.0), final("turbo", "a", 1, 0.0)])
    rows = summaries(results)
    assert rows[-1].label == "TuRBO"
    assert rows[-1].mean.value == pytest.approx(100.0)
    assert rows[-1].difference.value == pytest.approx(15.0)  # task a only
    assert "turbo" not in best_on(results)
    text = page.report(results, rows, {})
    assert "| TuRBO | 1 of 2 × 2 | 100.00 [–] |" in text
    assert "TuRBO has runs on 1 of 2 tasks" in text


def test_a_baseline_without_all_tasks_is_said():
    results = gather([run for run in TWO if run.key != TWO[0].key and run.key != TWO[1].key])
    text = page.report(results, summaries(results), {})
    assert "warpfront has runs on 1 of 2 tasks: its mean is over those, and the diff" in text
    assert row_of(results, "pySOT").common == 1


def test_missing_seeds_are_said():
    results = gather([*TWO, final("warpfront", "a", 2, 0.0)])
    text = page.report(results, summaries(results), {})
    assert "| **warpfront** | 2 × 2 to 3 |" in text
    assert "warpfront lacks runs: 2 to 3 seeds a task." in text
    assert "different numbers of tasks or seeds" in text


def test_methods_that_did_not_run_are_listed_with_the_reason():
    gone = Record(Key("a", "ax", 0, BATCH, ROUNDS), (), (), "unavailable: no wheel | here")
    results = gather([*TWO, gone], methods=["warpfront", "ax", "hebo"])
    assert list(results.runs) == ["warpfront"]
    assert results.absent == {"hebo": "there is no record", "ax": "no wheel | here"}
    for text in (
        page.report(results, summaries(results), {}),
        page.summary(results, summaries(results)),
    ):
        assert "| Ax | not run: no wheel \\| here |" in text
        assert "| HEBO 0.3.6 | not run: there is no record |" in text


def test_other_designs_tasks_and_methods_are_left_out():
    others = [
        Record(Key("a", "warpfront", 9, 1, 4), (), ()),
        Record(Key("a", "warpfront", 9, BATCH, ROUNDS, workers=8), (), ()),
        final("warpfront", "c", 0, 0.0),
        final("turbo", "a", 0, 0.0),
    ]
    results = gather([*TWO, *others], methods=["pysot", "warpfront"])
    assert {name: len(runs) for name, runs in results.runs.items()} == {"warpfront": 4, "pysot": 4}


def test_a_method_unknown_to_the_registry_is_not_lost():
    results = gather([*TWO, final("newcomer", "a", 0, 0.5)])
    assert row_of(results, "newcomer").mean.value == pytest.approx(50.0)


def test_grid_has_mean_and_deviation_with_the_best_in_bold():
    head, a, b = tables.grid(gather(TWO))
    assert head == ["task", "warpfront", "pySOT", EXPECTED_RANDOM]
    assert a[:3] == ["a", "**85.0 ± 7.1**", "75.0 ± 21.2"]
    assert b[:3] == ["b", "**100.0 ± 0.0**", "**100.0 ± 0.0**"]


def test_held_out_ranks_and_duels():
    found = [
        final(method, task, 0, 0.5, held_out=value)
        for method, values in {"warpfront": (1, 5), "pysot": (2, 5), "turbo": (3, 4)}.items()
        for task, value in zip("ab", values, strict=True)
    ]
    rows = {row.method: row for row in held_out(gather(found))}
    assert [rows[m].rank.value for m in ("warpfront", "pysot", "turbo")] == [1.75, 2.25, 2.0]
    assert (rows["pysot"].better, rows["pysot"].equal, rows["pysot"].worse) == (0, 1, 1)
    assert (rows["turbo"].better, rows["turbo"].equal, rows["turbo"].worse) == (1, 0, 1)


def test_held_out_loss_is_that_of_the_last_incumbent():
    trials = (Evaluated({}, 0.5, held_out=7.0), Evaluated({}, 0.2, held_out=3.0))
    results = gather([Record(Key("a", "warpfront", 0, BATCH, ROUNDS), trials, ())])
    assert results.runs["warpfront"][0].held_out == 3.0


def test_kit_values_stand_beside_the_papers_means(tmp_path):
    kit = tmp_path / "kit.csv"
    kit.write_text("design,task,best,clip\n16-8,a,-1,1\n16-8,b,0,2\n", encoding="utf-8")
    references = {task: reference(task) for task in "ab"}
    found = []
    for task, loss in (("a", 0.5), ("b", 0.5)):
        key = Key(task, "pysot", 0, 8, 16)
        found.append(Digest.of(Record(key, (Evaluated({}, loss),), (Round(0.1, 0.1),))))
    design = Design(8, 16)
    results = collect(found, design, references, kit_references(references, design, kit))
    row = row_of(results, "pySOT")
    assert row.mean.value == pytest.approx(50.0)
    assert row.kit.value == pytest.approx((25 + 75) / 2)
    assert row.paper == 98.18
    text = page.report(results, summaries(results), {})
    assert "the challenge kit's best and clip" in text
    assert "| 98.18 |" in text


def test_kit_is_left_out_unless_it_has_every_task(tmp_path):
    kit = tmp_path / "kit.csv"
    kit.write_text("design,task,best,clip\n16-8,a,0,1\n", encoding="utf-8")
    references = {task: reference(task) for task in "ab"}
    assert kit_references(references, Design(8, 16), kit) == {}
    assert kit_references(references, Design(8, 16), tmp_path / "absent.csv") == {}
    assert "paper" not in page.report(gather(TWO), summaries(gather(TWO)), {})


def test_versions_are_named_once_where_all_agree():
    lines = page.versions(gather(TWO))
    assert lines[0] == "all: numpy 2.4.6, machine x86_64"
    assert lines[1:] == ["warpfront: warpfront 1.0", "pySOT: pysot 1.0"]


def test_revisions_of_the_runs_are_listed():
    found = [
        replace(final("warpfront", "a", seed, 0.1), facts={"revision": name})
        for seed, name in enumerate(["b2", "a1", "b2"])
    ]
    assert page.versions(gather(found)) == ["warpfront: revision a1 or b2"]


def ended(method, task, seed, loss, error=None):
    """A run of which only the end is known."""
    key = Key(task, method, seed, BATCH, ROUNDS)
    return Digest(key, 4, 1, (Improvement(None, loss, 0.5),), 0.8, error)


ENDS = [ended("turbo", task, seed, 0.3) for task in "ab" for seed in range(2)]


def test_where_only_the_end_is_known_it_is_scored():
    row = row_of(gather([*TWO, *ENDS]), "TuRBO")
    assert row.mean.value == pytest.approx(70.0)
    assert row.difference.value == pytest.approx(-22.5)
    assert row.failed == 4
    assert row.cpu == pytest.approx(0.4)  # 0.8 in two rounds
    assert row.best_on == 0
    early = gather([ended("turbo", "a", 0, 0.3, error="died")])
    assert row_of(early, "TuRBO").cpu is None  # in how many rounds is not known


def test_the_time_of_a_batch_is_a_mean_of_each_run():
    uneven = [replace(Digest.of(final("pysot", "a", s, 0.1)), cpu=(0.0, s + 1.0)) for s in range(3)]
    assert row_of(gather(uneven), "pySOT").cpu == pytest.approx(1.0)  # of 0.5, 1.0 and 1.5


def test_where_only_the_end_is_known_there_is_no_curve(tmp_path):
    results = gather([*TWO, *ENDS])
    assert list(results.with_curves().runs) == ["warpfront", "pysot"]
    assert results.complete() == ["warpfront", "turbo", "pysot"]
    command.write(results, tmp_path, "the command")
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "- Only the end is known of the runs of TuRBO: the curves leave them out" in text
    assert {row["method"] for row in rows(tmp_path / "curves.csv")} == {
        "warpfront",
        "pysot",
        "random (expected)",
    }
    costs = [row["suggestion_cpu"] for row in rows(tmp_path / "scores.csv")]
    assert costs == ["0.6"] * 4 + ["0.8"] * 4 + ["0.6"] * 4


def test_a_curve_is_of_the_runs_that_have_one():
    results = gather([*TWO, *ENDS[1:], final("turbo", "a", 0, 0.1)])
    mean, _, _ = mean_curve(results, "turbo")
    assert mean.tolist() == pytest.approx([0.0, 0.0, 90.0, 90.0])
    assert results.with_curves().complete() == ["warpfront", "pysot"]  # none on b
    assert "the runs of TuRBO (3 of 4):" in page.report(results, summaries(results), {})


def test_the_picture_of_scores_leaves_out_who_lacks_a_task(tmp_path):
    partial = [final("turbo", "a", 0, 0.1)]
    for name, found in (("without", TWO), ("with", [*TWO, *partial]), ("alone", partial)):
        results = gather(found)
        draw_scores(results, summaries(results), tmp_path / f"{name}.png")
    assert (tmp_path / "with.png").read_bytes() == (tmp_path / "without.png").read_bytes()


def test_pictures_are_drawn_without_any_curve(tmp_path):
    command.write(gather(ENDS), tmp_path, "the command")
    assert len(list(tmp_path.glob("*.png"))) == 4


def test_page_does_not_depend_on_the_order_of_the_records():
    first, second = gather(TWO), gather(TWO[::-1])
    assert page.report(first, summaries(first), {}) == page.report(second, summaries(second), {})


def test_labels_are_moved_apart_in_order_and_stay_inside():
    places = np.array([0.5, 0.98, 0.99, 0.51, 1.0])
    apart = _apart(places, gap=0.1)
    assert np.argsort(apart).tolist() == np.argsort(places).tolist()
    assert np.diff(np.sort(apart)).min() == pytest.approx(0.1)
    assert apart.max() <= 1.0
    assert apart[[0, 3]].mean() == pytest.approx(0.505)


def test_variants_of_a_method_share_its_colour_and_not_its_dashes():
    assert look_of("skopt").colour == look_of("skopt-gbrt").colour
    looks = {(look_of(method).colour, look_of(method).dashes) for method in METHODS}
    assert len(looks) == len(METHODS)


def options_of(*words):
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(words)


FUNCTIONS = ("branin", "levy6")
WORDS = ("--tasks", *FUNCTIONS, "--design", "2x2")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder of a report made by the command; pictures take long, so it is made once."""
    runs, output = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("output")
    for method, loss in (("warpfront", 0.5), ("pysot", 0.75)):
        for task in FUNCTIONS:
            for seed in range(2):
                truth = loss + 0.1 * seed
                records.write(final(method, task, seed, truth - 0.1, held_out=truth), runs)
    gone = Record(Key("branin", "ax", 0, BATCH, ROUNDS), (), (), "unavailable: no wheel")
    records.write(gone, runs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score, "load_reference", reference)
        assert (
            command.execute(options_of(*WORDS, "--runs", str(runs), "--output", str(output))) == 0
        )
    return output / "chosen-2x2"


def rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_sheets_parse_back(written):
    scores = rows(written / "scores.csv")
    assert len(scores) == 8
    assert [float(row["score"]) for row in scores[:2]] == pytest.approx([50.0, 40.0])
    assert scores[0]["task"] == "branin"
    assert scores[0]["kit_score"] == ""
    curves = rows(written / "curves.csv")
    assert len(curves) == 3 * 4
    assert float(curves[3]["mean_score"]) == pytest.approx(45.0)
    assert curves[3]["low"] == curves[3]["high"] == ""  # of two tasks
    by_method = {row["method"]: row for row in rows(written / "summary.csv")}
    assert float(by_method["pysot"]["difference"]) == pytest.approx(-25.0)
    assert by_method["warpfront"]["best_on"] == "2"
    assert by_method["ax"]["not_run"] == "no wheel"


def test_pictures_are_drawn(written):
    from matplotlib.image import imread

    for name in ("curves", "scores", "tasks", "times"):
        picture = imread(written / f"{name}.png")[:, :, :3]
        assert picture.shape[1] >= 1000
        assert 0.01 < np.mean(picture.min(axis=2) < 0.95) < 0.5, name  # ink, and paper around it


def test_page_says_how_it_was_made(written):
    text = (written / "report.md").read_text(encoding="utf-8")
    assert f"`python -m benchmarks report {' '.join(WORDS)} --runs" in text
    assert re.search(r"- date: \d{4}-\d\d-\d\d \d\d:\d\d UTC", text)
    assert "- revision of this page: " in text
    assert "| Ax | not run: no wheel |" in text
    for name in re.findall(r"\]\((.*?)\)", text):
        assert (written / name).is_file()


def test_regret_is_that_of_the_truth_at_the_incumbent(written):
    text = (written / "report.md").read_text(encoding="utf-8")
    assert "## Regret" in text
    assert "## On held-out data" not in text
    regrets = re.findall(r"\| (branin|levy6) \| \*\*(\S+)\*\* \| (\S+) \|\n", text)
    assert [task for task, *_ in regrets] == list(FUNCTIONS)
    for task, ours, theirs in regrets:
        expected = np.array([0.55, 0.8]) - SYNTHETIC[task].minimum
        assert [float(ours), float(theirs)] == pytest.approx(expected, abs=0.006)


def test_summary_is_the_compact_table(written):
    lines = (written / "summary.md").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("| method | tasks × seeds | mean score [95 %] | median | best on |")
    assert "| **warpfront** | 2 × 2 | 45.00 [–] | 45.00 | 2 | 0.30 |" in lines


def test_the_archive_gives_the_report_that_the_records_gave(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(score, "load_reference", reference)
    runs, archive = tmp_path / "runs", tmp_path / "archive"
    found = [
        final(method, task, seed, loss / 3.0, held_out=loss / 7.0, cpu=0.123456)
        for method, loss in (("warpfront", 1.0), ("pysot", 2.0))
        for task in FUNCTIONS
        for seed in range(3)
    ]
    for one in found:
        records.write(one, runs)
    where = ["--runs", str(runs), "--archive", str(archive), "--output", str(tmp_path)]
    made = command.gather(options_of(*WORDS, *where))
    store.add(map(Digest.of, found), archive)
    (tmp_path / "none").mkdir()
    where[1] = str(tmp_path / "none")
    again = command.gather(options_of(*WORDS, *where))
    assert page.report(again, summaries(again), {}) == page.report(made, summaries(made), {})
    assert "--archive" in command.command_line(options_of(*WORDS, *where))


def test_command_says_what_is_missing(tmp_path, capsys):
    assert command.execute(options_of(*WORDS, "--runs", str(tmp_path))) == 1
    assert "no run of design 2x2" in capsys.readouterr().err


def test_command_names_the_task_without_reference(tmp_path, capsys, monkeypatch):
    def missing(task):
        raise score.MissingReferenceError(f"{task} has no reference data")

    monkeypatch.setattr(score, "load_reference", missing)
    assert command.execute(options_of("--tier", "quick", "--runs", str(tmp_path))) == 1
    assert "DT_digits_nll has no reference data" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["8", "x16", "0x16", "8x", "1x8w", "1x8w0"])
def test_bad_designs_are_refused(text, capsys):
    with pytest.raises(SystemExit):
        options_of("--design", text)
    assert "write it as 8x16" in capsys.readouterr().err
