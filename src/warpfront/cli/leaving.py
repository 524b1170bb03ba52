"""How a worker is kept apart from a terminal, begins again, and leaves whatever holds it back."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FAREWELL = 5.0
"""Seconds that threads which an objective has left behind get to end."""


@contextmanager
def without_input() -> Iterator[int]:
    """Standard input is at its end for all that runs meanwhile; gives what it was.

    Examples
    --------
    >>> with without_input():
    ...     os.read(0, 1)
    b''
    """
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        given = os.dup(0)
    except OSError:  # it was closed
        given = os.dup(nothing)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        yield given
    finally:
        os.dup2(given, 0)  # another thread may still read what was given: it stays open


def begin_again(timeout: float | None) -> Callable[[int], None]:
    """What replaces this process by a new one of the same command, wherever it has got to.

    Parameters
    ----------
    timeout
        Seconds after which no further trial begins; the new process gets what is left of them.

    Returns
    -------
    Callable
        Takes what standard input was; it does not return.
    """
    folder, environment = Path.cwd(), dict(os.environ)
    words = [sys.executable, *sys.orig_argv[1:]]
    end = None if timeout is None else time.monotonic() + timeout

    def again(given: int) -> None:
        left = [] if end is None else ["--timeout", f"{max(end - time.monotonic(), 0.001):.3f}"]
        os.chdir(folder)
        os.dup2(given, 0)
        os.execve(sys.executable, [*words, *left], environment)  # noqa: S606  (ourselves)

    return again


def do_not_wait_for_threads(code: int) -> None:
    """Have the process end soon, although threads that would be waited for are still at work."""
    main = threading.main_thread()
    if any(t.is_alive() and not t.daemon and t is not main for t in threading.enumerate()):
        threading.Thread(target=_leave, args=(code,), daemon=True).start()


def _leave(code: int) -> None:
    time.sleep(FAREWELL)
    with suppress(BaseException):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(code)
