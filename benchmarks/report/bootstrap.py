"""Intervals by resampling tasks, and seeds within tasks.

A mean over tasks of means over seeds is linear in the runs, and so is every resample of it. All
resamples are therefore one matrix of weights, whatever the quantity: final scores, whole curves.
The draws depend on the numbers of tasks and seeds alone, so that two methods on the same tasks are
drawn together: their difference is paired by task, and by seed where they have as many.

Glossary
--------
R, T, B
    runs, tasks, resamples
groups
    the task of each run, as a name; runs of one task stand together, (R,)
weights
    (B, R); a row sums to 1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RESAMPLES = 2000

LEVEL = 0.95
"""Of the intervals."""

SEED = 20
"""Of the generator: the same runs always give the same interval."""


FEWEST = 5
"""Tasks that an interval needs: one has none, and few give a narrow one, whatever their seeds."""


@dataclass(frozen=True)
class Estimate:
    """A mean and the interval around it, which has no ends where there are too few tasks."""

    value: float
    low: float | None
    high: float | None

    @property
    def ends(self) -> tuple[float, float] | None:
        """Those of the interval, if there is one."""
        return None if self.low is None or self.high is None else (self.low, self.high)


def mean_over_tasks(values: Floats, groups: Sequence[str]) -> Floats:
    """Mean over tasks of the means over seeds; `values` is (R,) or (R, n).

    Examples
    --------
    >>> float(mean_over_tasks(np.array([0.0, 1.0, 4.0]), ["a", "a", "b"]))
    2.25
    """
    _, sizes = _sizes(groups)
    return np.asarray(np.repeat(1.0 / (len(sizes) * sizes), sizes) @ values)


def interval(values: Floats, groups: Sequence[str]) -> tuple[Floats, Floats]:
    """Low and high end of the percentile interval of :func:`mean_over_tasks`.

    NaN where there are too few tasks.

    Examples
    --------
    >>> low, high = interval(np.array([0.0, 4.0]), ["a", "b"])
    >>> float(low), float(high)
    (nan, nan)
    """
    low, high = _ends(_resampled(values, groups))
    return (low, high) if _are_enough(groups) else (np.full_like(low, np.nan),) * 2


def estimate(values: Floats, groups: Sequence[str]) -> Estimate:
    """The mean over tasks of one number a run, with its interval if there are enough tasks.

    Examples
    --------
    >>> estimate(np.array([1.0, 2.0]), ["a", "b"])
    Estimate(value=1.5, low=None, high=None)
    """
    return _estimate(mean_over_tasks(values, groups), _resampled(values, groups), groups)


def difference(
    values: Floats, groups: Sequence[str], others: Floats, groups_of_others: Sequence[str]
) -> Estimate:
    """The mean over tasks of some runs minus that of others on the same tasks, with its interval.

    All seeds of both count, however many there are.

    Examples
    --------
    >>> difference(np.array([3.0, 5.0]), ["a", "b"], np.array([1.0, 3.0, 4.0]), ["a", "a", "b"])
    Estimate(value=1.0, low=None, high=None)
    """
    if list(dict.fromkeys(groups)) != list(dict.fromkeys(groups_of_others)):
        raise ValueError("give runs on the same tasks, in the same order")
    mean = mean_over_tasks(values, groups) - mean_over_tasks(others, groups_of_others)
    resampled = _resampled(values, groups) - _resampled(others, groups_of_others)
    return _estimate(mean, resampled, groups)


def _estimate(mean: Floats, resampled: Floats, groups: Sequence[str]) -> Estimate:
    if not _are_enough(groups):
        return Estimate(float(mean), None, None)
    low, high = _ends(resampled)
    return Estimate(float(mean), float(low), float(high))


def _are_enough(groups: Sequence[str]) -> bool:
    return len(set(groups)) >= FEWEST


def _ends(resampled: Floats) -> tuple[Floats, Floats]:
    tail = (1.0 - LEVEL) / 2.0
    low, high = np.quantile(resampled, [tail, 1.0 - tail], axis=0)
    return low, high


def _resampled(values: Floats, groups: Sequence[str]) -> Floats:
    """The mean of each resample, (B,) or (B, n)."""
    return np.asarray(_weights(tuple(groups)) @ values)


@lru_cache(maxsize=4)  # most methods have the same tasks and seeds; 35 MB at 108 x 20
def _weights(groups: tuple[str, ...]) -> Floats:
    """Draw tasks with replacement, and for each drawn task as many seeds as it has."""
    starts, sizes = _sizes(groups)
    rng = np.random.default_rng(SEED)
    drawn = rng.integers(len(sizes), size=(RESAMPLES, len(sizes)))
    size = sizes[drawn][:, :, None]
    seeds = (rng.random((*drawn.shape, int(sizes.max()))) * size).astype(np.intp)
    # A task with fewer seeds than the largest uses only so many of its draws.
    used = np.arange(seeds.shape[2]) < size
    share = np.where(used, 1.0 / (len(sizes) * size), 0.0)
    runs = starts[drawn][:, :, None] + seeds
    runs += (np.arange(RESAMPLES) * len(groups))[:, None, None]
    summed = np.bincount(runs.ravel(), share.ravel(), minlength=RESAMPLES * len(groups))
    weights = summed.reshape(RESAMPLES, len(groups)).astype(float)
    weights.flags.writeable = False
    return weights


def _sizes(groups: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First run and number of runs of each task."""
    starts = [i for i, group in enumerate(groups) if i == 0 or group != groups[i - 1]]
    if not starts or len({groups[i] for i in starts}) != len(starts):
        raise ValueError("give at least one run, and the runs of a task together")
    return np.array(starts), np.diff([*starts, len(groups)])
