"""A pool of processes of one thread each, which end when the process that made them does."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait

from benchmarks.workers.worker import ONE_THREAD


@contextmanager
def one_thread_pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Start `jobs` processes, and cancel what has not begun when the block is left."""
    with _environment(ONE_THREAD):
        executor = ProcessPoolExecutor(
            jobs, multiprocessing.get_context("spawn"), initializer=_end_with_parent
        )
        try:
            yield executor
        finally:
            executor.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """Watch the parent from a thread: a pool's processes would wait for a killed one for ever."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Environment variables for processes started meanwhile: BLAS reads them once, at its start."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
