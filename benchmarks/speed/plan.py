"""What is measured: the packages, and the sizes each of them is asked for."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.workers.worker import Worker

BATCH = 8
"""Suggestions in a batch, as in the paper's benchmark."""

DIMENSION = 9
"""Parameters in the table over n."""

SIZES = (16, 32, 64, 128, 256, 512, 1000, 1024, 2048, 4096, 5000, 10000)
"""Completed observations in the table over n."""

HEBO_MAX_SIZE = 512
"""The public package is not asked beyond this."""

PAPER_MAX_SIZE = 256
"""Nor is the preset of the paper beyond this: its ten full starts are meant for 128 trials."""

DIMENSIONS = (2, 9, 20, 100)
"""Parameters in the table over d."""

DIMENSION_SIZES = (128, 1024)
"""Completed observations in the table over d."""

HEADLINE_SIZE = 128
"""Where the headline ratio is taken."""

HEADLINE_TARGET = 25.0
"""HEBO's time divided by ours should be at least this."""

DEFAULT, PAPER, HEBO = "warpfront", "warpfront paper", "HEBO 0.3.6"
FORMER = "warpfront 0.1"


@dataclass(frozen=True, order=True)
class Cell:
    """A step with `n` completed observations of `d` real parameters."""

    n: int
    d: int


@dataclass(frozen=True)
class Contender:
    """A package with its settings, and how to start the worker that holds it."""

    name: str
    python: str
    module: tuple[str, ...]
    max_n: int = sys.maxsize

    def start(self, time_limit: float) -> Worker:
        """Start a worker of this contender."""
        return Worker(self.name, self.python, self.module, time_limit)

    def takes(self, cell: Cell) -> bool:
        """Whether this contender is asked for `cell`."""
        return cell.n <= self.max_n and (cell.d == DIMENSION or self.name != HEBO)


def contenders(
    hebo_python: Path | None = None, former_python: Path | None = None
) -> list[Contender]:
    """Both presets of warpfront; version 0.1 and the public package if an interpreter is given."""
    ours = "benchmarks.speed.warpfront_worker"
    entries = [
        Contender(DEFAULT, sys.executable, (ours, "default")),
        Contender(PAPER, sys.executable, (ours, "paper"), PAPER_MAX_SIZE),
    ]
    if former_python is not None:
        entries.append(Contender(FORMER, str(former_python), (ours, "default")))
    if hebo_python is not None:
        module = ("benchmarks.speed.hebo_worker",)
        entries.append(Contender(HEBO, str(hebo_python), module, HEBO_MAX_SIZE))
    return entries


def cells(sizes: tuple[int, ...], *, with_dimensions: bool) -> list[Cell]:
    """Every step to time, each once, in order of growing n."""
    chosen = {Cell(n, DIMENSION) for n in sizes}
    if with_dimensions:
        chosen |= {Cell(n, d) for n in DIMENSION_SIZES for d in DIMENSIONS}
    return sorted(chosen)
