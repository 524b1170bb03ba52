"""The page of the tasks that nobody here wrote: ``ranking.md``, and the same as CSV files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.report import page, ranking, sheets, tables
from benchmarks.report.bootstrap import FEWEST, RESAMPLES
from benchmarks.report.ranking import REGRET_FLOOR, Choice, Measure, Row, Values
from benchmarks.report.results import Results
from benchmarks.report.statistics import TIE, label_of
from benchmarks.report.tables import MISSING, Table

MEASURES = {
    Measure.LOG_REGRET: f"""\
Compared is log10 of the final regret: the value without noise at a configuration of the run, minus
the minimum of the function, at least {REGRET_FLOOR:g}. Smaller is better; a difference of -1 means
a tenth of the regret.""",
    Measure.SCORE: """\
Compared is the final score: 0 is the median of all configurations, or of random ones, 100 the best
that is known. Where the loss without noise is known, it is the one that is scored. Greater is
better.""",
}

CHOICES = """\
There is noise, so each run is judged twice: at the configuration of its smallest observed loss (the
luckiest observation), and at the one that the method recommends at the end. A method without an
opinion of its own recommends the first."""

RANKS = f"""\
*mean rank*: on each task, 1 plus the expected number of methods that are better when one seed of
each is drawn, a tie counting half; mean over tasks. Only methods with all tasks have one. In
brackets: 95 % percentile intervals of {RESAMPLES:,} bootstrap resamples, which draw the tasks, each
with all its seeds, and so answer for the luck of both; there are none of fewer than {FEWEST} tasks.
*minus ...*: over the tasks that both have, drawn together. *CPU s / batch*: to suggest a batch and
to take its losses in, mean of a run, median over runs."""


def write(results: Results, folder: Path, facts: Mapping[str, str], against: str) -> str:
    """Write the page and its sheets into `folder`; return the tables of the methods."""
    folder.mkdir(parents=True, exist_ok=True)
    by_choice = {
        choice: ranking.rows(results, against, choice) for choice in ranking.choices(results)
    }
    brief = "\n\n".join(
        f"{_title(choice, by_choice)}{page.pipes(_methods(results, rows, against))}"
        for choice, rows in by_choice.items()
    )
    text = "\n\n".join(
        [
            f"# Ranking: {len(results.tasks)} tasks, {results.design.describe()}",
            "\n".join(f"- {name}: {value}" for name, value in facts.items()),
            MEASURES[ranking.measure_of(results.tasks)],
            *([CHOICES] if len(by_choice) > 1 else []),
            brief,
            *_remarks(results, by_choice, against),
            RANKS,
            *(
                f"## Task by task, {choice.value}\n\n{page.pipes(_grid(results, choice))}"
                for choice in by_choice
            ),
            *page.provenance(results),
        ]
    )
    (folder / "ranking.md").write_text(text + "\n", encoding="utf-8")
    _write_rows(by_choice, against, folder / "ranking.csv")
    _write_runs(results, by_choice, folder / "ranking-runs.csv")
    return brief + "\n"


def _title(choice: Choice, by_choice: Mapping[Choice, Sequence[Row]]) -> str:
    return f"By the {choice.value}:\n\n" if len(by_choice) > 1 else ""


def _methods(results: Results, rows: Sequence[Row], against: str) -> Table:
    measure = ranking.measure_of(results.tasks).value
    head = ["method", "tasks × seeds", "mean rank [95 %]", f"mean {measure} [95 %]"]
    head += [f"minus {label_of(against)}, paired [95 %]", "ended early", "CPU s / batch"]
    table = [head]
    for row in rows:
        name = f"**{row.label}**" if row.method == against else row.label
        few, many = row.seeds
        tasks = (
            f"{row.tasks}"
            if row.tasks == len(results.tasks)
            else (f"{row.tasks} of {len(results.tasks)}")
        )
        cells = [name, f"{tasks} × {few if few == many else f'{few} to {many}'}"]
        cells += [tables.interval(row.rank), tables.interval(row.mean)]
        cells += [tables.signed(row.difference), str(row.early), tables.seconds(row.cpu)]
        table.append(cells)
    for method, reason in results.absent.items():
        table.append([label_of(method), f"not run: {reason}", *[MISSING] * (len(head) - 2)])
    return table


def _grid(results: Results, choice: Choice) -> Table:
    """Mean over seeds by task and method, the best in bold."""
    found: Values = ranking.values(results, choice)
    sign = ranking.measure_of(results.tasks).sign
    table = [["task", *map(label_of, found)]]
    for task in results.tasks:
        means = [np.mean(of[task]) if task in of else None for of in found.values()]
        best = max((sign * mean for mean in means if mean is not None), default=0.0)
        cells = [
            MISSING
            if mean is None
            else f"**{mean:.2f}**"
            if sign * mean >= best - TIE
            else f"{mean:.2f}"
            for mean in means
        ]
        table.append([task, *cells])
    return table


def _remarks(
    results: Results, by_choice: Mapping[Choice, Sequence[Row]], against: str
) -> list[str]:
    remarks = page.errors(results)
    for choice, rows in by_choice.items():
        shown = {row.method for row in rows}
        lacking = [label_of(name) for name in results.runs if name not in shown]
        if lacking:
            remarks.append(f"No {choice.value} is known of the runs of {', '.join(lacking)}.")
    if against not in results.runs:
        remarks.append(
            f"There is no run of {against}, so there are no differences to it; choose another "
            "method with --against."
        )
    return ["\n".join(f"- {remark}" for remark in remarks)] if remarks else []


def _write_rows(by_choice: Mapping[Choice, Sequence[Row]], against: str, path: Path) -> None:
    head = ["choice", "method", "tasks", "fewest_seeds", "most_seeds", "rank", "rank_low"]
    head += ["rank_high", "mean", "mean_low", "mean_high", "against", "difference"]
    head += ["difference_low", "difference_high", "common_tasks", "ended_early", "batch_cpu"]
    lines = [
        [
            *(choice.value, row.method, row.tasks, *row.seeds),
            *(*sheets.three(row.rank), *sheets.three(row.mean)),
            *(against, *sheets.three(row.difference), row.common, row.early, row.cpu),
        ]
        for choice, rows in by_choice.items()
        for row in rows
    ]
    sheets.write_sheet(path, head, lines)


def _write_runs(results: Results, by_choice: Mapping[Choice, Sequence[Row]], path: Path) -> None:
    """One line a value; runs of a task in the order of their seeds."""
    measure = ranking.measure_of(results.tasks).name.lower()
    lines: list[list[str | int | float | None]] = []
    for choice in by_choice:
        for method, by_task in ranking.values(results, choice).items():
            for task, numbers in by_task.items():
                lines += [[choice.value, method, task, measure, number] for number in numbers]
    sheets.write_sheet(path, ["choice", "method", "task", "measure", "value"], lines)
