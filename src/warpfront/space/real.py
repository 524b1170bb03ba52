"""Real: a real number, continuous or on a grid, on a linear, log or logit scale."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space.numeric import Numeric
from warpfront.space.rounding import round_digits, round_places
from warpfront.space.values import is_finite, is_number, native

Floats = NDArray[np.float64]

SIGNIFICANT_DIGITS = 12
"""Suggested reals are rounded to this many digits: exact round trips, readable configurations."""
STEP_TOLERANCE = 1e-9
"""How far, in steps, a value may lie from the grid and still count as on it."""
MAX_STEPS_FROM_ZERO = 1e13
"""A grid value further from zero, in steps, cannot be told from its neighbours with 15 digits."""


@dataclass(frozen=True, repr=False)
class Real(Numeric):
    """A real number in ``[low, high]``.

    Parameters
    ----------
    low, high
        The bounds, both included. Equal bounds make a constant.
    scale
        ``"linear"``; ``"log"`` where factors matter (learning rates); ``"logit"`` for fractions
        that matter near 0 and near 1 (momenta).
    step
        If given, only ``low``, ``low + step``, ..., ``high`` are allowed.
    likely
        What you believe to be good: a value, or a range ``(low, high)``. The search starts there
        and may leave it.
    when
        The values of other parameters for which this one is active, such as
        ``{"booster": "tree"}``; see :mod:`warpfront.space.conditions`.

    Examples
    --------
    >>> Real(1e-5, 1e-1, scale="log").decode(0.5)
    0.001
    >>> Real(0.0, 1.0, step=0.25).levels
    5
    >>> Real(1e-5, 1.0, scale="log", likely=(0.01, 0.1)).likely
    (0.01, 0.1)
    """

    kind: ClassVar[str] = "real"
    _allowed_scales: ClassVar[tuple[str, ...]] = ("linear", "log", "logit")

    def __post_init__(self) -> None:
        for name in ("low", "high", "step"):
            value = native(getattr(self, name))
            if name == "step" and value is None:
                continue
            if not is_finite(value):
                raise SpaceError(
                    f"Real(low={self.low!r}, high={self.high!r}, step={self.step!r}): "
                    f"{name} must be a finite number, not {value!r}"
                )
            object.__setattr__(self, name, float(value) + 0.0)  # + 0.0: no -0.0 anywhere
        self._check_range()
        if self.step is not None:
            self._check_step(self.step)
        self._check_levels()
        self._check_extras()

    def _check_step(self, step: float) -> None:
        if step <= 0:
            raise SpaceError(f"{self!r}: step must be positive")
        furthest = max(abs(self.low), abs(self.high))
        if furthest / step > MAX_STEPS_FROM_ZERO and self.low < self.high:
            raise SpaceError(
                f"{self!r}: the step is too small beside the bounds for a float to tell "
                "neighbouring levels apart; use a larger step, or none"
            )
        steps = (self.high - self.low) / step
        if abs(steps - round(steps)) * step > self._slack:
            fitting = self.low + math.floor(steps) * step
            raise SpaceError(
                f"{self!r}: the range is not a whole number of steps; "
                f"use high={fitting:.12g} or another step"
            )

    def _likely_number(self, value: Any) -> float:
        if not is_finite(value):
            raise SpaceError(f"{self!r}: likely={self.likely!r} must be a finite number, or two")
        return float(value) + 0.0

    @property
    def levels(self) -> int | None:
        if self.low == self.high:
            return 1
        if self.step is None:
            return None
        return round((self.high - self.low) / self.step) + 1

    @property
    def _spacing(self) -> float:
        return self.step or 1.0

    @cached_property
    def _slack(self) -> float:
        """How far a value may lie from the grid: 3 * 0.1 = 0.30000000000000004 counts as 0.3."""
        if self.step is None:
            return 0.0
        rounding = 4 * sys.float_info.epsilon * max(abs(self.low), abs(self.high))
        return max(STEP_TOLERANCE * self.step, rounding)

    @cached_property
    def _places(self) -> int:
        """How many decimal places the values have: of the range, or of the largest grid value."""
        if self.step is None:
            return SIGNIFICANT_DIGITS - math.ceil(math.log10(self.high - self.low))
        # 15 digits of the largest value: 3 * 0.1 is 0.3, not 0.30000000000000004, and
        # -0.3 + 3 * 0.1 is 0.0, not 5.6e-17.
        return 15 - math.ceil(math.log10(max(abs(self.low), abs(self.high))))

    def _level_value(self, k: int) -> float:
        if k == 0:
            return self.low
        if k == (self.levels or 1) - 1:
            return self.high
        return round(self.low + k * self._spacing, self._places) + 0.0

    def canonical(self, value: Any) -> float:
        value = native(value)
        if not is_number(value):
            raise ConfigurationError(f"{value!r} is not a number; give a float")
        if not self.low - self._slack <= value <= self.high + self._slack:  # also catches NaN
            raise self._outside(value)
        if self.step is None:
            return float(value) + 0.0
        k = round((value - self.low) / self.step)
        nearest = self._level_value(k)
        if abs(value - nearest) > self._slack:
            raise ConfigurationError(
                f"{value!r} is not on the grid of step {self.step}; the nearest is {nearest}"
            )
        return nearest

    def encode(self, values: Sequence[float] | Floats) -> Floats:
        v = np.asarray(values, dtype=float)
        if self.levels is not None:
            return self.position_of(np.rint((v - self.low) / self._spacing))
        start, stop = self._line
        u = (self._scale.to_line(v) - start) / (stop - start)
        # Only the bounds themselves are at the ends: a neighbour must not decode to a bound.
        u = np.clip(u, sys.float_info.min, 1.0 - sys.float_info.epsilon)
        return np.asarray(np.where(v == self.low, 0.0, np.where(v == self.high, 1.0, u)))

    def decode(self, position: float) -> float:
        if self.levels is not None:
            return self._level_value(int(self.level_of(np.array(position))))
        if position <= 0.0:
            return self.low
        if position >= 1.0:
            return self.high
        start, stop = self._line
        value = float(self._scale.from_line(np.array(start + position * (stop - start))))
        if self._scale.name == "linear":
            value = round(value, self._places)
        else:
            value = float(f"{value:.{SIGNIFICANT_DIGITS}g}")
        return min(max(value, self.low), self.high) + 0.0

    def decode_all(self, positions: Floats) -> list[Any]:
        values: list[float] = self.numbers(positions).tolist()
        return values

    def numbers(self, positions: Floats) -> Floats:
        if self.levels == 1:
            return np.full(positions.shape, self.low)
        if self.levels is not None:
            k = self.level_of(positions)
            values = round_places(self.low + k * self._spacing, self._places)
            values[k == 0], values[k == self.levels - 1] = self.low, self.high
            return values + 0.0
        start, stop = self._line
        values = self._scale.from_line(start + np.clip(positions, 0.0, 1.0) * (stop - start))
        if self._scale.name == "linear":
            values = round_places(values, self._places)
        else:
            values = round_digits(values, SIGNIFICANT_DIGITS)
        np.clip(values, self.low, self.high, out=values)
        values[positions <= 0.0], values[positions >= 1.0] = self.low, self.high
        return values + 0.0
