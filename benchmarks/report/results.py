"""The records of a design, scored and put in order.

Glossary
--------
n
    evaluations of a whole run
curve
    score of the best loss so far, after each evaluation, (n,)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import score
from benchmarks.methods.registry import in_order
from benchmarks.records import UNAVAILABLE, Design, Evaluated, Key, Record
from benchmarks.score import Reference
from benchmarks.tasks.synthetic import SYNTHETIC

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Run:
    """A run and how good it was.

    Parameters
    ----------
    key
        Which run.
    curve
        Scores; a run that ended early keeps its last one, and has 0 if it found nothing.
    kit_score
        Final score with the challenge kit's values; None when they do not apply.
    loss
        The smallest loss; infinite if every evaluation failed.
    held_out
        Loss of the incumbent on the held-out data; None if it was not taken.
    regret
        Truth at the incumbent of a synthetic function, minus its minimum; None otherwise.
    failed
        Evaluations that failed.
    batch_cpu
        Seconds that each round spent on suggesting its batch and on taking its losses in.
    error
        Why the run ended early; None for a whole run.
    facts
        Versions and the like.
    """

    key: Key
    curve: Floats
    kit_score: float | None
    loss: float
    held_out: float | None
    regret: float | None
    failed: int
    batch_cpu: tuple[float, ...]
    error: str | None
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """The last score."""
        return float(self.curve[-1])


@dataclass(frozen=True, eq=False)
class Results:
    """Everything a report is made from.

    Parameters
    ----------
    design
        How the runs asked.
    tasks
        Names in the order of the tables.
    runs
        By method in the order of the tables; each method's in the order of tasks, then seeds.
    absent
        Methods without any run, and why.
    random
        Expected curve of random search on each task, (tasks, n).
    random_kit
        Its expected final scores with the challenge kit's best and clip, (tasks,); None unless
        the kit has all tasks.
    """

    design: Design
    tasks: tuple[str, ...]
    runs: Mapping[str, tuple[Run, ...]]
    absent: Mapping[str, str]
    random: Floats
    random_kit: Floats | None

    @property
    def has_kit(self) -> bool:
        """Whether the challenge kit's values apply."""
        return self.random_kit is not None

    def by_task(self, method: str) -> dict[str, list[Run]]:
        """The runs of a method on each task that it has."""
        found: dict[str, list[Run]] = {}
        for run in self.runs[method]:
            found.setdefault(run.key.task, []).append(run)
        return found

    def complete(self) -> list[str]:
        """The methods that have a run on every task."""
        return [name for name in self.runs if len(self.by_task(name)) == len(self.tasks)]


def collect(
    records: Iterable[Record],
    design: Design,
    references: Mapping[str, Reference],
    kit: Mapping[str, Reference],
    methods: Sequence[str] | None = None,
) -> Results:
    """Score the records of one design.

    Parameters
    ----------
    records
        Any; those of other designs, tasks and methods are left out.
    design
        How the runs asked.
    references
        By task; their order is that of the tables.
    kit
        The same with the kit's values, or empty.
    methods
        Names; all that have a record when None.
    """
    tasks, n = tuple(references), design.evaluations
    runs: dict[str, list[Run]] = {name: [] for name in methods or ()}
    reasons: dict[str, str] = {}
    for record in records:
        key = record.key
        if key.design != design or key.task not in references:
            continue
        if methods is not None and key.method not in methods:
            continue
        kept = runs.setdefault(key.method, [])
        if not record.trials and (record.error or "").startswith(UNAVAILABLE):
            reasons[key.method] = str(record.error).removeprefix(UNAVAILABLE).strip()
        else:
            kept.append(scored(record, references[key.task], kit.get(key.task)))
    known = in_order(runs)
    order = [*known, *sorted(set(runs) - set(known))]
    place = {task: i for i, task in enumerate(tasks)}
    return Results(
        design=design,
        tasks=tasks,
        runs={
            name: tuple(sorted(runs[name], key=lambda run: (place[run.key.task], run.key.seed)))
            for name in order
            if runs[name]
        },
        absent={name: reasons.get(name, "there is no record") for name in order if not runs[name]},
        random=np.array([score.random_curve(references[task], n) for task in tasks]),
        random_kit=np.array([score.random_curve(kit[task], n)[-1] for task in tasks])
        if kit
        else None,
    )


def scored(record: Record, reference: Reference, kit: Reference | None) -> Run:
    """A record with its scores."""
    n = record.key.design.evaluations
    losses = record.losses + [math.inf] * (n - len(record.trials))
    best = _incumbent(record)
    loss = math.inf if best is None else best.loss
    function = SYNTHETIC.get(record.key.task)
    return Run(
        key=record.key,
        curve=score.curve(losses, reference),
        kit_score=None if kit is None else score.normalised(loss, kit),
        loss=loss,
        held_out=None if best is None else best.held_out,
        regret=None
        if best is None or function is None
        else function.truth(best.config) - function.minimum,
        failed=sum(not math.isfinite(trial.loss) for trial in record.trials),
        batch_cpu=tuple(timing.ask_cpu + timing.tell_cpu for timing in record.timings),
        error=record.error,
        facts=record.facts,
    )


def kit_references(
    references: Mapping[str, Reference], design: Design, path: Path = score.KIT
) -> dict[str, Reference]:
    """The references with the challenge kit's best and clip; empty unless it has all tasks."""
    if not path.is_file():
        return {}
    values = score.load_kit(path)
    name = f"{design.rounds}-{design.batch}"  # the kit's own
    if design.workers > 1 or any((name, task) not in values for task in references):
        return {}
    found = {}
    for task, reference in references.items():
        best, clip = values[name, task]
        found[task] = replace(reference, best=best, clip=clip)
    return found


def _incumbent(record: Record) -> Evaluated | None:
    """The first of the trials with the smallest loss."""
    finite = [trial for trial in record.trials if math.isfinite(trial.loss)]
    return min(finite, key=lambda trial: trial.loss, default=None)
