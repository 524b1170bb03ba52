"""How runs scatter, every task weighing the same."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.report.spread import centiles, std

CENTILES = (0, 5, 20, 50, 95, 100)


@pytest.mark.parametrize(("tasks", "seeds"), [(1, 1), (1, 7), (9, 1), (5, 4)])
def test_as_many_seeds_on_every_task_give_the_usual_numbers(tasks, seeds):
    values = np.random.default_rng(0).normal(size=tasks * seeds)
    groups = [f"task {i}" for i in range(tasks) for _ in range(seeds)]
    np.testing.assert_allclose(centiles(values, groups, CENTILES), np.percentile(values, CENTILES))
    usual = None if len(values) == 1 else pytest.approx(np.std(values, ddof=1))
    assert std(values, groups) == usual


def test_a_task_of_many_seeds_weighs_no_more_than_one_of_few():
    rng = np.random.default_rng(1)
    many, few = rng.normal(0, 1, size=2000), rng.normal(10, 1, size=200)
    groups = ["many"] * 2000 + ["few"] * 200
    values = np.concatenate([many, few])
    assert centiles(values, groups, [25, 75]) == pytest.approx([0, 10], abs=0.3)
    assert std(values, groups) == pytest.approx(np.sqrt(26), rel=0.05)


def test_equal_runs_have_no_spread():
    assert centiles(np.full(3, 7.0), ["a", "a", "b"], CENTILES) == [7.0] * 6
    assert std(np.full(3, 7.0), ["a", "a", "b"]) == 0.0
