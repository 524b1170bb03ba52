"""Improve: the greatest expected improvement by each model in turn.

With j such trials pending the model of rank j + 1 proposes the next one: models disagree where
little is known, so a batch holds several honest guesses. For several objectives it is the
improvement of the hypervolume.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from warpfront.acquisition.functions import log_ei_slopes
from warpfront.acquisition.hypervolume import hypervolume
from warpfront.acquisition.improvement import BelowThreshold, BeyondFront
from warpfront.proposers.context import Context
from warpfront.search.local import Slope, minimise
from warpfront.search.moves import steps
from warpfront.surrogate.model import NODES, WEIGHTS

Floats = NDArray[np.float64]

STARTS = 100
"""Candidates of the first round: half of them around the best points, half anywhere."""
START_STEP = 0.1
"""Standard deviation of the steps from the best points, in the unit cube."""
LISTED_UP_TO = 50
"""So many of the best candidates are looked through for one that was not tried."""


def improve(context: Context, n: int, rng: np.random.Generator) -> Floats:
    """Configurations of the greatest expected improvement, one of each model."""
    ranks = len(context.models.objectives[0])
    found = np.empty((0, context.domain.encoding.d))
    for _ in range(n):
        point = greatest_improvement(context, context.waiting.get("improve", 0) % ranks, rng)
        if len(point) == 0:
            break
        found = np.vstack([found, point])
        context = context.after(point, "improve")
    return found


def greatest_improvement(context: Context, rank: int, rng: np.random.Generator) -> Floats:
    """The untried configuration of the greatest expected improvement, (1, d), or none."""
    improvement, penalty, domain = context.improvement(rank), context.penalty, context.domain

    def objective(X: Floats) -> Floats:
        value = np.zeros(len(X))
        if context.has_feasible:
            value -= improvement.log_expected(*context.predicted(X, rank))
        return value if penalty is None else value + penalty(X)

    slope = None
    if isinstance(improvement, BelowThreshold) and penalty is None:
        slope = _slope(context, rank, improvement.tau)
    X, _ = minimise(objective, domain, starts(context, rng), rng, slope)
    return context.fresh(domain.canonical(X[:LISTED_UP_TO]))[:1]


def _slope(context: Context, rank: int, tau: float) -> Slope:
    gp = context.surrogate(rank)

    def slope(x: Floats) -> tuple[float, Floats]:
        mean, variance, dmean, dvariance = gp.slope(x)
        std = math.sqrt(variance)
        value, along_mean, along_std = log_ei_slopes(mean, std, tau)
        return -value, -(along_mean * dmean + along_std * dvariance / (2.0 * std))

    return slope


def starts(context: Context, rng: np.random.Generator) -> Floats:
    """Where a search begins: the best points, around them, and anywhere, (m, d)."""
    half, domain, elite = STARTS // 2, context.domain, context.elite
    near = steps(elite[rng.integers(0, len(elite), half)], START_STEP, domain, rng)
    return np.vstack([elite, near, domain.uniform(half, rng)])


def expected_gain(context: Context, rng: np.random.Generator) -> float:
    """The expected improvement of the best new configuration that is known of.

    In the units of the objective; for several, as a share of the hypervolume of the front.
    """
    point = greatest_improvement(context, 0, rng)
    if len(point) == 0 or not context.has_feasible:
        return 0.0 if context.has_feasible else math.inf
    feasible = 1.0 if context.penalty is None else float(np.exp(-context.models.penalty(point)[0]))
    mean, std = context.predicted(point)
    improvement = context.improvement()
    if isinstance(improvement, BeyondFront):
        now = hypervolume(improvement.F, improvement.reference)
        return feasible * float(np.exp(improvement.log_expected(mean, std))[0]) / (now or 1.0)
    model, best = context.models.model, context.surrogate().mean(context.elite[:1])
    outcomes = model.outcomes_of(mean[0, 0] + std[0, 0] * NODES)
    gains = np.maximum(model.outcomes_of(best)[0] - outcomes, 0.0)
    return feasible * float(gains @ WEIGHTS)
