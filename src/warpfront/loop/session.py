"""One run: ask, have evaluated, tell, until something ends it.

Glossary
--------
waiting
    suggestions that are made, and not yet handed to a worker.
under way
    those that a worker has, or that wait in the queue of the executor.
"""

from __future__ import annotations

import logging
import math
import time
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import BrokenExecutor, Future
from queue import Empty, SimpleQueue

from warpfront.failure import Failure
from warpfront.loop.evaluation import Outcome
from warpfront.loop.pace import Pace
from warpfront.loop.pools import RETRIED_BY_DASK, WorkerPool
from warpfront.loop.record import Record
from warpfront.optimizers.ask_tell import AskTell, Suggestion
from warpfront.result import BUDGET, EXECUTOR, TIMEOUT
from warpfront.space import Configuration

logger = logging.getLogger("warpfront")

WAIT_SECONDS = 1.0
"""Seconds after which a wait looks up, so that Ctrl-C is noticed on every system."""
ATTEMPTS_PER_TRIAL = 2
"""So many times a configuration is tried if its worker dies: it may have been the machine."""


class Session:
    """A run under way; see :func:`warpfront.minimize`.

    Parameters
    ----------
    optimizer, pool, record
        Who suggests, who evaluates, and who is told.
    budget
        How many evaluations to make; None: until something else ends the run.
    batch
        How many to suggest at a time; None: one whenever a worker is free.
    timeout
        Seconds after which nothing new is begun, or None.
    start
        Configurations to evaluate first.
    waiting
        Suggestions of an earlier part of the run that nobody has evaluated.
    """

    def __init__(
        self,
        optimizer: AskTell,
        pool: WorkerPool,
        record: Record,
        *,
        budget: int | None,
        batch: int | None = None,
        timeout: float | None = None,
        start: Sequence[Configuration] = (),
        waiting: Sequence[Suggestion] = (),
    ) -> None:
        self._optimizer, self._pool, self._record = optimizer, pool, record
        self._budget = math.inf if budget is None else budget
        self._batch, self._start = batch, start
        self._deadline = math.inf if timeout is None else time.monotonic() + timeout
        self._pace = Pace()
        self._waiting = deque(waiting)
        self._under_way: dict[Future[Outcome], Suggestion] = {}
        self._done: SimpleQueue[Future[Outcome]] = SimpleQueue()
        self._lost: Counter[int] = Counter()
        self.stopped = ""
        self.warning = ""

    def run(self) -> None:
        """Work until the budget is spent or something else ends the run."""
        self.stopped = self._record.reason_to_stop()
        while not self.stopped:
            if wanted := self._wanted():
                self._ask(wanted)
            self._hand_out()
            if self._under_way:
                self._collect(block=not self._wanted())
            elif not self._waiting:
                self.stopped = self.stopped or BUDGET
        self._pool.drop_queued(list(self._under_way))
        while self._under_way:
            self._collect(block=True)

    def collect_what_is_done(self) -> None:
        """Tell the outcomes that are known, without waiting for any."""
        self._collect(block=False)

    def cancel(self) -> None:
        """Cancel all that is under way, as far as that is possible."""
        for future in self._under_way:
            future.cancel()

    def _wanted(self) -> int:
        """How many suggestions to ask for now."""
        if self._is_late():
            return 0
        ours = len(self._waiting) + len(self._under_way)
        left = self._budget - self._record.made - ours
        if self._batch is not None:
            wanted = 0 if ours else self._batch
        else:
            wanted = self._pace.wanted(self._pool.workers, ours, self._pool.may_queue)
        return int(max(min(wanted, left), 0))

    def _is_late(self) -> bool:
        if not self.stopped and time.monotonic() >= self._deadline:
            self.stopped = TIMEOUT
        return self.stopped == TIMEOUT

    def _ask(self, n: int) -> None:
        given = self._start[self._record.started : self._record.started + n]
        began = time.perf_counter()
        if given:
            made = [self._optimizer.ask(1, fixed=config)[0] for config in given]
            self._record.started += len(given)
        else:
            made = self._optimizer.ask(n)
        self._pace.asked(time.perf_counter() - began)
        self._record.asked(made)
        self._waiting.extend(made)

    def _hand_out(self) -> None:
        """Give waiting suggestions to workers that are free."""
        while self._waiting and self._pool.takes(len(self._under_way)) and not self._is_late():
            suggestion = self._waiting.popleft()
            try:
                future = self._pool.submit(dict(suggestion))
            except Exception as error:
                self._waiting.appendleft(suggestion)
                if isinstance(error, BrokenExecutor) and self._pool.recover():
                    continue
                self._end_early(error)
                return
            self._under_way[future] = suggestion
            future.add_done_callback(self._done.put)

    def _collect(self, *, block: bool) -> None:
        """Take what workers have finished; if nothing has been, wait for one, or for a while."""
        while True:
            try:
                future = self._done.get(block, timeout=self._patience())
            except Empty:
                return
            self._settle(future)
            block = False

    def _patience(self) -> float:
        if self.stopped:
            return WAIT_SECONDS
        return min(max(self._deadline - time.monotonic(), 0.0), WAIT_SECONDS)

    def _settle(self, future: Future[Outcome]) -> None:
        suggestion = self._under_way.pop(future)
        if future.cancelled():
            self._end_early(BrokenExecutor("the executor cancelled an evaluation"))
            return
        error = future.exception()
        if error is None:
            self._tell(suggestion, future.result())
        elif isinstance(error, Exception):
            self._retry(suggestion, error)
        elif not self.stopped:  # Ctrl-C reaches the processes of a pool, too
            raise error

    def _tell(self, suggestion: Suggestion, outcome: Outcome) -> None:
        self._pace.evaluated(outcome.seconds)
        reason = self._record.told(suggestion, outcome)
        self.stopped = self.stopped or reason

    def _retry(self, suggestion: Suggestion, error: Exception) -> None:
        """A worker died, or could not load the loss: the other trials are not at fault."""
        if isinstance(error, BrokenExecutor) and not self._pool.recover():
            self._end_early(error)
            return
        if self.stopped:
            return
        number = suggestion.number
        self._lost[number] += 1
        if self._lost[number] < ATTEMPTS_PER_TRIAL and type(error).__name__ != RETRIED_BY_DASK:
            logger.warning("the worker of trial %d is lost, it is tried again: %s", number, error)
            self._waiting.appendleft(suggestion)
        else:
            self._tell(suggestion, Outcome(Failure.of(error), 0.0, error))

    def _end_early(self, error: Exception) -> None:
        """Nothing more can be submitted; what the workers have may still end."""
        if not self.stopped:
            self.stopped = EXECUTOR
            self.warning = f"the run ended early: {error}"
