"""Integer: a whole number in a range, on a linear or a log scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space.numeric import Numeric
from warpfront.space.scales import ScaleName
from warpfront.space.values import native, whole

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Integer(Numeric):
    """A whole number in ``{low, low + step, ..., high}``.

    Parameters
    ----------
    low, high
        The bounds, both included. Equal bounds make a constant.
    scale
        ``"linear"``, where every level has the same weight, or ``"log"``, where a level weighs
        as much as the piece of the log axis that it covers.
    step
        The distance between neighbours; ``high - low`` must be a multiple of it.
    likely
        What you believe to be good: a value, or a range ``(low, high)``. The search starts there
        and may leave it.
    when
        The values of other parameters for which this one is active, such as
        ``{"booster": "tree"}``; see :mod:`warpfront.space.conditions`.

    Examples
    --------
    >>> Integer(10, 5000, scale="log").decode(0.5)
    218
    >>> Integer(16, 64, step=16).levels
    4
    >>> Integer(1, 12, when={"booster": "tree"})
    Integer(low=1, high=12, scale='linear', step=1, when={'booster': 'tree'})
    """

    low: int
    high: int
    scale: ScaleName = "linear"
    step: int = 1

    kind: ClassVar[str] = "integer"
    _allowed_scales: ClassVar[tuple[str, ...]] = ("linear", "log")

    def __post_init__(self) -> None:
        for name in ("low", "high", "step"):
            value = native(getattr(self, name))
            number = whole(value)
            if number is None:
                raise SpaceError(
                    f"Integer(low={self.low!r}, high={self.high!r}, step={self.step!r}): "
                    f"{name} must be a whole number, not {value!r}"
                )
            if abs(number) > 2**53:
                raise SpaceError(f"Integer: {name}={value!r} is beyond ±2**53; use Real")
            object.__setattr__(self, name, number)
        self._check_range()
        if self.step <= 0:
            raise SpaceError(f"{self!r}: step must be positive")
        if (self.high - self.low) % self.step:
            fitting = self.high - (self.high - self.low) % self.step
            raise SpaceError(
                f"{self!r}: the range is not a whole number of steps; "
                f"use high={fitting} or another step"
            )
        self._check_levels()
        self._check_extras()

    def _likely_number(self, value: Any) -> int:
        number = whole(value)
        if number is None:
            raise SpaceError(f"{self!r}: likely={self.likely!r} must be a whole number, or two")
        return number

    @property
    def levels(self) -> int:
        return (self.high - self.low) // self.step + 1

    @property
    def _spacing(self) -> float:
        return float(self.step)

    def canonical(self, value: Any) -> int:
        value = native(value)
        number = whole(value)
        if number is None:
            raise ConfigurationError(f"{value!r} is not a whole number; give an int")
        if not self.low <= number <= self.high:
            raise self._outside(value)
        if (number - self.low) % self.step:
            raise ConfigurationError(
                f"{value!r} is not on the grid {self.low}, {self.low + self.step}, ..., {self.high}"
            )
        return number

    def encode(self, values: Sequence[int] | Floats) -> Floats:
        return self.position_of((np.asarray(values, dtype=float) - self.low) / self.step)

    def decode(self, position: float) -> int:
        return self.low + self.step * int(self.level_of(np.array(position)))

    def decode_all(self, positions: Floats) -> list[Any]:
        return [int(value) for value in self.numbers(positions).tolist()]

    def numbers(self, positions: Floats) -> Floats:
        return np.asarray(self.low + self.step * self.level_of(positions))
