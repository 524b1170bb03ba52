"""The five kinds of parameter.

Glossary
--------
value
    what the user sees: a native Python ``float``, ``int``, ``bool``, ``str``, or any JSON value.
position
    what the optimiser sees, one float. Numeric parameters (Real, Integer, Ordinal) live in the
    unit interval; categories (Categorical, Boolean) are codes 0, 1, ..., levels - 1.
level
    the index of a value of a discrete parameter. The unit interval is cut into one cell for each
    level and the position of a level lies inside its cell, so that a uniform draw gives every
    level of a linear parameter the same weight, the end levels included.
"""

from __future__ import annotations

import copy
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space.scales import SCALES, Scale, ScaleName

Floats = NDArray[np.float64]

SIGNIFICANT_DIGITS = 12
"""Suggested reals are rounded to this many digits: exact round trips, readable configurations."""
STEP_TOLERANCE = 1e-9
"""How far, in steps, a value may lie from the grid and still count as on it."""
MAX_LEVELS = {"linear": 2**50, "log": 10**12, "logit": 10**12}
"""Beyond these, float64 positions can no longer tell neighbouring levels apart."""
MAX_STEPS_FROM_ZERO = 1e13
"""A grid value further from zero, in steps, cannot be told from its neighbours with 15 digits."""
NARROW = 1e-6
"""Below this width on the line of a scale, the scale bends by less than NARROW / 8 of the range."""


class Parameter:
    """What the five kinds have in common. Use :class:`Real`, :class:`Integer` and the others.

    Examples
    --------
    >>> from warpfront import Integer
    >>> isinstance(Integer(1, 5), Parameter)
    True
    """

    kind: ClassVar[str]
    is_category: ClassVar[bool] = False

    @property
    def levels(self) -> int | None:
        """How many values there are; None for a continuous parameter."""
        raise NotImplementedError

    def canonical(self, value: Any) -> Any:
        """Return ``value`` as a native Python value of this parameter, or raise."""
        raise NotImplementedError

    def encode(self, values: Sequence[Any]) -> Floats:
        """Positions of canonical values."""
        raise NotImplementedError

    def decode(self, position: float) -> Any:
        """Value at a position; the inverse of :meth:`encode`."""
        raise NotImplementedError

    def snap(self, u: Floats) -> Floats:
        """Map points of the unit interval to the positions of the cells they fall into."""
        raise NotImplementedError

    def positions(self) -> Floats:
        """Positions of all levels of a discrete parameter, (levels,)."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Describe the parameter as plain JSON data."""
        raise NotImplementedError


def native(value: Any) -> Any:
    """Turn NumPy scalars into Python ones; leave the rest alone."""
    return value.item() if isinstance(value, np.generic) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    """Whether ``value`` is a number within the range of a float."""
    try:
        return _is_number(value) and math.isfinite(value)
    except OverflowError:  # a whole number of more than 300 digits
        return False


def _whole(value: Any) -> int | None:
    """``value`` as an int if it is a whole number, else None."""
    if not _is_number(value) or (isinstance(value, float) and not value.is_integer()):
        return None
    return int(value)


@dataclass(frozen=True)
class _Numeric(Parameter):
    """A range of numbers on a scale, continuous or on a grid of equal steps."""

    low: float
    high: float
    scale: ScaleName = "linear"
    step: float | None = None

    _allowed_scales: ClassVar[tuple[str, ...]]

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
            example = 1 if isinstance(self, Integer) else 1e-6
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

    def _level_of_unit(self, u: Floats) -> Floats:
        """Level (as float) of the cell that holds each point of the unit interval."""
        levels = self.levels or 1
        if self._scale.name == "linear":
            k = np.floor(u * levels)
        else:
            start, stop = self._line
            values = self._scale.from_line(start + u * (stop - start))
            k = np.rint((values - self.low) / self._spacing)
        return np.asarray(np.clip(k, 0, levels - 1))

    def _position_of_level(self, k: Floats) -> Floats:
        levels = self.levels or 1
        if levels == 1:
            return np.full_like(k, 0.5)
        if self._scale.name == "linear":
            return np.asarray((k + 0.5) / levels)
        start, stop = self._line
        return np.asarray(
            (self._scale.to_line(self.low + k * self._spacing) - start) / (stop - start)
        )

    def snap(self, u: Floats) -> Floats:
        if self.levels is None:
            return u
        return self._position_of_level(self._level_of_unit(u))

    def positions(self) -> Floats:
        return self._position_of_level(np.arange(self.levels or 0, dtype=float))

    def _outside(self, value: Any) -> ConfigurationError:
        return ConfigurationError(
            f"{value!r} is outside [{self.low}, {self.high}]; "
            "give a value inside, or widen the range"
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "type": self.kind,
            "low": self.low,
            "high": self.high,
            "scale": self.scale,
            "step": self.step,
        }


