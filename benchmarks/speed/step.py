"""One timed step: what is asked of a worker, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.workers.worker import Worker, WorkerError


@dataclass(frozen=True)
class Step:
    """The reply to a timed step: seconds, and megabytes for the memory."""

    tell_cpu: float
    ask_cpu: float
    ask_wall: float
    count: int
    peak_memory: float


def time_step(worker: Worker, data: Mapping[str, Any], seed: int, batch: int) -> Step:
    """Time one suggestion of `batch` points after telling `data`."""
    step = Step(**worker.request("step", **data, seed=seed, batch=batch))
    if step.count != batch:
        raise WorkerError(f"{worker.name} suggested {step.count} points instead of {batch}")
    return step
