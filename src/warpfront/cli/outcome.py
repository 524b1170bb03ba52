"""What came of an evaluation: a value, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warpfront.cli.durations import describe_duration
from warpfront.errors import ObservationError
from warpfront.failure import Failure, cut, place_of, quoted
from warpfront.goals import Measured
from warpfront.outcomes import read_outcome
from warpfront.problem import Problem

LENGTH = 600
"""How many characters of a reason are kept."""

Outcome = tuple[Mapping[str, Any], str | None]
"""What was measured, by name: numbers, or :class:`~warpfront.Measured` ones; and the reason of the
failure, None if the evaluation succeeded."""


class Interrupted(KeyboardInterrupt):
    """The evaluation was asked to stop."""


class OutOfTime(BaseException):
    """The time limit of a Python function is over; no ``except Exception`` holds it up."""


def outcome_of(value: Any, problem: Problem) -> Outcome:
    """Sort what an evaluation gave, a number or a mapping of numbers, into outcomes or a failure.

    Examples
    --------
    >>> from warpfront import AtMost, Minimize, Real, Space
    >>> problem = Problem(Space(x=Real(0, 1)), (Minimize("loss"), AtMost("memory", 512)))
    >>> outcome_of({"loss": 2, "memory": 300, "epochs": 5}, problem)
    ({'loss': 2.0, 'memory': 300.0}, None)
    >>> outcome_of({"memory": 300}, problem)
    ({'loss': None, 'memory': 300.0}, 'there is no value of loss')
    >>> outcome_of("good", problem)
    ({}, "the value 'good' is not a number")
    """
    try:
        if isinstance(value, Mapping):  # what is not a goal is the user's own business
            value = {name: value[name] for name in problem.names if name in value}
            if not value:
                return {}, f"what was returned has none of {', '.join(problem.names)}"
        found = read_outcome(problem, value)
        missing = [one.name for one in problem.objectives if found.values.get(one.name) is None]
        reason = found.reason
        if reason is None and missing:
            reason = f"there is no value of {', '.join(missing)}"
        noisy = {name: Measured(found.values[name], std) for name, std in found.noise.items()}
        return {**found.values, **noisy}, reason
    except ObservationError as error:
        return {}, str(error).partition(";")[0]
    except (Interrupted, OutOfTime):
        raise
    except BaseException as error:  # an object that ends the process when it is looked at
        reason = Failure.of(error).reason
        return {}, f"what the objective returned cannot be read as a number: {reason}"


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