@dataclass(frozen=True)
class Real(_Numeric):
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

    Examples
    --------
    >>> Real(1e-5, 1e-1, scale="log").decode(0.5)
    0.001
    >>> Real(0.0, 1.0, step=0.25).levels
    5
    """

    kind: ClassVar[str] = "real"
    _allowed_scales: ClassVar[tuple[str, ...]] = ("linear", "log", "logit")

    def __post_init__(self) -> None:
        for name in ("low", "high", "step"):
            value = native(getattr(self, name))
            if name == "step" and value is None:
                continue
            if not _is_finite(value):
                raise SpaceError(
                    f"Real(low={self.low!r}, high={self.high!r}, step={self.step!r}): "
                    f"{name} must be a finite number, not {value!r}"
                )
            object.__setattr__(self, name, float(value) + 0.0)  # + 0.0: no -0.0 anywhere
        self._check_range()
        if self.step is not None:
            self._check_step(self.step)
        self._check_levels()

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

    def _level_value(self, k: int) -> float:
        if k == 0:
            return self.low
        if k == (self.levels or 1) - 1:
            return self.high
        # 15 digits of the largest value: 3 * 0.1 is 0.3, not 0.30000000000000004, and
        # -0.3 + 3 * 0.1 is 0.0, not 5.6e-17.
        places = 15 - math.ceil(math.log10(max(abs(self.low), abs(self.high))))
        return round(self.low + k * self._spacing, places) + 0.0

    def canonical(self, value: Any) -> float:
        value = native(value)
        if not _is_number(value):
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

    def encode(self, values: Sequence[float]) -> Floats:
        v = np.asarray(values, dtype=float)
        if self.levels is not None:
            return self._position_of_level(np.rint((v - self.low) / self._spacing))
        start, stop = self._line
        u = (self._scale.to_line(v) - start) / (stop - start)
        # Only the bounds themselves are at the ends: a neighbour must not decode to a bound.
        u = np.clip(u, sys.float_info.min, 1.0 - sys.float_info.epsilon)
        return np.asarray(np.where(v == self.low, 0.0, np.where(v == self.high, 1.0, u)))

    def decode(self, position: float) -> float:
        if self.levels is not None:
            return self._level_value(int(self._level_of_unit(np.array(position))))
        if position <= 0.0:
            return self.low
        if position >= 1.0:
            return self.high
        start, stop = self._line
        value = float(self._scale.from_line(np.array(start + position * (stop - start))))
        if self._scale.name == "linear":
            places = SIGNIFICANT_DIGITS - math.ceil(math.log10(stop - start))
            value = round(value, places)
        else:
            value = float(f"{value:.{SIGNIFICANT_DIGITS}g}")
        return min(max(value, self.low), self.high) + 0.0


@dataclass(frozen=True)
class Integer(_Numeric):
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

    Examples
    --------
    >>> Integer(10, 5000, scale="log").decode(0.5)
    218
    >>> Integer(16, 64, step=16).levels
    4
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
            whole = _whole(value)
            if whole is None:
                raise SpaceError(
                    f"Integer(low={self.low!r}, high={self.high!r}, step={self.step!r}): "
                    f"{name} must be a whole number, not {value!r}"
                )
            if abs(whole) > 2**53:
                raise SpaceError(f"Integer: {name}={value!r} is beyond ±2**53; use Real")
            object.__setattr__(self, name, whole)
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

    @property
    def levels(self) -> int:
        return (self.high - self.low) // self.step + 1

    @property
    def _spacing(self) -> float:
        return float(self.step)

    def canonical(self, value: Any) -> int:
        value = native(value)
        whole = _whole(value)
        if whole is None:
            raise ConfigurationError(f"{value!r} is not a whole number; give an int")
        if not self.low <= whole <= self.high:
            raise self._outside(value)
        if (whole - self.low) % self.step:
            raise ConfigurationError(
                f"{value!r} is not on the grid {self.low}, {self.low + self.step}, ..., {self.high}"
            )
        return whole

    def encode(self, values: Sequence[int]) -> Floats:
        return self._position_of_level((np.asarray(values, dtype=float) - self.low) / self.step)

    def decode(self, position: float) -> int:
        return self.low + self.step * int(self._level_of_unit(np.array(position)))


def _json_text(value: Any) -> str:
    """Canonical text of a JSON value: tells 1 from 1.0 and from True, sees lists as their items."""
    return json.dumps(value, sort_keys=True, allow_nan=False, default=native)


def _has_text_keys(value: Any) -> bool:
    """Whether all keys inside a JSON value are texts; JSON would turn numbers into texts."""
    if isinstance(value, dict):
        return all(isinstance(k, str) and _has_text_keys(v) for k, v in value.items())
    return not isinstance(value, (list, tuple)) or all(map(_has_text_keys, value))


class _Choice(Parameter):
    """One of a list of JSON values."""

    def __init__(self, choices: Sequence[Any]) -> None:
        name = type(self).__name__
        if isinstance(choices, str) or not isinstance(choices, (Sequence, np.ndarray)):
            raise SpaceError(f"{name}({choices!r}): give a list of values")
        codes: dict[str, int] = {}
        for choice in choices:
            try:
                text = _json_text(choice)
            except (TypeError, ValueError):
                raise SpaceError(
                    f"{name}: the choice {choice!r} is not a JSON value; use None, booleans, "
                    "finite numbers, texts, lists or dicts (and map names to objects yourself)"
                ) from None
            if not _has_text_keys(choice):
                raise SpaceError(
                    f"{name}: the choice {choice!r} has a key that is no text; write it as one"
                )
            if text in codes:
                raise SpaceError(f"{name}: the choice {choice!r} stands twice; remove one")
            codes[text] = len(codes)
        if not codes:
            raise SpaceError(f"{name}([]): at least one value is needed")
        self._codes = codes
        self._values = tuple(map(json.loads, codes))

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values, in order; copies, so that lists among them can be changed at will."""
        return copy.deepcopy(self._values)

    def _value(self, code: int) -> Any:
        return copy.deepcopy(self._values[code])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self._values)!r})"

    def __eq__(self, other: object) -> bool:
        # By their texts: 1 == True in Python, but they are different choices.
        return type(other) is type(self) and tuple(self._codes) == tuple(other._codes)

    def __hash__(self) -> int:
        return hash((self.kind, tuple(self._codes)))

    @property
    def levels(self) -> int:
        return len(self._values)

    def _code(self, value: Any) -> int | None:
        """Code of a value. 32.0 finds 32 and the other way round: spreadsheets mix them up."""
        value = native(value)
        candidates = [value]
        if isinstance(value, float) and value.is_integer():
            candidates.append(int(value))
        elif isinstance(value, int) and _is_finite(value):
            candidates.append(float(value))
        for candidate in candidates:
            try:
                code = self._codes.get(_json_text(candidate))
            except (TypeError, ValueError):
                return None
            if code is not None:
                return code
        return None

    def _encode_codes(self, values: Sequence[Any]) -> Floats:
        codes = [self._code(value) for value in values]
        if None in codes:
            raise self._unknown(values[codes.index(None)])
        return np.array(codes, dtype=float)

    def _unknown(self, value: Any) -> ConfigurationError:
        shown = ", ".join(map(repr, self._values[:8])) + (", ..." if self.levels > 8 else "")
        return ConfigurationError(f"{value!r} is not among the choices {shown}")

    def canonical(self, value: Any) -> Any:
        code = self._code(value)
        if code is None:
            raise self._unknown(value)
        return self._value(code)

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.kind, "choices": list(self.choices)}


