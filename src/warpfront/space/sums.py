"""Moving on sums: rows of values that keep linear equalities, and how they are drawn.

Glossary
--------
V : (n, k)
    values of the k columns that are part of a sum.
A, totals : (m, k), (m,)
    the m sums: ``V @ A.T`` must be ``totals``.
free : (n, k)
    which values may be changed.
gap : (n, m)
    what is missing to the totals; 0 where a sum does not apply because a parameter is inactive.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warpfront.space.numeric import Numeric
from warpfront.space.parameter import Parameter
from warpfront.space.structure import Sum, bounds

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ROUNDS = 20
"""How often values that have reached a bound are given another chance."""
BISECTIONS = 64
"""Halvings of the interval of a tilt; more than the 53 bits of a float need none."""


class Sums:
    """The linear equalities of a space.

    Parameters
    ----------
    sums
        The sums.
    parameters
        All parameters of the space, in the order of the columns.

    Examples
    --------
    >>> from warpfront import Real
    >>> sums = Sums([Sum((0, 1), (1.0, 1.0), 1.0, 1e-9)], [Real(0, 1), Real(0, 1)])
    >>> sums.restored(np.array([[0.2, 0.4]]), np.ones((1, 2), bool), np.ones((1, 1), bool))
    array([[0.4, 0.6]])
    """

    def __init__(self, sums: Sequence[Sum], parameters: Sequence[Parameter]) -> None:
        self.columns = tuple(sorted({j for s in sums for j in s.columns}))
        used = [parameters[j] for j in self.columns]
        self.A = np.zeros((len(sums), len(used)))
        for row, one in zip(self.A, sums, strict=True):
            row[[self.columns.index(j) for j in one.columns]] = one.coefficients
        self.totals = np.array([s.total for s in sums])
        self.tolerances = np.array([s.tolerance for s in sums])
        self.low, self.high = np.array([bounds(p) for p in used]).reshape(-1, 2).T
        self.width = self.high - self.low
        self.continuous = np.array([p.levels is None for p in used], dtype=bool)
        #: the distance of neighbours on a regular grid; 0: none
        self.step = np.array([_step(p) for p in used])
        #: the columns that can be moved by whole steps, or freely
        self.movable = self.continuous | (self.step > 0)

    def gap(self, V: Floats, applies: Bools) -> Floats:
        """What is missing to the totals, (n, m)."""
        return np.where(applies, self.totals - V @ self.A.T, 0.0)

    def off(self, V: Floats, applies: Bools) -> Bools:
        """In which rows a sum is not what it must be, (n,)."""
        return np.asarray((np.abs(self.gap(V, applies)) > 0.5 * self.tolerances).any(axis=1))

    def restored(self, V: Floats, free: Bools, applies: Bools) -> Floats:
        """The values moved as little as possible until the sums hold; as far as possible.

        Continuous values move first; where they cannot make up for what is missing, values on
        grids move by whole steps.
        """
        V = V.copy()
        todo = self.off(V, applies)
        if todo.any():
            V[todo] = self._moved(V[todo], free[todo] & self.continuous, applies[todo])
            todo = self.off(V, applies)
        if todo.any() and (self.step > 0).any():
            V[todo] = self._stepped(V[todo], free[todo], applies[todo])
        return V

    def _moved(self, V: Floats, free: Bools, applies: Bools) -> Floats:
        """The weighted projection to the sums, inside the bounds: a bound that is hit is kept."""
        V, able = V.copy(), free.copy()
        for _ in range(ROUNDS):
            gap = self.gap(V, applies)
            open_rows = (np.abs(gap) > 0.5 * self.tolerances).any(axis=1) & able.any(axis=1)
            rows = np.flatnonzero(open_rows)
            if not len(rows):
                break
            scale = np.where(able[rows], self.width, 0.0)
            scaled = scale[:, None, :] * self.A * applies[rows][:, :, None]  # (n, m, k)
            share = pseudo_inverse(scaled)  # (n, k, m)
            change = scale * np.einsum("nkm,nm->nk", share, gap[rows])
            wanted = V[rows] + change
            V[rows] = np.clip(wanted, self.low, self.high)
            hit = (wanted != V[rows]).any(axis=1)
            # What has hit its bound stays there; where nothing has, everything may move again.
            stuck = able[rows] & ((wanted < self.low) | (wanted > self.high))
            able[rows] = np.where(hit[:, None], able[rows] & ~stuck, free[rows])
            none_left = ~able[rows].any(axis=1)
            able[rows[none_left]] = False
        return V

    def _stepped(self, V: Floats, free: Bools, applies: Bools) -> Floats:
        """Values on grids moved by whole steps, and then the continuous ones by the rest."""
        on_grid = (self.step > 0) & free
        exact = self._moved(V, on_grid | (free & self.continuous), applies)
        step = np.where(self.step > 0, self.step, 1.0)
        k = (exact - self.low) / step
        nearest = np.rint(k)
        # Rounded so that what is missing to each sum is what one more step would add.
        sign = np.sign(self.A.sum(axis=0))
        near = np.abs(k - nearest) < 1e-6
        rounded = np.where(near, nearest, np.where(sign >= 0, np.floor(k), np.ceil(k)))
        rest = np.where(near, 0.0, np.abs(k - rounded))
        V = np.where(on_grid, self.low + rounded * step, exact)
        order = np.argsort(-rest, axis=1, kind="stable")
        for most in (1.0, np.inf):  # the largest remainder first, one step each; then what is left
            for column in order.T:
                V = self._one_step(V, column, most, on_grid, applies)
        V = self._moved(V, free & self.continuous, applies)
        for k in np.flatnonzero(self.step > 0):  # one step too far, and continuous values back
            off = np.flatnonzero(self.off(V, applies))
            if not len(off) or not self.continuous.any():
                break
            column = np.full(len(off), k)
            there = self._one_step(V[off], column, 0.0, on_grid[off], applies[off])
            there = self._moved(there, free[off] & self.continuous, applies[off])
            good = ~self.off(there, applies[off])
            V[off[good]] = there[good]
        return V

    def _one_step(
        self, V: Floats, column: NDArray[np.int_], most: float, able: Bools, applies: Bools
    ) -> Floats:
        """One column of each row moved by whole steps, as far as that brings the sums closer.

        By ``most`` steps at most; 0 means one step, even if that is too far.
        """
        rows, step = np.arange(len(V)), np.where(self.step > 0, self.step, 1.0)[column]
        A = self.A[:, column].T * applies  # (n, m)
        weight = (A**2).sum(axis=1) * step
        wanted = (self.gap(V, applies) * A).sum(axis=1) / np.where(weight > 0, weight, np.inf)
        steps = np.clip(np.trunc(wanted + 1e-9 * np.sign(wanted)), -most, most)
        steps = np.sign(wanted) if most == 0.0 else steps
        start = V[rows, column]
        # Clipped to the bounds in steps: the bounds of a grid are on the grid.
        least, highest = (
            np.rint((bound[column] - start) / step) for bound in (self.low, self.high)
        )
        steps = np.where(able[rows, column], np.clip(steps, least, highest), 0.0)
        V = V.copy()
        V[rows, column] = start + steps * step
        return V

    def rounded_off(self, V: Floats, free: Bools, applies: Bools) -> Floats:
        """One continuous value of each sum changed by what rounding has left over."""
        V, gap, rows = V.copy(), self.gap(V, applies), np.arange(len(V))
        for s, coefficients in enumerate(self.A):
            room = np.minimum(V - self.low, self.high - V)
            room = np.where(free & self.continuous & (coefficients != 0), room, 0.0)
            column = room.argmax(axis=1)
            able = room[rows, column] > np.abs(gap[:, s])
            V[rows[able], column[able]] += gap[able, s] / coefficients[column[able]]
        return V

    def drawn(self, V: Floats, U: Floats, free: Bools, applies: Bools) -> Floats:
        """Values that keep the sums, from points U (n, k) of the unit cube.

        One sum after the other; values that an earlier sum has drawn stay. Each value has a
        density that falls or rises exponentially, at the rate for which the sum is right: for
        values that only the sum bounds, this is the uniform distribution on the simplex.
        """
        V, left = V.copy(), free & self.movable & (self.width > 0)
        for row, total, applied in zip(self.A, self.totals, applies.T, strict=True):
            mine = left & (row != 0) & applied[:, None]
            V = np.where(mine, _tilted(V, U, mine, row, total, self.low, self.width), V)
            left &= ~mine
        return V


def pseudo_inverse(A: Floats) -> Floats:
    """The pseudo-inverses (n, k, m) of matrices (n, m, k); those of single rows are fast.

    Examples
    --------
    >>> pseudo_inverse(np.array([[[1.0, 1.0]], [[0.0, 0.0]]]))[:, :, 0]
    array([[0.5, 0.5],
           [0. , 0. ]])
    """
    if A.shape[1] > 1:
        return np.asarray(np.linalg.pinv(A))
    square = (A**2).sum(axis=2, keepdims=True)
    return np.asarray(np.swapaxes(A / np.where(square > 0, square, 1.0), 1, 2))


def _step(parameter: Parameter) -> float:
    regular = isinstance(parameter, Numeric) and parameter.levels not in (None, 1)
    return float(parameter.step or 1.0) if regular and isinstance(parameter, Numeric) else 0.0


def _tilted(
    V: Floats, U: Floats, mine: Bools, row: Floats, total: float, low: Floats, width: Floats
) -> Floats:
    """Values of one sum, (n, k); each row has its own rate, found by bisection."""
    reach = np.where(mine, np.abs(row) * width, 0.0)  # how much each term can add
    whole = reach.sum(axis=1)
    start = np.where(row > 0, low, low + width)  # where its term is smallest
    rest = np.clip(total - np.where(mine, row * start, row * V).sum(axis=1), 0.0, whole)
    # Seen from the nearer end, a term that the rest cannot fill does not know its other bound.
    flip = rest > whole / 2
    rest = np.where(flip, whole - rest, rest)
    bound = np.where(reach < rest[:, None], reach, np.inf)
    size = np.where(rest > 0, rest, 1.0)
    less, more = -np.ones(len(V)), np.ones(len(V))
    for _ in range(BISECTIONS):
        middle = (less + more) / 2
        terms = np.where(mine, _quantile(U, _rate(middle) / size, bound), 0.0)
        too_much = terms.sum(axis=1) > rest
        less, more = np.where(too_much, middle, less), np.where(too_much, more, middle)
    terms = np.where(mine, _quantile(U, _rate(more) / size, bound), 0.0)
    terms = np.where(flip[:, None], reach - terms, terms)
    terms = np.where(rest[:, None] > 0, terms, np.where(flip[:, None], reach, 0.0))
    return np.asarray(start + terms / np.where(row == 0, 1.0, row))


def _rate(z: Floats) -> Floats:
    """A rate from minus to plus infinity for z in (-1, 1)."""
    return np.asarray(z / (1.0 - np.abs(z) + 1e-300))


def _quantile(u: Floats, rate: Floats, bound: Floats) -> Floats:
    """Quantiles of the densities proportional to exp(-rate * y) between 0 and a bound, (n, k).

    Examples
    --------
    >>> u, bound = np.array([[0.5, 0.5]]), np.array([[1.0, np.inf]])
    >>> np.vstack([_quantile(u, np.array([rate]), bound) for rate in (-9.0, 0.0, 9.0)]).round(3)
    array([[0.923,   inf],
           [0.5  ,   inf],
           [0.077, 0.077]])
    """
    finite = np.where(np.isfinite(bound), bound, 1.0)
    slope = rate[:, None] * finite
    size = np.clip(np.abs(slope), 1e-9, 1e15)
    v = np.where(slope > 0, u, 1.0 - u)
    with np.errstate(all="ignore"):
        y = -np.log1p(v * np.expm1(-size)) / size
        y = np.where(size < 1e-8, v, np.clip(y, 0.0, 1.0))
        endless = np.where(rate[:, None] > 0, -np.log1p(-u) / rate[:, None], np.inf)
    return np.where(np.isfinite(bound), finite * np.where(slope > 0, y, 1.0 - y), endless)
