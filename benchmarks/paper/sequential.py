"""``python -m benchmarks paper sequential``: one query at a time, 100 times.

The paper's comparison with BOHB-BB and Dragonfly-BB (figure "singlebatch"): the runs that are
missing, then the table.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.options import method
from benchmarks.paper import options as shared
from benchmarks.paper import printed, runs, sixteen_by_eight
from benchmarks.paper.results import Findings, picture, publish
from benchmarks.records import Design
from benchmarks.report import figures
from benchmarks.report.bootstrap import FEWEST
from benchmarks.report.page import SCORE, pipes
from benchmarks.report.results import Results
from benchmarks.report.sheets import write_summary
from benchmarks.report.statistics import summaries
from benchmarks.report.tables import compact

ITEM = "sequential"
DESIGN = Design(batch=1, rounds=100)

SMALL_TASKS = ("SVM_diabetes_mae", "kNN_wine_acc")
SMALL_METHODS = ("warpfront", "turbo", "pysot", "hyperopt", "bohb", "dragonfly")
FULL_METHODS = (
    *(name for name in sixteen_by_eight.METHODS if name != "warpfront-0.1"),
    "dragonfly",
)

NOTE = f"""\
The paper shows this comparison as a figure without numbers. What it says of it:
{printed.SEQUENTIAL_ORDER}. Random search is the exact expectation, not run. In brackets 95 %
bootstrap intervals over tasks, from {FEWEST} tasks on."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    shared.add_size(
        parser,
        f"{len(SMALL_TASKS)} cheap tasks, {runs.SMALL_SEEDS} seed, {len(SMALL_METHODS)} methods",
        f"108 tasks, {runs.FULL_SEEDS} seeds, all methods of the paper",
    )
    parser.add_argument("--methods", nargs="+", type=method, metavar="METHOD")
    runs.add_arguments(parser, DESIGN)


def execute(options: argparse.Namespace) -> int:
    """Make the runs that are missing, then table and picture; return the exit status."""
    methods = options.methods or (FULL_METHODS if options.full else SMALL_METHODS)
    results = runs.make(options, methods, SMALL_TASKS, DESIGN.batch)
    if results is None:
        return 1
    findings = describe(results, options.output)
    return publish(findings, options, ["full", "tier", "tasks", "methods", "seeds", "rounds"])


def describe(results: Results, folder: Path) -> Findings:
    """Write sheet and picture; return the page."""
    rows = summaries(results)
    write_summary(results, rows, folder / f"{ITEM}.csv")
    figures.draw_curves(results, folder / f"{ITEM}.png")
    return Findings(
        item=ITEM,
        title=f"One query at a time, {results.design.rounds} times",
        size=sixteen_by_eight.size_of(results),
        brief=f"{pipes(compact(results, rows))}\n\n{NOTE}",
        rest=[picture(ITEM, "mean score against evaluations"), SCORE],
    )
