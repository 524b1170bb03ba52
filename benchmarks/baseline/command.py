"""``python -m benchmarks reference``: make the reference data, or check that it still holds."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import records, score
from benchmarks.baseline import best, drift, journal, pool, reference_file
from benchmarks.baseline.pair import pairs_of
from benchmarks.options import add_archive, add_jobs, positive
from benchmarks.tasks.registry import TASKS, TIERS

EVALUATIONS = 128
"""After so many evaluations random search's score is shown: those of the paper's 16 x 8."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--tier", choices=tuple(TIERS), default="quick")
    chosen.add_argument("--tasks", nargs="+", choices=tuple(TASKS), metavar="TASK")
    parser.add_argument(
        "--stage",
        choices=("pool", "best", "seen", "all"),
        default="all",
        help="random losses, the best that is known, or both (all); or, evaluating nothing, what "
        "records and archived runs have seen since: a lower loss changes all scores of its task",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="make nothing; evaluate the signatures afresh and report what has drifted",
    )
    parser.add_argument(
        "--pool",
        type=positive,
        default=pool.SIZE,
        metavar="N",
        help=f"random losses for each task ({pool.SIZE}); pools that are as large are left alone",
    )
    parser.add_argument(
        "--places",
        type=positive,
        default=best.PLACES,
        metavar="N",
        help=f"candidates for the best ({best.PLACES}); fewer cost less, and miss more",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="look for the best of tasks that have one, too: a lower one changes all their scores",
    )
    add_jobs(parser)
    parser.add_argument(
        "--runs",
        type=Path,
        default=records.RUNS,
        metavar="DIR",
        help="records of runs that may hold the best (.bench/runs)",
    )
    add_archive(parser)
    parser.add_argument(
        "--folder",
        type=Path,
        default=reference_file.FOLDER,
        metavar="DIR",
        help="where the reference data lie (benchmarks/reference)",
    )
    parser.add_argument(
        "--journals",
        type=Path,
        default=journal.JOURNALS,
        metavar="DIR",
        help="where every evaluation is kept, so that a run that was killed goes on (.bench/pools)",
    )


def execute(options: argparse.Namespace) -> int:
    """Do what the options say and return the exit status."""
    names = tuple(options.tasks or TIERS[options.tier])
    try:
        if options.check:
            return _check(names, options)
        return _make(names, options)
    except score.MissingReferenceError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130


def _make(names: Sequence[str], options: argparse.Namespace) -> int:
    if options.stage == "seen":
        changed = best.lower_seen(names, options.archive, options.runs, options.folder)
        for name, (before, now) in changed.items():
            print(f"{name}: best {before:.8g} before, {now:.8g} now")
        print(f"{len(changed)} of {len(names)} tasks have a lower best than before")
        return 0
    if options.stage != "best":
        pool.make_pools(
            pairs_of(names), options.pool, options.jobs, options.folder, options.journals
        )
    if options.stage == "pool":
        return 0
    wanted = [
        name
        for name in names
        if options.again or reference_file.read(name, options.folder).optimum is None
    ]
    hopeless = best.make_best(
        wanted, options.runs, options.jobs, options.folder, options.journals, options.places
    )
    for name in names:
        if name not in hopeless:
            print(_summary(score.load_reference(name, options.folder)))
    for name in hopeless:
        print(f"{name}: every candidate failed on some seed, so there is no best", file=sys.stderr)
    return 1 if hopeless else 0


def _summary(reference: score.Reference) -> str:
    n = min(EVALUATIONS, len(reference.pool))
    final = score.random_curve(reference, n)[-1]
    return (
        f"{reference.task}: best {reference.best:.6g} ({reference.facts['best']}), "
        f"clip {reference.clip:.6g}; random search scores {final:.2f} after {n}"
    )


def _check(names: Sequence[str], options: argparse.Namespace) -> int:
    found = drift.find_drift(names, options.jobs, options.folder)
    for one in found:
        print(one)
    drifted = len({one.task for one in found})
    print(f"{len(names) - drifted} of {len(names)} tasks give the frozen losses")
    return 1 if found else 0
