"""Neighbours: trials beside the best points, whatever the front offers elsewhere.

The Pareto front spreads over all that is promising or uncertain, and few of its points refine the
best ones. So some trials are sought around these.

Where the losses are calm, a spline through them says which neighbours are good, and a trial weighs
that against the distance from what was tried. They differ from the best in few coordinates, ever
fewer as the search goes on. (Candidates and rule are those of Regis and Shoemaker's DYCORS, 2013.)
There are more of them while the model cannot tell which of the good losses are the best: what it
finds promising elsewhere is then no better than a guess, and steps from the best are.

Where they are noisy, or too few, a surface through all of them means little. There neighbours are
sought by Thompson sampling: most in a wide neighbourhood, out of which a search finds its way to a
better basin, and some among points that differ in few coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warpfront.history import History
from warpfront.search.batch import SLOTS, UNCERTAINTY_SLOT, untried
from warpfront.search.domain import Domain
from warpfront.search.population import around, stepped
from warpfront.search.thompson import thompson
from warpfront.space.encoding import row_keys
from warpfront.surrogate.gp import FIT_POINTS, GaussianProcess, subset
from warpfront.surrogate.kernels import squared_distances
from warpfront.surrogate.spline import Features, Spline

Floats = NDArray[np.float64]

NARROW_SLOTS = frozenset({3})
NEIGHBOUR_SLOTS = NARROW_SLOTS | {5, 7}
"""Which of eight consecutive trials, by their numbers, are neighbours, if not excursions, and which
of these differ in the fewest coordinates."""
UNSURE_SLOTS = frozenset({2, 6})
"""Which others are, where losses are calm and the model is not sure."""
SETTLED = 64
"""From so many trials on, where losses are calm, the one at the most uncertain point is another."""
CANDIDATES = 400
"""Among how many points they are chosen."""
NARROW_STEPS = (0.2, 0.1, 0.05, 0.025)
"""Standard deviations of the steps along few coordinates, in the unit cube."""
ONE_BY_ONE, WIDE_ONE_BY_ONE = 160, 400
"""From so many observations on these few are one."""
CALM = 0.1
"""Losses are calm while the variance of their noise is below this share of that of the better half,
the worse half counting as the median: most of a task may be bad in a way that is easy to learn, and
the rest a floor of noise."""
SPLINE_POINTS, SPLINE_POINTS_EACH = 16, 2
"""And where there are so many losses at least, failures among them, and so many for each
coefficient of the spline's plane, which fewer would tilt at will."""
GOOD_RATHER_THAN_FAR = {UNCERTAINTY_SLOT: 0.95, 2: 0.8, 3: 0.95, 5: 0.5, 6: 0.5, 7: 0.8}
"""The weight of the spline against the distance, for the trials of these slots."""
SURE = 0.9
"""The model is sure while it orders the better half of the losses, each left out, at least so well:
the rank correlation. Smooth functions have more from 32 trials on, those with many basins less."""
SURE_BEYOND = 512
"""With more observations it counts as sure: the answer takes ever longer."""


def is_calm(gp: GaussianProcess, features: Features) -> bool:
    """Whether a surface through the losses tells good neighbours from bad ones.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> for i in range(20):
    ...     optimizer.tell({"x": i / 20}, (i / 20 - 0.3) ** 2)
    >>> features = Features.of(optimizer.space.encoding, np.array([True]))
    >>> is_calm(optimizer.model.gp, features)
    True
    """
    enough = max(SPLINE_POINTS, SPLINE_POINTS_EACH * (1 + features.width))
    if min(len(gp.y), FIT_POINTS) < enough:
        return False
    better = np.minimum(gp.y, np.median(gp.y))
    return bool(gp.noise < CALM * better.var())


def is_sure(gp: GaussianProcess, completed: int) -> bool:
    """Whether the model tells the best of the good losses, each from all others.

    The first ``completed`` of its observations are losses, the others stand for failures. Ties
    have no order, which a model could know: on a plateau none is sure.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> smooth, rough = (HEBO(Space(x=Real(0, 1)), seed=0) for _ in range(2))
    >>> for x in np.linspace(0, 1, 20):
    ...     smooth.tell({"x": x}, (x - 0.3) ** 2)
    ...     rough.tell({"x": x}, np.cos(1e4 * x))
    >>> is_sure(smooth.model.gp, 20), is_sure(rough.model.gp, 20)
    (True, False)
    """
    if len(gp.y) > SURE_BEYOND:
        return True
    y, predicted = gp.y[:completed], gp.leave_one_out[0][:completed]
    better = y <= np.median(y)
    return rank_agreement(y[better], predicted[better]) >= SURE


def rank_agreement(a: Floats, b: Floats) -> float:
    """Spearman's correlation of a and b (n,), as expected of ties in a random order.

    Examples
    --------
    >>> line, flat = np.arange(3.0), np.zeros(3)
    >>> rank_agreement(line, line**2), rank_agreement(line, -line), rank_agreement(line, flat)
    (1.0, -1.0, 0.0)
    >>> rank_agreement(np.array([0.0, 0.0, 1.0]), line)
    0.75
    """
    n = len(a)
    if n < 2:
        return 0.0
    covariance = float(_centred_ranks(a) @ _centred_ranks(b)) / n
    return covariance / ((n**2 - 1) / 12)  # the variance of ranks without ties


