"""Random walks inside a region: from a few feasible rows to rows all over it.

A step moves along a random line through a row, inside the sums, to a uniform point of it; where
that is infeasible, the line is cut there and the next point lies nearer (hit-and-run with the
shrinking intervals of slice sampling). Other steps redraw a discrete value, or exchange a special
value, such as the 0 of ``count(a > 0, b > 0) <= 1``, with another column's.

Glossary
--------
X : (n, d)
    encoded feasible rows, one walk each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from warpfront.space.descent import with_fresh
from warpfront.space.numeric import Numeric
from warpfront.space.sums import pseudo_inverse

if TYPE_CHECKING:
    from warpfront.space.region import Region

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

HALVINGS = 10
"""How closely a row that is pulled inside comes to the border: a thousandth of the way."""
CUTS = 8
"""How often a line is cut before a row stays where it is."""


def walk(region: Region, X: Floats, steps: int, rng: np.random.Generator) -> Floats:
    """Rows after so many random steps inside a region, (n, d).

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> from warpfront.space.region import Region
    >>> region = Region.of(Space(a=Real(0, 1), b=Real(0, 1), constraints=["a + b <= 0.01"]))
    >>> X = walk(region, np.zeros((3, 2)), 20, np.random.default_rng(0))
    >>> len(np.unique(X)), bool(region.feasible(X).all())
    (6, True)
    """
    encoding, free = region.encoding, region.held.free
    discrete = np.flatnonzero(free & np.isfinite(encoding.levels))
    numbers = free & ~encoding.is_category & (encoding.levels > 1)
    kinds = [_line] * 3 if numbers.any() else []
    kinds += [_redraw] * (1 if kinds else 3) if len(discrete) else []
    kinds += [_exchange] * 2 if region.special else []
    for _ in range(steps if kinds else 0):
        X = kinds[rng.integers(len(kinds))](region, X, rng)
    return X


def pull(region: Region, X: Floats, inside: Floats) -> Floats:
    """Repaired rows X, those that are infeasible moved towards feasible rows as far as they must.

    Parameters
    ----------
    X
        Encoded rows, (n, d).
    inside
        A feasible row for each of them, (n, d).

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> from warpfront.space.region import Region
    >>> region = Region.of(Space(a=Real(0, 1), b=Real(0, 1), constraints=["a * b <= 0.25"]))
    >>> pull(region, np.array([[1.0, 1.0], [0.2, 0.9]]), np.zeros((2, 2))).round(2)
    array([[0.5, 0.5],
           [0.2, 0.9]])
    """
    X = region.repair(X)
    wrong = np.flatnonzero(~region.feasible(X))
    found: Floats = X.copy()
    goal, start = X[wrong], inside[wrong]
    found[wrong] = start
    low, high = np.zeros(len(wrong)), np.ones(len(wrong))
    for _ in range(HALVINGS if len(wrong) else 0):
        share = (low + high)[:, None] / 2
        points = start + share * (goal - start)
        nearer = np.where(share > 0.5, goal, start)
        points = region.repair(np.where(region.encoding.is_category, nearer, points))
        good = region.feasible(points)
        found[wrong[good]] = points[good]
        low, high = np.where(good, share[:, 0], low), np.where(good, high, share[:, 0])
    return found


def _line(region: Region, X: Floats, rng: np.random.Generator) -> Floats:
    G = _direction(region, X, rng)
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.where(G > 0, (1.0 - X) / G, np.where(G < 0, -X / G, np.inf))
        starts = np.where(G > 0, -X / G, np.where(G < 0, (1.0 - X) / G, -np.inf))
    low, high = starts.max(axis=1), ends.min(axis=1)
    X, todo = X.copy(), np.flatnonzero(np.isfinite(low) & np.isfinite(high))
    for _ in range(CUTS):
        if not len(todo):
            break
        t = rng.uniform(low[todo], high[todo])
        points = region.repair(X[todo] + t[:, None] * G[todo])
        good = region.feasible(points)
        cut, at = todo[~good], t[~good]
        low[cut] = np.where(at < 0, at, low[cut])
        high[cut] = np.where(at < 0, high[cut], at)
        X[todo[good]] = points[good]
        todo = cut
    return X


def _direction(region: Region, X: Floats, rng: np.random.Generator) -> Floats:
    """Random directions of numeric columns that are active and not special, along the sums."""
    n, d = X.shape
    encoding = region.encoding
    able = region.held.free & ~encoding.is_category & (encoding.levels > 1)
    able = able & encoding.active(X) & ~region.mend.at_special(X)
    share = rng.choice([2.0 / d, 0.5, 1.0], (n, 1))
    some = able & (rng.random((n, d)) < share)
    some = np.where(some.any(axis=1)[:, None], some, able)
    G: Floats = rng.standard_normal((n, d)) * some
    sums = region.mend.sums
    if not len(sums.totals):
        return G
    columns = list(sums.columns)
    V, _, applies = region.mend.values(X)
    slopes = np.zeros_like(V)
    for k, j in enumerate(columns):
        parameter = encoding.parameters[j]
        if isinstance(parameter, Numeric):
            slopes[:, k] = parameter.slope(V[:, k])
    A = sums.A * applies[:, :, None] * (slopes * some[:, columns])[:, None, :]  # (n, m, k)
    along = np.einsum("nmk,nk->nm", A, G[:, columns])
    G[:, columns] -= np.einsum("nkm,nm->nk", pseudo_inverse(A), along)
    G[np.abs(G) < 1e-12] = 0.0
    return G


def _redraw(region: Region, X: Floats, rng: np.random.Generator) -> Floats:
    """A new value for one discrete column of each row."""
    encoding = region.encoding
    able = region.held.free & np.isfinite(encoding.levels) & encoding.active(X)
    column = _pick(able, rng)
    fresh = region.base(len(X), rng)
    changed = X.copy()
    rows = np.flatnonzero(able.any(axis=1))
    changed[rows, column[rows]] = fresh[rows, column[rows]]
    return _accepted(region, X, with_fresh(region, X, changed, fresh))


def _exchange(region: Region, X: Floats, rng: np.random.Generator) -> Floats:
    """A special value given up for another one's place, or one more, or one less."""
    able = np.zeros(X.shape, dtype=bool)
    able[:, list(region.special)] = True
    able &= region.encoding.active(X)
    special = region.mend.at_special(X)
    up, down = able & ~special, able & special
    to_special, from_special = _pick(up, rng), _pick(down, rng)
    what = rng.integers(0, 4, len(X))  # exchange (twice as often), only to, only from
    changed, rows = X.copy(), np.arange(len(X))
    give = rows[(what != 3) & up.any(axis=1)]
    take = rows[(what != 2) & down.any(axis=1)]
    values = np.where(what < 2, X[rows, to_special], rng.random(len(X)))
    for j, positions in region.special.items():
        mine = give[to_special[give] == j]
        changed[mine, j] = positions[rng.integers(0, len(positions), len(mine))]
    changed[take, from_special[take]] = values[take]
    return _accepted(region, X, region.repair(changed))


def _accepted(region: Region, X: Floats, changed: Floats) -> Floats:
    return np.asarray(np.where(region.feasible(changed)[:, None], changed, X))


def _pick(able: Bools, rng: np.random.Generator) -> NDArray[np.int_]:
    """One random able column of each row, (n,); any if there is none."""
    return np.asarray(np.where(able, rng.random(able.shape), -1.0).argmax(axis=1))
