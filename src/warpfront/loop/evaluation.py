"""One evaluation of the loss, in whatever thread or process: whatever happens in it, plain data.

An exception may not survive the way back from another process, and an object may raise when it is
looked at. So the loss is called, and its outcome read, by :func:`evaluate` in the worker.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from warpfront.errors import ObservationError
from warpfront.failure import Failure
from warpfront.goals import Measured
from warpfront.outcomes import read_value
from warpfront.space import Configuration

Loss = Callable[[Configuration], Any]


@dataclass(frozen=True)
class Outcome:
    """What came of an evaluation.

    Attributes
    ----------
    told
        What to tell the optimiser: a number, a :class:`~warpfront.Measured` one, or several by
        their names; or the failure.
    seconds
        How long it took.
    error
        The exception itself, where the evaluation was in this process.

    Examples
    --------
    >>> evaluate(lambda c: c["x"] + 1, {"x": 1.0}).told
    2.0
    >>> evaluate(lambda c: 1 / 0, {}).failure.kind
    'ZeroDivisionError'
    """

    told: Any
    seconds: float
    error: BaseException | None = None

    @property
    def failure(self) -> Failure | None:
        """What went wrong, or None."""
        return self.told if isinstance(self.told, Failure) else None

    def __reduce__(self) -> tuple[Any, ...]:
        return Outcome, (self.told, self.seconds)


def evaluate(loss: Loss, config: Configuration, token: str = "") -> Outcome:
    """Call the loss. Only Ctrl-C is passed on; all else that is raised is a failed evaluation.

    Parameters
    ----------
    loss, config
        The function and its argument, which is its own.
    token
        Another one for each evaluation, so that no scheduler takes two of the same configuration
        for one.
    """
    began = time.perf_counter()
    process = os.getpid()
    try:
        with np.errstate():  # what the loss sets is for itself
            told = _read(loss(config))
        return Outcome(told, time.perf_counter() - began)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # sys.exit, too, ends one evaluation only
        return Outcome(Failure.of(error), time.perf_counter() - began, error)
    finally:
        if os.getpid() != process:  # a process that the loss has forked must not act as a worker
            os._exit(0)


def _read(returned: Any) -> Any:
    """What a loss has returned as plain data, or why that cannot be had."""
    try:
        if isinstance(returned, Mapping):
            return {str(name): _plain(value) for name, value in returned.items()}
        return _plain(returned)
    except ObservationError as error:
        return Failure(str(error).partition(";")[0], "not a number", is_error=True)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # an object that raises whatever is asked of it
        failure = Failure.of(error)
        return Failure(
            f"what the loss returned cannot be read as a number: {failure.reason}",
            failure.kind,
            is_error=True,
            traceback=failure.traceback,
        )


def _plain(value: Any) -> Any:
    """A number of any kind as a float; with its noise, if that was measured."""
    if isinstance(value, Failure):
        return value
    measured = value if isinstance(value, Measured) else Measured(value)
    number, reason = read_value(measured.value)
    if reason is not None:
        # A function that has no `return` is a mistake; NaN is how a loss says that it failed.
        return Failure(reason, reason, is_error=measured.value is None)
    return number if measured.std is None else Measured(number, std=measured.std)
