"""Runs that an item makes itself: their options, and their scored records."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.options import add_anew, add_archive, add_jobs, positive
from benchmarks.paper import options as shared
from benchmarks.records import RUNS, Design
from benchmarks.report import command as report
from benchmarks.report.results import Results
from benchmarks.run import command as run

SMALL_SEEDS, FULL_SEEDS = 1, 20
"""Of the two sizes; the second is the paper's."""


def add_arguments(parser: argparse.ArgumentParser, design: Design) -> None:
    """Describe the options."""
    shared.add_tasks(parser)
    parser.add_argument("--seeds", type=positive, metavar="N", help="so many, from 0")
    parser.add_argument(
        "--rounds", type=positive, default=design.rounds, metavar="N", help=f"({design.rounds})"
    )
    parser.add_argument(
        "--again", action="store_true", help="do runs that ended with an error again"
    )
    add_anew(parser)
    add_jobs(parser)
    parser.add_argument(
        "--runs", type=Path, default=RUNS, metavar="DIR", help="where the records go (.bench/runs)"
    )
    add_archive(parser)
    shared.add_output(parser)


def make(
    options: argparse.Namespace, methods: Sequence[str], small_tasks: Sequence[str], batch: int
) -> Results | None:
    """Make the runs that are missing and return all, scored; None where a task has no reference.

    The options are left as the page's command needs them.
    """
    by_tier = (options.full or options.tier) and not (options.tasks or options.without)
    options.tasks = shared.tasks_of(options, small_tasks)
    options.methods, options.design = methods, Design(batch, options.rounds)
    arguments = argparse.ArgumentParser()
    run.add_arguments_but_methods(arguments)
    chosen = arguments.parse_args(["--jobs", str(options.jobs)])
    chosen.runs, chosen.archive, chosen.anew = options.runs, options.archive, options.anew
    chosen.methods, chosen.tasks = methods, options.tasks
    chosen.seeds = [range(options.seeds or (FULL_SEEDS if options.full else SMALL_SEEDS))]
    chosen.batch, chosen.rounds, chosen.again = batch, options.rounds, options.again
    run.execute(chosen)
    results = report.gather(options, run.seeds_of(chosen))
    if by_tier:
        options.tasks = None  # the command of the page names the tier
    return results
