"""Neighbours: trials beside the best point, whatever the front offers elsewhere.

The Pareto front spreads over all that is promising or uncertain, and few of its points refine the
best one. So some trials are sought among points that differ from it in a few coordinates, ever
fewer as the search goes on, by Thompson sampling. (That few coordinates are moved is the idea of
Regis and Shoemaker's DYCORS, 2013.)
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from warpfront.search.batch import untried
from warpfront.search.domain import Domain
from warpfront.search.thompson import thompson
from warpfront.surrogate.gp import GaussianProcess

Floats = NDArray[np.float64]

NEIGHBOUR_SLOTS = frozenset({3, 5, 7})
"""Which of eight consecutive trials, by their numbers, are neighbours, if not excursions."""
CANDIDATES = 400
"""Among how many points they are chosen."""
STEPS = (0.2, 0.1, 0.05, 0.025)
"""Standard deviations of the steps, in the unit cube."""
ONE_BY_ONE = 160
"""From so many observations on a single coordinate is moved."""


def neighbours(
    best: Floats,
    n: int,
    gp: GaussianProcess,
    columns: NDArray[np.bool_],
    domain: Domain,
    tried: set[bytes],
    rng: np.random.Generator,
) -> Floats:
    """At most n distinct untried points beside the best ones.

    Parameters
    ----------
    best
        The best points, (k, d).
    n
        How many are wanted.
    gp
        The model, conditioned on pending points.
    columns
        The columns of a point that the model uses, (d,).
    domain
        Where to search.
    tried
        Keys of the points that are not wanted again.
    rng
        Source of randomness.
    """
    if n == 0:
        return np.empty((0, best.shape[1]))
    X = candidates(best, moved_share(len(gp.y)), domain, rng)
    X = X[untried(X, tried)]
    return X[thompson(gp, X[:, columns], n, rng)]


def moved_share(n: int) -> float:
    """Which share of the coordinates is moved after n observations: it falls with log n.

    Examples
    --------
    >>> [round(moved_share(n), 2) for n in (1, 16, 64, 160, 1000)]
    [1.0, 0.45, 0.18, 0.0, 0.0]
    """
    return max(0.0, 1.0 - math.log(n) / math.log(ONE_BY_ONE))


def candidates(best: Floats, share: float, domain: Domain, rng: np.random.Generator) -> Floats:
    """Copies of the best points (k, d), a share of the free coordinates moved, or one at least."""
    encoding, d, free = domain.encoding, best.shape[1], np.flatnonzero(domain.free)
    if len(free) == 0:
        return domain.hold(best[:1])
    centres = best[rng.integers(0, len(best), CANDIDATES)]
    moved = rng.random((CANDIDATES, d)) < share
    moved[np.arange(CANDIDATES), rng.choice(free, CANDIDATES)] = True
    step = rng.choice(STEPS, (CANDIDATES, 1)) * rng.standard_normal((CANDIDATES, d))
    numbers = np.clip(centres + step, 0.0, 1.0)
    redrawn = encoding.from_unit(rng.random((CANDIDATES, d)))
    points = np.where(encoding.is_category, redrawn, numbers)
    return domain.hold(encoding.snap(np.where(moved, points, centres)))
