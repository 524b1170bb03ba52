"""How many suggestions to ask for, and when, so that no worker waits for the optimiser.

A suggestion takes time, in which a worker that has just become free would be idle. Where that would
be a noticeable share of its time, suggestions are made a little ahead: they are based on the same
outcomes as if one or two more workers were busy. Where even that is not enough, because the
optimiser itself is slower than all the workers together, several are asked for at a time.
"""

from __future__ import annotations

import math

NEGLIGIBLE_WAIT = 0.01
"""Suggestions are not made ahead where waiting for one costs less than this share of the time."""
MOST_AHEAD_PER_WORKER = 0.5
"""So many suggestions are made ahead at the most, as a share of the workers."""
HEADROOM = 3.0
"""How many times faster than needed on average suggestions are made."""
SMOOTHING_WEIGHT = 0.5
"""The weight of what was measured before when a new duration comes in."""


class Pace:
    """Measures how long suggestions and evaluations take, and says how many to ask for.

    Examples
    --------
    >>> pace = Pace()
    >>> pace.wanted(workers=8, under_way=0)
    8
    >>> pace.asked(0.05), pace.evaluated(60.0)
    (None, None)
    >>> pace.wanted(workers=8, under_way=7), pace.wanted(workers=8, under_way=8)
    (1, 0)
    """

    def __init__(self) -> None:
        self._asking: float | None = None
        self._evaluating: float | None = None

    def asked(self, seconds: float) -> None:
        """Note how long the optimiser took to suggest something."""
        self._asking = _smooth(self._asking, seconds)

    def evaluated(self, seconds: float) -> None:
        """Note how long an evaluation took."""
        self._evaluating = _smooth(self._evaluating, seconds)

    def wanted(self, workers: int, under_way: int, may_queue: bool = True) -> int:
        """How many to ask for now.

        Parameters
        ----------
        workers
            How many evaluations are made at the same time.
        under_way
            How many suggestions a worker has, or wait for one.
        may_queue
            Whether the executor takes more evaluations than it has workers.
        """
        if self._asking is None or self._evaluating is None:
            return max(workers - under_way, 0)  # the first ones, all at once
        wait = self._asking / max(self._evaluating, 1e-9)
        # The share of its time that the optimiser is busy if it asks for one at a time, doubled
        # since durations vary, and workers do not finish one by one.
        hurry = min(max(math.ceil(HEADROOM * workers * wait), 1), workers)
        ahead = 0
        if may_queue and workers > 1 and wait > NEGLIGIBLE_WAIT:
            ahead = min(hurry, math.ceil(MOST_AHEAD_PER_WORKER * workers))
        # Workers that have ended together are sent off in smaller and smaller groups, so that
        # they do not end together for ever.
        idle = max(workers - under_way, 0)
        return min(max(workers + ahead - under_way, 0), max(hurry, math.ceil(idle / 2)))


def _smooth(before: float | None, now: float) -> float:
    return now if before is None else SMOOTHING_WEIGHT * before + (1.0 - SMOOTHING_WEIGHT) * now
