"""The tiers of tasks that nobody here wrote."""

from __future__ import annotations

import pytest

from benchmarks.tasks.public import PUBLIC, PUBLIC_SETS
from benchmarks.tasks.registry import SETS, TASKS, find
from benchmarks.tasks.table import Table

SIZES = {
    "tables-tuning": 7,
    "tables-confirmation": 8,
    "tables": 15,
    "bbob-tuning": 24,
    "bbob-confirmation": 16,
    "bbob-noisy-tuning": 15,
    "bbob-noisy-confirmation": 15,
    "mixint-tuning": 12,
    "mixint-confirmation": 12,
    "mixint": 24,
}


def tasks_of(tier):
    return [PUBLIC[name] for name in SETS[tier]]


def test_the_tiers_have_the_sizes_that_the_docs_name():
    assert {tier: len(names) for tier, names in PUBLIC_SETS.items()} == SIZES
    assert not set(PUBLIC) & set(TASKS)
    assert all(find(name).name == name for name in PUBLIC)


@pytest.mark.parametrize("family", ["tables", "bbob", "bbob-noisy", "mixint"])
def test_tuning_and_confirmation_share_nothing(family):
    tuning, confirming = tasks_of(f"{family}-tuning"), tasks_of(f"{family}-confirmation")
    assert not {task.name for task in tuning} & {task.name for task in confirming}
    if family != "tables":
        instances = [{task.instance for task in part} for part in (tuning, confirming)]
        assert not instances[0] & instances[1]


def test_every_function_of_bbob_is_tuned_on_and_many_dimensions_confirm():
    tuning, confirming = tasks_of("bbob-tuning"), tasks_of("bbob-confirmation")
    assert [task.function for task in tuning] == list(range(1, 25))
    assert sorted(task.dimension for task in tuning) == [3] * 8 + [5] * 8 + [10] * 8
    assert sorted(task.dimension for task in confirming) == [20] * 8 + [40] * 8


def test_noise_comes_in_threes_on_one_function():
    for tier, first in (("bbob-noisy-tuning", 101), ("bbob-noisy-confirmation", 116)):
        tasks = tasks_of(tier)
        assert [task.function for task in tasks] == list(range(first, first + 15))
        for three in zip(*[iter(tasks)] * 3, strict=True):
            assert len({(task.underlying, task.instance, task.minimum) for task in three}) == 1


def test_the_known_weak_spot_is_on_the_side_of_tuning():
    weak = [task for task in tasks_of("mixint-tuning") if task.function == 10]
    assert [task.dimension for task in weak] == [5]
    assert {task.function for task in tasks_of("mixint")} == set(range(1, 25))


def test_all_tables_are_used():
    assert {task.name for task in tasks_of("tables")} == {
        name for name, task in PUBLIC.items() if isinstance(task, Table)
    }
