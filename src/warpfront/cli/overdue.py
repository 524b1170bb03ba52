"""The time limit of a function that does not heed it: its process is ended from outside.

An exception in the main thread says that the time is over. A function may swallow it, or may hang
in code that is not Python's. So a little later a thread tells that the trial has failed, and has
the process end. Where even that thread does not get its turn, because the function keeps the
interpreter to itself, the guard, another process, ends ours.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import TracebackType

from warpfront.cli.guarded import Guard
from warpfront.cli.outcome import over

EXIT = 124
"""The exit code of a worker whose function does not heed the time limit, as of `timeout`."""
GRACE = 5.0
"""Seconds that a function gets to end once its time is over."""
BACKSTOP = 10.0
"""Seconds after that until the guard ends the process."""


def exit_late() -> None:
    """End this process, whatever its other threads are at."""
    os._exit(EXIT)


class Overdue:
    """Watches over one evaluation, as a context.

    Parameters
    ----------
    limit
        Seconds that the evaluation may take; None: any time.
    guard
        The process that ends ours if nothing else does.
    give_up
        Called in another thread with the reason, if the evaluation does not end in time. It ends
        the process.
    """

    def __init__(self, limit: float | None, guard: Guard, give_up: Callable[[str], None]) -> None:
        self._limit, self._guard, self._give_up = limit, guard, give_up
        self._lock = threading.Lock()
        self._is_decided = False
        self._timer: threading.Timer | None = None

    def __enter__(self) -> None:
        if self._limit is not None:
            self._guard.allow(self._limit + GRACE + BACKSTOP)
            self._timer = threading.Timer(self._limit + GRACE, self._end)
            self._timer.daemon = True
            self._timer.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._timer is None:
            return
        self._timer.cancel()
        if not self._decide():
            threading.Event().wait()  # the other thread is about to end us
        self._guard.allow(None)

    def _end(self) -> None:
        if self._decide():
            self._give_up(over(self._limit) + f", and {GRACE:.0f} s later it had not ended")

    def _decide(self) -> bool:
        """Whether the caller is the first: the one who returns, or the one who gives up."""
        with self._lock:
            is_first, self._is_decided = not self._is_decided, True
            return is_first
