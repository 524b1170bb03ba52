"""Neighbours: trials beside the best points, whatever the front offers elsewhere.

The Pareto front spreads over all that is promising or uncertain, and few of its points refine the
best ones. So some trials are sought around these, by Thompson sampling: most in a wide
neighbourhood, out of which a search finds its way to a better basin, and some among points that
differ from the best in few coordinates, ever fewer as the search goes on. (The latter is the idea
of Regis and Shoemaker's DYCORS, 2013.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warpfront.search.batch import SLOTS, untried
from warpfront.search.domain import Domain
from warpfront.search.population import around, stepped
from warpfront.search.thompson import thompson
from warpfront.space.encoding import row_keys
from warpfront.surrogate.gp import GaussianProcess

Floats = NDArray[np.float64]

NARROW_SLOTS = frozenset({3})
NEIGHBOUR_SLOTS = NARROW_SLOTS | {5, 7}
"""Which of eight consecutive trials, by their numbers, are neighbours, if not excursions, and which
of these differ in few coordinates."""
CANDIDATES = 400
"""Among how many points they are chosen."""
NARROW_STEPS = (0.2, 0.1, 0.05, 0.025)
"""Standard deviations of the steps along few coordinates, in the unit cube."""
ONE_BY_ONE = 160
"""From so many observations on these few are one."""


def neighbours(
    numbers: Sequence[int],
    best: Floats,
    elite: Floats,
    gp: GaussianProcess,
    columns: NDArray[np.bool_],
    domain: Domain,
    tried: set[bytes],
    rng: np.random.Generator,
) -> Floats:
    """Untried points beside the best ones, one for each number, or fewer.

    Parameters
    ----------
    numbers
        The numbers of the trials that are wanted.
    best
        The points that share the best loss, (k, d).
    elite
        The best ones whatever their losses, (m, d).
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
    narrow = sum(number % SLOTS in NARROW_SLOTS for number in numbers)
    wide = len(numbers) - narrow
    found = np.empty((0, best.shape[1]))
    if wide:
        X = around(elite if len(best) < len(elite) else best, CANDIDATES, domain, rng)
        X = X[untried(X, tried)]
        found = X[thompson(gp, X[:, columns], wide, rng)]
    if narrow:
        X = beside(best, moved_share(len(gp.y)), domain, rng)
        X = X[untried(X, tried | set(row_keys(found)))]
        found = np.vstack([found, X[thompson(gp, X[:, columns], narrow, rng)]])
    return found


def moved_share(n: int) -> float:
    """Which share of the coordinates is moved after n observations: it falls with log n.

    Examples
    --------
    >>> [round(moved_share(n), 2) for n in (1, 16, 64, 160, 1000)]
    [1.0, 0.45, 0.18, 0.0, 0.0]
    """
    return max(0.0, 1.0 - math.log(n) / math.log(ONE_BY_ONE))


def beside(best: Floats, share: float, domain: Domain, rng: np.random.Generator) -> Floats:
    """Copies of the best points (k, d), a share of the free coordinates moved, or one at least."""
    free = np.flatnonzero(domain.free)
    if len(free) == 0:
        return domain.hold(best[:1])
    centres = best[rng.integers(0, len(best), CANDIDATES)]
    moved = rng.random(centres.shape) < share
    moved[np.arange(CANDIDATES), rng.choice(free, CANDIDATES)] = True
    return stepped(centres, moved, NARROW_STEPS, domain, rng)
