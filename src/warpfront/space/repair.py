"""Repair: rows moved to where they satisfy what chance would never satisfy.

Grids, fixed values, neutral inactive columns, limited counts and sums are restored, in this order.
Other constraints may be violated afterwards.

Glossary
--------
X : (n, d)
    encoded configurations.
U : (n, width)
    uniform numbers: d for the values, and, where there are special values, one for how many are
    used and one for each.
V : (n, k)
    values of the columns that are part of a sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from warpfront.space.columns import Columns
from warpfront.space.held import Held
from warpfront.space.structure import LimitedCount
from warpfront.space.sums import Sums

if TYPE_CHECKING:
    from warpfront.space.space import Space

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Repair:
    """Restores sums, counts, fixed values and inactive columns of rows.

    Parameters
    ----------
    space
        The space.
    held
        The fixed values.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> space = Space(a=Real(0, 1), b=Real(0, 1), constraints=["a + b == 1"])
    >>> repair = Repair(space, Held.of(space, {}))
    >>> repair(np.array([[0.2, 0.4]]))
    array([[0.4, 0.6]])
    """

    def __init__(self, space: Space, held: Held) -> None:
        self.held = held
        self.encoding = space.encoding
        self.structure = space.structure
        self.sums = Sums(self.structure.sums, self.encoding.parameters)
        #: the special positions of the continuous columns that are free
        self.special: dict[int, Floats] = {}
        for j, values in self.structure.special.items():
            if held.free[j]:
                parameter = self.encoding.parameters[j]
                self.special[j] = parameter.canonical_positions(parameter.encode(values))
        categories = self.encoding.is_category
        self._neutral = np.array([p.neutral for p in self.encoding.parameters])
        self._top = np.where(categories, self.encoding.levels - 1, 1.0)
        #: how many uniform numbers make one row
        self.width = self.encoding.d + (1 + len(self.special) if self.special else 0)

    def __call__(self, X: Floats) -> Floats:
        """Repaired copies of rows."""
        X = self.hold(self.encoding.snap(np.clip(X, 0.0, self._top)))
        X = self._sums(self._counts(self.encoding.conditions.neutralise(X)))
        return self._woken(X, X)

    def drawn(self, U: Floats) -> Floats:
        """Repaired rows from uniform numbers; values in sums are drawn on the sums."""
        d = self.encoding.d
        X = np.empty((len(U), d))
        for j, parameter in enumerate(self.encoding.parameters):
            limits = self.held.limits.get(j)
            if limits is None:
                X[:, j] = parameter.snap(U[:, j])
            else:
                place = np.minimum(np.floor(U[:, j] * len(limits)), len(limits) - 1)
                X[:, j] = parameter.position_of(limits[place.astype(int)])
        raw = self.hold(X)
        X = self.encoding.conditions.neutralise(raw.copy())
        if self.special:  # in some rows few values are special, in others many
            use = U[:, d + 1 :] < U[:, d : d + 1] ** 2
            active = self.encoding.active(X)
            for k, (j, positions) in enumerate(self.special.items()):
                place = np.minimum(np.floor(U[:, j] * len(positions)), len(positions) - 1)
                chosen = use[:, k] & active[:, j]
                X[chosen, j] = positions[place[chosen].astype(int)]
        return self._woken(self._sums(self._counts(X), U), raw)

    def _woken(self, X: Floats, raw: Floats) -> Floats:
        """Rows in which a sum may have moved a parent: what it has woken comes from raw rows."""
        conditions = self.encoding.conditions
        if not conditions or not self.structure.sums:
            return X
        active = conditions.active(X)
        woken = active & (self._neutral == X) & (raw != self._neutral)
        if woken.any():
            X = self._sums(np.where(woken, raw, X))
        return conditions.neutralise(X)

    def hold(self, X: Floats) -> Floats:
        """Put fixed values into X, and limited parents to the nearest allowed value, in place."""
        X[:, ~self.held.free] = self.held.template[~self.held.free]
        for j, levels in self.held.limits.items():
            parameter = self.encoding.parameters[j]
            here = parameter.level_of(X[:, j])
            wrong = ~np.isin(here, levels)
            if wrong.any():
                nearest = np.abs(here[wrong, None] - levels).argmin(axis=1)
                X[wrong, j] = parameter.position_of(levels[nearest])
        return X

    def at_special(self, X: Floats) -> Bools:
        """Which columns of rows stand at a special value, (n, d)."""
        special = np.zeros(X.shape, dtype=bool)
        for j, positions in self.special.items():
            special[:, j] = np.isin(X[:, j], positions)
        return special

    def rows(self, X: Floats) -> Columns:
        """The decoded values of rows."""
        return Columns(self.encoding, X, self.held.fixed)

    # --- Counts ----------------------------------------------------------------------------------

    def _counts(self, X: Floats) -> Floats:
        for count in self.structure.counts:
            missing, costs = self._missing(count, self.rows(X))
            if (missing > 0).any():
                rank = np.argsort(np.argsort(costs, axis=1, kind="stable"), axis=1, kind="stable")
                chosen = np.isfinite(costs) & (rank < missing[:, None])
                for k, (j, value) in enumerate(count.values):
                    parameter = self.encoding.parameters[j]
                    position = parameter.canonical_positions(parameter.encode([value]))[0]
                    X[chosen[:, k], j] = position
        return X

    def _missing(self, count: LimitedCount, rows: Columns) -> tuple[Floats, Floats]:
        """How many conditions must change in each row (n,), and what each change costs (n, k)."""
        counting = count.condition.count
        held, limit = counting.held(rows), count.condition.limit.values(rows)
        have = held.sum(axis=1)
        if count.raising:
            strict = count.condition.operator == ">"
            missing = (np.floor(limit) + 1 if strict else np.ceil(limit)) - have
        else:
            strict = count.condition.operator == "<"
            missing = have - (np.ceil(limit) - 1 if strict else np.floor(limit))
        changed = counting.conditions if count.raising else counting.negations
        costs = np.column_stack([condition.degree(rows) for condition in changed])
        able = ~held if count.raising else held
        for k, (j, _) in enumerate(count.values):
            active = rows.active([j])
            able[:, k] &= self.held.free[j] & (True if active is None else active)
        return np.nan_to_num(missing, nan=0.0), np.where(able, costs, np.inf)

    # --- Sums ------------------------------------------------------------------------------------

    def values(self, X: Floats) -> tuple[Floats, Bools, Bools]:
        """Values of the columns in sums (n, k), which may move (n, k), which sums apply (n, m)."""
        rows, columns = self.rows(X), list(self.sums.columns)
        V = np.column_stack([rows.numbers(j) for j in columns])
        limited = np.isin(columns, list(self.held.limits))
        free = np.tile(self.held.free[columns] & self.sums.movable & ~limited, (len(X), 1))
        applies = np.ones((len(X), len(self.structure.sums)), dtype=bool)
        if self.encoding.conditions:
            for k, j in enumerate(columns):
                active = rows.active([j])
                free[:, k] &= True if active is None else active
            for s, one in enumerate(self.structure.sums):
                active = rows.active(one.columns)
                applies[:, s] = True if active is None else active
        return V, free, applies

    def _sums(self, X: Floats, U: Floats | None = None) -> Floats:
        """Move values until the sums hold, or with U draw them on the sums, in place.

        Values at special positions stay there, unless the sums cannot be restored without them.
        """
        if not self.structure.sums or not len(X):
            return X
        columns = list(self.sums.columns)
        V, free, applies = self.values(X)
        off = self.sums.off(V, applies) if U is None else np.ones(len(X), dtype=bool)
        if not off.any():
            return X
        V, free, applies, Y = V[off], free[off], applies[off], X[off]
        loose = free & ~self.at_special(Y)[:, columns]
        if U is not None:
            Y = self._written(Y, self.sums.drawn(V, U[:, columns], loose, applies), loose)
            V = self.values(Y)[0]
        V = self.sums.restored(V, loose, applies)
        stuck = self.sums.off(V, applies)
        if stuck.any():
            V[stuck] = self.sums.restored(V[stuck], free[stuck], applies[stuck])
        Y = self._written(Y, V, free)
        V = self.sums.rounded_off(self.values(Y)[0], loose, applies)
        X[off] = self._written(Y, V, loose & self.sums.continuous)
        return X

    def _written(self, X: Floats, V: Floats, moved: Bools) -> Floats:
        """Rows with moved values in place, on their grids and with as many digits as they show."""
        for k, j in enumerate(self.sums.columns):
            parameter, rows = self.encoding.parameters[j], moved[:, k]
            X[rows, j] = parameter.canonical_positions(parameter.snap(parameter.encode(V[rows, k])))
        return X
