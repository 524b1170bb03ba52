"""Intervals by resampling tasks and seeds."""

from __future__ import annotations

import time

import numpy as np
import pytest

from benchmarks.report import bootstrap
from benchmarks.report.bootstrap import estimate, interval, mean_over_tasks


def grid(tasks, seeds, rng):
    """Scores that differ more between tasks than between seeds, and their groups."""
    values = rng.normal(90, 8, size=(tasks, 1)) + rng.normal(0, 3, size=(tasks, seeds))
    return values.ravel(), [f"task {i}" for i in range(tasks) for _ in range(seeds)]


def test_every_task_weighs_the_same_however_many_seeds_it_has():
    assert mean_over_tasks(np.array([1.0, 2.0, 3.0, 10.0]), ["a", "a", "a", "b"]) == 6.0


def test_interval_contains_the_mean_and_is_the_same_again():
    values, groups = grid(20, 4, np.random.default_rng(0))
    first = estimate(values, groups)
    bootstrap._weights.cache_clear()
    assert first.low < first.value < first.high
    assert estimate(values, groups) == first


def test_interval_shrinks_with_more_tasks():
    widths = []
    for tasks in (6, 27, 108):
        found = estimate(*grid(tasks, 4, np.random.default_rng(tasks)))
        widths.append(found.high - found.low)
    assert widths[0] > 1.5 * widths[1] > 2.0 * widths[2]


def test_resamples_have_the_variance_of_theory():
    """Tasks are drawn anew, and seeds anew within each: both variances add up."""
    values, groups = grid(12, 5, np.random.default_rng(1))
    table = values.reshape(12, 5)
    expected = (table.mean(axis=1).var() + table.var(axis=1).mean() / 5) / 12
    means = bootstrap._weights(tuple(groups)) @ values
    assert means.mean() == pytest.approx(values.mean(), abs=4 * np.sqrt(expected / 2000))
    assert means.var() == pytest.approx(expected, rel=0.1)


def test_weights_of_a_resample_sum_to_one_with_unequal_seeds():
    weights = bootstrap._weights(("a", "b", "b", "c", "c", "c"))
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    # Drawn alone, task a has the same chance as task c, which has three seeds.
    assert weights[:, 0].mean() == pytest.approx(1 / 3, abs=0.03)
    assert weights[:, 3:].sum(axis=1).mean() == pytest.approx(1 / 3, abs=0.03)


def test_interval_of_a_curve_is_that_of_each_of_its_points():
    values, groups = grid(6, 3, np.random.default_rng(2))
    low, high = interval(np.column_stack([values, 2 * values]), groups)
    one = estimate(values, groups)
    np.testing.assert_allclose([low, high], [[one.low, 2 * one.low], [one.high, 2 * one.high]])


@pytest.mark.parametrize("groups", [[], ["a", "b", "a"]])
def test_groups_must_stand_together(groups):
    with pytest.raises(ValueError, match="runs of a task together"):
        mean_over_tasks(np.zeros(len(groups)), groups)


def test_six_methods_of_the_full_benchmark_take_a_second_or_so():
    values, groups = grid(108, 20, np.random.default_rng(3))
    start = time.process_time()
    for _ in range(6):
        estimate(values, groups)
    assert time.process_time() - start < 3.0


@pytest.mark.parametrize("runs", [1, 4, 5])
def test_few_runs_have_a_mean_and_no_interval(runs):
    found = estimate(np.arange(float(runs)), [f"task {i}" for i in range(runs)])
    assert found.value == (runs - 1) / 2
    assert (found.ends is None) == (runs < 5)
    assert found.ends is None or found.ends[0] < found.value < found.ends[1]
