"""The numbers of the report for programs: CSV files."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.report import paper
from benchmarks.report.bootstrap import Estimate
from benchmarks.report.results import Results
from benchmarks.report.statistics import Summary, mean_curve, mean_random_curve

Cell = str | int | float | None


def write_scores(results: Results, path: Path) -> None:
    """One line a run; a loss that was never finite is left empty."""
    head = ["task", "method", "seed", "batch", "rounds", "loss", "score", "kit_score"]
    head += ["held_out", "failed_evaluations", "suggestion_cpu", "error"]
    rows: list[list[Cell]] = []
    for runs in results.runs.values():
        for run in runs:
            key = run.key
            loss = run.loss if math.isfinite(run.loss) else None
            scores = [loss, run.score, run.kit_score, run.held_out]
            cost = [run.failed, run.cpu, run.error]
            rows.append([key.task, key.method, key.seed, key.batch, key.rounds, *scores, *cost])
    write_sheet(path, head, rows)


def write_curves(results: Results, path: Path) -> None:
    """Mean score after each evaluation, with its interval; random search's expectation last."""
    rows: list[list[Cell]] = []
    known = results.with_curves()
    for method in known.runs:
        tasks = len(known.by_task(method))
        points = zip(*mean_curve(known, method), strict=True)
        for n, (mean, low, high) in enumerate(points, start=1):
            ends = [None, None] if math.isnan(low) else [float(low), float(high)]
            rows.append([method, tasks, n, float(mean), *ends])
    for n, mean in enumerate(mean_random_curve(results), start=1):
        rows.append(["random (expected)", len(results.tasks), n, float(mean), None, None])
    write_sheet(path, ["method", "tasks", "evaluations", "mean_score", "low", "high"], rows)


def write_summary(results: Results, summaries: Sequence[Summary], path: Path) -> None:
    """One line a method; those that did not run have only the reason."""
    centiles = (50, *paper.PERCENTILES)
    head = ["method", "label", "tasks", "fewest_seeds", "most_seeds", "mean", "mean_low"]
    head += ["mean_high", "std", *(f"centile_{p}" for p in centiles), "best_on", "best_alone"]
    head += ["difference", "difference_low", "difference_high", "common_tasks"]
    head += ["kit_mean", "kit_low", "kit_high", "paper_mean"]
    head += ["failed_evaluations", "ended_early", "batch_cpu", "not_run"]
    rows: list[list[Cell]] = [
        [
            *(row.method or "random (expected)", row.label, row.tasks, *row.seeds),
            *(*three(row.mean), row.std, *(row.percentiles.get(p) for p in centiles)),
            *(row.best_on, row.alone, *three(row.difference), row.common),
            *(*three(row.kit), row.paper, row.failed, row.early, row.cpu, None),
        ]
        for row in summaries
    ]
    for method, reason in results.absent.items():
        rows.append([method, *[None] * (len(head) - 2), reason])
    write_sheet(path, head, rows)


def three(value: Estimate | None) -> list[float | None]:
    """A number and its interval, for three columns."""
    return [None] * 3 if value is None else [value.value, value.low, value.high]


def write_sheet(path: Path, head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Write a CSV file; what is not there is left empty."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(head)
        for row in rows:
            writer.writerow([f"{cell:.8g}" if isinstance(cell, float) else cell for cell in row])
