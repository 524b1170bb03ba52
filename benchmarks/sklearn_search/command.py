"""``python -m benchmarks sklearn``: searches with scikit-learn's interface, at equal fits.

HEBOSearchCV against RandomizedSearchCV, HalvingRandomSearchCV and skopt's BayesSearchCV. Gains are
in percent of random search's error, so that tasks weigh alike; intervals are over tasks. Many fits
of halving use a part of the data only, and are cheaper than the others.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.methods.environments import CLASSICS, ensure
from benchmarks.options import positive
from benchmarks.report.bootstrap import estimate
from benchmarks.sklearn_search.tasks import TASKS
from benchmarks.workers.environment import CACHE, REPOSITORY, EnvironmentUnavailableError

METHODS = ("warpfront", "warpfront-fold-noise", "random", "halving", "skopt")
REFERENCE = "random"
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

Record = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument("--seeds", type=positive, default=10, help="how many (10)")
    parser.add_argument("--candidates", type=positive, default=40, help="of each search (40)")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--output", type=Path, default=CACHE / "sklearn", help="folder of records")


def execute(options: argparse.Namespace) -> int:
    """Make the runs that are missing, print the table, and return the exit status."""
    records = []
    for method in dict.fromkeys([*options.methods, REFERENCE]):
        try:
            records += runs_of(method, options)
        except EnvironmentUnavailableError as error:
            print(f"{method} is left out: {error}", file=sys.stderr)
    print(table(records))
    return 0


def runs_of(method: str, options: argparse.Namespace) -> list[Record]:
    """The records of a method: those that are kept, and the missing ones."""
    options.output.mkdir(parents=True, exist_ok=True)
    file = options.output / f"{method}-{options.candidates}.jsonl"
    known = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    found = {(record["task"], record["seed"]): record for record in known}
    wanted = [(task, seed) for seed in range(options.seeds) for task in options.tasks]
    missing = [one for one in wanted if one not in found]
    if missing:
        python = str(ensure(CLASSICS).python) if method == "skopt" else sys.executable
        lines = [json.dumps([task, method, seed, options.candidates]) for task, seed in missing]
        with file.open("a") as kept:
            for record in work(python, lines):
                kept.write(json.dumps(record) + "\n")
                kept.flush()
                found[record["task"], record["seed"]] = record
    return [found[one] for one in wanted]


def work(python: str, lines: Sequence[str]) -> Iterable[Record]:
    """Have searches made by a worker process."""
    paths = os.pathsep.join([str(REPOSITORY / "src"), str(REPOSITORY)])
    with subprocess.Popen(
        [python, "-m", "benchmarks.sklearn_search.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **ONE_THREAD, "PYTHONPATH": paths},
    ) as process:
        assert process.stdin is not None  # noqa: S101 - for the type checker
        assert process.stdout is not None  # noqa: S101
        for line in lines:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            if not answer:
                raise RuntimeError(f"the worker died at {line}; see its traceback above")
            yield json.loads(answer)
        process.stdin.close()


def gains(records: Sequence[Record], method: str, score: str) -> tuple[Any, list[str]]:
    """By how much a method is better than random search, paired by task and seed.

    Scores of classifiers and of regressors have their maximum at 1, so that 1 minus the score is
    an error. Gains are in percent of the mean error of random search on the task.

    Returns
    -------
    gains, tasks
        One of each for each run.

    Examples
    --------
    >>> records = [
    ...     {"task": "t", "method": m, "seed": s, "held_out": x}
    ...     for m, s, x in [("a", 0, 0.9), ("a", 1, 0.8), ("random", 0, 0.8), ("random", 1, 0.8)]
    ... ]
    >>> gains(records, "a", "held_out")[0].round(6).tolist()
    [50.0, 0.0]
    """
    value = {(r["task"], r["method"], r["seed"]): r[score] for r in records}
    own = sorted((task, seed) for task, name, seed in value if name == method)
    error = {
        task: np.mean([1.0 - x for (t, m, _), x in value.items() if (t, m) == (task, REFERENCE)])
        for task, _ in own
    }
    found = [
        100.0 * (value[task, method, seed] - value[task, REFERENCE, seed]) / max(error[task], 1e-12)
        for task, seed in own
    ]
    return np.array(found), [task for task, _ in own]


def table(records: Sequence[Record]) -> str:
    """All methods against random search, as Markdown."""
    lines = [
        "| method | CV error less than random's, % [95 %] | held-out error less than random's, % "
        "[95 %] | fits | s a candidate besides fits |",
        "|---|---|---|---|---|",
    ]
    for method in dict.fromkeys(record["method"] for record in records):
        cells = []
        for score in ("cv_score", "held_out"):
            found = estimate(*gains(records, method, score))
            ends = "" if found.ends is None else " [{:+.1f}, {:+.1f}]".format(*found.ends)
            cells.append(f"{found.value:+.1f}{ends}")
        own = [record for record in records if record["method"] == method]
        fits = sum(record["fits"] for record in own) / len(own)
        overhead = np.median([record["overhead"] for record in own])
        lines.append(f"| {method} | {' | '.join(cells)} | {fits:.0f} | {overhead:.3f} |")
    return "\n".join(lines)
