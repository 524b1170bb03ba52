"""Counting the configurations of a space with conditions.

Parameters that are connected by conditions form a group. Within a group, all combinations of those
levels that conditions ask for are gone through, parents first; the other levels of a parent stand
together as one.

Glossary
--------
limits
    the levels to which some columns are limited, by column.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from warpfront.space.conditions import Conditions

Floats = NDArray[np.float64]

MOST_COMBINATIONS = 100_000
"""Beyond so many combinations of a group's levels, configurations are not counted one by one."""


def size(conditions: Conditions, limits: Mapping[int, Floats]) -> float:
    """How many different configurations there are.

    Exact; only where a group has more than ``MOST_COMBINATIONS`` combinations, an upper bound that
    takes all of its parameters as active.

    Examples
    --------
    >>> from warpfront import Boolean, Integer, Space
    >>> space = Space(deep=Boolean(), layers=Integer(2, 5, when={"deep": True}))
    >>> size(space.conditions, {}), size(space.conditions, {0: np.array([0.0])})
    (5, 1)
    """
    total: float = 1
    for group in _groups(conditions):
        classes = (len(limits[j]) if j in limits else len(_asked(conditions, j)) + 1 for j in group)
        if math.prod(classes) <= MOST_COMBINATIONS:
            total = _times(total, sum(n for n, _ in _combinations(conditions, group, limits)))
        else:
            for j in group:
                total = _times(total, _levels(conditions, j, limits))
    return total


def never_active(conditions: Conditions) -> int | None:
    """A column that is active in no configuration, or None.

    Examples
    --------
    >>> from warpfront import Boolean, Space
    >>> never_active(Space(a=Boolean(), b=Boolean(when={"a": True})).conditions) is None
    True
    """
    for group in _groups(conditions):
        found: set[int] = set()
        for number, (_, active) in enumerate(_combinations(conditions, group, {})):
            found |= active
            if len(found) == len(group) or number == MOST_COMBINATIONS:
                break
        else:
            return next(j for j in group if j not in found)
    return None


def _groups(conditions: Conditions) -> list[list[int]]:
    """Columns that are connected by conditions, parents before children."""
    group_of = list(range(len(conditions.names)))
    for j, parents in conditions.parents.items():
        for p, _ in parents:
            old, new = group_of[j], group_of[p]
            group_of = [new if g == old else g for g in group_of]
    groups: dict[int, list[int]] = {}
    for j in [j for j in range(len(group_of)) if j not in conditions.parents] + conditions.order:
        groups.setdefault(group_of[j], []).append(j)
    return list(groups.values())


def _combinations(
    conditions: Conditions, group: Sequence[int], limits: Mapping[int, Floats]
) -> Iterator[tuple[float, set[int]]]:
    """Combinations of a group: how many configurations each is, and what is active in it."""
    chosen: dict[int, float] = {}
    classes = {j: _classes(conditions, j, limits) for j in group}

    def step(place: int, count: float, active: set[int]) -> Iterator[tuple[float, set[int]]]:
        if place == len(group):
            yield count, set(active)
            return
        j = group[place]
        parents = conditions.parents.get(j, ())
        if not all(p in active and chosen[p] in levels for p, levels in parents):
            yield from step(place + 1, count, active)
            return
        active.add(j)
        for level, weight in classes[j]:
            chosen[j] = level
            yield from step(place + 1, _times(count, weight), active)
        active.discard(j)

    return step(0, 1, set())


def _asked(conditions: Conditions, column: int) -> Floats:
    """The levels of a column that any condition asks for."""
    asked = [lv for parents in conditions.parents.values() for p, lv in parents if p == column]
    return np.unique(np.concatenate(asked)) if asked else np.empty(0)


def _levels(conditions: Conditions, j: int, limits: Mapping[int, Floats]) -> float:
    return len(limits[j]) if j in limits else conditions.parameters[j].levels or math.inf


def _classes(
    conditions: Conditions, j: int, limits: Mapping[int, Floats]
) -> list[tuple[float, float]]:
    """Levels of a column that conditions tell apart, each with how many levels it stands for.

    Level -1 stands for all that no condition asks for.
    """
    asked = _asked(conditions, j)
    inside = asked[np.isin(asked, limits[j])] if j in limits else asked
    others = _levels(conditions, j, limits) - len(inside)
    return [(float(level), 1) for level in inside] + ([(-1.0, others)] if others else [])


def _times(a: float, b: float) -> float:
    """The product, exact for whole numbers, and without NaN where nothing meets infinity."""
    if not a or not b:
        return 0
    return math.inf if math.inf in (a, b) else int(a) * int(b)
