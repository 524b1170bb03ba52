"""Options that the items share."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.options import positive
from benchmarks.paper.pieces import FOLDER
from benchmarks.records import RUNS
from benchmarks.report.command import OUTPUT
from benchmarks.run import command as run
from benchmarks.tasks.registry import TASKS, TIERS


def add_size(parser: argparse.ArgumentParser, small: str, full: str) -> None:
    """Declare the two sizes of an item."""
    parser.add_argument("--full", action="store_true", help=f"the paper's size: {full} ({small})")


def add_tasks(parser: argparse.ArgumentParser) -> None:
    """Declare which of the 108 tasks."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--tier", choices=tuple(TIERS), help="(quick; with --full: full)")
    which.add_argument(
        "--tasks", nargs="+", choices=tuple(TASKS), metavar="TASK", help="these instead of a tier"
    )


def tasks_of(options: argparse.Namespace) -> list[str]:
    """The chosen tasks, each once."""
    tier = options.tier or ("full" if options.full else "quick")
    return list(dict.fromkeys(options.tasks or TIERS[tier]))


def add_work(parser: argparse.ArgumentParser) -> None:
    """Declare who does the work and where it is kept."""
    parser.add_argument(
        "--jobs",
        type=positive,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes of one thread each (as many as cores)",
    )
    parser.add_argument(
        "--records",
        type=Path,
        default=FOLDER,
        metavar="DIR",
        help="finished work, so that a command that was killed goes on (.bench/paper)",
    )


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Declare the runs of methods that an item makes."""
    parser.add_argument("--seeds", type=positive, metavar="N", help="so many, from 0")
    parser.add_argument("--jobs", type=positive, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument(
        "--runs", type=Path, default=RUNS, metavar="DIR", help="where the records go (.bench/runs)"
    )


def run_missing(options: argparse.Namespace, seeds: int) -> int:
    """Make the runs of `options` that have no record yet; return the exit status."""
    arguments = argparse.ArgumentParser()
    run.add_arguments_but_methods(arguments)
    chosen = arguments.parse_args(["--jobs", str(options.jobs), "--runs", str(options.runs)])
    chosen.methods, chosen.tasks = options.methods, options.tasks
    chosen.seeds = [range(options.seeds or seeds)]
    chosen.batch, chosen.rounds = options.design.batch, options.design.rounds
    return run.execute(chosen)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Declare where tables and pictures go."""
    parser.add_argument(
        "--output",
        type=Path,
        default=OUTPUT / "paper",
        metavar="DIR",
        help="tables and pictures (benchmarks/results/paper)",
    )
