"""The comparison of searches with scikit-learn's interface."""

import pytest

from benchmarks.sklearn_search.command import table
from benchmarks.sklearn_search.tasks import FOLDS, TASKS
from benchmarks.sklearn_search.worker import distributions, run
from warpfront.integrations.sklearn.candidates import Candidates


def test_all_searches_make_as_many_fits():
    records = [run("svc-wine", method, 0, 9) for method in ("random", "warpfront", "halving")]
    assert [record["fits"] for record in records[:2]] == [9 * FOLDS] * 2
    assert 0 < records[2]["fits"] <= 9 * FOLDS
    lines = table(records).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:]] == ["random", "warpfront", "halving"]
    assert "| +0.0 | +0.0 | 27 |" in lines[2]


@pytest.mark.parametrize("name", TASKS)
def test_the_parameters_of_a_task_are_those_of_its_estimator(name):
    task = TASKS[name]
    assert set(task.space) <= set(task.estimator.get_params())
    assert len(Candidates.of(distributions(task.space)).space) == len(task.space)
