"""What went wrong in one evaluation, as a short text that keeps file and line.

Whatever a user's code raises or returns, the text of it can be had: objects that fail at saying
what they are, and texts of any length, included.
"""

from __future__ import annotations

import sysconfig
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LONGEST_REASON = 600
"""Characters of a reason that are kept: enough for a message, and for thousands of trials."""
LONGEST_VALUE = 200
"""Characters of a value, such as a text that is not a number, that are quoted in a reason."""
LONGEST_TRACEBACK = 10_000
"""Characters of a traceback, from its end, that are kept."""

PACKAGE = Path(__file__).parent
"""The folder of our own files."""
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))


@dataclass(frozen=True)
class Failure:
    """An evaluation that gave no loss; ``tell`` takes it in the place of the loss.

    Attributes
    ----------
    reason
        Why, in one line: the trial keeps it.
    kind
        What sort of failure it is, such as the name of the exception's class.
    is_error
        Whether it looks like a mistake in the code of the loss. A loss that returns NaN or an
        infinity says by that itself that the evaluation failed.
    traceback
        The traceback of the exception, if there was one.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> optimizer.tell({"x": 0.5}, Failure("the reactor was too hot"))
    >>> print(optimizer.history.trials[0])
    trial 0: failed (the reactor was too hot) at {'x': 0.5}
    """

    reason: str
    kind: str = "failure"
    is_error: bool = False
    traceback: str = ""

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """What an exception says, where it was raised, and its traceback.

        Examples
        --------
        >>> failure = Failure.of(ZeroDivisionError("division by zero"))
        >>> failure.reason, failure.kind
        ('ZeroDivisionError: division by zero', 'ZeroDivisionError')
        """
        kind = type(error).__name__
        text = " ".join(quoted(str, error, LONGEST_REASON).split())
        reason = f"{kind}: {text}" if text else kind
        place = place_of(error)
        where = f" ({place})" if place else ""
        return cls(
            cut(reason, LONGEST_REASON - len(where)) + where, kind, True, _traceback_of(error)
        )


def quoted(text: Callable[[object], str], value: object, most: int = LONGEST_VALUE) -> str:
    """The text of a user's object, cut, even if the object fails at saying what it is.

    Examples
    --------
    >>> quoted(repr, "x" * 10_000_000, 20)
    "'xxxxxxxxxxx … xxxx'"
    """
    try:
        return cut(str.__str__(text(value)), most)  # plain, where it gives a subclass of str
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"(its text cannot be read: {type(error).__name__})"


def cut(text: str, most: int) -> str:
    """``text``, or its beginning and its end where it is longer than ``most`` characters.

    Examples
    --------
    >>> cut("short", 12), cut("from the beginning to the end", 14)
    ('short', 'from the … end')
    """
    if len(text) <= most:
        return text
    tail = (most - 3) // 3
    return f"{text[: most - 3 - tail].rstrip()} … {text[len(text) - tail :].lstrip()}"


def place_of(error: BaseException) -> str | None:
    """File and line of the innermost frame in the user's own code, else in a library.

    None where an exception was never raised, or by warpfront itself.

    Examples
    --------
    >>> place_of(ValueError("never raised")) is None
    True
    """
    # The true traceback, also of a class that has something else under this name.
    trace = vars(BaseException)["__traceback__"].__get__(error)
    frames = [(Path(f.f_code.co_filename), line) for f, line in traceback.walk_tb(trace)]
    others = [(path, line) for path, line in frames if PACKAGE not in path.parents]
    theirs = [(path, line) for path, line in others if not _is_installed(path)] or others
    if not theirs:
        return None
    path, line = theirs[-1]
    return f"{path.name}:{line}"


def _is_installed(path: Path) -> bool:
    return (
        path.name.startswith("<frozen")
        or not {"site-packages", "dist-packages"}.isdisjoint(path.parts)
        or STANDARD_LIBRARY in path.parents
    )


def _traceback_of(error: BaseException) -> str:
    try:
        lines = traceback.format_exception(type(error), error, error.__traceback__)
        text = "".join(cut(line, LONGEST_TRACEBACK) for line in lines)
    except KeyboardInterrupt:
        raise
    except BaseException as other:  # whatever the exception's own attributes do
        return f"(its traceback cannot be read: {type(other).__name__})"
    return text[-LONGEST_TRACEBACK:]
