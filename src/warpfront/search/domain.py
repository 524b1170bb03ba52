"""Domain: the part of a space that one search may move in."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from warpfront.space import Configuration, Encoding, Space
from warpfront.space.held import Held
from warpfront.space.region import Region
from warpfront.space.space import sobol
from warpfront.space.walk import pull

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Domain:
    """A space in which some columns are held at given values, with its constraints.

    Rows that were moved by hand become valid again by :meth:`repair`; whether they satisfy the
    constraints says :meth:`feasible`, and how far they are from that :meth:`violation`. The rows of
    :meth:`uniform`, :meth:`sobol`, :meth:`sequence` and :meth:`enumerate` satisfy them.

    Examples
    --------
    >>> from warpfront import Boolean, Real, Space
    >>> domain = Domain.of(Space(x=Real(0, 1), b=Boolean()), {"b": True})
    >>> domain.free
    array([ True, False])
    >>> domain.hold(np.array([[0.5, 0.0]]))
    array([[0.5, 1. ]])
    >>> domain = Domain.of(Space(x=Real(0, 1), y=Real(0, 1), constraints=["x + y <= 0.5"]), {})
    >>> domain.feasible(np.array([[0.1, 0.2], [0.8, 0.9]]))
    array([ True, False])
    """

    space: Space
    encoding: Encoding
    free: Bools  # (d,) the columns that may move
    template: Floats  # (d,) the positions of those that may not
    fixed: Configuration  # the values of those that the user holds
    region: Region | None  # None where there are neither constraints nor conditions

    @classmethod
    def of(cls, space: Space, fixed: Mapping[str, Any]) -> Domain:
        """The space with some parameters fixed; raises if a value does not belong to it."""
        region = None if space.is_plain else Region.of(space, fixed)
        held = Held.of(space, fixed) if region is None else region.held
        return cls(space, space.encoding, held.free, held.template, held.fixed, region)

    @property
    def size(self) -> float:
        """How many configurations the domain has; infinite if a free column is continuous.

        Too many for a float is infinite too. With constraints, it is exact where at most
        ``LISTED_UP_TO`` (of :mod:`warpfront.space.region`) configurations would be there without
        them, and otherwise an upper bound.
        """
        if self.region is None:
            return float(math.prod(self.encoding.levels[self.free].tolist()))
        try:
            return float(self.region.size)
        except OverflowError:
            return math.inf

    @property
    def continuous(self) -> Bools:
        """Which columns are continuous, (d,)."""
        return np.asarray(np.isinf(self.encoding.levels))

    def hold(self, X: Floats) -> Floats:
        """Put the fixed values into X (n, d), in place; return X."""
        X[:, ~self.free] = self.template[~self.free]
        return X

    def repair(self, X: Floats) -> Floats:
        """Copies of rows moved to where they are valid.

        Numbers go to their grids, fixed values are put in, columns of inactive parameters become
        neutral, sums that must have a given value are restored with the smallest change, and so
        are limited counts. Other constraints may still be violated.
        """
        if self.region is None:
            return self.hold(self.encoding.snap(np.array(X)))
        return self.region.repair(X)

    def feasible(self, X: Floats) -> Bools:
        """Whether the configurations of rows satisfy all constraints, (n,)."""
        return np.ones(len(X), dtype=bool) if self.region is None else self.region.feasible(X)

    def violation(self, X: Floats) -> Floats:
        """How far rows are from satisfying the constraints, (n,); 0 where they do."""
        return np.zeros(len(X)) if self.region is None else self.region.violation(X)

    def pull(self, X: Floats, inside: Floats) -> Floats:
        """Repaired rows (n, d); those that are infeasible moved towards feasible rows (n, d).

        They come as near to X as bisection finds, so that a step of a search that leaves the
        region ends at its border.
        """
        return self.repair(X) if self.region is None else pull(self.region, X, inside)

    def uniform(self, n: int, rng: np.random.Generator) -> Floats:
        """Independent uniform rows, (n, d)."""
        if self.region is None:
            return self.hold(self.encoding.from_unit(rng.random((n, self.encoding.d))))
        return self.region.rows(n, rng)

    def sobol(self, n: int, rng: np.random.Generator) -> Floats:
        """Quasi-random rows, (n, d)."""
        if self.region is None:
            return self.hold(self.encoding.from_unit(sobol(n, self.encoding.d, rng)))
        return self.region.rows(n, rng, method="sobol")

    def sequence(
        self, n: int, seed: int, *, skip: int = 0, method: Literal["sobol", "uniform"] = "sobol"
    ) -> Floats:
        """Rows ``skip``, ..., ``skip + n - 1`` of the random sequence of a seed, (n, d)."""
        if self.region is None:
            return self.hold(self.space.sample_encoded(n, seed, method=method, skip=skip))
        return self.region.sequence(n, seed, method=method, skip=skip)

    def enumerate(self) -> Floats:
        """Every row of a finite domain."""
        if self.region is not None:
            listed = self.region.listed
            return self.region.enumerated() if listed is None else listed.copy()
        rows: Floats = self.template[None, :].copy()
        for j in np.flatnonzero(self.free):
            positions = self.encoding.parameters[j].positions()
            rows = np.repeat(rows, len(positions), axis=0)
            rows[:, j] = np.tile(positions, len(rows) // len(positions))
        return rows

    def canonical(self, X: Floats) -> Floats:
        """Positions of exactly the configurations that :meth:`decode` would hand out."""
        return self.hold(self.encoding.canonical(X))

    def decode(self, X: Floats) -> list[Configuration]:
        """Configurations of rows (n, d); fixed values as they were given, to the last digit."""
        return [config | copy.deepcopy(self.fixed) for config in self.encoding.decode(X)]
