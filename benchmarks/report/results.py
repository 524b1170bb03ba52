"""The runs of a design, scored and put in order.

Glossary
--------
n
    evaluations of a whole run
curve
    score of the best loss so far, after each evaluation, (n,)
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import score
from benchmarks.archive.digest import Digest, Improvement, shortened
from benchmarks.methods.registry import base_of, in_order
from benchmarks.records import UNAVAILABLE, Design, Key
from benchmarks.score import Reference
from benchmarks.tasks.truths import WITH_TRUTH

Floats = NDArray[np.float64]

DIGITS = 8
"""Significant digits to which losses are compared, those of ``scores.csv``: the archive has its
oldest runs from there, and two runs that found the same must tie, whatever is left of them."""


@dataclass(frozen=True, eq=False)
class Run:
    """A run and how good it was.

    Parameters
    ----------
    key
        Which run.
    score
        The last one; 0 if the run found nothing.
    curve
        Scores; a run that ended early keeps its last one. None where only the end is known.
    kit_score
        Final score with the challenge kit's values; None when they do not apply.
    loss
        The smallest loss, of a function the truth there; infinite if every evaluation failed.
    held_out
        Loss of the incumbent on the held-out data; None if it was not taken.
    regret
        Truth at the incumbent, minus the minimum, where both are known; None otherwise.
    recommended
        Truth at what the method recommended last; None where that was not taken.
    failed
        Evaluations that failed.
    cpu
        Seconds spent on suggestions and on taking losses in.
    batch_cpu
        The same for the batch of each round; empty where only the sum is known.
    error
        Why the run ended early; None for a whole run.
    facts
        Versions and the like.
    """

    key: Key
    score: float
    curve: Floats | None
    kit_score: float | None
    loss: float
    held_out: float | None
    regret: float | None
    failed: int
    cpu: float
    batch_cpu: tuple[float, ...]
    error: str | None
    facts: Mapping[str, str] = field(default_factory=dict)
    recommended: float | None = None

    @property
    def mean_batch_cpu(self) -> float | None:
        """Of a round; None for a run that ended early and of which only the sum is known."""
        if self.batch_cpu:
            return self.cpu / len(self.batch_cpu)
        return self.cpu / self.key.rounds if self.error is None else None


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
    references
        What the losses of each task are measured against.
    random
        Expected curve of random search on each task, (tasks, n); NaN on tables, which have no
        pool.
    random_kit
        Its expected final scores with the challenge kit's best and clip, (tasks,); None unless
        the kit has all tasks.
    """

    design: Design
    tasks: tuple[str, ...]
    runs: Mapping[str, tuple[Run, ...]]
    absent: Mapping[str, str]
    references: Mapping[str, Reference]
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

    def with_curves(self) -> Results:
        """The same without the runs of which only the end is known."""
        kept = {
            name: tuple(run for run in runs if run.curve is not None)
            for name, runs in self.runs.items()
        }
        return replace(self, runs={name: runs for name, runs in kept.items() if runs})


def collect(
    digests: Iterable[Digest],
    design: Design,
    references: Mapping[str, Reference],
    kit: Mapping[str, Reference],
    methods: Sequence[str] | None = None,
    seeds: Collection[int] | None = None,
) -> Results:
    """Score the runs of one design.

    Parameters
    ----------
    digests
        Any; those of other designs, tasks and methods are left out.
    design
        How the runs asked.
    references
        By task; their order is that of the tables.
    kit
        The same with the kit's values, or empty.
    methods
        Names; when None, all that have a run, but for variants such as warpfront@initial=8.
    seeds
        Of the runs; when None, all.
    """
    tasks, n = tuple(references), design.evaluations
    runs: dict[str, list[Run]] = {name: [] for name in methods or ()}
    reasons: dict[str, str] = {}
    for digest in digests:
        key = digest.key
        if key.design != design or key.task not in references:
            continue
        if seeds is not None and key.seed not in seeds:
            continue
        is_shown = (
            key.method in methods if methods is not None else base_of(key.method) == key.method
        )
        if not is_shown:
            continue
        kept = runs.setdefault(key.method, [])
        if digest.is_unavailable:
            reasons[key.method] = str(digest.error).removeprefix(UNAVAILABLE).strip()
        else:
            kept.append(scored(digest, references[key.task], kit.get(key.task)))
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
        references=references,
        random=np.array([_random_curve(references[task], n) for task in tasks]),
        random_kit=np.array([score.random_curve(kit[task], n)[-1] for task in tasks])
        if kit
        else None,
    )


def _random_curve(reference: Reference, n: int) -> Floats:
    return score.random_curve(reference, n) if reference.pool else np.full(n, np.nan)


def scored(digest: Digest, reference: Reference, kit: Reference | None) -> Run:
    """A run with its scores."""
    last = digest.improvements[-1] if digest.improvements else None
    loss = math.inf if last is None else _value(digest, last)
    truth = None if last is None else last.held_out
    task = WITH_TRUTH.get(digest.key.task)
    cpu = digest.cpu
    return Run(
        key=digest.key,
        score=score.normalised(loss, _shortened(reference)),
        curve=score.scores(_course(digest), _shortened(reference)) if digest.has_course else None,
        kit_score=None if kit is None else score.normalised(loss, _shortened(kit)),
        loss=loss,
        held_out=None if truth is None else shortened(truth, DIGITS),
        regret=None if truth is None or task is None else truth - task.minimum,
        failed=digest.failed,
        cpu=sum(cpu) if isinstance(cpu, tuple) else cpu,
        batch_cpu=cpu if isinstance(cpu, tuple) else (),
        error=digest.error,
        facts=digest.facts,
        recommended=digest.recommended[-1].truth if digest.recommended else None,
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


def _course(digest: Digest) -> Floats:
    """What the incumbent is worth after each evaluation; infinite as long as there is none."""
    course = np.full(digest.key.design.evaluations, math.inf)
    for improvement in digest.improvements:
        if improvement.evaluation is not None:
            course[improvement.evaluation - 1 :] = _value(digest, improvement)
    return course


def _value(digest: Digest, found: Improvement) -> float:
    """The loss that counts: where the truth is known it does, and luck with the noise does not."""
    truth = found.held_out if digest.key.task in WITH_TRUTH else None
    return shortened(found.loss if truth is None else truth, DIGITS)


def _shortened(reference: Reference) -> Reference:
    """With as many digits as the losses have, so that a loss equal to `best` stays so."""
    return replace(
        reference,
        best=shortened(reference.best, DIGITS),
        clip=shortened(reference.clip, DIGITS),
    )
