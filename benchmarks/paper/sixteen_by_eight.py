"""The 16 x 8 experiment: what its three items share, options and records."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from benchmarks.options import method
from benchmarks.paper import options as shared
from benchmarks.paper import printed
from benchmarks.paper.printed import HEBO, IMPLEMENTATIONS
from benchmarks.paper.results import Findings, publish
from benchmarks.records import RUNS
from benchmarks.report import command as report
from benchmarks.report.paper import DESIGN
from benchmarks.report.results import Results
from benchmarks.report.statistics import label_of
from benchmarks.tasks.registry import TIERS

SMALL = "medium"
"""The tier whose records the small size reads."""

PAPERS = tuple(name for name in printed.SUMMARY if name not in (HEBO, "random"))
"""The paper's competitors, best first; random search is an expectation here, not a run."""

METHODS = (*IMPLEMENTATIONS, *PAPERS)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    shared.add_size(parser, f"the records of the {SMALL} tier", "those of all 108 tasks")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--tier", choices=tuple(TIERS), help=f"({SMALL}; with --full: full)")
    which.add_argument("--tasks", nargs="+", metavar="TASK", help="these instead of a tier")
    parser.add_argument(
        "--methods",
        nargs="+",
        type=method,
        default=METHODS,
        metavar="METHOD",
        help="(three implementations of HEBO, and the paper's competitors)",
    )
    parser.add_argument(
        "--runs", type=Path, default=RUNS, metavar="DIR", help="the records (.bench/runs)"
    )
    shared.add_output(parser)


def make(
    item: str, report_on: Callable[[Results, Path], Findings], options: argparse.Namespace
) -> int:
    """Read the records, write what an item makes of them, and return the exit status."""
    options.tier = options.tier or ("full" if options.full else SMALL)
    options.design = DESIGN
    results = report.gather(options)
    if results is None:
        return 1
    which = "tasks" if options.tasks else "tier"
    return publish(report_on(results, options.output), options, [which])


def left_out(results: Results) -> str:
    """A paragraph on the paper's methods that cannot be compared, or nothing."""
    complete = results.complete()
    names = [label_of(name) for name in METHODS if name not in complete]
    if not names:
        return ""
    return f"Left out, for want of runs on all these tasks: {', '.join(names)}.\n\n"


def size_of(results: Results) -> str:
    """How much the results of the methods with all tasks rest on, in words."""
    runs = sum(len(results.runs[name]) for name in results.complete())
    return f"{results.design.describe()}, {len(results.tasks)} of 108 tasks, {runs} runs"
