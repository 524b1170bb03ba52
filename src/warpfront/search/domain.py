"""Domain: the part of a space that one search may move in."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.space import Configuration, Encoding, Space
from warpfront.space.space import sobol

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Domain:
    """An encoding in which some columns are held at given values.

    Examples
    --------
    >>> from warpfront import Boolean, Real, Space
    >>> domain = Domain.of(Space(x=Real(0, 1), b=Boolean()), {"b": True})
    >>> domain.free
    array([ True, False])
    >>> domain.hold(np.array([[0.5, 0.0]]))
    array([[0.5, 1. ]])
    """

    encoding: Encoding
    free: NDArray[np.bool_]  # (d,) the columns that may move
    template: Floats  # (d,) the positions of those that may not
    fixed: Configuration  # the values of those that the user holds

    @classmethod
    def of(cls, space: Space, fixed: Mapping[str, Any]) -> Domain:
        """The space with some parameters fixed; raises if a value does not belong to it."""
        fixed = space.validate(fixed, partial=True)
        free = np.array([name not in fixed for name in space.names])
        template = np.zeros(len(space))
        for j, name in enumerate(space.names):
            if name in fixed:
                template[j] = space[name].encode([fixed[name]])[0]
            elif space[name].levels == 1:  # not free either
                free[j], template[j] = False, space[name].positions()[0]
        return cls(space.encoding, free, template, fixed)

    @property
    def size(self) -> float:
        """How many configurations the domain has; infinite if a free column is continuous.

        Too many for a float is infinite too.
        """
        return float(math.prod(self.encoding.levels[self.free].tolist()))

    def hold(self, X: Floats) -> Floats:
        """Put the fixed values into X (n, d), in place; return X."""
        X[:, ~self.free] = self.template[~self.free]
        return X

    def uniform(self, n: int, rng: np.random.Generator) -> Floats:
        """Independent uniform rows, (n, d)."""
        return self.hold(self.encoding.from_unit(rng.random((n, self.encoding.d))))

    def sobol(self, n: int, rng: np.random.Generator) -> Floats:
        """Quasi-random rows, (n, d)."""
        return self.hold(self.encoding.from_unit(sobol(n, self.encoding.d, rng)))

    def enumerate(self) -> Floats:
        """Every row of a finite domain."""
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
