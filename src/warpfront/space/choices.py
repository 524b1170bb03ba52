"""Parameters of listed values: Categorical and Boolean without an order, Ordinal with one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import ConfigurationError
from warpfront.space.choice import Choice
from warpfront.space.values import native

Floats = NDArray[np.float64]


class Categorical(Choice):
    """One of several values without an order. Any JSON value will do.

    Lists and dicts are handed out as copies; a tuple becomes a list, as in JSON.

    Parameters
    ----------
    choices
        The values.
    likely
        The value, or a list of values, that you believe to be good.
    when
        The values of other parameters for which this one is active; see
        :mod:`warpfront.space.conditions`.

    Examples
    --------
    >>> Categorical(["relu", "tanh", None]).decode(2) is None
    True
    >>> Categorical([[64], [64, 32]]).decode(1)
    [64, 32]
    """

    kind: ClassVar[str] = "categorical"
    is_category: ClassVar[bool] = True

    def encode(self, values: Sequence[Any] | Floats) -> Floats:
        return self._encode_codes(values)

    def decode(self, position: float) -> Any:
        return self._value(int(position))

    def level_of(self, positions: Floats) -> Floats:
        return np.asarray(np.clip(np.floor(positions), 0, self.levels - 1))

    def canonical_positions(self, positions: Floats) -> Floats:
        return self.level_of(positions)

    def snap(self, u: Floats) -> Floats:
        return np.asarray(np.clip(np.floor(u * self.levels), 0, self.levels - 1))

    def position_of(self, levels: Floats) -> Floats:
        return levels


class Boolean(Categorical):
    """True or False.

    Parameters
    ----------
    likely
        The value that you believe to be good.
    when
        The values of other parameters for which this one is active; see
        :mod:`warpfront.space.conditions`.

    Examples
    --------
    >>> Boolean().decode(1)
    True
    """

    kind: ClassVar[str] = "boolean"

    def __init__(self, *, likely: Any = None, when: Mapping[str, Any] | None = None) -> None:
        super().__init__([False, True], likely=likely, when=when)

    def __repr__(self) -> str:
        return f"Boolean({self._extras()[2:]})"

    def canonical(self, value: Any) -> bool:
        value = native(value)
        if not isinstance(value, bool):
            raise ConfigurationError(f"{value!r} is not a boolean; give True or False")
        return value

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.kind, **self._extra_data()}


class Ordinal(Choice):
    """One of several values whose order matters, evenly spaced for the optimiser.

    Parameters
    ----------
    choices
        The values, in order.
    likely
        The value, or a list of values, that you believe to be good.
    when
        The values of other parameters for which this one is active; see
        :mod:`warpfront.space.conditions`.

    Examples
    --------
    >>> Ordinal(["small", "medium", "large"]).encode(["small", "medium"])
    array([0.16666667, 0.5       ])
    """

    kind: ClassVar[str] = "ordinal"

    def encode(self, values: Sequence[Any] | Floats) -> Floats:
        return np.asarray((self._encode_codes(values) + 0.5) / self.levels)

    def decode(self, position: float) -> Any:
        return self._value(min(max(math.floor(position * self.levels), 0), self.levels - 1))

    def level_of(self, positions: Floats) -> Floats:
        return np.asarray(np.clip(np.floor(positions * self.levels), 0, self.levels - 1))

    def canonical_positions(self, positions: Floats) -> Floats:
        return self.snap(positions)

    def snap(self, u: Floats) -> Floats:
        return np.asarray((self.level_of(u) + 0.5) / self.levels)

    def position_of(self, levels: Floats) -> Floats:
        return np.asarray((levels + 0.5) / self.levels)
