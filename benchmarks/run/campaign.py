"""Hands pieces of work out to an executor, each to one process in the world.

A piece is claimed by a lock on a file, which the system releases when the process that holds it
ends, however it ends. So any number of processes may work on one folder.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from filelock import FileLock, Timeout

PATIENCE = 1.0
"""Seconds between looks at pieces that other processes are doing."""

Key = TypeVar("Key", contravariant=True)
Outcome = TypeVar("Outcome", covariant=True)


class Work(Protocol[Key, Outcome]):
    """What a campaign needs to know; it goes to other processes, so it must be plain data."""

    def is_done(self, key: Key) -> bool:
        """Whether the piece has its record."""

    def lock(self, key: Key) -> Path:
        """The file that whoever does the piece locks."""

    def perform(self, key: Key) -> Outcome:
        """Do the piece, write its record, and say how it went."""


Piece = TypeVar("Piece")
Result = TypeVar("Result")


class Campaign(Generic[Piece, Result]):
    """Pieces of work to do.

    Parameters
    ----------
    keys
        The pieces wanted, in the order in which to begin them.
    work
        How one is done.
    """

    def __init__(self, keys: Sequence[Piece], work: Work[Piece, Result]) -> None:
        self._work = work
        self._waiting = deque(key for key in keys if not work.is_done(key))
        self._locks: dict[Piece, FileLock] = {}
        self.total = len(self._waiting)

    @property
    def waiting(self) -> list[Piece]:
        """The pieces that are still to be begun."""
        return list(self._waiting)

    def run(
        self,
        executor: Executor,
        slots: Callable[[], int],
        tell: Callable[[Piece, Result | None], None],
    ) -> None:
        """Do all pieces that are not done yet, or see others do them.

        Parameters
        ----------
        executor
            Where they are done.
        slots
            How many to have under way; asked again and again, since a cluster may grow.
        tell
            Called with every key and its outcome, None for a piece that another process did.
        """
        running: dict[Future[Result], Piece] = {}
        try:
            while self._waiting or running:
                while len(running) < slots():
                    key = self._claim_next(tell)
                    if key is None:
                        break
                    running[executor.submit(self._work.perform, key)] = key
                if not running:
                    time.sleep(PATIENCE if self._waiting else 0.0)
                    continue
                done, _ = wait(running, PATIENCE, return_when=FIRST_COMPLETED)
                for future in done:
                    key = running.pop(future)
                    outcome = future.result()
                    self._locks.pop(key).release()
                    tell(key, outcome)
        finally:
            for lock in self._locks.values():
                lock.release()

    def _claim_next(self, tell: Callable[[Piece, Result | None], None]) -> Piece | None:
        """The next piece that nobody else is doing; None if others are doing all that are left."""
        for _ in range(len(self._waiting)):
            key = self._waiting.popleft()
            lock = _claim(self._work.lock(key))
            if lock is None:
                self._waiting.append(key)
            elif self._work.is_done(key):  # looked at under the lock: whoever had it may have ended
                lock.release()
                tell(key, None)
            else:
                self._locks[key] = lock
                return key
        return None


def _claim(path: Path) -> FileLock | None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return None
    return lock
