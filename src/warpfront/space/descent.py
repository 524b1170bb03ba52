"""Finding feasible rows where chance does not: the violation is minimised from many starts.

Several small populations, islands, evolve by themselves (differential evolution, with steps of all
sizes for narrow regions, and fresh draws for categories); an island that does not get better for a
while starts again.

Glossary
--------
X : (n, d)
    encoded rows; ``ISLANDS`` blocks of ``MEMBERS`` rows each.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from warpfront.space.encoding import Encoding

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ISLANDS = 8
MEMBERS = 24
STARTS_PER_MEMBER = 16
"""How many rows are drawn for each member of an island, of which the best remain."""
REDRAW_ROWS = 2000
"""How many random rows the values that children draw anew come from."""
GENERATIONS = 300
"""After so many generations without success the region counts as empty."""
MORE_GENERATIONS = 150
"""How long to go on for more feasible rows after the first."""
PATIENCE_GENERATIONS = 40
"""An island that has not got better for so many generations starts again."""
LOCAL_SHARE = 0.3
"""The share of children that are a member with a random step of a random size."""
LEAST_STEP = -7.0
"""The smallest random steps, as a power of ten, in the unit cube."""


class Problem(Protocol):
    """What a search for feasible rows must know."""

    encoding: Encoding

    def base(self, n: int, rng: np.random.Generator) -> Floats:
        """Random repaired rows, (n, d)."""

    def repair(self, X: Floats) -> Floats:
        """Repaired copies of rows."""

    def violation(self, X: Floats) -> Floats:
        """How far rows are from being feasible, (n,); 0 if they are."""


def descend(
    problem: Problem, wanted: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Feasible rows (k, d), as many as wanted if all goes well; and the last rows with violations.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> from warpfront.space.region import Region
    >>> region = Region.of(Space(a=Real(0, 1), b=Real(0, 1), constraints=["abs(a - b) < 1e-7"]))
    >>> found, _, _ = descend(region, 3, np.random.default_rng(0))
    >>> bool(region.feasible(found).all())
    True
    """
    X, V = _islands(problem, ISLANDS, rng)
    fresh = problem.base(REDRAW_ROWS, rng)
    found = {row.tobytes(): row for row in X[V == 0.0]}
    record, since = _best(V), np.zeros(ISLANDS, dtype=int)
    left, first = GENERATIONS, True
    while left > 0 and len(found) < wanted:
        left -= 1
        children = _children(problem, X, V, fresh[rng.integers(0, REDRAW_ROWS, len(X))], rng)
        values = problem.violation(children)
        found |= {row.tobytes(): row for row in children[values == 0.0]}
        if found:
            left = min(left, MORE_GENERATIONS) if first else left
            first = False
        better = values <= V
        X[better], V[better] = children[better], values[better]
        since = np.where(_best(V) < record, 0, since + 1)
        record = np.minimum(record, _best(V))
        tired = np.flatnonzero(since >= PATIENCE_GENERATIONS)
        if len(tired):
            rows = (tired[:, None] * MEMBERS + np.arange(MEMBERS)).ravel()
            X[rows], V[rows] = _islands(problem, len(tired), rng)
            since[tired], record[tired] = 0, _best(V)[tired]
    return np.array([*found.values()]).reshape(-1, X.shape[1]), X, V


def _best(V: Floats) -> Floats:
    return np.asarray(V.reshape(-1, MEMBERS).min(axis=1))


def _islands(problem: Problem, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The best of many drawn rows on each island."""
    X = problem.base(count * MEMBERS * STARTS_PER_MEMBER, rng)
    V = problem.violation(X)
    order = np.argsort(V.reshape(count, -1), axis=1, kind="stable")[:, :MEMBERS]
    rows = (order + np.arange(count)[:, None] * MEMBERS * STARTS_PER_MEMBER).ravel()
    return X[rows], V[rows]


def _children(
    problem: Problem, X: Floats, V: Floats, fresh: Floats, rng: np.random.Generator
) -> Floats:
    """Changed members of the islands; fresh rows give new categories, and now and then numbers."""
    n, d = X.shape
    home = np.repeat(np.arange(n // MEMBERS) * MEMBERS, MEMBERS)
    a, b, c = (X[home + rng.integers(0, MEMBERS, n)] for _ in range(3))
    best = X[home + np.repeat(V.reshape(-1, MEMBERS).argmin(axis=1), MEMBERS)]
    start = np.where(rng.random((n, 1)) < 0.5, best, a)
    moved = start + rng.uniform(0.2, 0.9, (n, 1)) * (b - c)
    category = problem.encoding.is_category
    moved = np.where(category, np.where(rng.random((n, d)) < 0.5, start, b), moved)
    share = rng.choice([0.1, 0.5, 0.9], (n, 1))
    children = np.where(_some(rng, n, d, share), moved, X)
    local = rng.random(n) < LOCAL_SHARE
    size = 10.0 ** rng.uniform(LEAST_STEP, -0.5, (n, 1))
    step = size * rng.standard_normal((n, d)) * _some(rng, n, d, share) * ~category
    children[local] = (np.where(rng.random((n, 1)) < 0.5, X, best) + step)[local]
    redrawn = rng.random((n, d)) < np.where(category, 0.5, 0.1) / d
    return with_fresh(problem, X, np.where(redrawn, fresh, children), fresh)


def with_fresh(problem: Problem, X: Floats, changed: Floats, fresh: Floats) -> Floats:
    """Repaired rows; parameters that the change has made active come from fresh rows."""
    repaired = problem.repair(changed)
    conditions = problem.encoding.conditions
    if conditions:
        awake = conditions.active(repaired) & ~conditions.active(X)
        if awake.any():
            repaired = problem.repair(np.where(awake, fresh, repaired))
    return repaired


def _some(rng: np.random.Generator, n: int, d: int, share: Floats) -> Bools:
    """Random coordinates of each row, one at least, (n, d)."""
    chosen = rng.random((n, d)) < share
    chosen[np.arange(n), rng.integers(0, d, n)] = True
    return chosen
