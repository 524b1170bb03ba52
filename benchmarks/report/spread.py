"""How runs scatter, every task weighing the same: one with ten seeds no more than one with two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from benchmarks.report.bootstrap import Floats, mean_over_tasks


def std(values: Floats, groups: Sequence[str]) -> float | None:
    """Standard deviation of the runs; None of a single one.

    Examples
    --------
    >>> std(np.array([0.0, 0.0, 2.0]), ["a", "a", "b"])
    1.224744871391589
    """
    if len(values) < 2:
        return None
    squares = (values - mean_over_tasks(values, groups)) ** 2
    return float(np.sqrt(mean_over_tasks(squares, groups) * len(values) / (len(values) - 1)))


def centiles(values: Floats, groups: Sequence[str], at: Sequence[float]) -> list[float]:
    """The centiles of the runs; with as many seeds on every task, those of NumPy.

    Examples
    --------
    >>> centiles(np.array([1.0, 2.0, 9.0]), ["a", "a", "b"], [0, 40, 100])
    [1.0, 2.0, 9.0]
    """
    sizes = Counter(groups)
    weights = 1.0 / np.array([sizes[group] for group in groups])
    order = np.argsort(values)
    middles = (np.cumsum(weights[order]) - weights[order] / 2.0).tolist()
    # The smallest run is at 0 %, the greatest at 100 %, each of the others amid its weight.
    places = np.interp(middles, [middles[0], middles[-1]], [0.0, 100.0])
    return [float(x) for x in np.interp(at, places, values[order])]
