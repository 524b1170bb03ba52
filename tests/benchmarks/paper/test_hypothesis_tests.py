"""The tests of equal spread: what is repeated, and what is made of it."""

from __future__ import annotations

import csv
import re
import shlex
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from benchmarks import __main__ as command
from benchmarks.baseline.pair import Pair
from benchmarks.paper import hypothesis_tests, verdicts
from benchmarks.paper.hypothesis_tests import (
    counts,
    disagreements,
    examine,
    task_table,
)
from benchmarks.paper.pieces import Pieces, carry_out
from benchmarks.paper.printed import SpreadTest
from benchmarks.paper.repeats import Repeat, distinct_configurations, losses_of
from benchmarks.paper.verdicts import Verdicts, archived
from benchmarks.tasks.data import load
from benchmarks.tasks.evaluation import cross_validate
from benchmarks.tasks.task import Task
from warpfront.diagnostics.spread import spread_tests

KNN, TREE = Pair("kNN", "iris"), Pair("DT", "iris")


def test_configurations_are_distinct_even_in_a_small_space():
    configs = distinct_configurations(KNN, 50)
    assert len({tuple(config.items()) for config in configs}) == len(configs) == 50


def test_a_repeat_is_another_split_the_same_for_all_configurations():
    first, second = (Repeat(KNN, "split", j, 4).compute()["losses"]["nll"] for j in (0, 1))
    config = distinct_configurations(KNN, 4)[2]
    by_hand = cross_validate("kNN", load("iris", split_seed=1), config, 0, ("nll",))["nll"].loss
    assert second[2] == by_hand
    assert first[2] != by_hand


def test_without_other_splits_only_the_models_own_noise_is_left():
    losses = [Repeat(KNN, "model", j, 3).compute()["losses"] for j in (0, 1)]
    assert losses[0] == losses[1]
    losses = [Repeat(TREE, "model", j, 12).compute()["losses"]["nll"] for j in (0, 1)]
    assert losses[0] != losses[1]


def test_losses_stand_by_configuration_and_repeat(here, tmp_path):
    repeats = [Repeat(TREE, "split", j, 3) for j in range(2)]
    carry_out(repeats, tmp_path, 1)
    losses = losses_of(Task("DT", "iris", "nll"), repeats, Pieces(tmp_path))
    assert losses.shape == (3, 2)
    assert losses[1, 0] == repeats[0].compute()["losses"]["nll"][1]


def test_repeats_of_different_configurations_are_not_mixed(here, tmp_path, monkeypatch):
    repeats = [Repeat(KNN, "split", j, 3) for j in range(2)]
    carry_out(repeats[:1], tmp_path, 1)
    others = distinct_configurations(KNN, 6)[3:]
    monkeypatch.setattr("benchmarks.paper.repeats.distinct_configurations", lambda *_: others)
    carry_out(repeats, tmp_path, 1)
    with pytest.raises(ValueError, match=r"kNN_iris_nll .* are of different configurations"):
        losses_of(Task("kNN", "iris", "nll"), repeats, Pieces(tmp_path))


def test_a_task_counts_only_when_all_its_repeats_are_there(here, tmp_path):
    repeats = [Repeat(KNN, "split", j, 6) for j in range(3)]
    carry_out(repeats[:2], tmp_path, 1)
    assert examine(KNN, "split", repeats, Pieces(tmp_path)) == []
    carry_out(repeats, tmp_path, 1)
    acc, nll = examine(KNN, "split", repeats, Pieces(tmp_path))
    assert (acc.task, nll.task) == ("kNN_iris_acc", "kNN_iris_nll")
    losses = losses_of(Task("kNN", "iris", "nll"), repeats, Pieces(tmp_path))
    assert nll.ours.levene == pytest.approx(stats.levene(*losses).statistic)
    assert nll.by_mean.levene == pytest.approx(stats.levene(*losses, center="mean").statistic)
    assert nll.ours.fligner == pytest.approx(stats.fligner(*losses).statistic)
    assert nll.paper.levene == 8.838


def test_tasks_without_noise_of_their_own_are_not_tested_on_it(here, tmp_path):
    svm = Pair("SVM", "iris")  # its labels have none, its probabilities have
    repeats = [Repeat(svm, "model", j, 2) for j in range(3)]
    carry_out(repeats, tmp_path, 1)
    found = examine(svm, "model", repeats, Pieces(tmp_path))
    assert [one.task for one in found] == ["SVM_iris_nll"]


def made_up(task, *, loud, paper_p):
    rng = np.random.default_rng(len(task))
    scales = np.where(np.arange(20) < 10, 1.0, 9.0 if loud else 1.0)
    tests = spread_tests(rng.normal(size=(20, 10)) * scales[:, None])
    return Verdicts(task, "split", tests, tests, SpreadTest(50.0, paper_p, 2.0, paper_p))


def test_verdicts_are_counted_and_compared():
    found = [
        made_up("a", loud=True, paper_p=1e-9),
        made_up("b", loud=True, paper_p=0.3),
        made_up("c", loud=False, paper_p=0.3),
    ]
    head, fligner, levene, _ = counts(found, [])
    assert head[:4] == ["test, noise", "tasks", "ours: heteroscedastic", "the paper, these tasks"]
    assert fligner[1:6] == ["3", "2", "1", "73", "2 (67%)"]
    assert levene[1:6] == ["3", "2", "1", "72", "2 (67%)"]
    (said,) = disagreements(found)
    assert said.count("the paper 0.3)") == 2  # b, by both tests
    assert " a (" not in said
    assert disagreements(found[:1]) == []
    model_only = counts(found[:1], found[1:])[-1]
    assert model_only[:3] == ["Levene, model only", "2", "1"]
    assert "**1e-09**" in task_table(found)[1]
    assert "0.3" in task_table(found)[2]


