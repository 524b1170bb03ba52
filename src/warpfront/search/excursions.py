"""Excursions: points far from the best, once the search has gained nothing for a while.

Losses of real tasks have plateaus: a tree that may not split scores the same whatever its other
parameters are. There the model offers the plateau again and again, as nothing that it knows of is
better. From then on some trials leave it: half of them go anywhere, half keep all but one or two
parameters of a best point.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.search.batch import SLOTS
from warpfront.search.domain import Domain

Floats = NDArray[np.float64]

WATCHED = 16
"""The first so many losses tell what a small difference is."""
WORTHWHILE = 0.01
"""The best must fall by this share of the gap between itself and the median of those losses."""
PATIENCE = 8
"""Completed trials without such a gain before excursions begin."""
FIRST_SLOTS, LATER_SLOTS = frozenset({2, 4}), frozenset({2, 4, 6})
"""Which of eight consecutive trials are excursions, at first and after twice the patience."""


def idle_trials(losses: Floats) -> int:
    """How many of the losses (n,), in the order of their trials, came after the last gain.

    Examples
    --------
    >>> losses = np.linspace(2.0, 1.0, 16)
    >>> idle_trials(np.append(losses, [0.5, 0.7, 0.4999]))
    2
    """
    known = min(len(losses), WATCHED)
    y = losses / (float(np.abs(losses).max()) or 1.0)  # so that no difference can overflow
    best = np.minimum.accumulate(y)
    margin = WORTHWHILE * max(0.0, float(np.median(y[:known]) - best[-1]))
    last = known - 1
    for i in range(known, len(losses)):
        if best[i] < best[last] - margin:
            last = i
    return len(losses) - 1 - last


def is_excursion(number: int, idle: int) -> bool:
    """Whether the trial of this number leaves the best points after so many idle trials.

    It depends on the number, so that eight batches of one wander as often as one batch of eight.

    Examples
    --------
    >>> [n for n in range(8) if is_excursion(n, idle=8)]
    [2, 4]
    """
    if idle < PATIENCE:
        return False
    return number % SLOTS in (FIRST_SLOTS if idle < 2 * PATIENCE else LATER_SLOTS)


def excursions(best: Floats, n: int, domain: Domain, rng: np.random.Generator) -> Floats:
    """Points (n, d) that share few or all but few coordinates with the best ones (k, d)."""
    free = np.flatnonzero(domain.free)
    centres = best[rng.integers(0, len(best), n)]
    points = domain.uniform(n, rng)
    few = rng.integers(1, 3, n)
    anywhere = rng.random(n) < 0.5
    for i in range(n):
        if not anywhere[i]:
            kept = rng.permutation(free)[few[i] :]
            points[i, kept] = centres[i, kept]
    return points
