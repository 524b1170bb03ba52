"""Ends commands whose worker has died: a small process of its own, run as a script.

The worker writes ``+GROUP`` when a process group starts and ``-GROUP`` when it has ended. When the
pipe closes, or the worker says farewell, what is left is killed. Nothing else is imported, so that
it starts quickly.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress

FAREWELL = "."
"""The last line; a process that the worker forked may hold the pipe open."""
PATIENCE = 2.0
"""Seconds between asking a group to end and killing it."""


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


def main() -> None:
    """Watch over the groups that are named on standard input."""
    groups: set[int] = set()
    for line in sys.stdin:
        if line.startswith(FAREWELL):
            break
        if line.startswith("+"):
            groups.add(int(line))
        else:
            groups.discard(-int(line))
    for group in groups:
        end(group)


if __name__ == "__main__":
    main()
