"""A range of numbers on a scale, continuous or on a grid: what Real and Integer share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space.condition import Condition
from warpfront.space.parameter import Parameter
from warpfront.space.scales import SCALES, Scale, ScaleName
from warpfront.space.values import native

Floats = NDArray[np.float64]

MAX_LEVELS = {"linear": 2**50, "log": 10**12, "logit": 10**12}
"""Beyond these, float64 positions can no longer tell neighbouring levels apart."""
NARROW = 1e-6
"""Below this width on the line of a scale, the scale bends by less than NARROW / 8 of the range."""


@dataclass(frozen=True, repr=False)
class Numeric(Parameter):
    """A range of numbers on a scale, continuous or on a grid of equal steps.

    Examples
    --------
    >>> from warpfront import Integer, Real
    >>> isinstance(Real(0, 1), Numeric), isinstance(Integer(1, 5), Numeric)
    (True, True)
    """

    low: float
    high: float
    scale: ScaleName = "linear"
    step: float | None = None
    likely: Any = field(default=None, kw_only=True)
    when: Mapping[str, Any] | None = field(default=None, kw_only=True)

    _allowed_scales: ClassVar[tuple[str, ...]]

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(low={self.low!r}, high={self.high!r}, scale={self.scale!r}, "
            f"step={self.step!r}{self._extras()})"
        )

    def _check_range(self) -> None:
        if self.scale not in self._allowed_scales:
            raise SpaceError(
                f"{self!r}: scale {self.scale!r} is unknown; use one of "
                + ", ".join(map(repr, self._allowed_scales))
            )
        if self.low > self.high:
            raise SpaceError(f"{self!r}: the range is empty; low must not exceed high")
        if not math.isfinite(self.high - self.low):
            raise SpaceError(f"{self!r}: the range is too wide for a float; narrow it")
        if self.scale == "log" and self.low <= 0:
            example = 1 if self.kind == "integer" else 1e-6
            raise SpaceError(
                f"{type(self).__name__}({self.low}, {self.high}): a log scale needs a positive "
                f"lower bound, such as {example}; or use scale='linear'"
            )
        if self.scale == "logit" and not 0 < self.low <= self.high < 1:
            raise SpaceError(
                f"{type(self).__name__}({self.low}, {self.high}): a logit scale needs bounds "
                "strictly between 0 and 1, such as 0.001 and 0.999"
            )

    def _check_levels(self) -> None:
        levels, most = self.levels, MAX_LEVELS[self._scale.name]
        if levels is None or levels == 1:
            return
        furthest = max(abs(self.low), abs(self.high)) / self._spacing
        # On a bent scale the resolution of a float is relative to the value, not to the range.
        if levels > most or (self._scale.name != "linear" and furthest > most):
            raise SpaceError(
                f"{self!r}: more than {most:.0e} levels cannot be told apart; "
                "use a larger step, or Real without one"
            )

    def _check_extras(self) -> None:
        """Check and freeze ``likely`` and ``when``."""
        if self.when is not None:
            object.__setattr__(self, "when", Condition.of(self.when))
        likely = self.likely
        if likely is None:
            return
        pair = isinstance(likely, (list, tuple, np.ndarray))
        values = [self._likely_number(native(v)) for v in (likely if pair else [likely])]
        if pair and (len(values) != 2 or values[0] > values[1]):
            raise SpaceError(
                f"{self!r}: likely={likely!r} must be one value, or (low, high) with low below high"
            )
        for value in values:
            if not self.low <= value <= self.high:
                raise SpaceError(
                    f"{self!r}: likely={likely!r}: {value!r} is outside [{self.low}, {self.high}]; "
                    "give a value inside, or widen the range"
                )
        object.__setattr__(self, "likely", tuple(values) if pair else values[0])

    def _likely_number(self, value: Any) -> float:
        raise NotImplementedError

    @property
    def is_number(self) -> bool:
        return True

    @cached_property
    def _scale(self) -> Scale:
        """The scale; the linear one on a range so narrow that floats see no bend."""
        scale = SCALES[self.scale]
        first, last = scale.to_line(np.array([self.low, self.high], dtype=float))
        return scale if last - first >= NARROW else SCALES["linear"]

    @cached_property
    def _line(self) -> tuple[float, float]:
        """The piece of the real line that the unit interval stands for.

        For a grid it reaches half a cell beyond both ends, so that end levels have whole cells.
        """
        to_line = self._scale.to_line
        first, last = to_line(np.array([self.low, self.high], dtype=float))
        if self.levels is None or self.levels == 1:
            return float(first), float(last)
        half = self._spacing / 2
        inner_first, inner_last = to_line(np.array([self.low + half, self.high - half]))
        return float(2 * first - inner_first), float(2 * last - inner_last)

    @property
    def _spacing(self) -> float:
        raise NotImplementedError

    def level_of(self, positions: Floats) -> Floats:
        levels = self.levels or 1
        if self._scale.name == "linear":
            k = np.floor(positions * levels)
        else:
            start, stop = self._line
            values = self._scale.from_line(start + positions * (stop - start))
            k = np.rint((values - self.low) / self._spacing)
        return np.asarray(np.clip(k, 0, levels - 1))

    def position_of(self, levels: Floats) -> Floats:
        count = self.levels or 1
        if count == 1:
            return np.full_like(levels, 0.5)
        if self._scale.name == "linear":
            return np.asarray((levels + 0.5) / count)
        start, stop = self._line
        return np.asarray(
            (self._scale.to_line(self.low + levels * self._spacing) - start) / (stop - start)
        )

    def slope(self, values: Floats) -> Floats:
        """How much the value changes with the position, at some values, (n,)."""
        start, stop = self._line
        bend = {"linear": np.ones_like(values), "log": values, "logit": values * (1.0 - values)}
        return np.asarray(bend[self._scale.name] * (stop - start))

    def snap(self, u: Floats) -> Floats:
        if self.levels is None:
            return u
        return self.position_of(self.level_of(u))

    def canonical_positions(self, positions: Floats) -> Floats:
        if self.levels is not None:
            return self.position_of(self.level_of(positions))
        return self.encode(self.numbers(positions))

    def _outside(self, value: Any) -> ConfigurationError:
        return ConfigurationError(
            f"{value!r} is outside [{self.low}, {self.high}]; "
            "give a value inside, or widen the range"
        )

    def to_dict(self) -> dict[str, Any]:
        data = {
            "type": self.kind,
            "low": self.low,
            "high": self.high,
            "scale": self.scale,
            "step": self.step,
        }
        if self.likely is not None:
            data["likely"] = list(self.likely) if isinstance(self.likely, tuple) else self.likely
        if self.when is not None:
            data["when"] = Condition.of(self.when).to_dict()
        return data
