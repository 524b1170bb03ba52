"""Fixed values: which columns may still move, and what they force upon the parents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import ConfigurationError

if TYPE_CHECKING:
    from warpfront.space.space import Configuration, Space

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Held:
    """What remains of a space where some parameters are fixed.

    A fixed value of a conditional parameter means that it is active: its parents are limited to the
    values for which it is.

    Examples
    --------
    >>> from warpfront import Categorical, Integer, Space
    >>> booster = Categorical(["linear", "tree", "dart"])
    >>> space = Space(booster=booster, depth=Integer(1, 9, when={"booster": ["tree", "dart"]}))
    >>> held = Held.of(space, {"depth": 3})
    >>> held.free, held.limits
    (array([ True, False]), {0: array([1., 2.])})
    """

    #: (d,) the columns that may move
    free: NDArray[np.bool_]
    #: (d,) the positions of those that may not
    template: Floats
    #: the values that the user holds
    fixed: Configuration
    #: the levels to which free columns are limited
    limits: dict[int, Floats]

    @classmethod
    def of(cls, space: Space, fixed: Mapping[str, Any]) -> Held:
        """The space with some parameters fixed; raises if that cannot be."""
        fixed = space.validate(fixed, partial=True)
        free = np.array([name not in fixed for name in space.names])
        template = np.zeros(len(space))
        for j, name in enumerate(space.names):
            if name in fixed:
                template[j] = space[name].encode([fixed[name]])[0]
            elif space[name].levels == 1:  # not free either
                free[j], template[j] = False, space[name].positions()[0]
        held = cls(free, template, fixed, {})
        if space.conditions:
            held._limit_parents(space)
            held._leave_out_inactive(space)
        return held

    def _limit_parents(self, space: Space) -> None:
        """Limit the parents of fixed parameters; a parent with one value left is not free."""
        columns = [space.names.index(name) for name in self.fixed]
        for p, levels in space.conditions.required(columns).items():
            parameter = space.encoding.parameters[p]
            if not self.free[p]:
                levels = np.intersect1d(levels, parameter.level_of(self.template[[p]]))
            if not len(levels):
                needed = [n for n in self.fixed if space[n].when is not None]
                reasons = "; ".join(
                    f"{n!r} is active when {space.conditions.reason(n)}" for n in needed
                )
                raise ConfigurationError(
                    f"fixed={self.fixed!r}: no configuration has all of these values: {reasons}; "
                    "leave one out"
                )
            if len(levels) == 1:
                self.free[p] = False
                if space.names[p] not in self.fixed:
                    self.template[p] = parameter.position_of(levels)[0]
            else:
                self.limits[p] = levels

    def _leave_out_inactive(self, space: Space) -> None:
        """Columns that are never active with these values are not free."""
        conditions = space.conditions
        never: set[int] = set()
        for j in conditions.order:
            for p, levels in conditions.parents[j]:
                parameter = space.encoding.parameters[p]
                here = self.limits.get(p)
                if not self.free[p]:
                    here = parameter.level_of(self.template[[p]])
                if p in never or (here is not None and not np.isin(here, levels).any()):
                    never.add(j)
            if j in never:
                self.free[j], self.template[j] = False, space.encoding.parameters[j].neutral

    def levels(self, space: Space) -> dict[int, Floats]:
        """The levels to which columns are limited, those that do not move included."""
        limits = dict(self.limits)
        for j in np.flatnonzero(~self.free):
            parameter = space.encoding.parameters[j]
            known = parameter.levels is not None
            limits[int(j)] = parameter.level_of(self.template[[j]]) if known else np.zeros(1)
        return limits