def _centred_ranks(values: Floats) -> Floats:
    """The ranks (n,), of equal values their mean, about 0."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - 0.5 * (counts + len(values))
    return np.asarray(ranks[places.ravel()])


def is_neighbour(number: int, *, calm: bool, sure: bool = True) -> bool:
    """Whether a trial, by its number, is sought beside the best points, if it is no excursion.

    Examples
    --------
    >>> [k for k in range(56, 72) if is_neighbour(k, calm=True)]
    [59, 61, 63, 65, 67, 69, 71]
    >>> [k for k in range(56, 72) if is_neighbour(k, calm=False)]
    [59, 61, 63, 67, 69, 71]
    >>> [k for k in range(56, 64) if is_neighbour(k, calm=True, sure=False)]
    [58, 59, 61, 62, 63]
    """
    slot = number % SLOTS
    more = calm and (
        (slot == UNCERTAINTY_SLOT and number >= SETTLED) or (slot in UNSURE_SLOTS and not sure)
    )
    return more or slot in NEIGHBOUR_SLOTS


def neighbours(
    numbers: Sequence[int],
    best: Floats,
    elite: Floats,
    gp: GaussianProcess,
    columns: NDArray[np.bool_],
    history: History,
    domain: Domain,
    tried: set[bytes],
    rng: np.random.Generator,
    *,
    calm: bool,
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
        The model, conditioned on pending points and on the batch's points of the front.
    columns
        The columns of a point that the model uses, (d,).
    history
        What is known.
    domain
        Where to search.
    tried
        Keys of the points that are not wanted again.
    rng
        Source of randomness.
    calm
        Whether the losses are.
    """
    if numbers and calm:
        return _by_spline(numbers, best, gp, columns, history, domain, tried, rng)
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


def _by_spline(
    numbers: Sequence[int],
    best: Floats,
    gp: GaussianProcess,
    columns: NDArray[np.bool_],
    history: History,
    domain: Domain,
    tried: set[bytes],
    rng: np.random.Generator,
) -> Floats:
    """Neighbours where the spline is low, and that are far from one another and what was tried."""
    features = Features.of(domain.encoding, columns)
    spline = fit_spline(history, columns, features, rng)
    seen = features(gp.X)
    found = np.empty((0, best.shape[1]))
    for number in numbers:
        slot = number % SLOTS
        until = ONE_BY_ONE if slot in NARROW_SLOTS else WIDE_ONE_BY_ONE
        X = beside(best, moved_share(len(gp.y), until), domain, rng)
        X = X[untried(X, tried | set(row_keys(found)))]
        if len(X) == 0:
            continue
        Z = features(X[:, columns])
        weight = GOOD_RATHER_THAN_FAR[slot]
        score = weight * _ranged(spline(Z)) - (1.0 - weight) * _ranged(_gaps(Z, seen))
        choice = int(np.argmin(score))
        seen = np.vstack([seen, Z[choice]])
        found = np.vstack([found, X[choice]])
    return found


def fit_spline(
    history: History, columns: NDArray[np.bool_], features: Features, rng: np.random.Generator
) -> Spline:
    """The spline through the losses, cut at their median, which is what failures count as.

    Bad losses would bend it where good ones are; of many losses it takes a part.
    """
    X, y = history.observations
    y = 0.5 * y  # so that no difference can overflow
    top = float(np.median(y))
    X = np.vstack([X, history.failures])
    y = np.concatenate([np.minimum(y, top), np.full(len(history.failures), top)])
    some = subset(y, FIT_POINTS, rng)
    return Spline.fit(features(X[some][:, columns]), _ranged(y[some]))


def _ranged(values: Floats) -> Floats:
    """Moved and scaled to [0, 1]."""
    low, high = float(values.min()), float(values.max())
    return (values - low) / ((high - low) or 1.0)


def _gaps(Z: Floats, seen: Floats) -> Floats:
    """The distance of each row of Z (m, e) to the nearest of those seen (n, e)."""
    return np.asarray(np.sqrt(squared_distances(Z, seen).min(axis=1)))


def moved_share(n: int, until: int = ONE_BY_ONE) -> float:
    """Which share of the coordinates is moved after n observations: it falls with log n to none.

    Examples
    --------
    >>> [round(moved_share(n), 2) for n in (1, 16, 64, 160, 1000)]
    [1.0, 0.45, 0.18, 0.0, 0.0]
    """
    return max(0.0, 1.0 - math.log(n) / math.log(until))


def beside(best: Floats, share: float, domain: Domain, rng: np.random.Generator) -> Floats:
    """Copies of the best points (k, d), a share of the free coordinates moved, or one at least."""
    free = np.flatnonzero(domain.free)
    if len(free) == 0:
        return domain.hold(best[:1])
    centres = best[rng.integers(0, len(best), CANDIDATES)]
    moved = rng.random(centres.shape) < share
    moved[np.arange(CANDIDATES), rng.choice(free, CANDIDATES)] = True
    return stepped(centres, moved, NARROW_STEPS, domain, rng)
