"""One run on a problem: a method proposes, the problem evaluates, until the rounds are over."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.problems import curve
from benchmarks.problems.methods import find as find_method
from benchmarks.problems.problem import Configuration, Outcomes, Problem
from benchmarks.problems.records import Record
from benchmarks.problems.registry import find
from benchmarks.processor import processor
from benchmarks.records import Key, Round
from benchmarks.workers.worker import Worker, WorkerError
from warpfront import WarpfrontError

START_LIMIT = 300.0
"""Seconds that a method's process may take to answer its first request."""


@dataclass(frozen=True)
class Result:
    """What the campaign is told about a run that has its record now."""

    level: float | None
    error: str | None


@dataclass(frozen=True)
class Runs:
    """Runs as the work of a campaign.

    Parameters
    ----------
    folder
        Of the records.
    time_limit
        Seconds that a method may take for all its suggestions together.
    """

    folder: Path
    time_limit: float

    def is_done(self, key: Key) -> bool:
        """Whether the run has its record."""
        return key.path(self.folder).exists()

    def lock(self, key: Key) -> Path:
        """The file that whoever does the run locks."""
        return self.folder / "locks" / f"{key.design}-{key.method}-{key.task}-{key.seed}"

    def perform(self, key: Key) -> Result:
        """Do the run, with a process of its own for the method, and write its record."""
        log = self.folder / "logs" / f"{key.method}-{os.getpid()}.log"
        run = _Run(key, find(key.task), self.time_limit)
        try:
            with find_method(key.method).start(START_LIMIT, log) as worker:
                run.play(worker)
            error = None
        except WorkerError as reason:
            error = str(reason)
        outcomes = tuple(run.outcomes)
        record = Record(key, tuple(run.configs), outcomes, tuple(run.timings), error, run.facts)
        record.write(self.folder)
        found = curve.levels(run.problem, outcomes, key.batch)
        return Result(found[-1] if found else None, error)


@dataclass
class _Run:
    """What has happened so far."""

    key: Key
    problem: Problem
    time_limit: float
    configs: list[Configuration] = field(default_factory=list)
    outcomes: list[Outcomes | None] = field(default_factory=list)
    timings: list[Round] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    _spent: float = 0.0

    def play(self, worker: Worker) -> None:
        """Ask, evaluate and tell, round after round; a `WorkerError` ends it early."""
        key, problem = self.key, self.problem
        self.facts |= worker.request("describe")["versions"]
        self.facts["machine"] = f"{processor()}, {os.cpu_count()} cores"
        if worker.revision is not None:
            self.facts["revision"] = worker.revision
        self._request(
            worker,
            "start",
            space=problem.space.to_dict(),
            goals=[goal.to_dict() for goal in problem.goals],
            seed=key.seed,
            batch=key.batch,
            rounds=key.rounds,
        )
        for _ in range(key.rounds):
            asked = self._request(worker, "ask", n=key.batch)
            configs = self._valid(asked["configs"])
            outcomes = [problem.evaluate(config) for config in configs]
            # As they were proposed: some packages know their configurations again by the values.
            told = self._request(worker, "tell", configs=asked["configs"], outcomes=outcomes)
            self.configs += [dict(config) for config in configs]
            self.outcomes += outcomes
            self.timings.append(Round(asked["cpu"], asked["wall"], told["cpu"], told["wall"]))

    def _request(self, worker: Worker, op: str, **arguments: Any) -> dict[str, Any]:
        """Ask the method; a `WorkerError` says if it has had all its time."""
        given_up = WorkerError(
            f"{worker.name}: suggestions took over {self.time_limit:g} s in all; given up"
        )
        left, start = self.time_limit - self._spent, time.monotonic()
        try:
            reply = worker.request(op, within=max(left, 1e-3), **arguments)
        except WorkerError as error:
            if time.monotonic() - start >= left:
                raise given_up from error
            raise
        self._spent += time.monotonic() - start
        if self._spent > self.time_limit:
            raise given_up
        return reply

    def _valid(self, configs: list[Any]) -> list[Configuration]:
        """The configurations as the space reads them."""
        if len(configs) != self.key.batch:
            raise WorkerError(
                f"{self.key.method} proposed {len(configs)} points instead of {self.key.batch}"
            )
        try:
            return [self.problem.space.validate(config) for config in configs]
        except WarpfrontError as error:
            raise WorkerError(
                f"{self.key.method} proposed a point outside the space: {error}"
            ) from error
