"""Neighbours: trials beside the best points, whatever the front offers elsewhere.

The Pareto front spreads over all that is promising or uncertain, and few of its points refine the
best ones. So some trials are sought among points that share most coordinates with one of these,
by Thompson sampling.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.search.batch import untried
from warpfront.search.domain import Domain
from warpfront.search.population import around
from warpfront.search.thompson import thompson
from warpfront.surrogate.gp import GaussianProcess

Floats = NDArray[np.float64]

NEIGHBOUR_SLOTS = frozenset({3, 5, 7})
"""Which of eight consecutive trials, by their numbers, are neighbours, if not excursions."""
CANDIDATES = 400
"""Among how many points around the best ones they are chosen."""


def neighbours(
    elite: Floats,
    n: int,
    gp: GaussianProcess,
    columns: NDArray[np.bool_],
    domain: Domain,
    tried: set[bytes],
    rng: np.random.Generator,
) -> Floats:
    """At most n distinct untried points around the elite ones.

    Parameters
    ----------
    elite
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
        return np.empty((0, elite.shape[1]))
    X = around(elite, CANDIDATES, domain, rng)
    X = X[untried(X, tried)]
    return X[thompson(gp, X[:, columns], n, rng)]
