"""A loss that is broken is found out by its first evaluations, before the budget is burnt."""

from __future__ import annotations

from warpfront.errors import LossFailedError
from warpfront.loop.evaluation import Outcome
from warpfront.result import Result

FIRST_EVALUATIONS = 5
"""So many first evaluations that all fail with the same kind of error are not a coincidence."""


class WorkerTraceback(Exception):  # noqa: N818  (it shows a traceback, as that of the standard library does)
    """The traceback of an exception in another process, to be shown as the cause of an error."""

    def __str__(self) -> str:
        return f'\n"""\n{self.args[0]}"""'


class FirstFailures:
    """Watches the first evaluations of a run.

    Parameters
    ----------
    count
        How many of them must fail, such as the whole budget where that is smaller than usual.
    is_on
        Whether to watch at all.

    Examples
    --------
    >>> from warpfront.loop.evaluation import evaluate
    >>> watch = FirstFailures(2)
    >>> watch.are_alike(evaluate(lambda c: c["a"], {})), watch.are_alike(evaluate(dict.popitem, {}))
    (False, True)
    """

    def __init__(self, count: int = FIRST_EVALUATIONS, *, is_on: bool = True) -> None:
        self._left = count
        self._count = count
        self._is_on = is_on
        self._kind: str | None = None

    def are_alike(self, outcome: Outcome) -> bool:
        """Whether this outcome is the last of the first ones, and all had the same error."""
        failure = outcome.failure
        if failure is None or not failure.is_error or self._kind not in (None, failure.kind):
            self._is_on = False
        if not self._is_on or failure is None:
            return False
        self._kind = failure.kind
        self._left -= 1
        return self._left == 0

    def error(self, outcome: Outcome, result: Result) -> LossFailedError:
        """The error to raise, with the traceback of the last failure."""
        failure = outcome.failure
        reason = "" if failure is None else failure.reason
        which = (
            f"all of the first {self._count} evaluations" if self._count > 1 else "the evaluation"
        )
        error = LossFailedError(
            f"{which} failed: {reason}; mend the loss, or give on_error='record' if such "
            "failures are to be learned from. What was observed is in the result of this error",
            result,
        )
        error.__cause__ = outcome.error
        if outcome.error is None and failure is not None and failure.traceback:
            error.__cause__ = WorkerTraceback(failure.traceback)
        return error
