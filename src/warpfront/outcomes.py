"""Outcomes: what users tell of an evaluation, read into plain numbers."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from warpfront.errors import ObservationError
from warpfront.failure import Failure, place_of
from warpfront.goals import Measured
from warpfront.problem import Problem

MOST_CHARACTERS = 500
"""Reasons of failures are cut to this length."""


@dataclass(frozen=True)
class Outcome:
    """What came of one evaluation.

    Attributes
    ----------
    values
        The outcomes by name, in the order of the goals, None where one was not measured; empty if
        the evaluation failed.
    noise
        The standard deviations of those whose noise was measured.
    reason
        Why the evaluation failed, else None.
    """

    values: Mapping[str, float | None] = field(default_factory=dict)
    noise: Mapping[str, float] = field(default_factory=dict)
    reason: str | None = None


def read_outcome(problem: Problem, given: Any) -> Outcome:
    """Read what a user told: a number, a mapping of numbers by name, or a failure.

    Examples
    --------
    >>> from warpfront import Minimize, AtMost, Measured, Real, Space
    >>> space = Space(x=Real(0, 1))
    >>> read_outcome(Problem(space), 3).values
    {'value': 3.0}
    >>> read_outcome(Problem(space), ZeroDivisionError("division by zero")).reason
    'ZeroDivisionError: division by zero'
    >>> several = Problem(space, (Minimize("loss"), AtMost("memory", 512)))
    >>> read_outcome(several, {"loss": Measured(0.5, std=0.1)}).values
    {'loss': 0.5, 'memory': None}
    """
    return read_named(problem.names, given)


def read_named(names: Sequence[str], given: Any) -> Outcome:
    """As :func:`read_outcome`, where only the names of the outcomes are known.

    Examples
    --------
    >>> read_named(["loss", "memory"], {"loss": 0.5, "memory": float("nan")}).values
    {'loss': 0.5, 'memory': None}
    """
    if isinstance(given, Mapping):
        return _read_mapping(names, given)
    measured = given if isinstance(given, Measured) else Measured(given)
    value, reason = read_value(measured.value)
    if value is None:
        return Outcome(reason=reason)
    if len(names) > 1:
        example = ", ".join(f"{name!r}: ..." for name in names)
        raise ObservationError(
            f"the value {shown(repr, given)} does not say of which outcome it is; tell a dict, "
            f"{{{example}}}"
        )
    return Outcome({names[0]: value}, {} if measured.std is None else {names[0]: measured.std})


def _read_mapping(names: Sequence[str], given: Mapping[Any, Any]) -> Outcome:
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ObservationError(
            f"outcome {unknown[0]!r} is not one of the goals; tell {', '.join(names)}"
        )
    values: dict[str, float | None] = dict.fromkeys(names)
    noise: dict[str, float] = {}
    reasons = []
    for name in names:
        item = given.get(name)
        measured = item if isinstance(item, Measured) else Measured(item)
        values[name], reason = read_value(measured.value)
        if reason is not None:
            reasons.append(reason if len(names) == 1 else f"{name}: {reason}")
        elif measured.std is not None:
            noise[name] = measured.std
    if all(value is None for value in values.values()):
        return Outcome(reason="; ".join(reasons))
    return Outcome(values, noise)


def read_value(value: Any) -> tuple[float | None, str | None]:
    """Sort a measured value into ``(number, None)`` or ``(None, reason of the failure)``.

    Numbers of any kind are outcomes. NaN, infinities, None, masked values and exceptions are
    failures.

    Examples
    --------
    >>> read_value(3)
    (3.0, None)
    >>> read_value(float("nan"))
    (None, 'the value was nan')
    """
    try:
        return _read_value(value)
    except ObservationError:
        raise
    except Exception as error:  # an object whose attributes raise, even __class__
        raise ObservationError(
            f"the value {shown(repr, value)} cannot be read ({type(error).__name__}); {_TELL}"
        ) from None


_TELL = "tell a float, or math.nan (or the exception) for an evaluation that failed"


def _read_value(value: Any) -> tuple[float | None, str | None]:
    if value is None:
        return None, "no value was given"
    if isinstance(value, Failure):
        return None, value.reason
    if isinstance(value, BaseException):
        place = place_of(value)
        where = f" ({place})" if place else ""
        text = shown(str, value)
        return None, cut(type(value).__name__ + (f": {text}" if text else "")) + where
    if isinstance(value, np.ma.MaskedArray) and value.size == 1 and np.ma.is_masked(value):
        return None, "the value was masked"
    item = getattr(value, "item", None)  # NumPy scalars and arrays, and tensors, of one element
    if callable(item):
        with suppress(Exception):
            value = item()
    if not isinstance(value, (numbers.Real, Decimal)):
        raise ObservationError(f"the value {shown(repr, value)} is not a number; {_TELL}")
    try:
        number = float(value)
    except OverflowError:  # a whole number of more than 300 digits
        return None, "the value was beyond the range of a float"
    except ValueError:  # a signalling NaN of the decimal module
        return None, f"the value was {shown(str, value)}"
    if not math.isfinite(number):
        return None, f"the value was {number}"
    return number, None


def shown(text: Callable[[object], str], value: object) -> str:
    """The text of a user's object, which may be long, or fail at saying what it is."""
    try:
        return cut(text(value))
    except Exception as error:
        return f"(its text cannot be read: {type(error).__name__})"


def cut(text: str) -> str:
    """The beginning and the end of a text that is too long.

    Examples
    --------
    >>> len(cut("a" * 10_000)) <= MOST_CHARACTERS
    True
    """
    if len(text) <= MOST_CHARACTERS:
        return text
    half = (MOST_CHARACTERS - 5) // 2
    return f"{text[:half]} ... {text[-half:]}"
