"""The timed steps: packages take turns, so that a noisy machine disturbs all alike."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from benchmarks.speed.measurement import Measurement, Results
from benchmarks.speed.plan import BATCH, Cell, Contender
from benchmarks.speed.problem import observations
from benchmarks.speed.step import Step, time_step
from benchmarks.workers.worker import Worker, WorkerError

REPEAT_BUDGET = 120.0
"""CPU seconds in one cell after which a package is not repeated again."""

WARM_UP = Cell(n=32, d=9)
"""The untimed first step of a worker, for imports that happen on first use."""

WARM_UP_SEED = 999


def time_steps(
    contenders: Sequence[Contender], cells: Sequence[Cell], repeats: int, time_limit: float
) -> Results:
    """Time every cell with every contender that takes it.

    A contender that fails or runs out of time is not asked for larger cells; a remark says so.
    """
    field = _Field(contenders, time_limit)
    measurements: list[Measurement] = []
    try:
        for cell in cells:
            measurements += field.race(cell, repeats)
    finally:
        field.close()
    return Results(tuple(measurements), tuple(field.remarks))


class _Field:
    """The running workers, one for each contender, and who has dropped out where."""

    def __init__(self, contenders: Sequence[Contender], time_limit: float) -> None:
        self.remarks: list[str] = []
        self._contenders = {contender.name: contender for contender in contenders}
        self._time_limit = time_limit
        self._workers: dict[str, Worker] = {}
        self._failed: dict[str, list[Cell]] = {contender.name: [] for contender in contenders}

    def race(self, cell: Cell, repeats: int) -> list[Measurement]:
        """Time `cell`, the contenders taking turns, a rotated order in each repeat."""
        data = observations(cell.n, cell.d)
        names = [c.name for c in self._contenders.values() if c.takes(cell)]
        steps: dict[str, list[Step]] = {name: [] for name in names}
        for repeat in range(repeats):
            shift = repeat % max(1, len(names))
            for name in names[shift:] + names[:shift]:
                spent = sum(step.ask_cpu for step in steps[name])
                if self._is_out(name, cell) or spent > REPEAT_BUDGET:
                    continue
                try:
                    steps[name].append(time_step(self._worker(name), data, repeat, BATCH))
                except WorkerError as error:
                    self._drop(name, cell, error)
        _tell_progress(cell, steps)
        return [m for name, done in steps.items() if done for m in _measured(name, cell, done)]

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers.values():
            worker.close()

    def _worker(self, name: str) -> Worker:
        """Return the worker of a contender, started and warmed up when it does not run."""
        worker = self._workers.get(name)
        if worker is None or not worker.alive:
            if worker is not None:
                worker.close()
            worker = self._contenders[name].start(self._time_limit)
            self._workers[name] = worker
            time_step(worker, observations(WARM_UP.n, WARM_UP.d), WARM_UP_SEED, BATCH)
        return worker

    def _is_out(self, name: str, cell: Cell) -> bool:
        """Whether a contender failed in a cell that is no larger in either direction."""
        return any(failed.n <= cell.n and failed.d <= cell.d for failed in self._failed[name])

    def _drop(self, name: str, cell: Cell, error: WorkerError) -> None:
        self._failed[name].append(cell)
        remark = f"{error}; at n = {cell.n}, d = {cell.d}: not asked for larger steps."
        self.remarks.append(remark)
        print(remark, file=sys.stderr, flush=True)


def _measured(name: str, cell: Cell, steps: Sequence[Step]) -> list[Measurement]:
    columns = {
        "step_cpu": tuple(step.ask_cpu for step in steps),
        "step_wall": tuple(step.ask_wall for step in steps),
        "tell_cpu": tuple(step.tell_cpu for step in steps),
    }
    return [
        Measurement(quantity, name, samples, "s", cell.n, cell.d)
        for quantity, samples in columns.items()
    ]


def _tell_progress(cell: Cell, steps: dict[str, list[Step]]) -> None:
    best = [
        f"{name} {min(step.ask_cpu for step in done):.3f} s" for name, done in steps.items() if done
    ]
    print(f"n = {cell.n:4d}  d = {cell.d:3d}  " + "   ".join(best), file=sys.stderr, flush=True)
