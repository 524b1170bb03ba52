"""Intervals by resampling tasks, each with all its seeds.

The mean over seeds of a task is off by the luck of its seeds, and so the means of tasks differ by
that luck, too: drawing tasks answers for both. To draw seeds again within each drawn task would
count their luck twice (with five seeds a task, an interval of 95 % would hold in 97 to 99 %).
The draws depend on the number of tasks alone, so that two methods on the same tasks are drawn
together: their difference is paired by task.

Glossary
--------
R, T, B
    runs, tasks, resamples
groups
    the task of each run, as a name; runs of one task stand together, (R,)
weights
    (B, T); a row sums to 1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RESAMPLES = 20_000
"""With a tenth of them, an end moves by some hundredths with the seed of the generator."""

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
    return np.asarray(means_of_tasks(values, groups).mean(axis=0))


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
    means = means_of_tasks(values, groups)
    return np.asarray(_weights(len(means)) @ means)


@lru_cache(maxsize=4)  # 17 MB at 108 tasks
def _weights(tasks: int) -> Floats:
    """Of each task in each resample, which draws as many tasks as there are, with replacement."""
    rng = np.random.default_rng(SEED)
    weights = rng.multinomial(tasks, np.full(tasks, 1.0 / tasks), size=RESAMPLES) / tasks
    weights.flags.writeable = False
    return weights


def means_of_tasks(values: Floats, groups: Sequence[str]) -> Floats:
    """Mean over seeds of each task, (T,) or (T, n)."""
    starts = [i for i, group in enumerate(groups) if i == 0 or group != groups[i - 1]]
    if not starts or len({groups[i] for i in starts}) != len(starts):
        raise ValueError("give at least one run, and the runs of a task together")
    sums = np.add.reduceat(values, starts, axis=0)
    sizes = np.diff([*starts, len(groups)]).astype(float)
    return np.asarray(sums / sizes.reshape(-1, *[1] * (sums.ndim - 1)))
