"""One run: a method proposes, the task evaluates, until the rounds or the patience are over.

Same seed, same conditions for every method: the folds are the task's, the k-th evaluation of a run
has the same random state whichever method made it, and every method is given the run's seed. The
first points are each method's own, since the initial design is part of a method.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import sklearn

from benchmarks import records
from benchmarks.methods.adapter import AT_THE_END, EACH_ROUND
from benchmarks.processor import processor
from benchmarks.records import Evaluated, Key, Recommended, Record, Round
from benchmarks.run import methods_at_hand
from benchmarks.run.journal import Journal
from benchmarks.tasks.evaluation import Evaluation
from benchmarks.tasks.registry import find
from benchmarks.tasks.task import Objective
from benchmarks.tasks.truths import WITH_TRUTH
from benchmarks.workers.worker import Worker, WorkerError
from warpfront import WarpfrontError

START_LIMIT = 300.0
"""Seconds that a method's process may take to answer its first request."""


@dataclass(frozen=True)
class Outcome:
    """What the campaign is told about a run that has its record now.

    `evaluating` are the CPU seconds of fits, `own` all others of the process that did the run; the
    method's suggestions are in neither, since it has a process of its own.
    """

    best: float
    error: str | None
    evaluating: float
    own: float


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

    def perform(self, key: Key) -> Outcome:
        """Do the run."""
        return perform(key, self.folder, self.time_limit)


def perform(key: Key, folder: Path, time_limit: float) -> Outcome:
    """Do a run, write its record into `folder` and say how it went.

    Parameters
    ----------
    key
        Which run.
    folder
        Of the records.
    time_limit
        Seconds that the method may take for all its suggestions together.
    """
    start = time.process_time()
    path = key.path(folder)
    journal = Journal(path.with_name(f".{path.stem}.journal"))
    run = _Run(key, find(key.task), journal, time_limit)
    error = None
    try:
        worker = methods_at_hand.worker_of(key.method, folder / "logs", START_LIMIT)
        run.play(worker)
    except WorkerError as reason:
        error = str(reason)
        methods_at_hand.dismiss()
    record = Record(
        key, tuple(run.trials), tuple(run.timings), error, run.facts, tuple(run.recommendations)
    )
    records.write(record, folder)
    journal.remove()
    own = time.process_time() - start - run.evaluating
    return Outcome(min(record.losses, default=math.inf), error, run.evaluating, own)


