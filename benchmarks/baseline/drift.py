"""Whether tasks still give the losses that were frozen.

A new scikit-learn may change a model. Fits that run through BLAS for many steps, those of the
neural networks above all, may also differ between processors.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.baseline import reference_file
from benchmarks.baseline.evaluate import evaluate_missing
from benchmarks.baseline.journal import Journal
from benchmarks.baseline.pair import pairs_of
from benchmarks.tasks.registry import TASKS

TOLERANCE = 1e-6
"""Relative difference up to which two losses are the same."""


@dataclass(frozen=True)
class Drift:
    """A loss of a signature that has changed: at which of the points, from what, to what."""

    task: str
    point: int
    frozen: float
    now: float

    def __str__(self) -> str:
        return f"{self.task}: signature {self.point + 1} was {self.frozen:.9g}, is {self.now:.9g}"


def find_drift(
    names: Sequence[str],
    jobs: int = 1,
    folder: Path = reference_file.FOLDER,
    tolerance: float = TOLERANCE,
) -> list[Drift]:
    """Evaluate the signatures of some tasks afresh, and return what differs."""
    files = {name: reference_file.read(name, folder) for name in names}
    with tempfile.TemporaryDirectory() as nowhere:
        books = {pair: Journal(pair, Path(nowhere)) for pair in pairs_of(names)}
        evaluate_missing(list(books.values()), {pair: pair.signature() for pair in books}, jobs)
    by_name = {task.name: book for pair, book in books.items() for task in pair.tasks}
    return [
        Drift(name, point, frozen, now)
        for name, made in files.items()
        for point, (frozen, trial) in enumerate(
            zip(made.signature, by_name[name].pair.signature(), strict=True)
        )
        if not math.isclose(
            frozen, now := by_name[name].loss(trial, TASKS[name].metric), rel_tol=tolerance
        )
    ]
