"""``python -m benchmarks paper all``: every item at its small size, one after the other.

The pages go to a folder of their own, beside which the committed ones stay as they are.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.paper import options as shared
from benchmarks.paper.page import QUOTED
from benchmarks.records import RUNS
from benchmarks.workers.environment import CACHE, REPOSITORY

OUTPUT = CACHE / "paper-small"

FROM_RUNS = ("summary", "best-counts", "grid", "sequential", "ablation", "acquisitions")
"""The items whose finished work is runs; that of the others is pieces."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    shared.add_work(parser)
    parser.add_argument(
        "--runs", type=Path, default=RUNS, metavar="DIR", help="finished runs (.bench/runs)"
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=OUTPUT,
        metavar="DIR",
        help="tables and pictures (.bench/paper-small)",
    )


def execute(options: argparse.Namespace) -> int:
    """Make all items, say what each took, and return the exit status: 1 if one failed."""
    failed, all_cpu, all_wall = [], 0.0, 0.0
    for number, item in enumerate(QUOTED, start=1):
        print(f"{number} of {len(QUOTED)}: {item}", file=sys.stderr, flush=True)
        before, start = _children(), time.monotonic()
        done = subprocess.run(command_of(item, options), cwd=REPOSITORY, check=False)
        cpu, wall = _children() - before, time.monotonic() - start
        failed += [item] if done.returncode else []
        all_cpu, all_wall = all_cpu + cpu, all_wall + wall
        print(f"{item}: {cpu:.0f} CPU s, {wall:.0f} s", flush=True)
    print(f"all: {all_cpu:.0f} CPU s, {all_wall:.0f} s")
    if failed:
        print(f"error: no results of {', '.join(failed)}; see above", file=sys.stderr)
    return int(bool(failed))


def command_of(item: str, options: argparse.Namespace) -> list[str]:
    """The command that makes an item at its small size."""
    kept = ["--runs", options.runs] if item in FROM_RUNS else ["--records", options.records]
    words = [sys.executable, "-m", "benchmarks", "paper", item, "--jobs", options.jobs]
    words += [*kept, "--output", options.output]
    return [str(path.absolute() if isinstance(path, Path) else path) for path in words]


def _children() -> float:
    """CPU seconds of the processes that ended, and of theirs."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
