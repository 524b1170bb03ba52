"""The worker's side of its guard: what is to end with the worker, and when it must end itself."""

from __future__ import annotations

import os
import subprocess
import sys
import weakref
from contextlib import suppress

from warpfront.cli import guard

DISMISSAL = 10.0
"""Seconds that the guard gets to end."""


class Guard:
    """A process that outlives ours; it starts when it is first needed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> subprocess.Popen[str]:
        """Start it, once."""
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603  (our own file)
                [sys.executable, "-I", "-S", guard.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
            _started.add(self._process)
        return self._process

    def started(self, group: int) -> None:
        """A process group is to end with us."""
        self._say(f"+{group}")

    def ended(self, group: int) -> None:
        """A process group has ended."""
        self._say(f"-{group}")

    def allow(self, seconds: float | None) -> None:
        """End this process after some seconds, unless told otherwise before; None: not at all."""
        self._say("!" if seconds is None else f"!{os.getpid()} {seconds}")

    def close(self) -> None:
        """Dismiss it."""
        process, self._process = self._process, None
        if process is None or process.stdin is None:
            return
        with suppress(BrokenPipeError):
            process.stdin.write(f"-{os.getpgrp()}\n{guard.FAREWELL}\n")
            process.stdin.close()
        try:
            process.wait(DISMISSAL)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _say(self, line: str) -> None:
        pipe = self.start().stdin
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.write(line + "\n")
                pipe.flush()


_started: weakref.WeakSet[subprocess.Popen[str]] = weakref.WeakSet()


def _leave_guards() -> None:
    """In a process that a function forks: let go of the pipes, whose end is a worker's death."""
    for one in _started:
        if one.stdin is not None and not one.stdin.closed:
            # The number stays taken, so that the file object can close no other file by it.
            with suppress(OSError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, one.stdin.fileno(), inheritable=False)
                os.close(nowhere)


os.register_at_fork(after_in_child=_leave_guards)
