"""Options that the items share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.options import add_jobs
from benchmarks.paper.pieces import FOLDER
from benchmarks.report.command import OUTPUT
from benchmarks.tasks.registry import TASKS, TIERS


def add_size(parser: argparse.ArgumentParser, small: str, full: str) -> None:
    """Declare the two sizes of an item."""
    parser.add_argument("--full", action="store_true", help=f"the paper's size: {full} ({small})")


def add_tasks(parser: argparse.ArgumentParser, tier: str = "(quick; with --full: full)") -> None:
    """Declare which of the 108 tasks."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--tier", choices=tuple(TIERS), help=tier)
    which.add_argument(
        "--tasks", nargs="+", choices=tuple(TASKS), metavar="TASK", help="these instead of a tier"
    )
    parser.add_argument(
        "--without", nargs="+", choices=tuple(TASKS), metavar="TASK", help="all but these"
    )


def is_small(options: argparse.Namespace) -> bool:
    """Whether neither the full size nor a tier nor tasks were chosen."""
    return not (options.full or options.tier or options.tasks)


def tasks_of(options: argparse.Namespace, small: Sequence[str] = TIERS["quick"]) -> list[str]:
    """The chosen tasks, each once; where nothing was chosen, those of the small size."""
    chosen = small if is_small(options) else options.tasks or TIERS[options.tier or "full"]
    return [task for task in dict.fromkeys(chosen) if task not in (options.without or ())]


def narrow(options: argparse.Namespace, asked: Sequence[str], found: Sequence[str]) -> None:
    """Let the options choose what was found of what was asked for, in the fewest words.

    Their command then gives the same again, anywhere.
    """
    missing = [task for task in asked if task not in found]
    if not missing:
        return
    if len(missing) <= len(found) and not is_small(options):
        options.without = [*(options.without or ()), *missing]
    else:
        options.full, options.tier, options.without = False, None, None
        options.tasks = list(found)


def add_work(parser: argparse.ArgumentParser) -> None:
    """Declare who does the work and where it is kept."""
    add_jobs(parser)
    parser.add_argument(
        "--records",
        type=Path,
        default=FOLDER,
        metavar="DIR",
        help="finished work, so that a command that was killed goes on (.bench/paper)",
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Declare where tables and pictures go."""
    parser.add_argument(
        "--output",
        type=Path,
        default=OUTPUT / "paper",
        metavar="DIR",
        help="tables and pictures (benchmarks/results/paper)",
    )
