"""Samples of a task: the same for both metrics, and known to an optimiser as they were."""

from __future__ import annotations

import json

from benchmarks.baseline.pair import Pair
from benchmarks.paper.samples import Sampled, Samples, sample


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