def evaluation_seed(task: str, seed: int, number: int) -> int:
    """The seed of the evaluation of this number in all runs of this seed on this task.

    Examples
    --------
    >>> evaluation_seed("branin", 0, 1) == evaluation_seed("branin", 0, 1)
    True
    >>> evaluation_seed("branin", 0, 1) == evaluation_seed("branin", 0, 2)
    False
    """
    digest = hashlib.sha256(f"{task} {seed} {number}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


def duration(key: Key, number: int) -> float:
    """How long an evaluation lasts in a run with several workers, the same for all methods.

    Exponentially distributed with mean 1: many end soon, some are overtaken by many.
    """
    seed = evaluation_seed(f"{key.task} duration", key.seed, number)
    return -math.log1p(-seed / 2**32)


def _evaluator() -> dict[str, str]:
    """What losses depend on, besides the configuration and its seed.

    OpenBLAS chooses its kernels by the processor, or as a variable says; some solvers stop
    elsewhere with others.
    """
    machine = f"{processor()}, {os.cpu_count()} cores"
    kernels = os.environ.get("OPENBLAS_CORETYPE")
    return {
        "scikit-learn": sklearn.__version__,
        "machine": machine if kernels is None else f"{machine}, OPENBLAS_CORETYPE={kernels}",
    }


class _Run:
    """What has happened so far."""

    def __init__(self, key: Key, task: Objective, journal: Journal, time_limit: float) -> None:
        self._key = key
        self._task = task
        self._journal = journal
        self._time_left = time_limit
        self._time_limit = time_limit
        self._best = math.inf
        self._incumbent: Evaluated | None = None
        self._recommends: str | None = None
        self.evaluating = 0.0
        self.trials: list[Evaluated] = []
        self.timings: list[Round] = []
        self.recommendations: list[Recommended] = []
        self.facts = _evaluator()

    def play(self, worker: Worker) -> None:
        """Ask, evaluate and tell, round after round; a `WorkerError` ends it early."""
        versions: dict[str, str] = worker.request("describe")["versions"]
        self.facts = versions | self.facts
        if worker.revision is not None:
            self.facts["revision"] = worker.revision
        key = self._key
        started = self._request(
            worker,
            "start",
            space=self._task.space.to_dict(),
            seed=key.seed,
            batch=key.batch,
            rounds=key.rounds,
        )
        self._recommends = started["recommends"]
        # Evaluations under way: when each ends, its round, the answer to the request for it.
        pending: list[tuple[float, int, dict[str, Any]]] = []
        now, asked = 0.0, 0
        for _ in range(key.rounds):
            while len(pending) < key.workers and asked < key.rounds:
                answer = self._request(worker, "ask", n=key.batch)
                heapq.heappush(pending, (now + duration(key, asked), asked, answer))
                asked += 1
            now, _, answer = heapq.heappop(pending)
            batch = self._evaluate_all(answer["configs"])
            told = self._request(worker, "tell", configs=answer["configs"], losses=batch)
            self.timings.append(Round(answer["cpu"], answer["wall"], told["cpu"], told["wall"]))
            self._take_recommendation(worker)

    def _take_recommendation(self, worker: Worker) -> None:
        """Note what the method would use now, where noise makes that a question."""
        if self._task.deterministic or self._task.name not in WITH_TRUTH:
            return
        is_last = len(self.timings) == self._key.rounds
        if self._recommends == AT_THE_END and not is_last:
            return
        config = None
        if self._recommends in (EACH_ROUND, AT_THE_END):
            config = self._request(worker, "recommend")["config"]
        if config is not None:
            config = self._valid([config])[0]
        elif self._incumbent is not None:
            config = self._incumbent.config
        else:
            return  # nothing has succeeded
        known = self.recommendations[-1].config if self.recommendations else None
        if config != known:
            start = time.process_time()
            truth = self._task.held_out(config, seed=0).loss
            self.evaluating += time.process_time() - start
            self.recommendations.append(Recommended(len(self.trials), dict(config), truth))

    def _request(self, worker: Worker, op: str, **arguments: Any) -> dict[str, Any]:
        start = time.monotonic()
        try:
            return worker.request(op, within=max(self._time_left, 1e-3), **arguments)
        except WorkerError as error:
            if self._time_left - (time.monotonic() - start) <= 0.0:
                reason = f"suggestions took over {self._time_limit:g} s in all; given up"
                raise WorkerError(f"{worker.name}: {reason}") from error
            raise
        finally:
            self._time_left -= time.monotonic() - start

    def _evaluate_all(self, configs: list[Any]) -> list[float | None]:
        """The losses of a batch, None for failures, all or nothing."""
        if len(configs) != self._key.batch:
            raise WorkerError(
                f"{self._key.method} proposed {len(configs)} points instead of {self._key.batch}"
            )
        batch = [self._evaluate(config) for config in self._valid(configs)]
        return [trial.loss if trial.failure is None else None for trial in batch]

    def _valid(self, configs: list[Any]) -> list[Mapping[str, Any]]:
        try:
            return [self._task.space.validate(config) for config in configs]
        except WarpfrontError as error:
            raise WorkerError(
                f"{self._key.method} proposed a point outside the space: {error}"
            ) from error

    def _evaluate(self, config: Mapping[str, Any]) -> Evaluated:
        number = len(self.trials)
        trial = self._journal.recall(number, config)
        if trial is None:
            trial = self._evaluate_now(number, config)
            self._journal.keep(number, trial)
        if trial.loss < self._best:
            self._best, self._incumbent = trial.loss, trial
        self.trials.append(trial)
        return trial

    def _evaluate_now(self, number: int, config: Mapping[str, Any]) -> Evaluated:
        start = time.process_time()
        seed = evaluation_seed(self._task.name, self._key.seed, number)
        result = _evaluation(self._task, config, seed)
        cpu = time.process_time() - start
        held_out = None
        if result.loss < self._best:
            apart = self._task.held_out(config, seed)
            held_out = None if apart.failed else apart.loss
        self.evaluating += time.process_time() - start
        return Evaluated(dict(config), result.loss, result.failure, held_out, round(cpu, 5))


def _evaluation(task: Objective, config: Mapping[str, Any], seed: int) -> Evaluation:
    if not task.deterministic:
        return task.evaluate(config, seed)
    return _remembered(task.name, json.dumps(config, sort_keys=True))


@lru_cache(maxsize=100_000)
def _remembered(task: str, config: str) -> Evaluation:
    """Deterministic losses once and for all: kNN has 100 configurations, fewer than evaluations."""
    return find(task).evaluate(json.loads(config), seed=0)
