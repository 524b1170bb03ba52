"""The conditions of a compiled expression, with their degree of violation.

A condition has a ``degree``: one float for each row, 0 exactly where the condition holds, larger
the further it is from holding, and infinite where something in it is undefined. Negation is worked
in when an expression is compiled, so there is no class for it. The numbers that conditions compare
are in :mod:`warpfront.space.quantities`.

Glossary
--------
rows
    decoded configurations, a :class:`Columns`; n of them.
degree : (n,)
    how far a condition is from holding; 0 where it holds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from warpfront.space.columns import Columns
from warpfront.space.quantities import Number

Floats = NDArray[np.float64]
Operator = Literal["<=", "<", "==", "!="]


@dataclass(frozen=True)
class Count(Number):
    """How many conditions hold; those about an inactive parameter do not count."""

    conditions: tuple[Condition, ...]
    #: the same conditions, negated
    negations: tuple[Condition, ...]

    def values(self, rows: Columns) -> Floats:
        return np.asarray(self.held(rows).sum(axis=1, dtype=float))

    def held(self, rows: Columns) -> NDArray[np.bool_]:
        """Which of the conditions hold, (n, k)."""
        held = np.column_stack([c.degree(rows) == 0.0 for c in self.conditions])
        for k, condition in enumerate(self.conditions):
            active = rows.active(condition.columns)
            if active is not None:
                held[:, k] &= active
        return held


# --- Conditions ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Condition:
    """Something that holds or not in each row."""

    columns: frozenset[int] = field(default=frozenset(), kw_only=True)
    #: where it starts in the text, for errors
    place: int = field(default=0, kw_only=True)

    def degree(self, rows: Columns) -> Floats:
        """How far each row is from satisfying it, (n,); 0 where it is satisfied."""
        raise NotImplementedError


@dataclass(frozen=True)
class ConstantCondition(Condition):
    """A condition that always holds, or never."""

    holds: bool

    def degree(self, rows: Columns) -> Floats:
        return np.full(rows.n, 0.0 if self.holds else np.inf)


@dataclass(frozen=True)
class Compare(Condition):
    """Two numbers compared; satisfied where a parameter in it is inactive.

    Rounding is allowed for: ``<=`` and ``==`` hold up to ``absolute`` plus ``relative`` times the
    larger of the two numbers, ``<`` and ``!=`` are their exact opposites.
    """

    operator: Operator
    left: Number
    right: Number
    absolute: float = 0.0
    relative: float = 0.0

    def degree(self, rows: Columns) -> Floats:
        left, right = self.left.values(rows), self.right.values(rows)
        with np.errstate(all="ignore"):
            size, gap = np.maximum(np.abs(left), np.abs(right)), left - right
            slack = self.absolute + self.relative * size
            if self.operator == "<=":
                degree = np.where(gap <= slack, 0.0, gap)
            elif self.operator == "<":
                degree = np.where(gap < -slack, 0.0, gap + slack + np.spacing(size))
            elif self.operator == "==":
                degree = np.where(np.abs(gap) <= slack, 0.0, np.abs(gap))
            else:
                degree = np.where(np.abs(gap) > slack, 0.0, 1.0)
        degree[np.isnan(gap)] = np.inf
        return _where_active(degree, rows, self.columns)


@dataclass(frozen=True)
class Lookup(Condition):
    """What holds for some choices of a parameter: a degree for each of its codes."""

    j: int
    degrees: tuple[float, ...]

    def degree(self, rows: Columns) -> Floats:
        degree = np.array(self.degrees)[rows.codes(self.j)]
        return _where_active(degree, rows, self.columns)


@dataclass(frozen=True)
class Same(Condition):
    """Whether two parameters have the same choice, or different ones."""

    j: int
    k: int
    #: an identity for each code; equal choices have equal ones
    identities: tuple[tuple[int, ...], tuple[int, ...]]
    equal: bool

    def degree(self, rows: Columns) -> Floats:
        left = np.array(self.identities[0])[rows.codes(self.j)]
        right = np.array(self.identities[1])[rows.codes(self.k)]
        degree = np.where((left == right) == self.equal, 0.0, 1.0)
        return _where_active(degree, rows, self.columns)


@dataclass(frozen=True)
class CountBetween(Condition):
    """How many conditions hold, compared with a number; the degree is what the change would cost.

    To lower the count by two, the two conditions that are easiest to break must be broken; to
    raise it by two, the two that are nearest to holding must hold.
    """

    count: Count
    operator: Operator | Literal[">=", ">"]
    limit: Number

    def degree(self, rows: Columns) -> Floats:
        held = self.count.held(rows)
        have, limit = held.sum(axis=1), self.limit.values(rows)
        least, most = np.full(rows.n, -np.inf), np.full(rows.n, np.inf)
        if self.operator in (">=", "=="):
            least = np.ceil(limit)
        elif self.operator == ">":
            least = np.floor(limit) + 1
        if self.operator in ("<=", "=="):
            most = np.floor(limit)
        elif self.operator == "<":
            most = np.ceil(limit) - 1
        lower, higher = have - most, least - have
        if self.operator == "!=":
            lower = higher = np.where(have == limit, 1.0, 0.0)
        breaking = self._cost(lower, held, self.count.negations, rows)
        making = self._cost(higher, ~held, self.count.conditions, rows)
        both = np.minimum if self.operator == "!=" else np.maximum
        degree = both(breaking, making)
        degree[np.isnan(limit)] = np.inf
        return _where_active(degree, rows, self.limit.columns)

    def _cost(
        self,
        wanted: Floats,
        able: NDArray[np.bool_],
        changed: tuple[Condition, ...],
        rows: Columns,
    ) -> Floats:
        """The sum of the smallest degrees of so many changes (n,), of those that are possible."""
        if not (wanted > 0).any():
            return np.zeros(rows.n)
        costs = np.full((rows.n, len(changed) + 1), np.inf)
        for k, condition in enumerate(changed):
            active = rows.active(condition.columns)
            possible = able[:, k] if active is None else able[:, k] & active
            costs[possible, k] = np.maximum(condition.degree(rows), 1e-300)[possible]
        total = np.cumsum(np.sort(costs, axis=1), axis=1)
        place = np.clip(np.nan_to_num(wanted, posinf=1e9), 1, len(changed) + 1).astype(int) - 1
        return np.where(wanted > 0, total[np.arange(rows.n), place], 0.0)


@dataclass(frozen=True)
class AllOf(Condition):
    """Several conditions at once; the degrees add up."""

    parts: tuple[Condition, ...]

    def degree(self, rows: Columns) -> Floats:
        return np.asarray(sum(part.degree(rows) for part in self.parts))


@dataclass(frozen=True)
class AnyOf(Condition):
    """At least one of several conditions; the smallest degree counts."""

    parts: tuple[Condition, ...]

    def degree(self, rows: Columns) -> Floats:
        return np.asarray(np.minimum.reduce([part.degree(rows) for part in self.parts]))


def _where_active(degree: Floats, rows: Columns, columns: frozenset[int]) -> Floats:
    active = rows.active(columns)
    return degree if active is None else np.where(active, degree, 0.0)
