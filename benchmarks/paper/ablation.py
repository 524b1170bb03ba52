"""``python -m benchmarks paper ablation``: components removed from the whole, added to the base.

The paper's figure "ablation": the runs that are missing, then table and picture, by
`benchmarks.ablation`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks import ablation
from benchmarks.ablation import PAPER, Worth, worths
from benchmarks.paper import options as shared
from benchmarks.paper import printed, runs, sixteen_by_eight
from benchmarks.paper.results import Findings, picture, publish
from benchmarks.report.bootstrap import FEWEST
from benchmarks.report.page import SCORE, pipes
from benchmarks.report.paper import DESIGN
from benchmarks.report.results import Results
from benchmarks.report.sheets import write_sheet
from benchmarks.report.tables import Table

ITEM = "ablation"
SMALL_TASKS = ("DT_digits_nll",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    shared.add_size(
        parser,
        f"{SMALL_TASKS[0]}, {runs.SMALL_SEEDS} seed",
        f"108 tasks, {runs.FULL_SEEDS} seeds",
    )
    runs.add_arguments(parser, DESIGN)


def execute(options: argparse.Namespace) -> int:
    """Make the runs that are missing, then table and picture; return the exit status."""
    results = runs.make(options, PAPER.methods, SMALL_TASKS, DESIGN.batch)
    if results is None:
        return 1
    findings = describe(results, options.output)
    return publish(findings, options, ["full", "tier", "tasks", "seeds", "rounds"])


def describe(results: Results, folder: Path) -> Findings:
    """Write sheet and picture; return the page."""
    found = worths(PAPER, results)
    write_sheet(folder / f"{ITEM}.csv", *_sheet(found))
    ablation.draw(PAPER, found, folder / f"{ITEM}.png")
    return Findings(
        item=ITEM,
        title="What each component is worth",
        size=sixteen_by_eight.size_of(results),
        brief="\n\n".join([pipes(ablation.table(PAPER, found)), pipes(orders(found)), PAPER.note]),
        rest=[
            pipes(ablation.contrasts(PAPER, results)),
            pipes(ablation.means(PAPER, results)),
            picture(ITEM, "change of the score by component"),
            SCORE,
        ],
    )


def orders(found: Sequence[Worth]) -> Table:
    """The components from the most to the least important, in the paper and here.

    Here those with enough tasks for an interval: the order of others is chance.
    """
    lines = [["most important first", "order"], ["the paper", ", ".join(printed.IMPORTANCE)]]
    found = [one for one in found if one.tasks >= FEWEST]
    if not found:
        return lines
    by_removal = sorted(
        (one for one in found if one.removed),
        key=lambda one: one.removed.end.value if one.removed else 0,
    )
    by_addition = sorted(
        (one for one in found if one.added),
        key=lambda one: -one.added.end.value if one.added else 0,
    )
    named = [[one.component for one in some] for some in (by_removal, by_addition)]
    return [
        *lines,
        ["ours, removed from the whole", ", ".join(named[0])],
        ["ours, added to the base", ", ".join(named[1])],
    ]


def _sheet(found: Sequence[Worth]) -> tuple[list[str], list[list[str | int | float | None]]]:
    columns = ("", "_low", "_high", "_course", "_better", "_worse")
    head = [f"{step}{column}" for step in ("removed", "added") for column in columns]
    rows: list[list[str | int | float | None]] = []
    for one in found:
        cells: list[int | float | None] = []
        for effect in (one.removed, one.added):
            if effect is None:
                cells += [None] * len(columns)
                continue
            end, course = effect.end, effect.course
            cells += [end.value, end.low, end.high, None if course is None else course.value]
            cells += [effect.better, effect.worse]
        rows.append([one.component, *cells, one.tasks])
    return ["component", *head, "tasks"], rows
