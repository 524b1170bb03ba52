"""Dataset: the facts of a history as arrays, made once a step.

Nothing downstream looks at trials again. Outcomes are turned so that all are minimised, and rows
are sorted, so that the order in which results came in does not matter.

Glossary
--------
X : (n, d)
    the distinct encoded configurations of completed trials.
y : (m,)
    one outcome, as it was measured each time.
row : (m,)
    at which row of X each was measured; a row may have several, or none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.goals import Goal
from warpfront.history import History
from warpfront.problem import Problem
from warpfront.space.encoding import row_keys

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Observations:
    """All measurements of one outcome, minimised.

    Attributes
    ----------
    row, y
        Where and what, both (m,).
    std
        The standard deviation of the noise of each, NaN where it was not measured, (m,).
    """

    row: NDArray[np.intp]
    y: Floats
    std: Floats

    def __post_init__(self) -> None:
        _freeze(self.row, self.y, self.std)

    def __len__(self) -> int:
        return len(self.y)

    def where(self, kept: NDArray[np.bool_]) -> Observations:
        """Some of them."""
        return Observations(self.row[kept], self.y[kept], self.std[kept])

    @property
    def rows(self) -> NDArray[np.intp]:
        """The rows of X with at least one measurement, (k,), sorted."""
        return np.unique(self.row)

    def mean_of(self, values: Floats) -> Floats:
        """The mean of values (m,), one for each measurement, in each of :attr:`rows`, (k,).

        Examples
        --------
        >>> row = np.array([0, 0, 2])
        >>> Observations(row, np.zeros(3), np.zeros(3)).mean_of(np.array([1.0, 3.0, 5.0]))
        array([2., 5.])
        """
        counts = np.bincount(self.row)
        sums = np.bincount(self.row, weights=values)
        return np.asarray(sums[counts > 0] / counts[counts > 0])

    @property
    def counts(self) -> NDArray[np.intp]:
        """How many measurements each of :attr:`rows` has, (k,)."""
        counts = np.bincount(self.row)
        return counts[counts > 0]


@dataclass(frozen=True, eq=False)
class Dataset:
    """What a history says, as arrays.

    Attributes
    ----------
    problem
        The space and the goals.
    X
        Distinct configurations of completed trials, (n, d).
    outcomes
        The measurements of each outcome, in the order of the goals.
    failed, pending
        Configurations of failed and of pending trials, (f, d) and (p, d).

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> history = History(Space(x=Real(0, 1))).tell(
    ...     [(None, {"x": x}, y) for x, y in ((0.5, 1.0), (0.2, 4.0), (0.5, 3.0), (0.9, None))]
    ... )
    >>> data = Dataset.of(history)
    >>> data.X.ravel(), data.outcomes[0].row, data.outcomes[0].y, data.failed.ravel()
    (array([0.2, 0.5]), array([0, 1, 1]), array([4., 1., 3.]), array([0.9]))
    """

    problem: Problem
    X: Floats
    outcomes: tuple[Observations, ...]
    failed: Floats
    pending: Floats

    def __post_init__(self) -> None:
        _freeze(self.X, self.failed, self.pending)

    @classmethod
    def of(cls, history: History) -> Dataset:
        """Read a history."""
        completed = history.completed
        told = history.encode(completed)
        X, place = np.unique(told, axis=0, return_inverse=True)
        place = place.ravel()
        outcomes = []
        for goal in history.goals:
            y = np.array([t.outcomes.get(goal.name) for t in completed], dtype=float)
            std = np.array([t.noise.get(goal.name, np.nan) for t in completed], dtype=float)
            order = np.lexsort((std, goal.sign * y, place))
            order = order[~np.isnan(y[order])]
            outcomes.append(Observations(place[order], goal.sign * y[order], std[order]))
        failed, pending = (
            np.asarray(rows[np.lexsort(rows.T)])
            for rows in (history.encode(history.of_state(s)) for s in ("failed", "pending"))
        )
        return cls(history.problem, X, tuple(outcomes), failed, pending)

    @property
    def objective(self) -> Observations:
        """The measurements of the only objective, or of the first of several."""
        return self.outcomes[0]

    def goal_of(self, observed: Observations) -> Goal:
        """The goal of one of the outcomes."""
        place = next(i for i, one in enumerate(self.outcomes) if one is observed)
        return self.problem.goals[place]

    @property
    def told(self) -> int:
        """How many evaluations had an outcome, failures included."""
        return max((len(o) for o in self.outcomes), default=0) + len(self.failed)

    @cached_property
    def columns(self) -> NDArray[np.bool_]:
        """Which columns of X can vary, (d,)."""
        return np.asarray(self.problem.space.encoding.levels > 1)

    @cached_property
    def tried(self) -> frozenset[bytes]:
        """Keys of all rows that were told or are pending; withdrawn ones may come again."""
        return frozenset(row_keys(np.vstack([self.X, self.failed, self.pending])))

    @cached_property
    def feasible(self) -> NDArray[np.bool_]:
        """Which rows of X are, on average, within the bounds of the goals, (n,).

        A bound of which nothing was ever measured is not looked at, so that the search goes on.
        """
        holds = np.ones(len(self.X), dtype=bool)
        for goal, observed in zip(self.problem.goals, self.outcomes, strict=True):
            if goal in self.problem.bounds and len(observed):
                within = np.zeros(len(self.X), dtype=bool)
                within[observed.rows] = observed.mean_of(observed.y) <= goal.sign * goal.bound
                holds &= within
        return holds

    def with_failures(self, failed: NDArray[np.bool_]) -> Dataset:
        """The data in which some rows of X (n,) count as failed."""
        if not failed.any():
            return self
        place = np.cumsum(~failed) - 1
        outcomes = []
        for observed in self.outcomes:
            kept = observed.where(~failed[observed.row])
            outcomes.append(replace(kept, row=place[kept.row]))
        moved = np.vstack([self.failed, self.X[failed]])
        return replace(
            self,
            X=self.X[~failed],
            outcomes=tuple(outcomes),
            failed=moved[np.lexsort(moved.T)],
        )


def _freeze(*arrays: NDArray[Any]) -> None:
    for array in arrays:
        array.flags.writeable = False
