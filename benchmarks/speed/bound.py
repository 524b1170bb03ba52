"""The least time a step of the default preset could take: its dense linear algebra alone.

Symbols: n, the observations; f, the points the hyper-parameters are fitted on; c, the points the
posterior is conditioned on. What the default preset does is read from `warpfront.settings` and
`warpfront.surrogate.gp`.
"""

from __future__ import annotations

from warpfront import Settings
from warpfront.surrogate import gp

LIKELIHOOD_EVALUATIONS = Settings().iterations
"""Evaluations of the likelihood with its gradient in one fit: L-BFGS, at most so many iterations.
The starts that compete on few points beforehand, and the second opinion, are left out."""

CHOLESKY_FLOPS = 1 / 3
"""Flops of a Cholesky factorisation, in units of n^3 (LAPACK working note 41: dpotrf)."""

INVERSE_FLOPS = 2 / 3
"""Flops of the inverse from that factor, in units of n^3 (the same note: dpotri)."""

FIT_POINTS = gp.FIT_POINTS
"""Above this many observations the hyper-parameters are fitted on a subset of this size."""

CONDITION_POINTS = gp.ACTIVE_POINTS
"""The posterior is conditioned on at most this many observations."""

POPULATION = Settings().population
"""Points in a generation of NSGA-II."""

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
    156
    """
    fitted, conditioned = min(n, FIT_POINTS), min(n, CONDITION_POINTS)
    fit = LIKELIHOOD_EVALUATIONS * (CHOLESKY_FLOPS + INVERSE_FLOPS) * fitted**3
    # A fit on all points ends with the factor the posterior needs.
    condition = CHOLESKY_FLOPS * conditioned**3 if conditioned > fitted else 0.0
    predict = POPULATION * GENERATIONS * PREDICTION_FLOPS * conditioned**2
    return fit + condition + predict


def bound_seconds(n: int, rate: float) -> float:
    """Seconds of :func:`step_flops` at `rate` flop/s."""
    return step_flops(n) / rate
