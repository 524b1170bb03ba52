"""The tables of the page, as rows of text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.report import paper
from benchmarks.report.bootstrap import Estimate
from benchmarks.report.held_out import HeldOut
from benchmarks.report.results import Results
from benchmarks.report.statistics import (
    BASELINE,
    CENTILES,
    EXPECTED_RANDOM,
    TIE,
    Summary,
    label_of,
)

Table = list[list[str]]
"""Rows of cells; the first row is the head."""

MISSING = "–"

EARLY = "†"
"""Marks a cell with a run that ended early."""


def summary(results: Results, rows: Sequence[Summary]) -> Table:
    """How good, how sure, how dear; and the methods that did not run, with the reason."""
    head = ["method", "tasks × seeds", "mean score [95 %]", f"minus {BASELINE}, paired [95 %]"]
    head += ["best on (alone)", "failed evaluations", "ended early", "CPU s / batch"]
    table = [head]
    for row in rows:
        cells = [_name(row), extent(results, row), interval(row.mean), signed(row.difference)]
        counts = [str(row.failed), str(row.early)] if row.method else [MISSING, MISSING]
        table.append([*cells, wins(row), *counts, seconds(row.cpu)])
    for method, reason in results.absent.items():
        table.append([label_of(method), f"not run: {reason}", *[MISSING] * (len(head) - 2)])
    return table


def compact(results: Results, rows: Sequence[Summary]) -> Table:
    """The summary for a README."""
    table = [["method", "tasks × seeds", "mean score [95 %]", "median", "best on", "CPU s / batch"]]
    for row in rows:
        best = MISSING if row.best_on is None else str(row.best_on)
        middle = number(row.percentiles.get(50))
        cells = [_name(row), extent(results, row), interval(row.mean), middle]
        table.append([*cells, best, seconds(row.cpu)])
    for method, reason in results.absent.items():
        table.append([label_of(method), f"not run: {reason}", *[MISSING] * 4])
    return table


def spread(results: Results, rows: Sequence[Summary]) -> Table:
    """The columns of the paper's table, and its means where they can stand beside ours."""
    centiles = [f"{p}th centile" for p in paper.PERCENTILES]
    head = ["method", "mean", "std", "median", *centiles]
    if results.has_kit:
        head += ["mean with the kit's values [95 %]", "the paper's mean"]
    table = [head]
    for row in rows:
        values = [row.percentiles.get(p) for p in CENTILES]
        cells = [_name(row), *(number(v) for v in (row.mean.value, row.std, *values))]
        if results.has_kit:
            cells += [interval(row.kit), number(row.paper)]
        table.append(cells)
    return table


def grid(results: Results) -> Table:
    """Mean ± standard deviation of the final score by task and method, the best in bold."""
    table = [["task", *(label_of(method) for method in results.runs), EXPECTED_RANDOM]]
    by_method = [results.by_task(method) for method in results.runs]
    expected = results.random[:, -1]
    for task, random_score in zip(results.tasks, expected, strict=True):
        runs = [found.get(task, []) for found in by_method]
        means = [np.mean([run.score for run in cell]) if cell else -np.inf for cell in runs]
        cells = []
        for cell, mean in zip(runs, means, strict=True):
            text = _mean_and_std([run.score for run in cell])
            text = f"**{text}**" if cell and mean >= max(means) - TIE else text
            cells.append(text + EARLY * any(run.error is not None for run in cell))
        table.append([task, *cells, number(float(random_score))])
    return table


def held_out(rows: Sequence[HeldOut]) -> Table:
    """Ranks on the held-out data, and pairs of runs against the baseline."""
    table = [["method", "mean rank [95 %]", "better", "equal", "worse"]]
    for row in rows:
        duels = [str(row.better), str(row.equal), str(row.worse)]
        if row.method == BASELINE or row.better + row.equal + row.worse == 0:
            duels = [MISSING] * 3
        table.append([label_of(row.method), interval(row.rank), *duels])
    return table


def regret(results: Results) -> Table:
    """Median over seeds of the final regret on synthetic functions, the best in bold."""
    table = [["function", *(label_of(method) for method in results.runs)]]
    by_method = [results.by_task(method) for method in results.runs]
    for task in results.tasks:
        found = [
            [run.regret for run in of_task.get(task, []) if run.regret is not None]
            for of_task in by_method
        ]
        medians = [float(np.median(values)) if values else None for values in found]
        least = min((value for value in medians if value is not None), default=None)
        table.append([task, *(_regret(value, value == least) for value in medians)])
    return table


def extent(results: Results, row: Summary) -> str:
    """How many tasks and seeds a row has, and out of how many when some lack."""
    tasks = str(row.tasks)
    if row.tasks < len(results.tasks):
        tasks = f"{row.tasks} of {len(results.tasks)}"
    if not row.method:
        return tasks
    fewest, most = row.seeds
    return f"{tasks} × {most if fewest == most else f'{fewest} to {most}'}"


def interval(value: Estimate | None) -> str:
    """A number with its interval."""
    return _with_ends(value, ".2f")


def number(value: float | None) -> str:
    """A score."""
    return MISSING if value is None else f"{value:.2f}"


def seconds(value: float | None) -> str:
    """A time, to two significant digits."""
    if value is None:
        return MISSING
    if value < 0.001:
        return "< 0.001"
    return f"{value:#.2g}".rstrip(".") if value < 10 else f"{value:.0f}"


def wins(row: Summary) -> str:
    """Tasks on which a method is best, and on how many alone."""
    return MISSING if row.best_on is None else f"{row.best_on} ({row.alone})"


def _name(row: Summary) -> str:
    return f"**{row.label}**" if row.method == BASELINE else row.label


def signed(value: Estimate | None) -> str:
    """A difference with its interval."""
    return _with_ends(value, "+.2f")


def _with_ends(value: Estimate | None, style: str) -> str:
    if value is None:
        return MISSING
    ends = MISSING if value.ends is None else ", ".join(format(end, style) for end in value.ends)
    return f"{value.value:{style}} [{ends}]"


def _mean_and_std(scores: Sequence[float]) -> str:
    if not scores:
        return MISSING
    if len(scores) == 1:
        return f"{scores[0]:.1f}"
    return f"{np.mean(scores):.1f} ± {np.std(scores, ddof=1):.1f}"


def _regret(value: float | None, is_least: bool) -> str:
    if value is None:
        return MISSING
    return f"**{value:.2g}**" if is_least else f"{value:.2g}"
