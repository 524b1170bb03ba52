"""Pareto: the paper's proposer, points of the Pareto front of the robust acquisition ensemble."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.acquisition.ensemble import Ensemble
from warpfront.acquisition.functions import exploration_weight, lcb
from warpfront.proposers.context import Context
from warpfront.search.moves import steps
from warpfront.search.nsga2 import Objectives, nsga2, pareto_mask
from warpfront.search.untried import untried

Floats = NDArray[np.float64]

SPECIAL_FROM = 3
"""From so many at a time on, two of them are not random (the winning submission)."""
STEPS = (0.3, 0.1, 0.03, 0.01)
"""Standard deviations of the steps of the first population away from the best points."""
LISTED_UP_TO = 512
"""A finite domain of at most this size is not searched: all of it is the population."""


def pareto(context: Context, n: int, rng: np.random.Generator) -> Floats:
    """Random points of the front; of three or more the most uncertain and the most promising."""
    X, _ = front(context, rng)
    chosen = list(rng.permutation(len(X))[:n])
    if n >= SPECIAL_FROM and len(X):
        mean, variance = context.surrogate().predict(X)
        special = int(np.argmax(variance)), int(np.argmin(mean))
        for one in special:
            if one not in chosen:
                chosen[next(i for i, c in enumerate(chosen) if c not in special)] = one
    return context.fresh(context.domain.canonical(X[chosen]))


def front(context: Context, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The Pareto front among the untried points (m, d), and its objectives (m, k)."""
    X, F = evolve(context, _objectives(context, rng), rng)
    if len(X) == 0:
        return X, F
    best = pareto_mask(F)
    return X[best], F[best]


def evolve(
    context: Context, objectives: Objectives, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """The untried points (m, d) of the last population of NSGA-II, and their objectives (m, k)."""
    initial, generations = first_population(context, rng)
    X, F = nsga2(objectives, context.domain, initial, generations, rng)
    fresh = untried(X, context.tried)
    return X[fresh], F[fresh]


def _objectives(context: Context, rng: np.random.Generator) -> Objectives:
    """The paper's ensemble of acquisitions; of several objectives the lower confidence bounds."""
    d, told, penalty = context.domain.encoding.d, context.data.told, context.penalty
    if len(context.models.objectives) == 1:
        return Ensemble.build(
            context.surrogate(),
            context.elite[0],
            context.settings,
            n=told,
            q=context.in_flight,
            rng=rng,
            penalty=penalty,
        )
    kappa = exploration_weight(told, context.in_flight, d)

    def bounds(X: Floats) -> Floats:
        mean, std = context.predicted(X)
        F = lcb(mean, std, kappa)
        return F if penalty is None else F + penalty(X)[:, None]

    return bounds


def first_population(context: Context, rng: np.random.Generator) -> tuple[Floats, int]:
    """The first population (n, d), the incumbent among it, and for how many generations."""
    domain, settings = context.domain, context.settings
    if domain.size <= LISTED_UP_TO:
        return domain.enumerate(), 0
    size = settings.population
    seeded = min(int(settings.seeded * size), size - 1)  # one place is the incumbent's
    elite = context.elite
    centres = elite[rng.integers(0, len(elite), seeded)]
    near = steps(centres, rng.choice(STEPS, (seeded, 1)), domain, rng)
    rest = domain.uniform(size - 1 - len(near), rng)
    return np.vstack([elite[:1], near, rest]), settings.generations
