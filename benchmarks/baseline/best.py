"""Stage 2: the best that is known of each task, from the pool and from all runs there are.

Candidates are the best configurations of the pool and of every run. The loss that made one a
candidate was seen once and, where there is noise, was lucky: it is forgotten. The candidates then
compete in heats on new seeds, the same for all; few go on from one heat to the next. The winner is
evaluated once more, on seeds that had no part in choosing it, and the mean of that last heat is
`best`: an unbiased estimate of the mean loss of one configuration. What it is not is the optimum,
which may be lower still and which nobody knows; a run that finds it scores above 100.

Bayesmark's own rule is another: the smallest loss that any run ever saw, however lucky. It is kept
beside `best`, and is what scores are made of; no run that took part scores above 100, and every
further run may lower it. That needs losses only, so archived runs, whose configurations nobody
kept, take part as well (`lower_seen`).

Made again with more runs, `best` changes only if it becomes lower. That choice between old and new
is the one place left where luck can enter.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import records
from benchmarks.archive import store
from benchmarks.archive.store import ARCHIVE
from benchmarks.baseline import reference_file
from benchmarks.baseline.evaluate import evaluate_missing
from benchmarks.baseline.journal import JOURNALS, Journal
from benchmarks.baseline.pair import Pair, Trial, pairs_of
from benchmarks.baseline.reference_file import Candidate, Optimum, ReferenceFile
from benchmarks.records import RUNS, Record
from benchmarks.tasks.registry import TASKS
from benchmarks.tasks.task import Task

PER_RUN = 3
"""How many configurations of a run are candidates."""


ROUNDING = 1e-8
"""A loss that is lower by a smaller share is the same, on another machine."""


@dataclass(frozen=True)
class Heat:
    """How many candidates take part, and the seeds on which their losses are averaged."""

    places: int
    seeds: range


_NEW = 1_000_000
"""The first seed that no pool has used."""

HEATS = (
    Heat(64, range(_NEW, _NEW + 2)),
    Heat(16, range(_NEW + 2, _NEW + 8)),
    Heat(4, range(_NEW + 8, _NEW + 28)),
    Heat(1, range(_NEW + 28, _NEW + 48)),
)
"""The field is wide at first: where noise is large, the luckiest are not the best."""

PLACES = HEATS[0].places
"""How many candidates take part in the first heat."""


def heats_for(places: int) -> list[Heat]:
    """The heats if so many candidates take part in the first: as many times fewer in the others.

    The last heat, which gives the value, is always the same.

    Examples
    --------
    >>> [heat.places for heat in heats_for(32)]
    [32, 8, 2, 1]
    >>> [heat.places for heat in heats_for(16)]
    [16, 4, 1]
    """
    scaled = [replace(heat, places=heat.places * places // PLACES) for heat in HEATS[:-1]]
    return [heat for heat in scaled if heat.places > 1] + [HEATS[-1]]


def make_best(
    names: Sequence[str],
    runs: Path = RUNS,
    jobs: int = 1,
    folder: Path = reference_file.FOLDER,
    journals: Path = JOURNALS,
    places: int = PLACES,
) -> list[str]:
    """Find the best of some tasks that have a pool, and write it into their files.

    Returns
    -------
    list of str
        The tasks for which there is none, because every candidate failed on some seed.
    """
    files = {name: reference_file.read(name, folder) for name in names}
    found = _records(runs, files)
    fields = {name: candidates(files[name], found[name]) for name in names}
    lowest = {
        name: min((c.loss for c in field), default=math.inf) for name, field in fields.items()
    }
    books = {pair: Journal(pair, journals) for pair in pairs_of(names)}
    for heat in heats_for(places):
        fields = _run(heat, fields, books, jobs)
    hopeless = []
    for name, made in files.items():
        winner = next(iter(fields[name]), None)
        if winner is None or not math.isfinite(winner.loss):
            hopeless.append(name)
            continue
        losses = _losses(TASKS[name], winner.config, HEATS[-1], books)
        new = _optimum(winner, losses, lowest[name], runs=len(found[name]))
        reference_file.write(replace(made, optimum=_lower(made.optimum, new)), folder)
    return hopeless


def lower_seen(
    names: Sequence[str],
    archive: Path = ARCHIVE,
    runs: Path = RUNS,
    folder: Path = reference_file.FOLDER,
) -> dict[str, tuple[float, float]]:
    """Lower the smallest loss of tasks that have a best to that of any run; nothing is evaluated.

    Returns
    -------
    dict
        Of the tasks that changed, the loss before and now.
    """
    files = {name: reference_file.read(name, folder) for name in names}
    finals: dict[str, list[float]] = {name: [] for name in names}
    for run in store.with_records(archive, runs):
        name = run.key.task
        if name in files and run.improvements and _is_comparable(run.facts, files[name]):
            finals[name].append(run.improvements[-1].loss)
    changed = {}
    for name, made in files.items():
        old = made.optimum
        if old is None or not finals[name]:
            continue
        lowest = min(finals[name])
        is_same = math.isclose(lowest, old.lowest_seen, rel_tol=ROUNDING)
        if lowest > old.lowest_seen or is_same:
            lowest = old.lowest_seen
        else:
            changed[name] = (old.lowest_seen, lowest)
        new = replace(old, lowest_seen=lowest, runs=max(old.runs, len(finals[name])))
        reference_file.write(replace(made, optimum=new), folder)
    return changed


def candidates(made: ReferenceFile, runs: Iterable[Record]) -> list[Candidate]:
    """The best configurations of the pool and of each run, each once, best first."""
    space = TASKS[made.task].space
    found = list(made.top)
    for run in runs:
        finite = [trial for trial in run.trials if math.isfinite(trial.loss)]
        found += [
            Candidate(space.validate(trial.config), trial.loss, run.key.method)
            for trial in sorted(finite, key=lambda trial: trial.loss)[:PER_RUN]
        ]
    found.sort(key=lambda candidate: candidate.loss)
    once: dict[str, Candidate] = {}
    for candidate in found:
        once.setdefault(json.dumps(candidate.config, sort_keys=True), candidate)
    return list(once.values())


def _records(folder: Path, files: Mapping[str, ReferenceFile]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {name: [] for name in files}
    for record in records.read_all(folder):
        name = record.key.task
        if name in found and _is_comparable(record.facts, files[name]):
            found[name].append(record)
    return found


def _is_comparable(facts: Mapping[str, str], made: ReferenceFile) -> bool:
    """Whether a run says of no other scikit-learn than the pool: losses of others are not ours."""
    ours = made.facts["scikit-learn"]
    return facts.get("scikit-learn", ours) == ours


def _run(
    heat: Heat,
    fields: Mapping[str, Sequence[Candidate]],
    books: Mapping[Pair, Journal],
    jobs: int,
) -> dict[str, list[Candidate]]:
    """The fields after a heat: those who had a place, with their mean losses, best first."""
    wanted: dict[Pair, list[Trial]] = {pair: [] for pair in books}
    for name, field in fields.items():
        for candidate in field[: heat.places]:
            wanted[_pair(TASKS[name])] += _trials(TASKS[name], candidate.config, heat)
    evaluate_missing(list(books.values()), wanted, jobs)
    return {
        name: sorted(
            (
                replace(c, loss=float(np.mean(_losses(TASKS[name], c.config, heat, books))))
                for c in field[: heat.places]
            ),
            key=lambda candidate: candidate.loss,
        )
        for name, field in fields.items()
    }


def _pair(task: Task) -> Pair:
    return Pair(task.model, task.data)


def _trials(task: Task, config: Mapping[str, Any], heat: Heat) -> list[Trial]:
    seeds = heat.seeds[:1] if task.deterministic else heat.seeds
    return [_pair(task).trial(config, seed) for seed in seeds]


def _losses(
    task: Task, config: Mapping[str, Any], heat: Heat, books: Mapping[Pair, Journal]
) -> list[float]:
    return [books[_pair(task)].loss(t, task.metric) for t in _trials(task, config, heat)]


def _optimum(winner: Candidate, losses: Sequence[float], lowest_seen: float, runs: int) -> Optimum:
    n = len(losses)
    error = float(np.std(losses, ddof=1)) / math.sqrt(n) if n > 1 else 0.0
    return Optimum(winner.loss, winner.config, lowest_seen, n, error, winner.source, runs)


def _lower(old: Optimum | None, new: Optimum) -> Optimum:
    if old is None:
        return new
    return replace(
        new if new.loss < old.loss else old,
        lowest_seen=min(old.lowest_seen, new.lowest_seen),
        runs=max(old.runs, new.runs),
    )
