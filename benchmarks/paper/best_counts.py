"""``python -m benchmarks paper best-counts``: on how many tasks each method is the best.

The small size makes the runs that are missing; others are read from the records of
``python -m benchmarks run``.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.paper import printed, sixteen_by_eight
from benchmarks.paper.printed import HEBO, IMPLEMENTATIONS
from benchmarks.paper.results import Findings
from benchmarks.report.page import pipes
from benchmarks.report.results import Results
from benchmarks.report.sheets import write_sheet
from benchmarks.report.statistics import label_of, winners, won
from benchmarks.report.tables import MISSING, Table

ITEM = "best-counts"
add_arguments = sixteen_by_eight.add_arguments

NOTE = """\
*The paper, these tasks*: how many of the tasks used here its captions give to each method. *Ours*:
tasks with the highest mean score over seeds among the methods that have all these tasks, each
column with another implementation as the one HEBO in the race; a tie counts for all, and the
number in parentheses is without ties. Few seeds make few decimals and many ties; the fewer methods
take part, the more tasks are left to each. The paper itself gives HEBO 71 tasks in its table, 74 in
its text and 68.5 % (74) in the caption of its figure; its captions add up to 71."""


@dataclass(frozen=True)
class Race:
    """The tasks won by each method, ties included and not, with one HEBO among them."""

    hebo: str
    won: dict[str, tuple[int, int]]
    winners: dict[str, list[str]]  # by task


def execute(options: argparse.Namespace) -> int:
    """Write the page and return the exit status."""
    return sixteen_by_eight.make(ITEM, report, options)


def report(results: Results, folder: Path) -> Findings:
    """Write the sheet; return the page."""
    races = [race(results, name) for name in IMPLEMENTATIONS if name in results.complete()]
    if not races:
        raise ValueError(
            f"none of {', '.join(IMPLEMENTATIONS)} has a run on every task; make some with "
            "python -m benchmarks run, or choose --tasks"
        )
    theirs = printed.best_optimisers()
    write_sheet(
        folder / f"{ITEM}.csv",
        ["task", "paper", *(f"with_{one.hebo}" for one in races)],
        [
            [task, theirs[task], *(" ".join(one.winners[task]) for one in races)]
            for task in results.tasks
        ],
    )
    return Findings(
        item=ITEM,
        title="The 16 × 8 experiment: who is best on how many tasks",
        size=sixteen_by_eight.size_of(results),
        brief=f"{pipes(table(results, races))}\n\n{sixteen_by_eight.left_out(results)}{NOTE}",
    )


def race(results: Results, hebo: str) -> Race:
    """Who wins which task, with this implementation as the only HEBO."""
    field = {
        method: runs
        for method, runs in results.runs.items()
        if method == hebo or method in sixteen_by_eight.PAPERS
    }
    those = replace(results, runs=field)
    best = winners(those)
    return Race(hebo, {method: won(method, best) for method in those.complete()}, best)


def table(results: Results, races: list[Race]) -> Table:
    """One line a method of the paper."""
    here = Counter(printed.best_optimisers()[task] for task in results.tasks)
    total, all_tasks = len(results.tasks), sum(printed.BEST_COUNTS.values())
    head = ["best on", f"the paper, {all_tasks} tasks", f"the paper, these {total}"]
    head += [f"ours, {total}: HEBO is {label_of(one.hebo)}" for one in races]
    lines = [head]
    for name, count in printed.BEST_COUNTS.items():
        cells = [_share(count, all_tasks), _share(here[name], total)]
        for one in races:
            wins = one.won.get(one.hebo if name == HEBO else name)
            cells.append(MISSING if wins is None else f"{_share(wins[0], total)} ({wins[1]})")
        lines.append(["HEBO" if name == HEBO else label_of(name), *cells])
    return lines


def _share(count: int, total: int) -> str:
    return f"{count}, {count / total:.0%}"
