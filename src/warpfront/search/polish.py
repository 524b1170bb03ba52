"""Polish: from the most promising points downhill to the bottom of the posterior mean.

NSGA-II comes near the best predicted point; the slope of the mean leads there. Where a function is
smooth, that is the difference between two digits of its minimum and six.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.search.batch import untried
from warpfront.search.domain import Domain
from warpfront.search.population import LISTED_UP_TO
from warpfront.space.encoding import row_keys
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.surface import MeanSurface

Floats = NDArray[np.float64]

QUIET = 1e-3
"""Only while the variance of the noise, where that of the transformed losses is 1, is below this:
digits of the bottom that the noise hides are worth nothing, and a trial there repeats the last."""
STARTS = 2
"""From so many points the slope is followed."""
ITERATIONS = 40
"""Of L-BFGS, from each."""
DECIMALS = 6
"""Of the coordinates that are found, so that the last bits, in which BLAS libraries differ, seldom
show."""


def polish(
    points: Floats,
    gp: GaussianProcess,
    columns: NDArray[np.bool_],
    domain: Domain,
    tried: set[bytes],
) -> Floats:
    """The bottom of the posterior mean below some points (m, d): one new point, or none, (k, d).

    Categories stay as they are. None is found where the losses are noisy, where the bottom was
    tried before, or where on the grids of the parameters it is no better than the new ones among
    the points given.

    Parameters
    ----------
    points
        Where to begin: the most promising ones among them do, tried before or not.
    gp
        The model.
    columns
        The columns of a point that the model uses, (d,).
    domain
        Where to search.
    tried
        Keys of the points that are not wanted again.
    """
    if gp.noise >= QUIET or not domain.free[_numeric(gp, columns)].any():
        return points[:0]
    if domain.size <= LISTED_UP_TO:  # all of it is the population
        return points[:0]
    promise = gp.mean(points[:, columns])
    fresh = untried(points, tried)
    found = points[np.argsort(promise, kind="stable")[:STARTS]]
    for free in _stages(domain):
        found = np.array([_bottom(start, gp, columns, free) for start in found])
        found = domain.encoding.snap(found)
    found = domain.canonical(found)
    found = found[untried(found, tried | set(row_keys(points)))]
    if len(found) == 0:
        return found
    mean = gp.mean(found[:, columns])
    best = int(np.argmin(mean))
    return found[[best]] if mean[best] < promise[fresh].min(initial=np.inf) else found[:0]


def _stages(domain: Domain) -> list[NDArray[np.bool_]]:
    """Which columns (d,) move at a time: all numbers, then those that no grid has moved aside."""
    numbers = domain.free & ~domain.encoding.is_category
    between = domain.free & np.isinf(domain.encoding.levels)
    return [numbers, between] if 0 < between.sum() < numbers.sum() else [numbers]


def _bottom(
    start: Floats, gp: GaussianProcess, columns: NDArray[np.bool_], free: NDArray[np.bool_]
) -> Floats:
    """Where the slope of the mean along the free columns leads from a point (d,)."""
    from scipy.optimize import minimize  # as slow to import as all of warpfront, so not before

    numeric = _numeric(gp, columns)
    surface = MeanSurface(gp, start[columns])
    low, high = (np.where(free[numeric], end, surface.start) for end in surface.ends)
    result = minimize(
        surface,
        surface.start,
        jac=True,
        method="L-BFGS-B",
        bounds=np.column_stack([low, high]),
        options={"maxiter": ITERATIONS, "ftol": 1e-12, "gtol": 1e-7},
    )
    end: Floats = start.copy()
    if np.all(np.isfinite(result.x)):
        moved = np.where(free[numeric], np.round(gp.unwarp(result.x), DECIMALS), start[numeric])
        end[numeric] = moved
    return end


def _numeric(gp: GaussianProcess, columns: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Which columns of a point are numbers that the model uses."""
    return np.flatnonzero(columns)[~gp.is_category]
