"""A search space as the packages under test see it: parameters read from the unit interval.

Standard library only: it is imported under the interpreters of the packages under test.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Parameter:
    """One parameter of ``Space.to_dict()``.

    Numbers have `low`, `high` and a `scale`; booleans, ordinals and categoricals have `choices`.
    `when` has the values of its parents at which it is active; it is empty if it always is.
    """

    name: str
    kind: Literal["real", "integer", "boolean", "ordinal", "categorical"]
    low: float = 0.0
    high: float = 1.0
    scale: Literal["linear", "log", "logit"] = "linear"
    choices: tuple[Any, ...] = ()
    when: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def is_active(self, values: Mapping[str, Any]) -> bool:
        """Whether it is part of a configuration that has these values so far.

        Examples
        --------
        >>> degree = Parameter("degree", "integer", 1, 6, when={"kernel": ("poly",)})
        >>> degree.is_active({"kernel": "poly"}), degree.is_active({})
        (True, False)
        """
        return all(
            name in values and values[name] in allowed for name, allowed in self.when.items()
        )

    @property
    def is_number(self) -> bool:
        """Whether it is real or integer."""
        return self.kind in ("real", "integer")

    def from_unit(self, place: float) -> Any:
        """The value at a place; integers are rounded, and what lies outside is clipped.

        Examples
        --------
        >>> Parameter("n", "integer", 1, 9).from_unit(0.49)
        5
        """
        place = min(max(float(place), 0.0), 1.0)
        if not self.is_number:
            return self.choices[min(int(place * len(self.choices)), len(self.choices) - 1)]
        low, high = self._line(self.low), self._line(self.high)
        return self.legal(self._value(low + place * (high - low)))

    def read(self, proposed: Any, *, on_unit: bool) -> Any:
        """The value of what a package proposes: a choice by its number, a number as it is.

        Parameters
        ----------
        proposed
            By the package.
        on_unit
            Whether the package knows this number by its place in [0, 1].

        Examples
        --------
        >>> Parameter("b", "boolean", choices=(False, True)).read(1, on_unit=False)
        True
        >>> Parameter("n", "integer", 1, 9).read(0.49, on_unit=True)
        5
        """
        if not self.is_number:
            return self.choices[int(proposed)]
        return self.from_unit(proposed) if on_unit else self.legal(proposed)

    def legal(self, value: float) -> Any:
        """The number nearest to `value` that is inside the bounds, and whole for an integer.

        Examples
        --------
        >>> Parameter("n", "integer", 1, 9).legal(9.6), Parameter("x", "real").legal(-1e-17)
        (9, 0.0)
        """
        clipped = min(max(float(value), self.low), self.high)
        return round(clipped) if self.kind == "integer" else clipped

    def _line(self, value: float) -> float:
        if self.scale == "log":
            return math.log(value)
        if self.scale == "logit":
            return math.log(value) - math.log1p(-value)
        return float(value)

    def _value(self, on_line: float) -> float:
        if self.scale == "log":
            return math.exp(on_line)
        if self.scale == "logit":
            return 1.0 / (1.0 + math.exp(-on_line))
        return on_line


def parse_space(space: Mapping[str, Mapping[str, Any]]) -> tuple[Parameter, ...]:
    """The parameters of ``Space.to_dict()``, in its order.

    Examples
    --------
    >>> [p.kind for p in parse_space({"b": {"type": "boolean"}})]
    ['boolean']
    """
    return tuple(_parse(name, entry) for name, entry in space.items())


def _parse(name: str, entry: Mapping[str, Any]) -> Parameter:
    kind, when = entry["type"], _conditions(entry)
    if kind == "boolean":
        return Parameter(name, kind, choices=(False, True), when=when)
    if kind in ("ordinal", "categorical"):
        return Parameter(name, kind, choices=tuple(entry["choices"]), when=when)
    if entry["step"] not in (None, 1):
        raise ValueError(f"{name} has step {entry['step']}; no task of the benchmark needs one")
    return Parameter(name, kind, entry["low"], entry["high"], entry["scale"], when=when)


def _conditions(entry: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """A condition is one value of a parent, or a list of them."""
    return {
        parent: tuple(values) if isinstance(values, (list, tuple)) else (values,)
        for parent, values in entry.get("when", {}).items()
    }