class Categorical(_Choice):
    """One of several values without an order. Any JSON value will do.

    Lists and dicts are handed out as copies; a tuple becomes a list, as in JSON.

    Examples
    --------
    >>> Categorical(["relu", "tanh", None]).decode(2) is None
    True
    >>> Categorical([[64], [64, 32]]).decode(1)
    [64, 32]
    """

    kind: ClassVar[str] = "categorical"
    is_category: ClassVar[bool] = True

    def encode(self, values: Sequence[Any]) -> Floats:
        return self._encode_codes(values)

    def decode(self, position: float) -> Any:
        return self._value(int(position))

    def snap(self, u: Floats) -> Floats:
        return np.asarray(np.clip(np.floor(u * self.levels), 0, self.levels - 1))

    def positions(self) -> Floats:
        return np.arange(self.levels, dtype=float)


class Boolean(Categorical):
    """True or False.

    Examples
    --------
    >>> Boolean().decode(1)
    True
    """

    kind: ClassVar[str] = "boolean"

    def __init__(self) -> None:
        super().__init__([False, True])

    def __repr__(self) -> str:
        return "Boolean()"

    def canonical(self, value: Any) -> bool:
        value = native(value)
        if not isinstance(value, bool):
            raise ConfigurationError(f"{value!r} is not a boolean; give True or False")
        return value

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.kind}


