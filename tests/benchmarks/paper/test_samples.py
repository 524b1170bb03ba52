"""Samples of a task, the same for both metrics, known to an optimiser as they were; and what is
made from them.
"""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import dataclass

import pytest

from benchmarks.baseline.pair import Pair
from benchmarks.paper import pieces
from benchmarks.paper.conflict import Maps
from benchmarks.paper.gp_fit import Fits
from benchmarks.paper.pieces import fingerprint
from benchmarks.paper.robustness import Checks
from benchmarks.paper.samples import Sampled, Samples, derive, name_from, sample

TWO = Sampled("DT_iris_acc", ("{}", "{}"), (1.0, 2.0))


@dataclass(frozen=True)
class Total:
    """A piece that is quickly made: a multiple of the sum of the losses."""

    sampled: Sampled
    times: int

    @property
    def name(self):
        return name_from(self, "totals", __file__, self.times)

    @property
    def seconds(self):
        return 1.0

    def compute(self):
        return {"total": self.times * sum(self.sampled.losses)}


def test_a_smaller_sample_is_the_beginning_of_a_larger_one():
    pair = Pair("DT", "iris")
    few, more = Samples(pair, 3).compute(), Samples(pair, 6).compute()
    assert more["configs"][:3] == few["configs"]
    assert more["losses"]["nll"][:3] == few["losses"]["nll"]


def test_both_tasks_of_a_pair_share_their_samples(here, tmp_path, capsys):
    acc, nll = sample(["kNN_iris_acc", "kNN_iris_nll"], 4, tmp_path, jobs=1)
    assert "1 pieces, 1 of them to do" in capsys.readouterr().err
    assert acc.configs == nll.configs
    assert acc.losses != nll.losses
    history = nll.history(first=3)
    assert [trial.value for trial in history.completed] == list(nll.losses[:3])
    assert [trial.config for trial in history.completed] == [
        json.loads(config) for config in nll.configs[:3]
    ]


def test_a_failure_stays_one():
    one = Sampled("kNN_iris_acc", (json.dumps({"n_neighbors": 3, "p": 2}),) * 2, (None, -0.9))
    history = one.history()
    assert len(history.completed) == 1
    assert len(history.of_state("failed")) == 1


@pytest.mark.parametrize("sizes", [(), (3,), (3, 14)])
def test_a_name_says_item_task_and_sizes_and_ends_with_the_fingerprint(sizes):
    piece = Total(TWO, 3)
    said = "-".join(["DT_iris_acc", "2", *map(str, sizes)])
    expected = f"totals/{said}-{fingerprint(piece, __file__)}"
    assert name_from(piece, "totals", __file__, *sizes) == expected
    assert name_from(piece, "totals", pieces.__file__, *sizes) != expected  # another source
    assert name_from(Total(TWO, 4), "totals", __file__, *sizes) != expected  # all fields count


@pytest.mark.parametrize(
    ("piece", "name"),
    [
        (Fits(TWO, 5), "gp-fit/DT_iris_acc-2-5"),
        (Maps(TWO, 7), "conflict/DT_iris_acc-2-7"),
        (Checks(TWO, 3, 4), "robustness/DT_iris_acc-2-3-4"),
    ],
    ids=["gp-fit", "conflict", "robustness"],
)
def test_the_files_of_each_item(piece, name):
    assert re.fullmatch(re.escape(name) + "-[0-9a-f]{12}", piece.name)


def test_what_is_derived_is_kept_by_task_and_made_once(here, tmp_path, capsys):
    tasks = ["kNN_iris_nll", "DT_iris_acc"]
    options = argparse.Namespace(samples=3, records=tmp_path, jobs=1, done=False)
    found = derive(tasks, options, lambda sampled: Total(sampled, 2))
    assert capsys.readouterr().err.count("2 pieces, 2 of them to do") == 2  # samples, then totals
    losses = {one.task: one.losses for one in sample(tasks, 3, tmp_path, jobs=1)}
    assert list(found) == tasks
    for task, kept in found.items():
        assert len(losses[task]) == 3
        assert kept["total"] == pytest.approx(2 * sum(losses[task]))
    capsys.readouterr()
    assert derive(tasks, options, lambda sampled: Total(sampled, 2)) == found
    assert capsys.readouterr().err.count("2 pieces, 0 of them to do") == 2
    derive(tasks, options, lambda sampled: Total(sampled, 5))
    said = capsys.readouterr().err
    assert said.index("2 pieces, 0 of them to do") < said.index("2 pieces, 2 of them to do")
