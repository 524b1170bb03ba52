from __future__ import annotations

import pytest

from benchmarks import score
from benchmarks.methods.adapter import WorstSoFar
from benchmarks.tasks.functions import FUNCTIONS
from benchmarks.tasks.registry import TASKS


@pytest.fixture(scope="module")
def highest_clip():
    """The highest of all tasks: half of all random configurations are no worse."""
    return max(score.load_reference(name).clip for name in (*TASKS, *FUNCTIONS))


def test_failures_before_any_success_are_worse_than_successes(highest_clip):
    worst = WorstSoFar()
    first = worst.replace([None] * 3)
    assert min(first) > 10 * highest_clip
    assert worst.replace([None]) == first[:1]
    assert worst.replace([-2.0, None]) == [-2.0, -2.0]
