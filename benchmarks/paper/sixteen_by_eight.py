"""The 16 x 8 experiment: what its three items share, options and records."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from benchmarks.options import add_anew, add_archive, add_jobs, method
from benchmarks.paper import options as shared
from benchmarks.paper import printed, runs
from benchmarks.paper.printed import HEBO, IMPLEMENTATIONS
from benchmarks.paper.results import Findings, publish
from benchmarks.records import RUNS
from benchmarks.report import command as report
from benchmarks.report.paper import DESIGN
from benchmarks.report.results import Results
from benchmarks.report.statistics import label_of

SMALL_TASKS = ("SVM_diabetes_mae", "kNN_wine_acc", "lasso_boston_mae")
SMALL_METHODS = ("warpfront-paper", "warpfront", "turbo")
"""Of the small size: the cheapest tasks of the quick tier, and methods that need no environment of
their own."""

PAPERS = tuple(name for name in printed.SUMMARY if name not in (HEBO, "random"))
"""The paper's competitors, best first; random search is an expectation here, not a run."""

METHODS = (*IMPLEMENTATIONS, *PAPERS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    shared.add_size(
        parser,
        f"{len(SMALL_TASKS)} cheap tasks, {runs.SMALL_SEEDS} seed, {len(SMALL_METHODS)} methods",
        "the records of all 108 tasks",
    )
    shared.add_tasks(parser, tier="its records, made by run")
    parser.add_argument(
        "--methods",
        nargs="+",
        type=method,
        metavar="METHOD",
        help=f"(small size: {' '.join(SMALL_METHODS)}; of records: three implementations of HEBO, "
        "and the paper's competitors)",
    )
    add_jobs(parser)
    parser.add_argument(
        "--runs", type=Path, default=RUNS, metavar="DIR", help="the records (.bench/runs)"
    )
    add_archive(parser)
    add_anew(parser)
    parser.set_defaults(seeds=None, rounds=DESIGN.rounds, again=False)
    shared.add_output(parser)


def make(
    item: str, report_on: Callable[[Results, Path], Findings], options: argparse.Namespace
) -> int:
    """Make the small size's runs or read records; write what an item makes of them.

    Returns the exit status.
    """
    # Tasks on the command line would have their records read: the small size names none.
    decided_by = ["methods"] if options.methods else []
    if shared.is_small(options):
        methods = options.methods or SMALL_METHODS
        results = runs.make(options, methods, SMALL_TASKS, DESIGN.batch)
    else:
        if options.without:
            options.tasks = shared.tasks_of(options)
        decided_by.insert(0, "tasks" if options.tasks else "tier")
        options.tier = options.tier or "full"
        options.methods, options.design = options.methods or METHODS, DESIGN
        results = report.gather(options)
    if results is None:
        return 1
    return publish(report_on(results, options.output), options, decided_by)


def left_out(results: Results) -> str:
    """A paragraph on the paper's methods that cannot be compared, or nothing."""
    complete = results.complete()
    names = [label_of(name) for name in METHODS if name not in complete]
    if not names:
        return ""
    return f"Left out, for want of runs on all these tasks: {', '.join(names)}.\n\n"


def size_of(results: Results) -> str:
    """How much the results of the methods with all tasks rest on, in words."""
    made = sum(len(results.runs[name]) for name in results.complete())
    return f"{results.design.describe()}, {len(results.tasks)} of 108 tasks, {made} runs"
