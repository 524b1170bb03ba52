"""A discrete-event simulation of ``minimize`` with many workers.

The clock of the run is simulated: workers take as long as they are said to take. What the optimiser
does is real, and it takes as long on that clock as it takes on this machine, in seconds of
processor time, so that other programs do not disturb it.

Glossary
--------
waiting
    suggestions that are made, and that no worker has begun.
under way
    these, and those that a worker is evaluating.
"""

from __future__ import annotations

import heapq
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from warpfront.loop.pace import Pace
from warpfront.optimizers.ask_tell import AskTell, Suggestion
from warpfront.space import Configuration

T = TypeVar("T")


class Policy(Protocol):
    """How many suggestions to ask for, and when."""

    def asked(self, seconds: float) -> None:
        """Note how long the optimiser took."""

    def evaluated(self, seconds: float) -> None:
        """Note how long an evaluation took."""

    def wanted(self, workers: int, under_way: int) -> int:
        """How many to ask for now."""


class OnDemand:
    """One suggestion for each worker that is free, and nothing ahead of demand.

    Examples
    --------
    >>> OnDemand().wanted(workers=8, under_way=6), OnDemand().wanted(workers=8, under_way=8)
    (1, 0)
    """

    def asked(self, seconds: float) -> None:
        """It does not matter."""

    def evaluated(self, seconds: float) -> None:
        """It does not matter."""

    def wanted(self, workers: int, under_way: int) -> int:
        """One if a worker is free; the first ones all at once."""
        return workers if under_way == 0 else int(under_way < workers)


@dataclass
class Simulated:
    """What came of a simulated run.

    Attributes
    ----------
    workers
        How many there were.
    elapsed
        Simulated seconds until the last trial began, which is when workers first want for work
        because the budget is spent.
    busy
        The share of that time that workers evaluated.
    asking
        The share of that time that the optimiser suggested, or was told.
    told
        How many trials had ended by then.
    best
        The best value by then.
    ended_early
        Whether the real time was over before the budget was spent.
    """

    workers: int
    elapsed: float
    busy: float
    asking: float
    told: int
    best: float
    ended_early: bool = False

    @property
    def per_hour(self) -> float:
        """Trials that end in an hour."""
        return 3600.0 * self.told / self.elapsed if self.elapsed else 0.0


@dataclass
class Simulation:
    """A run of many workers.

    Parameters
    ----------
    optimizer
        The real one.
    value, duration
        What is measured of a configuration; and how long the evaluation of a number takes.
    workers, budget
        How many there are, and how many trials to begin.
    policy
        How many suggestions to ask for; that of ``minimize`` unless it is given.
    clock
        The time that the optimiser takes; processor time unless it is given.
    limit
        Seconds of processor time after which the simulation ends as it stands.
    """

    optimizer: AskTell
    value: Callable[[Configuration], float]
    duration: Callable[[int], float]
    workers: int
    budget: int
    policy: Policy = field(default_factory=Pace)
    clock: Callable[[], float] = time.process_time
    limit: float = float("inf")

    def __post_init__(self) -> None:
        self._now = self._asking = self._spent = 0.0
        self._last_begin = 0.0
        self._begun: list[tuple[float, float]] = []  # begin and end of each evaluation
        self._ends: list[tuple[float, int]] = []  # a heap
        self._waiting: deque[Suggestion] = deque()
        self._suggestions: dict[int, Suggestion] = {}
        self._done: list[tuple[float, Suggestion]] = []
        self._asked = 0

    def run(self) -> Simulated:
        """Simulate until the last trial has begun."""
        while (self._asked < self.budget or self._waiting) and self._spent < self.limit:
            self._tell()
            ours = len(self._ends) + len(self._waiting)
            wanted = min(self.policy.wanted(self.workers, ours), self.budget - self._asked)
            if wanted > 0:
                self._ask(wanted)
            elif self._ends:
                self._advance(self._ends[0][0])
        self._tell()
        return self._result()

    def _ask(self, n: int) -> None:
        made, seconds = self._timed(lambda: self.optimizer.ask(n))
        self.policy.asked(seconds)
        self._asked += n
        # Workers that end meanwhile take what waits already; what is made now waits from then on.
        self._advance(self._now + seconds)
        self._waiting.extend(made)
        self._begin()

    def _tell(self) -> None:
        told, self._done = self._done, []
        for seconds, suggestion in told:
            self.policy.evaluated(seconds)
            loss = self.value(suggestion)
            _, spent = self._timed(lambda: self.optimizer.tell(suggestion, loss))  # noqa: B023
            self._advance(self._now + spent)

    def _timed(self, act: Callable[[], T]) -> tuple[T, float]:
        began = self.clock()
        result = act()
        seconds = self.clock() - began
        self._asking += seconds
        self._spent += seconds
        return result, seconds

    def _advance(self, until: float) -> None:
        """Let time pass; workers that end take what waits."""
        while self._ends and self._ends[0][0] <= until:
            self._now, number = heapq.heappop(self._ends)
            suggestion = self._suggestions.pop(number)
            self._done.append((self.duration(number), suggestion))
            self._begin()
        self._now = max(self._now, until)

    def _begin(self) -> None:
        """Give what waits to workers that are free."""
        while self._waiting and len(self._ends) < self.workers:
            suggestion = self._waiting.popleft()
            end = self._now + self.duration(suggestion.number)
            self._suggestions[suggestion.number] = suggestion
            heapq.heappush(self._ends, (end, suggestion.number))
            self._begun.append((self._now, end))
            self._last_begin = self._now

    def _result(self) -> Simulated:
        until = self._last_begin
        evaluating = sum(min(end, until) - begin for begin, end in self._begun)
        told = sum(end <= until for _, end in self._begun)
        history = self.optimizer.history
        return Simulated(
            workers=self.workers,
            elapsed=until,
            busy=evaluating / (self.workers * until) if until else 1.0,
            asking=min(self._asking / until, 1.0) if until else 0.0,
            told=told,
            best=float(history.best.value or 0.0) if history.completed else float("nan"),
            ended_early=self._asked < self.budget,
        )
