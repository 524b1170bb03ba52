"""Ends what a worker leaves behind, or cannot end itself: a small process of its own.

It is run as a script, and reads lines from the worker:

``+GROUP``
    A process group has started.
``-GROUP``
    It has ended.
``!PID SECONDS``
    This process is to end after so many seconds, unless ``!`` comes before.
``.``
    Farewell.

When the pipe closes, or the worker says farewell, groups that are left are killed. Nothing else is
imported, so that it starts quickly.
"""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import suppress

FAREWELL = "."
"""The last line; a process that the worker forked may hold the pipe open."""
PATIENCE = 2.0
"""Seconds between asking a group to end and killing it."""
LATE = signal.SIGVTALRM
"""The signal that ends a process whose time is over. Its parent knows by it what has happened."""


def exists(group: int) -> bool:
    """Whether a process group has a member."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # there are some that are not ours
        return True
    return True


def end(group: int, patience: float = PATIENCE) -> None:
    """Ask a process group to end, and kill what is left of it after a while."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGTERM)
        until = time.monotonic() + patience
        while time.monotonic() < until and exists(group):
            time.sleep(0.02)
        os.killpg(group, signal.SIGKILL)


class Watch:
    """What the worker has said.

    Attributes
    ----------
    groups
        The process groups that are to end with the worker.
    late
        The process to end, when, and by which signal; None if no time runs.
    """

    def __init__(self) -> None:
        self.groups: set[int] = set()
        self.late: tuple[int, float, int] | None = None

    def heed(self, line: str) -> bool:
        """Take in a line; False if it was the last one."""
        if line.startswith(FAREWELL):
            return False
        if line.startswith("+"):
            self.groups.add(int(line))
        elif line.startswith("-"):
            self.groups.discard(-int(line))
        elif line.startswith("!"):
            words = line[1:].split()
            self.late = None
            if words:
                self.late = int(words[0]), time.monotonic() + float(words[1]), int(LATE)
        return True

    def wait(self) -> float | None:
        """Seconds until something is to be done unasked; None if nothing is."""
        return None if self.late is None else max(self.late[1] - time.monotonic(), 0.0)

    def strike(self) -> None:
        """End the process whose time is over; if it goes on all the same, kill it."""
        if self.late is not None and self.wait() == 0.0:
            process, _, number = self.late
            self.late = process, time.monotonic() + PATIENCE, int(signal.SIGKILL)
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)


def main() -> None:
    """Watch over the groups that are named on standard input."""
    watch, rest, is_on = Watch(), "", True
    while is_on:
        if not select.select([0], [], [], watch.wait())[0]:
            watch.strike()
            continue
        said = os.read(0, 65_536).decode()
        *lines, rest = (rest + said).split("\n")
        is_on = said != "" and all(map(watch.heed, lines))
    for group in watch.groups:
        end(group)


if __name__ == "__main__":
    main()
