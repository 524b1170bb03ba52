"""Patience with a database that is away, busy or out of room."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import tenacity
from optuna.exceptions import StorageInternalError
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, PendingRollbackError

from warpfront.cli.durations import describe_duration
from warpfront.cli.errors import StudyError
from warpfront.cli.outcome import Interrupted

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")

SECONDS = 600.0
"""How long a running command waits for a database that does not answer."""
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 2.0
"""Seconds between two attempts; each pause is twice the one before."""
FULL = "database or disk is full"
_PASSING_SQLITE = re.compile(f"locked|busy|{FULL}|disk I/O error")
_HOPELESS = re.compile(
    "authentication failed|pg_hba|does not exist|password supplied|could not translate|not known|"
    "failed to resolve|certificate|permission denied"
)
"""What a server says that will say the same in ten minutes."""


class UnreachableError(StudyError):
    """A storage that does not answer now, and may do so later."""


def explain(error: BaseException) -> str:
    """What the database said, on one line."""
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    text = " ".join(str(getattr(cause, "orig", None) or cause).split())
    if "readonly database" in text or "read-only" in text.lower():
        text += "; the file, or its file system, cannot be written"
    return text or type(cause).__name__


def cause_of(error: BaseException) -> DBAPIError | PendingRollbackError | None:
    """What SQLAlchemy raised, which Optuna wraps."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, (DBAPIError, PendingRollbackError)):
        cause = cause.__cause__
    return cause


def is_passing(error: BaseException) -> bool:
    """Whether the same may succeed later: a database that is away, busy, or on a full disk."""
    cause = cause_of(error)
    if isinstance(error, UnreachableError) or isinstance(cause, PendingRollbackError):
        return True  # the latter is of a transaction that broke off before
    if cause is None:
        return False
    if type(cause.orig).__module__.startswith("sqlite3"):
        return _PASSING_SQLITE.search(str(cause.orig)) is not None
    return cause.connection_invalidated or isinstance(cause, (OperationalError, InterfaceError))


def may_open_later(error: BaseException) -> bool:
    """Whether a storage that could not be opened may be opened later; not with a wrong password."""
    return is_passing(error) and _HOPELESS.search(str(error) + explain(error)) is None


@dataclass
class Patience:
    """Repeats what a database that is away, busy or out of room has made fail.

    Attributes
    ----------
    say
        Told when the database does not answer, and when it does again.
    seconds
        How long to try.
    stopped
        Whether to give up at once.
    forget
        Lets go of a session whose transaction cannot even be rolled back.
    """

    say: Callable[[str], None]
    seconds: float = SECONDS
    stopped: Callable[[], bool] = lambda: False
    forget: Callable[[], None] = lambda: None

    def insist(self, operation: Callable[[], T], unless: str = "") -> T:
        """Do something that does no harm if it is done twice, until it succeeds.

        Parameters
        ----------
        operation
            What to do.
        unless
            What is lost if it never succeeds, to be told then.
        """
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(self._may_pass),
            wait=tenacity.wait_exponential(FIRST_PAUSE, LONGEST_PAUSE),
            stop=tenacity.stop_after_delay(self.seconds),
            before_sleep=self._wait,
            reraise=True,
        )
        try:
            result = retrying(operation)
        except (StorageInternalError, DBAPIError, PendingRollbackError, UnreachableError) as error:
            lost = f"; {unless}" if unless else ""
            if not is_passing(error):
                raise StudyError(f"the database refuses: {explain(error)}{lost}") from error
            remedy = "make room on its disk" if FULL in explain(error) else "start it"
            raise StudyError(
                f"the database did not answer for {describe_duration(self.seconds)}: "
                f"{explain(error)}; {remedy}, then run the same command again{lost}"
            ) from error
        if retrying.statistics["attempt_number"] > 1:
            self.say("the database answers again")
        return result

    def _may_pass(self, error: BaseException) -> bool:
        if isinstance(error, (StorageInternalError, DBAPIError, PendingRollbackError)):
            with suppress(DBAPIError):
                self.forget()
        return is_passing(error)

    def _wait(self, state: RetryCallState) -> None:
        if self.stopped():
            raise Interrupted from None
        error: Any = state.outcome.exception() if state.outcome else None
        if state.attempt_number == 1 and error is not None:
            self.say(
                f"the database does not answer ({explain(error)}); "
                f"trying again for {describe_duration(self.seconds)}"
            )
