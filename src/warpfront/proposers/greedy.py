"""Greedy: a batch by one acquisition, point after point.

An acquisition of single points values the next one by the model conditioned on the earlier ones, as
if they had come out as predicted (kriging believer). One of a joint batch (paper, section 2.2) is
valued together with the earlier points, pending ones included, on the same quasi-random draws; for
EI and PI, which are monotone and submodular, the greedy batch has at least 1 - 1/e of the value of
the best one (Wilson, Hutter and Deisenroth, 2018).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from warpfront.acquisition.batch import normal_draws
from warpfront.acquisition.ensemble import JOINT, Ensemble
from warpfront.proposers.context import Context
from warpfront.proposers.pareto import evolve
from warpfront.settings import Acquisition

Floats = NDArray[np.float64]


def greedy(
    context: Context, n: int, rng: np.random.Generator, acquisition: Acquisition | None = None
) -> Floats:
    """Points that an acquisition values most, that of the settings unless it is given."""
    kind = context.settings.acquisition if acquisition is None else acquisition
    draws = None
    if kind in JOINT:
        draws = normal_draws(len(context.pending) + n - 1, rng)
    found = np.empty((0, context.domain.encoding.d))
    for _ in range(n):
        X, F = evolve(context, _objective(context, kind, draws, rng), rng)
        order = np.argsort(F[:, 0], kind="stable")
        point = context.fresh(context.domain.canonical(X[order]))[:1]
        if len(point) == 0:
            break
        found = np.vstack([found, point])
        context = context.after(point, "pareto")
    return found


def _objective(
    context: Context, kind: Acquisition, draws: Floats | None, rng: np.random.Generator
) -> Ensemble:
    return Ensemble.build(
        context.surrogate() if draws is None else context.models.model.gp,
        context.elite[0],
        replace(context.settings, acquisition=kind),
        n=context.data.told,
        q=context.in_flight,
        rng=rng,
        penalty=context.penalty,
        batch=None if draws is None else (context.pending, draws),
    )
