"""The numbers of a compiled expression: constants, columns, and operations on them.

Each has ``values``: one float for each row, NaN where something is undefined (a division by zero,
the logarithm of a negative number, an overflow). Conditions are in :mod:`warpfront.space.nodes`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from warpfront.space.columns import Columns

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Number:
    """Something that is a number in each row."""

    #: the columns that it mentions
    columns: frozenset[int] = field(default=frozenset(), kw_only=True)
    #: whether it is always a whole number, so that no rounding needs to be allowed for
    integral: bool = field(default=False, kw_only=True)

    def values(self, rows: Columns) -> Floats:
        """The numbers, (n,)."""
        raise NotImplementedError


@dataclass(frozen=True)
class Constant(Number):
    """The same number everywhere."""

    value: float

    def values(self, rows: Columns) -> Floats:
        return np.full(rows.n, self.value)


@dataclass(frozen=True)
class Column(Number):
    """The values of a parameter."""

    j: int

    def values(self, rows: Columns) -> Floats:
        return rows.numbers(self.j)


def _floor_divide(a: Floats, b: Floats) -> Floats:
    return np.floor(a / b + 1e-9)  # 0.3 / 0.1 is a little below 3


def _modulo(a: Floats, b: Floats) -> Floats:
    rest = a - b * _floor_divide(a, b)
    return np.asarray(np.where(np.abs(rest) <= 1e-9 * np.abs(b), 0.0, rest))


def _power(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.where(np.isnan(a) | np.isnan(b), np.nan, np.power(a, b)))


FUNCTIONS: dict[str, Callable[..., Floats]] = {
    "+": np.add,
    "*": np.multiply,
    "/": np.divide,
    "//": _floor_divide,
    "%": _modulo,
    "**": _power,
    "-": np.negative,
    "min": np.minimum,
    "max": np.maximum,
    "abs": np.abs,
    "log": np.log,
    "exp": np.exp,
    "sqrt": np.sqrt,
}
WHOLE: dict[str, Callable[..., Floats]] = {"//": np.floor_divide, "%": np.mod}
"""What to use instead where all numbers are whole."""


@dataclass(frozen=True)
class Operation(Number):
    """A function of numbers; of several, it is applied from left to right."""

    name: str
    arguments: tuple[Number, ...]

    def values(self, rows: Columns) -> Floats:
        values = [argument.values(rows) for argument in self.arguments]
        function = WHOLE.get(self.name) if self.integral else None
        function = function or FUNCTIONS[self.name]
        with np.errstate(all="ignore"):
            result = function(values[0]) if len(values) == 1 else reduce(function, values)
        return np.asarray(np.where(np.isfinite(result), result, np.nan))
