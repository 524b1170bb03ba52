"""Conditions: parameters that exist only for some values of other parameters.

``Integer(1, 12, when={"booster": "tree"})`` is active while ``booster`` is ``"tree"``.

- A list means "one of": ``when={"booster": ["tree", "dart"]}``. A choice that is itself a list is
  written inside another one: ``when={"layers": [[64, 32]]}``.
- Several parents must all hold: ``when={"booster": "tree", "deep": True}``.
- A parent may itself be conditional: where it is inactive, its children are inactive, too.
- Parents are Categorical, Boolean, Ordinal or Integer parameters.

A configuration has its active parameters only. In an encoded row, the column of an inactive
parameter holds one fixed position (:attr:`Parameter.neutral`), so that configurations that are the
same have the same row.

Glossary
--------
X : (n, d)
    encoded configurations.
levels
    indices of the values of a discrete parameter, as floats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space.condition import Condition
from warpfront.space.counting import never_active, size

if TYPE_CHECKING:
    from warpfront.space.parameter import Parameter

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Conditions:
    """Which parameters of a space are active, checked once.

    Parameters
    ----------
    parameters
        The named parameters, in the order of the columns.

    Examples
    --------
    >>> from warpfront import Boolean, Categorical, Integer
    >>> booster = Categorical(["linear", "tree"])
    >>> conditions = Conditions(
    ...     {"booster": booster, "depth": Integer(1, 3, when={"booster": "tree"})}
    ... )
    >>> conditions.active(np.array([[0.0, 0.5], [1.0, 0.5]]))
    array([[ True, False],
           [ True,  True]])
    >>> conditions.size()
    4
    """

    def __init__(self, parameters: Mapping[str, Parameter]) -> None:
        self.names = tuple(parameters)
        self.parameters = tuple(parameters.values())
        columns = {name: j for j, name in enumerate(self.names)}
        #: for each conditional column, its parents with the levels at which it is active
        self.parents: dict[int, list[tuple[int, Floats]]] = {}
        for j, (name, parameter) in enumerate(parameters.items()):
            if parameter.when is not None:
                self.parents[j] = [
                    (columns[parent], self._levels(parameters, name, parent, values))
                    for parent, values in _valid(parameters, name, Condition.of(parameter.when))
                ]
        #: the conditional columns, parents before children
        self.order = self._sorted()
        if self.parents:
            self._check_possible()

    def __bool__(self) -> bool:
        return bool(self.parents)

    def _levels(
        self, parameters: Mapping[str, Parameter], name: str, parent: str, values: Sequence[Any]
    ) -> Floats:
        owner, levels = parameters[parent], []
        for value in values:
            try:
                position = owner.encode([owner.canonical(value)])
            except ConfigurationError as error:
                raise SpaceError(
                    f"parameter {name!r}: when={{{parent!r}: {value!r}}}: {error}"
                ) from None
            levels.append(float(owner.level_of(position)[0]))
        return np.array(sorted(levels))

    def _sorted(self) -> list[int]:
        order: list[int] = []
        waiting = dict(self.parents)
        while waiting:
            ready = [j for j, ps in waiting.items() if not any(p in waiting for p, _ in ps)]
            if not ready:
                raise SpaceError(
                    f"the conditions form a cycle: {self._circle(waiting)}; remove one 'when'"
                )
            order += ready
            for j in ready:
                del waiting[j]
        return order

    def _circle(self, waiting: Mapping[int, list[tuple[int, Floats]]]) -> str:
        path = [next(iter(waiting))]
        while path.count(path[-1]) < 2:
            path.append(next(p for p, _ in waiting[path[-1]] if p in waiting))
        circle = path[path.index(path[-1]) :]
        return " needs ".join(repr(self.names[j]) for j in circle)

    def _check_possible(self) -> None:
        never = never_active(self)
        if never is not None:
            raise SpaceError(
                f"parameter {self.names[never]!r} can never be active: "
                f"when={self.parameters[never].when!r} asks for parents that are never active with "
                "these values at the same time"
            )

    def active(self, X: Floats) -> Bools:
        """Which parameters of encoded rows (n, d) are active, (n, d)."""
        active = np.ones(X.shape, dtype=bool)
        for j in self.order:
            for p, levels in self.parents[j]:
                active[:, j] &= active[:, p]
                active[:, j] &= np.isin(self.parameters[p].level_of(X[:, p]), levels)
        return active

    def neutralise(self, X: Floats) -> Floats:
        """Put the neutral position into the columns of inactive parameters, in place; return X."""
        if self.order:
            active = self.active(X)
            for j in self.order:
                X[~active[:, j], j] = self.parameters[j].neutral
        return X

    def states(self, values: Mapping[str, Any]) -> dict[str, bool | None]:
        """Whether each parameter is active in a configuration; None: a parent is missing.

        Parameters
        ----------
        values
            Canonical values by name.
        """
        states: list[bool | None] = [True] * len(self.names)
        for j in self.order:
            found = [self._holds(p, levels, states[p], values) for p, levels in self.parents[j]]
            states[j] = False if False in found else None if None in found else True
        return dict(zip(self.names, states, strict=True))

    def _holds(
        self, parent: int, levels: Floats, state: bool | None, values: Mapping[str, Any]
    ) -> bool | None:
        name, owner = self.names[parent], self.parameters[parent]
        if state is False:
            return False
        if name not in values:
            return None
        here = bool(np.isin(owner.level_of(owner.encode([values[name]])), levels)[0])
        return state if here else False

    def active_part(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values without those of parameters that are inactive with them.

        Values outside of their parameters are kept: to complain of them is another's business.

        Examples
        --------
        >>> from warpfront import Boolean, Integer
        >>> layers = Integer(1, 9, when={"deep": True})
        >>> conditions = Conditions({"deep": Boolean(), "layers": layers})
        >>> conditions.active_part({"deep": False, "layers": 3})
        {'deep': False}
        >>> conditions.active_part({"layers": 3})
        {'layers': 3}
        """
        if not self:
            return dict(values)
        valid: dict[str, Any] = {}
        for name, parameter in zip(self.names, self.parameters, strict=True):
            if name in values:
                with suppress(ConfigurationError):
                    valid[name] = parameter.canonical(values[name])
        states = self.states(valid)
        return {name: value for name, value in values.items() if states.get(name) is not False}

    def required(self, columns: Sequence[int]) -> dict[int, Floats]:
        """The levels that parents must have for these columns to be active, by parent column."""
        limits: dict[int, Floats] = {}
        waiting = list(columns)
        while waiting:
            for p, levels in self.parents.get(waiting.pop(), ()):
                limits[p] = np.intersect1d(limits[p], levels) if p in limits else levels
                waiting.append(p)
        return limits

    def size(self, limits: Mapping[int, Floats] | None = None) -> float:
        """How many different configurations there are; see :func:`warpfront.space.counting.size`.

        Parameters
        ----------
        limits
            The levels to which some columns are limited, by column.
        """
        return size(self, limits or {})

    def reason(self, name: str) -> str:
        """When a parameter is active, in words."""
        when = self.parameters[self.names.index(name)].when or {}
        return " and ".join(f"{parent!r} is {_listed(when[parent])}" for parent in when)


def _valid(
    parameters: Mapping[str, Parameter], name: str, when: Condition
) -> Iterator[tuple[str, list[Any]]]:
    for parent in when:
        if parent not in parameters:
            close = get_close_matches(parent, [other for other in parameters if other != name], 1)
            meant = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(parameters)}"
            raise SpaceError(
                f"parameter {name!r}: when={when!r}: the space has no parameter {parent!r}; {meant}"
            )
        if parameters[parent].kind == "real":
            raise SpaceError(
                f"parameter {name!r}: when={when!r}: {parent!r} is Real; a condition needs a "
                "Categorical, Boolean, Ordinal or Integer parameter"
            )
        yield parent, when.values_of(parent)


def _listed(value: Any) -> str:
    values = value if isinstance(value, list) else [value]
    return " or ".join(map(repr, values))
