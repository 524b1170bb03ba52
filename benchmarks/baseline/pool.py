"""Stage 1: a pool of random losses for each task, and the losses of its signature.

A pool stands for random search, which is therefore never run again. Where a pair has no noise no
configuration is evaluated twice, and a small finite space is evaluated completely: the pool is
then still made of independent draws, looked up.
"""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.baseline import reference_file
from benchmarks.baseline.evaluate import evaluate_missing
from benchmarks.baseline.journal import JOURNALS, Journal
from benchmarks.baseline.pair import Pair
from benchmarks.baseline.reference_file import Candidate, MissingReferenceError, ReferenceFile
from benchmarks.tasks.task import Task

SIZE = 1024
"""Random losses in a pool, unless told otherwise."""

TOP = 24
"""How many of the best configurations a reference keeps."""


def make_pools(
    pairs: Sequence[Pair],
    size: int = SIZE,
    jobs: int = 1,
    folder: Path = reference_file.FOLDER,
    journals: Path = JOURNALS,
) -> None:
    """Make the pools that are not there yet, cheap ones first."""
    books = [Journal(pair, journals) for pair in pairs if not is_made(pair, size, folder)]
    # The signatures first: they tell what an evaluation costs, and so the order and the forecast.
    evaluate_missing(books, {book.pair: book.pair.signature() for book in books}, jobs)
    books.sort(key=lambda book: book.mean_cpu)
    wanted = {
        book.pair: [
            *book.pair.signature(),
            *book.pair.draws(size),
            *book.pair.everything(at_most=size),
        ]
        for book in books
    }

    def write(book: Journal) -> None:
        for task in book.pair.tasks:
            reference_file.write(_reference(task, book, size, folder), folder)

    evaluate_missing(books, wanted, jobs, write)


def is_made(pair: Pair, size: int, folder: Path) -> bool:
    """Whether both tasks have a pool of this size or larger from this scikit-learn."""
    found = [_found(task, folder) for task in pair.tasks]
    return all(old is not None and len(old.pool) >= size for old in found)


def _found(task: Task, folder: Path) -> ReferenceFile | None:
    """The reference made earlier with this scikit-learn, if there is one."""
    try:
        old = reference_file.read(task.name, folder)
    except MissingReferenceError:
        return None
    return old if old.facts["scikit-learn"] == version("scikit-learn") else None


def _reference(task: Task, journal: Journal, size: int, folder: Path) -> ReferenceFile:
    """The reference of a task from a complete journal; an optimum found earlier stays."""
    pair = journal.pair
    draws = pair.draws(size)
    known = dict.fromkeys([*draws, *pair.everything(at_most=size)])
    losses = {trial: journal.loss(trial, task.metric) for trial in known}
    finite = [trial for trial in known if math.isfinite(losses[trial])]
    old = _found(task, folder)
    return ReferenceFile(
        task=task.name,
        pool=tuple(sorted(losses[draw] for draw in draws)),
        optimum=None if old is None else old.optimum,
        signature=tuple(journal.loss(trial, task.metric) for trial in pair.signature()),
        top=tuple(
            Candidate(json.loads(trial.config), losses[trial])
            for trial in sorted(finite, key=losses.__getitem__)[:TOP]
        ),
        facts={
            "python": platform.python_version(),
            **{name: version(name) for name in ("scikit-learn", "numpy", "scipy")},
            "pool": f"{size} uniform draws, {len(known)} evaluations",
        },
    )
