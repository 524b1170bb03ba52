"""What the five kinds of parameter have in common.

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

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from warpfront.space.arguments import CheckedArguments

Floats = NDArray[np.float64]


class Parameter(metaclass=CheckedArguments):
    """What the five kinds have in common. Use :class:`Real`, :class:`Integer` and the others.

    Examples
    --------
    >>> from warpfront import Integer
    >>> isinstance(Integer(1, 5), Parameter)
    True
    """

    kind: ClassVar[str]
    is_category: ClassVar[bool] = False

    likely: Any
    """What the user believes to be good, or None."""
    when: Mapping[str, Any] | None
    """The values of other parameters for which this one is active; None: always."""

    @property
    def levels(self) -> int | None:
        """How many values there are; None for a continuous parameter."""
        raise NotImplementedError

    def canonical(self, value: Any) -> Any:
        """Return ``value`` as a native Python value of this parameter, or raise."""
        raise NotImplementedError

    def encode(self, values: Sequence[Any] | Floats) -> Floats:
        """Positions of canonical values."""
        raise NotImplementedError

    def decode(self, position: float) -> Any:
        """Value at a position; the inverse of :meth:`encode`."""
        raise NotImplementedError

    def decode_all(self, positions: Floats) -> list[Any]:
        """Values at positions (n,), as :meth:`decode` gives them one by one."""
        return [self.decode(position) for position in positions.tolist()]

    def snap(self, u: Floats) -> Floats:
        """Map points of the unit interval to the positions of the cells they fall into."""
        raise NotImplementedError

    def positions(self) -> Floats:
        """Positions of all levels of a discrete parameter, (levels,)."""
        return self.position_of(np.arange(self.levels or 0, dtype=float))

    def position_of(self, levels: Floats) -> Floats:
        """Positions of levels (n,) of a discrete parameter."""
        raise NotImplementedError

    def level_of(self, positions: Floats) -> Floats:
        """Levels (as floats) of positions (n,) of a discrete parameter."""
        raise NotImplementedError

    def numbers(self, positions: Floats) -> Floats:
        """Values at positions (n,), as :meth:`decode` gives them, of a parameter of numbers."""
        raise NotImplementedError

    @property
    def is_number(self) -> bool:
        """Whether all values are numbers, so that one can calculate with them."""
        raise NotImplementedError

    def canonical_positions(self, positions: Floats) -> Floats:
        """Positions of exactly the values that :meth:`decode` hands out, (n,)."""
        raise NotImplementedError

    @cached_property
    def neutral(self) -> float:
        """The position of an inactive parameter: the middle of a range, or category 0."""
        return 0.0 if self.is_category else float(self.encode([self.decode(0.5)])[0])

    def to_dict(self) -> dict[str, Any]:
        """Describe the parameter as plain JSON data."""
        raise NotImplementedError

    def _extras(self) -> str:
        """The text of the arguments that most parameters do not have, for ``repr``."""
        shown = ""
        if self.likely is not None:
            shown += f", likely={self.likely!r}"
        if self.when is not None:
            shown += f", when={self.when!r}"
        return shown
