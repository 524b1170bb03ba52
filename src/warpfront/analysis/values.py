"""The axis of the values: the user's own, all that is good, and the bad ones as far as useful."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.texts import number

Floats = NDArray[np.float64]

FENCE = 1.5
"""Values that are worse than the quartile by more than this many interquartile ranges (Tukey's
fence) are drawn at the edge: one of them would squeeze all others into a line."""
DECADES = 3.0
"""With so many powers of ten between the best value and the quartile the axis is logarithmic."""
ORDINARY = 100.0
"""Values of a power of ten beyond this are drawn divided by it, and a logarithmic axis has no more
powers of ten than this: squares of what is drawn must not overflow."""
MARGIN = 0.05
FAR = 2.0
"""Curves are cut so many heights of the picture beyond its edges."""
NARROW = 1e-9
"""An axis is at least this wide, relative to its values: floats cannot draw finer."""


@dataclass(frozen=True)
class ValueAxis:
    """Where values are drawn: at ``value / unit``, between ``low`` and ``high``.

    Examples
    --------
    >>> axis = ValueAxis.of(np.array([1.0, 2.0, 3.0, 4.0, 900.0]), maximize=False)
    >>> axis.low, axis.high, axis.is_log
    (1.0, 7.0, False)
    >>> axis.place(np.array([2.0, 900.0]))
    array([2., 7.])
    >>> ValueAxis.of(np.array([1e-5, 0.1, 1.0, 2.0]), maximize=False).is_log
    True
    """

    low: float
    high: float
    unit: float = 1.0
    is_log: bool = False

    @classmethod
    def of(cls, values: Floats, maximize: bool) -> ValueAxis:
        """The axis for finite values (n,), n >= 1, of which the greatest or smallest are best."""
        unit = _unit(values)
        values = values / unit
        is_log = False
        if values.min() > 0.0:
            logs = np.log10(values)
            quartile = np.quantile(logs, 0.25 if maximize else 0.75)
            decades = logs.max() - quartile if maximize else quartile - logs.min()
            is_log = bool(decades >= DECADES and np.ptp(logs) <= ORDINARY)
        low, high = float(values.min()), float(values.max())
        first, third = np.quantile(np.log10(values) if is_log else values, [0.25, 0.75])
        reach = FENCE * float(third - first)
        if reach > 0.0:
            fence = float(first) - reach if maximize else float(third) + reach
            if is_log:
                fence = 10.0**fence
            low, high = (max(low, fence), high) if maximize else (low, min(high, fence))
        return cls(*_apart(low, high), unit, is_log)

    @classmethod
    def whole(cls, values: Floats) -> ValueAxis:
        """The linear axis that has all of finite values (n,), n >= 1, between its ends."""
        unit = _unit(values)
        return cls(*_apart(float(values.min()) / unit, float(values.max()) / unit), unit)

    def place(self, values: Floats) -> Floats:
        """Where to draw values; those beyond the ends at the ends."""
        return np.clip(values / self.unit, self.low, self.high)

    def curve(self, values: Floats) -> Floats:
        """Where to draw a curve: as it is, but for what lies many heights beyond the axis."""
        if self.is_log:
            factor = (self.high / self.low) ** FAR
            return np.clip(values / self.unit, self.low / factor, self.high * factor)
        reach = FAR * (self.high - self.low)
        return np.clip(values / self.unit, self.low - reach, self.high + reach)

    def beyond(self, values: Floats) -> NDArray[np.bool_]:
        """Which values are beyond an end."""
        scaled = values / self.unit
        return np.asarray((scaled < self.low) | (scaled > self.high))

    def label(self, text: str) -> str:
        """The label of the axis."""
        return text if self.unit == 1.0 else f"{text} / {number(self.unit, 1)}"

    @property
    def ends(self) -> tuple[float, float]:
        """The two ends of the axis as it is drawn, with a margin beyond the values."""
        if self.is_log:
            factor = (self.high / self.low) ** MARGIN
            return self.low / factor, self.high * factor
        margin = MARGIN * (self.high - self.low) or 1.0
        return self.low - margin, self.high + margin

    def levels(self, count: int) -> Floats:
        """Values that cut the axis into equal parts, both ends among them."""
        space = np.geomspace if self.is_log else np.linspace
        return np.asarray(space(self.low, self.high, count))


def _apart(low: float, high: float) -> tuple[float, float]:
    """The ends of an axis, wide enough to be drawn."""
    slack = NARROW * max(abs(low), abs(high))
    return (low - slack, high + slack) if high - low < slack else (low, high)


def _unit(values: Floats) -> float:
    largest = float(np.abs(values).max())
    if largest == 0.0 or abs(math.log10(largest)) < ORDINARY:
        return 1.0
    # Below 1e-307 the powers of ten themselves lose digits, and 1e-324 is 0.
    return float(f"1e{max(-307, math.floor(math.log10(largest)))}")
