"""How many candidates are suggested at a time."""

from __future__ import annotations

import math

BUSY = 0.8
"""The share of the workers that are to be busy, if all fits take the same time."""


def batch_size(workers: int, folds: int) -> int:
    """The fewest candidates of which the fits keep the workers busy.

    The folds of a candidate are fitted at the same time. The fewer candidates there are in a batch,
    the more is known when they are suggested.

    Examples
    --------
    >>> [batch_size(workers, folds=5) for workers in (1, 2, 4, 8, 16)]
    [1, 1, 2, 3, 3]
    """
    for size in range(1, workers + 1):
        fits = size * folds
        if fits >= BUSY * workers * math.ceil(fits / workers):
            return size
    return workers
