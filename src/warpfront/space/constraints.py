"""Known constraints on configurations: texts in a small language, or Python functions.

A text is a condition such as ``"a + b <= 1"``; :mod:`warpfront.space.expressions` describes the
language. A function takes a configuration and returns ``True`` where it is allowed, or a number
that is at most 0 where it is allowed and larger the further it is from that; such a number guides
the search, so prefer it where most configurations are forbidden. A function gets the active
parameters only, and must always give the same answer. It cannot be saved: use a text where a space
is written to a file or a database.

An equality of a sum, such as ``"a + b + c == 1"`` or ``"2 * a - b == 0.5"``, is kept by moving on
the sum; the tolerance is ``EQUALITY`` (1e-9) of the largest value that its terms can have. Any
other ``==`` with a continuous Real parameter would be met by luck only and is an error, unless it
compares one parameter with a number, inside ``or`` or ``count``: ``"a == 0 or a >= 0.1"``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import SpaceError
from warpfront.space.columns import Columns
from warpfront.space.expressions import Expression
from warpfront.space.parameter import Parameter

Floats = NDArray[np.float64]
ConstraintFunction = Callable[[dict[str, Any]], Any]


class Constraint:
    """Something that every suggested configuration satisfies."""

    is_slow: ClassVar[bool] = False
    """Whether it looks at one configuration after the other."""

    @property
    def given(self) -> str | ConstraintFunction:
        """The text or the function that was given."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """How it is written, or the name of the function."""
        raise NotImplementedError

    def violation(self, rows: Columns) -> Floats:
        """How far each row is from satisfying it, (n,); 0 exactly where it is satisfied."""
        raise NotImplementedError


class TextConstraint(Constraint):
    """A constraint that is written as a text.

    Examples
    --------
    >>> from warpfront import Real
    >>> TextConstraint("a <= b", {"a": Real(0, 1), "b": Real(0, 1)})
    'a <= b'
    """

    def __init__(self, text: str, parameters: Mapping[str, Parameter]) -> None:
        self.expression = Expression(text, parameters)

    @property
    def given(self) -> str:
        return self.expression.text

    @property
    def text(self) -> str:
        return self.expression.text

    def violation(self, rows: Columns) -> Floats:
        return self.expression.violation(rows)

    def __repr__(self) -> str:
        return repr(self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextConstraint) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class FunctionConstraint(Constraint):
    """A constraint that is a Python function of a configuration.

    Examples
    --------
    >>> def light(config):
    ...     return config["a"] + config["b"] - 1  # at most 0 where it is allowed
    >>> FunctionConstraint(light).text
    'light(...)'
    """

    is_slow: ClassVar[bool] = True

    def __init__(self, function: ConstraintFunction) -> None:
        self.function = function

    @property
    def given(self) -> ConstraintFunction:
        return self.function

    @property
    def text(self) -> str:
        return f"{getattr(self.function, '__name__', repr(self.function))}(...)"

    def violation(self, rows: Columns) -> Floats:
        return np.array([self._degree(dict(c)) for c in rows.configurations()], dtype=float)

    def _degree(self, config: dict[str, Any]) -> float:
        try:
            result = self.function(dict(config))
        except Exception as error:
            raise SpaceError(
                f"constraint {self.text} failed with {type(error).__name__}: {error} for "
                f"{config!r}; a constraint must answer for every configuration of the space"
            ) from error
        if isinstance(result, np.ndarray) and result.ndim == 0:
            result = result.item()
        if isinstance(result, (bool, np.bool_)):
            return 0.0 if result else 1.0
        if not isinstance(result, (int, float, np.integer, np.floating)):
            raise SpaceError(
                f"constraint {self.text} returned {result!r} for {config!r}; return True or "
                "False, or a number that is at most 0 where the configuration is allowed"
            )
        return math.inf if result != result else max(0.0, float(result))  # NaN is not itself

    def __repr__(self) -> str:
        return getattr(self.function, "__qualname__", repr(self.function))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionConstraint) and self.function == other.function

    def __hash__(self) -> int:
        try:
            return hash(self.function)
        except TypeError:  # an object that can be called but not hashed
            return id(self.function)


def read_constraints(given: Any, parameters: Mapping[str, Parameter]) -> tuple[Constraint, ...]:
    """Compile the constraints of a space; an error shows the place where a text is wrong.

    Examples
    --------
    >>> from warpfront import Real
    >>> read_constraints(["a <= 0.5"], {"a": Real(0, 1)})
    ('a <= 0.5',)
    """
    if given is None:
        return ()
    if isinstance(given, str) or callable(given) or not isinstance(given, Sequence):
        raise SpaceError(
            f"constraints={given!r}: give a list of texts or functions, such as "
            "constraints=['a + b <= 1']"
        )
    constraints: list[Constraint] = []
    for one in given:
        if isinstance(one, Constraint):  # of another space
            one = one.given
        if isinstance(one, str):
            constraints.append(TextConstraint(one, parameters))
        elif callable(one):
            constraints.append(FunctionConstraint(one))
        else:
            raise SpaceError(
                f"constraint {one!r} must be a text such as 'a + b <= 1', or a function of a "
                "configuration"
            )
    return tuple(constraints)
