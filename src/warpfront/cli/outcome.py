"""What came of an evaluation: a value, or the reason why there is none."""

from __future__ import annotations

from typing import Any

from warpfront.cli.durations import describe_duration
from warpfront.errors import ObservationError
from warpfront.failure import Failure, cut, place_of, quoted
from warpfront.outcomes import read_value

LENGTH = 600
"""How many characters of a reason are kept."""

Outcome = tuple[float | None, str | None]
"""A value, or the reason of the failure."""


class Interrupted(KeyboardInterrupt):
    """The evaluation was asked to stop."""


class OutOfTime(BaseException):
    """The time limit of a Python function is over; no ``except Exception`` holds it up."""


def outcome_of(value: Any) -> Outcome:
    """Sort what an evaluation gave into a value or the reason of a failure.

    Examples
    --------
    >>> outcome_of(2)
    (2.0, None)
    >>> outcome_of("good")
    (None, "the value 'good' is not a number")
    """
    try:
        return read_value(value)
    except ObservationError as error:
        return None, str(error).partition(";")[0]
    except (Interrupted, OutOfTime):
        raise
    except BaseException as error:  # an object that ends the process when it is looked at
        reason = Failure.of(error).reason
        return None, f"what the objective returned cannot be read as a number: {reason}"


def reason_of(error: BaseException) -> str:
    """One line: what was raised, and where; our own files are no such place.

    Examples
    --------
    >>> reason_of(ValueError("too hot")).partition(";")[0]
    'ValueError: too hot'
    """
    where = (
        "; the function is called with one argument, the configuration as a dict: def loss(config)"
    )
    if (place := place_of(error)) is not None:
        where = f" ({place})"
    text = f"{type(error).__name__}: {quoted(str, error, LENGTH)}"
    return cut(" ".join(text.split()), LENGTH - len(where)) + where


def over(limit: float | None) -> str:
    """That a time limit is over."""
    return f"the time limit of {describe_duration(limit or 0)} is over"
