"""``python -m benchmarks paper summary``: the scores of all methods, beside the paper's table.

The small size makes the runs that are missing; others are read from the records of
``python -m benchmarks run``.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.paper import printed, sixteen_by_eight
from benchmarks.paper.printed import HEBO, IMPLEMENTATIONS, SummaryRow
from benchmarks.paper.results import Findings, picture
from benchmarks.report import page, paper, spread
from benchmarks.report.bootstrap import Floats, mean_over_tasks
from benchmarks.report.figures import DPI, WIDTH, finish, new_figure
from benchmarks.report.palette import GREY, look_of
from benchmarks.report.results import Results, Run
from benchmarks.report.sheets import write_sheet
from benchmarks.report.statistics import CENTILES, label_of, paired_difference, task_means
from benchmarks.report.tables import MISSING, Table, number, signed

ITEM = "summary"
add_arguments = sixteen_by_eight.add_arguments

NOTE = """\
*Ours*: scored with our own references, whose `best` is lower than the challenge's, so that our
scores are lower than the paper's for the same losses. Percentiles and standard deviation are over
all runs, as in the paper, every task weighing the same. *Relative to random*: the mean score over
random search's, less 1; ours is the exact expectation of random search on the same tasks. Four
implementations stand for HEBO: the paper's method as warpfront has it, warpfront's default of today
and of version 0.1, and the public package."""

KIT_NOTE = """\
On the challenge's scale, which is the paper's: the same runs scored with `best` and `clip` of the
challenge kit. That file is not ours to distribute. It is a CSV file with the columns `design`
(`16-8` or `100-1`), `task`, `best` and `clip`, one line for each task and design; the variable
`WARPFRONT_BAYESMARK_KIT` names it. With it, the same command also prints this table:
`WARPFRONT_BAYESMARK_KIT=FILE` before it."""


@dataclass(frozen=True)
class Row:
    """A method's scores: the paper's, or ours on some tasks and runs."""

    method: str
    label: str
    extent: str
    scores: SummaryRow
    gain: float | None  # relative to random search

    @property
    def is_paper(self) -> bool:
        """Whether the paper printed it."""
        return self.extent == PRINTED


PRINTED = "the paper: 108 × 20"


def execute(options: argparse.Namespace) -> int:
    """Write the page and return the exit status."""
    return sixteen_by_eight.make(ITEM, report, options)


def report(results: Results, folder: Path) -> Findings:
    """Write sheet and picture; return the page."""
    shown = rows(results, lambda run: run.score, results.random[:, -1])
    kit = []
    if results.random_kit is not None:
        theirs = rows(results, _kit_score, results.random_kit)
        write_sheet(folder / f"{ITEM}-kit.csv", *_sheet(theirs))
        kit = [KIT_NOTE, page.pipes(table(theirs))]
    write_sheet(folder / f"{ITEM}.csv", *_sheet(shown))
    draw(shown, folder / f"{ITEM}.png")
    brief = [page.pipes(table(shown)), leads(results), sixteen_by_eight.left_out(results), NOTE]
    return Findings(
        item=ITEM,
        title="The 16 × 8 experiment: scores",
        size=f"{sixteen_by_eight.size_of(results)}; scored with our own references",
        brief="\n\n".join(text.strip() for text in [*brief, *kit] if text),
        rest=[
            picture(ITEM, "mean score relative to random search"),
            page.SCORE,
            *page.provenance(results),
        ],
    )


def rows(results: Results, score: Callable[[Run], float], random: Floats) -> list[Row]:
    """The paper's methods in its order, each followed by ours; random search last."""
    chance = dict(zip(results.tasks, random.tolist(), strict=True))
    found = []
    complete = results.complete()
    for name, scores in printed.SUMMARY.items():
        gain = scores.mean / printed.SUMMARY["random"].mean - 1.0
        label = "HEBO" if name == HEBO else label_of(name)
        found.append(Row(name, label, PRINTED, scores, None if name == "random" else gain))
        known = [] if name == "random" else [name]
        names = [m for m in (IMPLEMENTATIONS if name == HEBO else known) if m in complete]
        found += [_ours(results, method, score, chance) for method in names]
    values = np.array(list(chance.values()))
    expected = SummaryRow(float(values.mean()), np.nan, np.nan, (np.nan,) * 4)
    found.append(Row("random", "expected", f"{len(chance)}", expected, None))
    return found