class Ordinal(_Choice):
    """One of several values whose order matters, evenly spaced for the optimiser.

    Examples
    --------
    >>> Ordinal(["small", "medium", "large"]).encode(["small", "medium"])
    array([0.16666667, 0.5       ])
    """

    kind: ClassVar[str] = "ordinal"

    def encode(self, values: Sequence[Any]) -> Floats:
        return np.asarray((self._encode_codes(values) + 0.5) / self.levels)

    def decode(self, position: float) -> Any:
        return self._value(min(max(math.floor(position * self.levels), 0), self.levels - 1))

    def snap(self, u: Floats) -> Floats:
        k = np.clip(np.floor(u * self.levels), 0, self.levels - 1)
        return np.asarray((k + 0.5) / self.levels)

    def positions(self) -> Floats:
        return np.asarray((np.arange(self.levels) + 0.5) / self.levels)


_KINDS: dict[str, tuple[type[Parameter], tuple[str, ...], tuple[str, ...]]] = {
    # type: (class, what it must have, what it may have)
    "real": (Real, ("low", "high"), ("scale", "step")),
    "integer": (Integer, ("low", "high"), ("scale", "step")),
    "categorical": (Categorical, ("choices",), ()),
    "ordinal": (Ordinal, ("choices",), ()),
    "boolean": (Boolean, (), ()),
}


def parameter_from_dict(data: Any) -> Parameter:
    """Build a parameter from what :meth:`Parameter.to_dict` gave.

    Examples
    --------
    >>> parameter_from_dict({"type": "integer", "low": 1, "high": 9})
    Integer(low=1, high=9, scale='linear', step=1)
    """
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise SpaceError(f"{data!r} is no parameter; 'type' must be one of {', '.join(_KINDS)}")
    cls, required, optional = _KINDS[kind]
    arguments = {key: value for key, value in data.items() if key != "type"}
    for key in arguments:
        if key not in required + optional:
            has = ", ".join(required + optional) or "nothing but its type"
            raise SpaceError(f"a parameter of type {kind!r} has no {key!r}; it has {has}")
    missing = [key for key in required if key not in arguments]
    if missing:
        raise SpaceError(f"{data!r}: {', '.join(missing)} missing")
    return cls(**arguments)
