"""Local: Thompson sampling among small or wide steps away from the best points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.proposers.context import Context
from warpfront.search.moves import steps

Floats = NDArray[np.float64]

CANDIDATES = 400
"""Among how many steps one is chosen."""
SMALL_STEP, WIDE_STEP = 0.05, 0.2
"""Standard deviations of the steps, in the unit cube."""


def local(context: Context, n: int, rng: np.random.Generator) -> Floats:
    """Small steps away from the best points."""
    return _around_best(SMALL_STEP, context, n, rng)


def wide(context: Context, n: int, rng: np.random.Generator) -> Floats:
    """Wide steps away from the best points."""
    return _around_best(WIDE_STEP, context, n, rng)


def _around_best(step: float, context: Context, n: int, rng: np.random.Generator) -> Floats:
    """Steps away from the best points, each the least of a posterior sample of its own."""
    domain = context.domain
    centres = context.best[rng.integers(0, len(context.best), CANDIDATES)]
    X = steps(centres, step, domain, rng)
    X = context.fresh(X)
    if len(X) == 0:
        return X
    penalty = 0.0 if context.penalty is None else context.penalty(X)
    improvement, wanted = context.improvement(), min(n, len(X))
    samples = np.array(
        [
            context.surrogate(0, j).sample(X, wanted, rng)
            for j in range(len(context.models.objectives))
        ]
    )  # (k, wanted, m)
    chosen: list[int] = []
    for sample in samples.transpose(1, 2, 0):
        cost = improvement.cost(sample) if context.has_feasible else np.zeros(len(X))
        cost = cost + penalty
        cost[chosen] = np.inf
        chosen.append(int(np.argmin(cost)))
    return context.fresh(domain.canonical(X[chosen]))
