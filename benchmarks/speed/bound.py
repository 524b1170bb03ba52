"""The least time a step of the default preset could take: its dense linear algebra alone.

Symbols: n, the observations; b, the points that candidate models are ranked on; f, the points the
hyper-parameters of the best are fitted on; c, the points a posterior is conditioned on. What the
default preset does is read from `warpfront.settings`, `warpfront.surrogate.selection` and
`warpfront.surrogate.gp`.
"""

from __future__ import annotations

from warpfront import Settings
from warpfront.surrogate.gp import FitOptions
from warpfront.surrogate.selection import RANKING_FIT

MODELS = len(Settings().models)
"""Candidate models: all are fitted briefly, then the best is fitted to its end."""

BRIEF_EVALUATIONS = RANKING_FIT.iterations
"""Evaluations of the likelihood with its gradient in one brief fit: L-BFGS, at most so many
iterations."""

BRIEF_POINTS = RANKING_FIT.points
"""Brief fits are on at most so many points."""

LIKELIHOOD_EVALUATIONS = FitOptions().iterations
"""Evaluations in the fit of the best model."""

CHOLESKY_FLOPS = 1 / 3
"""Flops of a Cholesky factorisation, in units of n^3 (LAPACK working note 41: dpotrf)."""

INVERSE_FLOPS = 2 / 3
"""Flops of the inverse from that factor, in units of n^3 (the same note: dpotri)."""

FIT_POINTS = FitOptions().points
"""Above this many observations the hyper-parameters are fitted on a subset of this size."""

CONDITION_POINTS = FitOptions().active
"""The posterior is conditioned on at most this many observations. Those of the other models, which
only some batches ask for, are left out."""

POPULATION = Settings().population
"""Points in a generation of NSGA-II, which one proposer runs; the searches of the others are left
out."""

GENERATIONS = Settings().generations + 1
"""Generations from a seeded first population, and that population itself."""

PREDICTION_FLOPS = 1
"""Flops of the variance at one point, in units of c^2: a triangular solve."""

DGEMM_SIZE = 1024
"""Side of the matrices whose product gives the machine's rate."""

DGEMM_REPEATS = 10


def step_flops(n: int) -> float:
    """Flops of the linear algebra in one step with `n` observations.

    Examples
    --------
    >>> round(step_flops(128) / 1e6)
    142
    """
    ranked, fitted, conditioned = (min(n, p) for p in (BRIEF_POINTS, FIT_POINTS, CONDITION_POINTS))
    evaluation = CHOLESKY_FLOPS + INVERSE_FLOPS
    rank = MODELS * BRIEF_EVALUATIONS * evaluation * ranked**3
    fit = LIKELIHOOD_EVALUATIONS * evaluation * fitted**3
    # A fit on all points ends with the factor the posterior needs.
    condition = CHOLESKY_FLOPS * conditioned**3 if conditioned > fitted else 0.0
    predict = POPULATION * GENERATIONS * PREDICTION_FLOPS * conditioned**2
    return rank + fit + condition + predict


def bound_seconds(n: int, rate: float) -> float:
    """Seconds of :func:`step_flops` at `rate` flop/s."""
    return step_flops(n) / rate