@pytest.mark.parametrize(
    ("tasks", "theirs", "said"),
    [
        ("abc", lambda ours: 2.0 * ours**3, "1.00"),
        ("abc", lambda ours: -ours, "-1.00"),
        ("abc", lambda ours: 50.0, "–"),
        ("ab", lambda ours: ours, "–"),  # of two tasks it would always be 1 or -1
    ],
)
def test_the_order_of_the_tasks_is_compared_with_the_papers(tasks, theirs, said):
    # The generator of a task depends on the length of its name.
    found = [made_up(task * (i + 1), loud=True, paper_p=0.3) for i, task in enumerate(tasks)]
    found = [
        replace(one, paper=SpreadTest(theirs(one.ours.fligner), 0.3, 2.0, 0.3)) for one in found
    ]
    head, fligner, levene, _ = counts(found, [])
    assert head[-1] == "rank correlation"
    assert fligner[-1] == said
    assert levene[-1] == "–"  # the paper's are all 2


def table_of(folder):
    text = (folder / "hypothesis-tests.md").read_text(encoding="utf-8")
    said = re.search(r"Command: `python -m benchmarks (.*)`", text)[1]
    return shlex.split(said), (folder / "hypothesis-tests.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize("noises", [("split",), ("model",), ("split", "model")])
def test_the_command_of_a_part_gives_it_again_from_nothing(here, undrawn, tmp_path, noises):
    # Other splits of two pairs, the model alone of one, as in work that is not finished.
    done = {"split": (KNN, TREE), "model": (TREE,)}
    repeats = [Repeat(p, noise, j, 3) for noise in noises for p in done[noise] for j in range(3)]
    carry_out(repeats, tmp_path / "half", 1)
    size = ["--configurations", "3", "--repeats", "3"]
    where = ["--records", str(tmp_path / "half"), "--output", str(tmp_path / "one")]
    assert command.main(["paper", "hypothesis-tests", "--full", "--done", *size, *where]) == 0
    again, sheet = table_of(tmp_path / "one")
    assert "--done" not in again
    assert sheet.count(",split,") == 4 * ("split" in noises)
    assert sheet.count(",model,") == 2 * ("model" in noises)
    where = ["--records", str(tmp_path / "none"), "--output", str(tmp_path / "two"), "--jobs", "1"]
    assert command.main([*again, *where]) == 0
    assert table_of(tmp_path / "two") == (again, sheet)


def test_what_the_archived_sheet_has_is_not_repeated(here, undrawn, tmp_path, monkeypatch):
    size = ["--tasks", "DT_iris_nll", "--configurations", "3", "--repeats", "3", "--jobs", "1"]

    def make(name, *words):
        where = ["--records", str(tmp_path / name), "--output", str(tmp_path / name)]
        assert command.main(["paper", "hypothesis-tests", *size, *where, *words]) == 0
        return (tmp_path / name / "hypothesis-tests.csv").read_text(encoding="utf-8")

    first = make("first")
    monkeypatch.setattr(hypothesis_tests, "ARCHIVED", tmp_path / "first" / "hypothesis-tests.csv")
    assert make("again") == first
    assert not list((tmp_path / "again").rglob("*.json"))
    assert make("anew", "--anew").splitlines()[0] == first.splitlines()[0]
    assert list((tmp_path / "anew").rglob("*.json"))


@pytest.mark.parametrize("size", [(50, 9), (49, 10)])
def test_rows_of_another_size_do_not_count(size):
    assert len(archived(hypothesis_tests.ARCHIVED, 50, 10)) >= 94
    assert archived(hypothesis_tests.ARCHIVED, *size) == {}


def test_rows_of_another_scikit_learn_do_not_count(monkeypatch):
    monkeypatch.setattr(verdicts, "version", lambda _: "0.1")
    assert archived(hypothesis_tests.ARCHIVED, 50, 10) == {}


def test_tasks_that_have_no_noise_of_the_kind_asked_for_are_no_tasks(tmp_path, capsys):
    where = ["--records", str(tmp_path), "--output", str(tmp_path)]
    arguments = ["paper", "hypothesis-tests", "--tasks", "kNN_iris_acc", "--noise", "model"]
    assert command.main([*arguments, *where]) == 1
    assert "have no noise of their own; add --noise split" in capsys.readouterr().err


def test_the_command_at_its_smallest(here, tmp_path, capsys):
    where = ["--records", str(tmp_path / "records"), "--output", str(tmp_path / "out")]
    size = ["--configurations", "4", "--repeats", "3", "--jobs", "1"]
    arguments = ["paper", "hypothesis-tests", "--tasks", "DT_iris_acc", "kNN_iris_nll"]
    assert command.main([*arguments, *size, *where, "--done"]) == 1
    assert "no task is done yet" in capsys.readouterr().err
    assert command.main([*arguments, *size, *where]) == 0
    page = (tmp_path / "out" / "hypothesis-tests.md").read_text(encoding="utf-8")
    assert "of 108 tasks: 4 (data split and model) and 2 (model only)" in page
    assert "--tasks DT_iris_acc kNN_iris_nll --configurations 4 --repeats 3" in page
    with (tmp_path / "out" / "hypothesis-tests.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["noise"] for row in rows] == ["split"] * 4 + ["model"] * 2
    assert (tmp_path / "out" / "hypothesis-tests.png").read_bytes().startswith(b"\x89PNG")
