"""Who evaluates: this thread, threads of ours, or any executor of ``concurrent.futures``.

All have the same face: a number of workers, and ``submit``, which gives a future of an
:class:`~warpfront.loop.evaluation.Outcome`. What the loss does is in the outcome, so that an
exception of the future itself is a matter of the worker: it died, or cannot load the loss.
"""

from __future__ import annotations

import copy
import logging
import os
import pickle
import secrets
from collections.abc import Iterator
from concurrent.futures import (
    BrokenExecutor,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import contextmanager
from typing import Any

from warpfront.checks import whole_number
from warpfront.errors import ConfigurationError
from warpfront.loop.evaluation import Loss, Outcome, evaluate
from warpfront.space import Configuration

logger = logging.getLogger("warpfront")

RETRIED_BY_DASK = "KilledWorker"
"""What Dask reports of a task after it has itself tried it on several workers that died."""


class WorkerPool:
    """Evaluates one after the other in the thread that asks.

    Attributes
    ----------
    may_queue
        Whether it takes more evaluations than it has workers.
    """

    may_queue = False

    def __init__(self, loss: Loss) -> None:
        self._loss = loss

    @property
    def workers(self) -> int:
        """How many evaluations it makes at the same time."""
        return 1

    def takes(self, under_way: int) -> bool:
        """Whether another evaluation may be submitted now."""
        return under_way < self.workers

    def submit(self, config: Configuration) -> Future[Outcome]:
        """Begin an evaluation."""
        future: Future[Outcome] = Future()
        future.set_result(evaluate(self._loss, copy.deepcopy(config)))
        return future

    def recover(self) -> bool:
        """After a pool has broken: whether evaluations can go on."""
        return False

    def drop_queued(self, futures: list[Future[Outcome]]) -> None:
        """Cancel what no worker has begun yet."""

    def close(self) -> None:
        """Let go of what is ours."""


class ExecutorPool(WorkerPool):
    """Evaluates by an executor, which stays open unless it is ours."""

    may_queue = True

    def __init__(self, loss: Loss, executor: Executor, *, ours: bool = False) -> None:
        super().__init__(loss)
        self._executor, self._ours = executor, ours
        self._lanes: Lanes | None = None
        self._token = secrets.token_hex(8)
        self._submitted = 0

    @property
    def workers(self) -> int:
        return workers_of(self._executor)

    def takes(self, under_way: int) -> bool:
        return self._lanes is None or under_way < self._lanes.workers

    def submit(self, config: Configuration) -> Future[Outcome]:
        self._submitted += 1
        token = f"{self._token}-{self._submitted}"
        executor = self._executor if self._lanes is None else self._lanes
        return executor.submit(evaluate, self._loss, copy.deepcopy(config), token)

    def recover(self) -> bool:
        """Replace a process pool, which breaks as a whole, by pools of one process each.

        From then on the death of a process is that of a known trial.
        """
        if self._lanes is None and isinstance(self._executor, ProcessPoolExecutor):
            self._lanes = Lanes(self._executor)
            self.may_queue = False
            return True
        return self._lanes is not None

    def drop_queued(self, futures: list[Future[Outcome]]) -> None:
        # Other executors may cancel what is running, too, or leave it to guesswork.
        if isinstance(self._executor, (ThreadPoolExecutor, ProcessPoolExecutor)):
            for future in futures:
                future.cancel()

    def close(self) -> None:
        if self._lanes is not None:
            self._lanes.shutdown(wait=False, cancel_futures=True)
        if self._ours:
            self._executor.shutdown(wait=False, cancel_futures=True)


class Lanes(Executor):
    """As many process pools of one process each as a broken pool had processes."""

    def __init__(self, broken: ProcessPoolExecutor) -> None:
        self._options: dict[str, Any] = {
            "mp_context": getattr(broken, "_mp_context", None),
            "initializer": getattr(broken, "_initializer", None),
            "initargs": getattr(broken, "_initargs", ()),
        }
        if (most := getattr(broken, "_max_tasks_per_child", None)) is not None:
            self._options["max_tasks_per_child"] = most
        self.workers = workers_of(broken)
        self._idle = [self._new() for _ in range(self.workers)]
        self._busy: dict[Future[Any], ProcessPoolExecutor] = {}

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, **self._options)

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        for future in [future for future in self._busy if future.done()]:
            lane = self._busy.pop(future)
            if future.cancelled() or future.exception() is None:
                self._idle.append(lane)
            else:
                lane.shutdown(wait=False)
                self._idle.append(self._new())
        lane = self._idle.pop()
        try:
            future = lane.submit(fn, *args, **kwargs)
        except BrokenExecutor:  # its process died while it had nothing to do
            lane = self._new()
            future = lane.submit(fn, *args, **kwargs)
        self._busy[future] = lane
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        for lane in [*self._idle, *self._busy.values()]:
            lane.shutdown(wait, cancel_futures=cancel_futures)


def workers_of(executor: Executor) -> int:
    """How many evaluations an executor makes at the same time.

    Thread and process pools know it, those of loky and MPI too, and Dask's cluster is asked. For
    any other executor set the attribute ``max_workers``; else it is taken to have as many workers
    as this machine has processors.

    Examples
    --------
    >>> with ThreadPoolExecutor(3) as pool:
    ...     workers_of(pool)
    3
    """
    return _dask_workers(executor) or _stated_workers(executor) or os.cpu_count() or 1


def _dask_workers(executor: Executor) -> int | None:
    """The threads of a Dask cluster, which may grow and shrink; at least one, to make it grow."""
    client = getattr(executor, "_client", None)
    if client is None or not hasattr(client, "nthreads"):
        return None
    try:
        return max(int(sum(client.nthreads().values())), 1)
    except Exception:  # the connection is lost: submitting says so
        return 1


def _stated_workers(executor: Executor) -> int | None:
    for name in ("max_workers", "num_workers", "_max_workers"):
        number = getattr(executor, name, None)
        if isinstance(number, int) and number >= 1:
            return number
    return None


@contextmanager
def pool_of(workers: int | Executor, loss: Loss) -> Iterator[WorkerPool]:
    """Those who evaluate: the user's executor (left open), threads of ours, or this thread."""
    if isinstance(workers, Executor):
        if isinstance(workers, ProcessPoolExecutor):
            _check_that_it_can_be_sent(loss)
        pool: WorkerPool = ExecutorPool(loss, workers)
        if _stated_workers(workers) is None and not hasattr(workers, "_client"):
            logger.warning(
                "%s does not say how many workers it has; %d are assumed. Set its attribute "
                "max_workers to say so",
                type(workers).__name__,
                pool.workers,
            )
    else:
        number = whole_number("workers", workers, 1, otherwise=", or an executor")
        if number == 1:
            pool = WorkerPool(loss)
        else:
            threads = ThreadPoolExecutor(number, thread_name_prefix="warpfront")
            pool = ExecutorPool(loss, threads, ours=True)
    try:
        yield pool
    finally:
        pool.close()


def _check_that_it_can_be_sent(loss: Loss) -> None:
    try:
        pickle.dumps(loss)
    except Exception as error:
        raise ConfigurationError(
            f"the loss {loss!r} cannot be sent to another process ({error}); define it at the top "
            "of a module, or use threads: workers=8"
        ) from None