def leads(results: Results) -> str:
    """How far HEBO is ahead of the best other method, in the paper and here."""
    best, second = list(printed.SUMMARY)[:2]
    gap = printed.SUMMARY[best].mean - printed.SUMMARY[second].mean
    lines = [
        f"- the paper: HEBO is ahead of the best other method, {label_of(second)}, by {gap:.2f}"
    ]
    complete = results.complete()
    means = {
        name: float(np.mean(task_means(results, name)))
        for name in sixteen_by_eight.PAPERS
        if name in complete
    }
    other = max(means, key=lambda name: means[name], default=None)
    for method in IMPLEMENTATIONS if other else ():
        lead, tasks = paired_difference(results, method, other or "")
        if method in complete and lead is not None:
            lines.append(
                f"- ours: {label_of(method)} minus the best other method, {label_of(other or '')}: "
                f"{signed(lead)} (paired, {tasks} tasks)"
            )
    return "\n".join([*lines, *over_turbo(results)])


def over_turbo(results: Results) -> list[str]:
    """How far HEBO is ahead of TuRBO, of which the paper speaks, and TuRBO+ behind it."""
    found = []
    for name in (HEBO, "turbo+"):
        gap = printed.SUMMARY[name].mean - printed.SUMMARY["turbo"].mean
        label = "HEBO" if name == HEBO else label_of(name)
        found.append(f"- the paper: {label} minus TuRBO: {gap:+.2f}")
        for method in IMPLEMENTATIONS if name == HEBO else (name,):
            if {method, "turbo"} <= results.runs.keys():
                lead, tasks = paired_difference(results, method, "turbo")
                text = f"{label_of(method)} minus TuRBO: {signed(lead)} (paired, {tasks} tasks)"
                found.append(f"- ours: {text}")
    return found


def table(found: Sequence[Row]) -> Table:
    """The paper's columns."""
    centiles = [f"{p}th" for p in paper.PERCENTILES]
    head = ["method", "tasks × seeds", "mean", "std", "median", *centiles, "relative to random"]
    lines = [head]
    for row in found:
        name = f"**{row.label}**" if row.is_paper else f"ours: {row.label}"
        values = [row.scores.mean, row.scores.std, row.scores.median, *row.scores.centiles]
        cells = [number(None if np.isnan(value) else value) for value in values]
        lines.append(
            [name, row.extent, *cells, MISSING if row.gain is None else f"{row.gain:+.1%}"]
        )
    return lines


def draw(found: Sequence[Row], path: Path) -> None:
    """Mean score relative to random search's: the paper's figure of performance gains."""
    shown = [row for row in found if row.gain is not None]
    figure = new_figure(WIDTH, 0.28 * len(shown) + 1.0)
    axes = figure.subplots()
    for place, row in enumerate(shown):
        colour = GREY if row.is_paper else look_of(row.method).colour
        axes.barh(place, 100.0 * (row.gain or 0.0), color=colour, height=0.7)
    labels = [row.label if row.is_paper else f"ours: {row.label}" for row in shown]
    axes.set_yticks(range(len(shown)), labels=labels)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.axvline(0.0, color="black", linewidth=0.8)
    finish(axes, "mean score relative to random search, %; grey: the paper", "")
    axes.grid(visible=False, axis="y")
    figure.savefig(path, dpi=DPI)


def _ours(
    results: Results, method: str, score: Callable[[Run], float], chance: dict[str, float]
) -> Row:
    runs = results.runs[method]
    tasks = [run.key.task for run in runs]
    scores = np.array([score(run) for run in runs])
    mean = float(mean_over_tasks(scores, tasks))
    random = float(np.mean(list(chance.values())))
    sizes = [len(of_task) for of_task in results.by_task(method).values()]
    seeds = str(max(sizes)) if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
    median, a, b, c, d = spread.centiles(scores, tasks, CENTILES)
    deviation = spread.std(scores, tasks)
    return Row(
        method,
        label_of(method),
        f"{len(sizes)} × {seeds}",
        SummaryRow(mean, np.nan if deviation is None else deviation, median, (a, b, c, d)),
        mean / random - 1.0 if random > 0.0 else None,
    )


def _kit_score(run: Run) -> float:
    return np.nan if run.kit_score is None else run.kit_score


def _sheet(found: Sequence[Row]) -> tuple[list[str], list[list[str | int | float | None]]]:
    head = ["method", "extent", "mean", "std", "median"]
    head += [*(f"centile_{p}" for p in paper.PERCENTILES), "relative_to_random"]
    rows: list[list[str | int | float | None]] = []
    for row in found:
        scores = row.scores
        values = [scores.mean, scores.std, scores.median, *scores.centiles, row.gain]
        shown = [None if value is None or np.isnan(value) else value for value in values]
        rows.append([row.method, row.extent, *shown])
    return head, rows
