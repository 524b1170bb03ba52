"""Region: the part of a space that satisfies its constraints, with some values fixed.

Rows are drawn in one of three ways, chosen by what a first sample says. Where at least
``MIN_SHARE`` of the rows are feasible, rows are drawn until enough are; in a small finite space all
feasible rows are listed; otherwise feasible rows are searched for (:mod:`warpfront.space.descent`)
and random walks start from them (:mod:`warpfront.space.walk`). In the first two cases rows are
independent draws; walks are nearly so. Everything is a function of the space, the fixed values and
the seed: what is kept between calls only saves time.

Glossary
--------
X : (n, d)
    encoded configurations.
degrees : (n, c)
    how far each row is from satisfying each constraint; 0 where it does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space.descent import descend
from warpfront.space.held import Held
from warpfront.space.infeasible import check_fixed, nothing_found
from warpfront.space.repair import Repair
from warpfront.space.sampling import sobol
from warpfront.space.values import json_text
from warpfront.space.walk import walk

if TYPE_CHECKING:
    from warpfront.space.space import Space

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Method = Literal["sobol", "uniform"]

PROBE = 2048
"""How many random rows are looked at first."""
MIN_SHARE = 0.01
"""Where a smaller share of them is feasible, drawing until enough are takes too long."""
LISTED_UP_TO = 65_536
"""Finite spaces of at most so many configurations can be listed."""
SLOW = 10
"""How many times fewer rows are looked at where constraints are Python functions."""
POOL = 128
"""How many feasible rows walks start from."""
MIXING = 200
"""How many steps spread the feasible rows that were found first."""
BLOCK = 16
"""How many walks of a sequence are made at once."""
STEPS = 24
"""How many steps a walk takes from the pool."""
WORST = 1e6
"""The largest violation that is told apart, in units of the typical one."""


class Region:
    """The feasible part of a space, with some values fixed.

    Parameters
    ----------
    space
        The space.
    held
        The fixed values.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> region = Region.of(Space(a=Real(0, 1), b=Real(0, 1), constraints=["a + b <= 1e-6"]))
    >>> X = region.sequence(4, seed=0)
    >>> bool(region.feasible(X).all())
    True
    >>> region.violation(np.array([[0.0, 0.0], [0.5, 0.5]])) > 0
    array([False,  True])
    """

    def __init__(self, space: Space, held: Held) -> None:
        self.space, self.held = space, held
        self.encoding = space.encoding
        self.constraints = space.constraints
        self.mend = Repair(space, held)
        self.special = self.mend.special
        self._slowness = SLOW if any(c.is_slow for c in self.constraints) else 1
        if held.fixed:
            check_fixed(self.constraints, self.encoding, held.fixed)

    @classmethod
    def of(cls, space: Space, fixed: Mapping[str, Any] | None = None) -> Region:
        """The region for some fixed values; those asked for lately are kept."""
        return _kept(space, json_text(space.validate(fixed or {}, partial=True)))

    # --- Checking and repairing rows -------------------------------------------------------------

    def degrees(self, X: Floats) -> Floats:
        """How far rows are from satisfying each constraint, (n, c)."""
        rows, degrees = self.mend.rows(X), np.zeros((len(X), len(self.constraints)))
        for c, constraint in enumerate(self.constraints):
            degrees[:, c] = constraint.violation(rows)
        return degrees

    def feasible(self, X: Floats) -> Bools:
        """Which rows satisfy all constraints, (n,)."""
        good, rows = np.ones(len(X), dtype=bool), self.mend.rows(X)
        for constraint in sorted(self.constraints, key=lambda c: c.is_slow):
            if constraint.is_slow:
                left = np.flatnonzero(good)
                good[left] = constraint.violation(self.mend.rows(X[left])) == 0.0
            else:
                good &= constraint.violation(rows) == 0.0
        return good

    def violation(self, X: Floats) -> Floats:
        """How far rows are from the region, (n,); 0 inside.

        The sum over the constraints, each in units of its median violation by random rows.
        """
        return np.asarray(np.minimum(self.degrees(X) / self._units, WORST).sum(axis=1))

    def repair(self, X: Floats) -> Floats:
        """Copies of rows with restored grids, fixed values, inactive columns, counts and sums."""
        return self.mend(X)

    def base(self, n: int, rng: np.random.Generator) -> Floats:
        """Random repaired rows, feasible or not, (n, d)."""
        return self.mend.drawn(rng.random((n, self.mend.width)))

    @cached_property
    def _probe(self) -> tuple[Floats, Floats]:
        """Random rows, always the same, and their degrees."""
        X = self.base(PROBE // self._slowness, np.random.default_rng(0))
        return X, self.degrees(X)

    @cached_property
    def _units(self) -> Floats:
        units = np.ones(len(self.constraints))
        for c, column in enumerate(self._probe[1].T):
            positive = column[(column > 0) & np.isfinite(column)]
            units[c] = np.median(positive) if len(positive) else 1.0
        return units

    # --- Drawing rows ----------------------------------------------------------------------------

    def sequence(self, n: int, seed: int, *, method: Method = "sobol", skip: int = 0) -> Floats:
        """Rows ``skip``, ..., ``skip + n - 1`` of the random sequence of a seed, (n, d)."""
        if self._share > 0.0:
            return self._accepted(skip + n, seed, method)[skip:]
        length = BLOCK if self.listed is None else len(self.listed)
        first = skip // length
        rows = [self._pool[:0] if self.listed is None else self.listed[:0]]
        for block in range(first, -(-(skip + n) // length)):
            rng = np.random.default_rng([seed, block])
            if self.listed is None:
                rows.append(self._walked(BLOCK, rng))
            else:
                rows.append(rng.permutation(self.listed))
        return np.vstack(rows)[skip - first * length :][:n]

    def rows(self, n: int, rng: np.random.Generator, *, method: Method = "uniform") -> Floats:
        """Random feasible rows, (n, d)."""
        if self._share > 0.0:
            return self._accepted(n, int(rng.integers(2**63)), method)
        if self.listed is not None:
            return self.listed[rng.integers(0, len(self.listed), n)]
        return self._walked(n, rng)

    @cached_property
    def _share(self) -> float:
        """The share of random rows that are feasible; 0 where it is too small to draw until."""
        if not self.constraints:
            return 1.0
        share = float((self._probe[1] == 0.0).all(axis=1).mean())
        return share if share >= MIN_SHARE * self._slowness else 0.0

    def _accepted(self, n: int, seed: int, method: Method) -> Floats:
        """The first n feasible rows of an endless sequence of random rows."""
        count = int(1.2 * n / self._share) + 8 if self.constraints else n
        while True:
            rng, more = np.random.default_rng(seed), self.mend.width - self.encoding.d
            U = sobol(count, self.encoding.d, rng) if method == "sobol" else None
            U = rng.random((count, self.encoding.d)) if U is None else U
            if more:
                U = np.hstack([U, np.random.default_rng([seed, 1]).random((count, more))])
            X = self.mend.drawn(U)
            X = X[self.feasible(X)] if self.constraints else X
            if len(X) >= n:
                return self._held_canonical(X[:n])
            count *= 2

    def _walked(self, n: int, rng: np.random.Generator) -> Floats:
        starts = rng.permutation(len(self._pool))[np.arange(n) % len(self._pool)]
        return self._held_canonical(walk(self, self._pool[starts], STEPS, rng))

    @cached_property
    def _pool(self) -> Floats:
        """Feasible rows all over the region; always the same."""
        rng = np.random.default_rng(0)
        X, degrees = self._probe
        found = X[(degrees == 0.0).all(axis=1)]
        if len(found) < POOL // 4:
            more, tried, violations = descend(self, POOL, rng)
            found = np.vstack([found, more])
            if not len(found):
                raise self._nothing_found(tried[violations.argmin()])
        starts = found[rng.permutation(len(found))[np.arange(POOL) % len(found)]]
        return walk(self, starts, MIXING, rng)

    # --- Counting and listing --------------------------------------------------------------------

    @cached_property
    def size(self) -> float:
        """How many configurations there are; an upper bound where too many would be listed."""
        return self._unconstrained if self.listed is None else len(self.listed)

    @cached_property
    def _unconstrained(self) -> float:
        return self.space.conditions.size(self.held.levels(self.space))

    @cached_property
    def listed(self) -> Floats | None:
        """All feasible rows, in the order of the columns; None if there are too many."""
        if self._unconstrained > LISTED_UP_TO // self._slowness:
            return None
        rows: Floats = self.enumerated()
        if not len(rows):
            raise self._nothing_found(self._closest())
        return rows

    def enumerated(self) -> Floats:
        """All feasible rows of a finite region."""
        encoding, conditions = self.encoding, self.encoding.conditions
        rows: Floats = self.held.template[None, :].copy()
        first = [j for j in range(encoding.d) if j not in conditions.parents]
        for j in first + conditions.order:
            parameter = encoding.parameters[j]
            here = conditions.active(rows)[:, j]
            rows[~here, j] = parameter.neutral
            if self.held.free[j]:
                levels = self.held.limits.get(j)
                places = parameter.positions() if levels is None else parameter.position_of(levels)
                many = np.repeat(rows[here], len(places), axis=0)
                many[:, j] = np.tile(places, int(here.sum()))
                rows = np.vstack([rows[~here], many])
        rows = rows[self.feasible(rows)]
        return np.asarray(rows[np.lexsort(rows.T[::-1])])

    # --- Errors ----------------------------------------------------------------------------------

    def _closest(self) -> Floats:
        X, _ = self._probe
        return np.asarray(X[self.violation(X).argmin()])

    def _nothing_found(self, closest: Floats) -> SpaceError | ConfigurationError:
        degrees = self.degrees(closest[None, :])[0]
        shares = (self._probe[1] == 0.0).mean(axis=0)
        return nothing_found(self.constraints, degrees, shares, self.held.fixed)

    def _held_canonical(self, X: Floats) -> Floats:
        return self.mend.hold(self.encoding.canonical(X))


@lru_cache(maxsize=64)
def _kept(space: Space, fixed: str) -> Region:
    return Region(space, Held.of(space, json.loads(fixed)))
