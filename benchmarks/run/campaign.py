"""Hands runs out to an executor, each run to one process in the world.

A run is claimed by a lock on a file, which the system releases when the process that holds it ends,
however it ends. So any number of processes may work on one folder.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from pathlib import Path

from filelock import FileLock, Timeout

from benchmarks.records import Key
from benchmarks.run.perform import Outcome, perform

PATIENCE = 1.0
"""Seconds between looks at runs that other processes are doing."""


class Campaign:
    """Runs to do in a folder of records.

    Parameters
    ----------
    keys
        The runs wanted, in the order in which to begin them.
    folder
        Of the records.
    time_limit
        Seconds that a method may take for the suggestions of a run.
    """

    def __init__(self, keys: Sequence[Key], folder: Path, time_limit: float) -> None:
        self._folder = folder
        self._time_limit = time_limit
        self._waiting = deque(key for key in keys if not self._is_done(key))
        self._locks: dict[Key, FileLock] = {}
        self.total = len(self._waiting)

    def run(
        self,
        executor: Executor,
        slots: Callable[[], int],
        tell: Callable[[Outcome | Key], None],
    ) -> None:
        """Do all runs that are not done yet, or see others do them.

        Parameters
        ----------
        executor
            Where they are done.
        slots
            How many to have under way; asked again and again, since a cluster may grow.
        tell
            Called with every outcome, and with the key of a run that another process did.
        """
        running: set[Future[Outcome]] = set()
        try:
            while self._waiting or running:
                while len(running) < slots():
                    key = self._claim_next(tell)
                    if key is None:
                        break
                    running.add(executor.submit(perform, key, self._folder, self._time_limit))
                if not running:
                    time.sleep(PATIENCE if self._waiting else 0.0)
                    continue
                done, running = wait(running, PATIENCE, return_when=FIRST_COMPLETED)
                for future in done:
                    outcome = future.result()
                    self._locks.pop(outcome.key).release()
                    tell(outcome)
        finally:
            for lock in self._locks.values():
                lock.release()

    def _claim_next(self, tell: Callable[[Outcome | Key], None]) -> Key | None:
        """The next run that nobody else is doing; None if others are doing all that are left."""
        for _ in range(len(self._waiting)):
            key = self._waiting.popleft()
            lock = self._lock(key)
            if lock is None:
                self._waiting.append(key)
            elif self._is_done(key):  # looked at under the lock: whoever had it may have ended
                lock.release()
                tell(key)
            else:
                self._locks[key] = lock
                return key
        return None

    def _lock(self, key: Key) -> FileLock | None:
        path = self._folder / "locks" / f"{key.design}-{key.method}-{key.task}-{key.seed}"
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return None
        return lock

    def _is_done(self, key: Key) -> bool:
        return key.path(self._folder).exists()
