"""Excursions: points far from the best, once the search gains nothing or the model sees nothing.

Losses of real tasks have plateaus: a tree that may not split scores the same whatever its other
parameters are. There the model offers the plateau again and again, as nothing that it knows of is
better. From then on some trials leave it: half of them go anywhere, half keep all but one or two
parameters of a best point.

And there are tasks of which almost all is noise: every classifier but a few guesses. The model
follows the noise then, which shows in that it cannot predict one observation from the others.
Until it can, most trials go anywhere.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.search.domain import Domain
from warpfront.surrogate.gp import GaussianProcess

Floats = NDArray[np.float64]

WATCHED = 16
"""The first so many losses tell what a small difference is; with fewer no model is blind."""
WORTHWHILE = 0.01
"""The best must fall by this share of the gap between itself and the median of those losses."""
PATIENCE = 8
"""Completed trials without such a gain before excursions begin."""
FIRST_SLOTS, LATER_SLOTS = frozenset({2, 4}), frozenset({2, 4, 6})
"""Which of eight consecutive trials are excursions, at first and after twice the patience."""
PLATEAU_SLOTS = frozenset({1, 2, 3, 4, 6})
"""The same where as many trials as the patience share the best loss to the last bit."""
BLIND = 0.25
"""The model is blind while it explains less than this share of what is left out. Noise alone is
explained as well as that, by chance, about every other time."""
BLIND_UP_TO, MOST_FAILED = 512, 0.125
"""Of more losses the question is not asked, as the answer takes ever longer, nor where more than
this share as many trials have failed."""
BLIND_SLOTS = frozenset({1, 2, 3, 4, 5, 6})
"""Which of eight consecutive trials are excursions while the model is blind."""


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


def is_blind(gp: GaussianProcess, completed: int) -> bool:
    """Whether the model cannot predict one loss from the others.

    The first ``completed`` of its observations are losses; the others stand for failures. Where
    failures are many the question is not asked, as they are hard to predict in a way of their own.
    """
    failed = len(gp.y) - completed
    asked = WATCHED <= completed <= BLIND_UP_TO and failed <= MOST_FAILED * completed
    return asked and gp.explained(completed) < BLIND


def excursion_slots(losses: Floats, blind: bool) -> frozenset[int]:
    """Which of eight consecutive trials, by their numbers, leave the best points.

    By their numbers, so that eight batches of one wander as often as one batch of eight.

    Parameters
    ----------
    losses
        Of the completed trials, in their order, (n,), on the scale on which gains are judged.
    blind
        Whether the model is.

    Examples
    --------
    >>> falling, flat = np.linspace(2.0, 1.0, 16), np.full(8, 1.5)
    >>> sorted(excursion_slots(np.append(falling, flat), blind=False))
    [2, 4]
    """
    if blind:
        return BLIND_SLOTS
    idle = idle_trials(losses)
    if idle < PATIENCE:
        return frozenset()
    if idle < 2 * PATIENCE:
        return FIRST_SLOTS
    tied = int(np.sum(losses == losses.min()))
    return LATER_SLOTS if tied < PATIENCE else PLATEAU_SLOTS


def excursions(
    best: Floats, n: int, domain: Domain, rng: np.random.Generator, *, blind: bool
) -> Floats:
    """Points (n, d) that share few or all but few coordinates with the best ones (k, d).

    While the model is blind the best ones may be so by chance: all go anywhere.
    """
    free = np.flatnonzero(domain.free)
    centres = best[rng.integers(0, len(best), n)]
    points = domain.uniform(n, rng)
    few = rng.integers(1, 3, n)
    anywhere = rng.random(n) < (1.0 if blind else 0.5)
    for i in range(n):
        if not anywhere[i]:
            kept = rng.permutation(free)[few[i] :]
            points[i, kept] = centres[i, kept]
    return points
