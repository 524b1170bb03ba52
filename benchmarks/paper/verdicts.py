"""What the tests of equal spread say of each task, and the sheet that keeps it."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from benchmarks.paper import printed
from benchmarks.paper.printed import SpreadTest
from benchmarks.paper.repeats import NOISES, Noise
from benchmarks.report.command import OUTPUT
from warpfront.diagnostics.spread import SpreadTests

ARCHIVED = OUTPUT / "paper" / "hypothesis-tests.csv"
"""The sheet under version control: the tests of a task that are there are not repeated."""


@dataclass(frozen=True)
class Verdicts:
    """What the tests say of a task whose repeats are done."""

    task: str
    noise: Noise
    ours: SpreadTests
    by_mean: SpreadTests  # Levene's test as the appendix prints it
    paper: SpreadTest
    revision: str = ""  # of the code that evaluated the repeats


def archived(path: Path, configurations: int, repeats: int) -> dict[tuple[str, Noise], Verdicts]:
    """The tests in a sheet that are of this size and of the installed scikit-learn."""
    if not path.is_file():
        return {}
    size = (str(configurations), str(repeats), version("scikit-learn"))
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {
        (row["task"], noise): _from_row(row, noise)
        for row in rows
        for noise in NOISES
        if noise == row["noise"]
        and size == (row.get("configurations"), row.get("repeats"), row.get("scikit_learn"))
    }


def _from_row(row: Mapping[str, str], noise: Noise) -> Verdicts:
    def tests(levene: str) -> SpreadTests:
        return SpreadTests(
            levene=_read(row[levene]),
            levene_p=_read(row[f"{levene}_p"]),
            fligner=_read(row["fligner"]),
            fligner_p=_read(row["fligner_p"]),
            ratio=_read(row["spread_ratio"]),
            expected_ratio=_read(row["expected_ratio"]),
            correlation=_read(row["spread_level_correlation"]),
            correlation_p=np.nan,
            levels=np.empty(0),
            spreads=np.empty(0),
            repeats=np.empty(0, dtype=np.intp),
            failed=int(row["failed"]),
            dropped=int(row["dropped"]),
        )

    paper = printed.spread_tests()[row["task"]]
    return Verdicts(
        row["task"], noise, tests("levene"), tests("levene_mean"), paper, row["revision"]
    )


def _read(cell: str) -> float:
    return float(cell) if cell else np.nan


def sheet(
    found: Sequence[Verdicts], configurations: int, repeats: int
) -> tuple[list[str], list[list[str | int | float | None]]]:
    """The head and the rows of the sheet."""
    head = ["task", "noise", "fligner", "fligner_p", "levene", "levene_p", "levene_mean"]
    head += ["levene_mean_p", "paper_fligner", "paper_fligner_p", "paper_levene", "paper_levene_p"]
    head += ["spread_ratio", "expected_ratio", "spread_level_correlation", "failed", "dropped"]
    head += ["configurations", "repeats", "scikit_learn", "revision"]
    rows: list[list[str | int | float | None]] = []
    for one in found:
        ours, mean, paper = one.ours, one.by_mean, one.paper
        rows.append(
            [
                *(one.task, one.noise, ours.fligner, ours.fligner_p, ours.levene, ours.levene_p),
                *(mean.levene, mean.levene_p),
                *(paper.fligner, paper.fligner_p, paper.levene, paper.levene_p),
                *(ours.ratio, ours.expected_ratio, ours.correlation, ours.failed, ours.dropped),
                *(configurations, repeats, version("scikit-learn"), one.revision),
            ]
        )
    return head, rows
