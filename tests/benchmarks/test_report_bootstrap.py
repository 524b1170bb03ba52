"""Intervals by resampling tasks."""

from __future__ import annotations

import time

import numpy as np
import pytest

from benchmarks.report import bootstrap
from benchmarks.report.bootstrap import difference, estimate, interval, mean_over_tasks


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
    """That of the means of tasks, which holds what seeds add to it."""
    values, groups = grid(12, 5, np.random.default_rng(1))
    means = values.reshape(12, 5).mean(axis=1)
    found = estimate(values, groups)
    assert found.value == pytest.approx(means.mean())
    assert found.high - found.low == pytest.approx(2 * 1.96 * means.std() / np.sqrt(12), rel=0.1)


@pytest.mark.parametrize("seeds", [1, 5])
def test_intervals_hold_as_often_as_they_say_however_many_seeds(seeds):
    """Here luck with the seeds is larger than what tasks differ by."""
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(400):
        values = rng.normal(0, 1, size=(27, 1)) + rng.normal(0, 3, size=(27, seeds))
        found = estimate(values.ravel(), [f"task {i}" for i in range(27) for _ in range(seeds)])
        held += found.low < 0.0 < found.high
    assert 0.90 < held / 400 < 0.97


def test_a_task_is_drawn_as_often_as_another():
    weights = bootstrap._weights(3)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(weights.mean(axis=0), 1 / 3, atol=0.01)


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


def test_a_difference_of_as_many_seeds_is_the_estimate_of_the_differences():
    values, groups = grid(8, 3, np.random.default_rng(4))
    others = values + np.random.default_rng(5).normal(1, 2, size=len(values))
    assert difference(values, groups, others, groups).ends == pytest.approx(
        estimate(values - others, groups).ends
    )


def test_a_difference_of_unequal_seeds_has_the_variance_of_theory():
    """What tasks share cancels out; the luck of both sides' seeds does not."""
    rng = np.random.default_rng(6)
    tasks = rng.normal(0, 20, size=(12, 1))
    ours, theirs = tasks + rng.normal(0, 3, size=(12, 10)), tasks + rng.normal(0, 2, size=(12, 5))
    groups = [[f"task {i}" for i in range(12) for _ in range(n)] for n in (10, 5)]
    found = difference(ours.ravel(), groups[0], theirs.ravel(), groups[1])
    gaps = ours.mean(axis=1) - theirs.mean(axis=1)
    assert found.value == pytest.approx(gaps.mean())
    assert found.high - found.low == pytest.approx(2 * 1.96 * gaps.std() / np.sqrt(12), rel=0.1)


def test_a_difference_needs_the_same_tasks():
    with pytest.raises(ValueError, match="on the same tasks"):
        difference(np.zeros(2), ["a", "b"], np.zeros(2), ["b", "a"])


@pytest.mark.parametrize("tasks", [1, 4, 5])
@pytest.mark.parametrize("seeds", [1, 6])
def test_few_tasks_have_a_mean_and_no_interval(tasks, seeds):
    values = np.repeat(np.arange(float(tasks)), seeds)
    found = estimate(values, [f"task {i}" for i in range(tasks) for _ in range(seeds)])
    assert found.value == pytest.approx((tasks - 1) / 2)
    assert (found.ends is None) == (tasks < 5)
    assert found.ends is None or found.ends[0] < found.value < found.ends[1]
