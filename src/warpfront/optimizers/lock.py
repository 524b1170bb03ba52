"""A lock that a forked child does not inherit in the locked state.

A child process has only the thread that forked: a lock that another thread held at that moment
would be held for ever. What the lock protects is replaced at once, never changed in steps, so that
the child may go on with what it finds.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from importlib import import_module
from types import TracebackType

_LOCKS: weakref.WeakSet[ForkSafeLock]


class ForkSafeLock:
    """A re-entrant lock, free in a forked child.

    Examples
    --------
    >>> lock = ForkSafeLock()
    >>> with lock, lock:
    ...     pass
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _LOCKS.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Be free, unless it is this thread that holds it."""
        if self._lock.acquire(blocking=False):
            self._lock.release()
        else:
            self._lock = threading.RLock()


_LOCKS = weakref.WeakSet()


def _renew_all() -> None:
    for lock in list(_LOCKS):
        lock.renew()


IMPORTED_LATE = ("scipy.optimize", "scipy.stats")
"""What is imported by the first suggestion, and not with warpfront: it takes half a second."""


def _finish_imports() -> None:
    for name in IMPORTED_LATE:
        spec = getattr(sys.modules.get(name), "__spec__", None)
        if getattr(spec, "_initializing", False):
            import_module(name)  # waits for the other thread


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_finish_imports, after_in_child=_renew_all)
