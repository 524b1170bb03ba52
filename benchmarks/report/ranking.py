"""Methods against each other, task by task: mean ranks, and differences to one of them.

What is compared is one number a run. On functions it is the logarithm of the final regret, on all
other tasks the final score. Where there is noise it is taken twice, of what the run found: at the
configuration of the luckiest observation, and at the one that the method recommended.

Glossary
--------
value
    the number of a run; greater is better for scores, smaller for regrets
rank
    of a method on a task: 1 + the expected number of other methods that are better, if one seed of
    each is drawn; a tie counts half
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median

import numpy as np

from benchmarks import score
from benchmarks.report import bootstrap
from benchmarks.report.bootstrap import Estimate, Floats, estimate
from benchmarks.report.results import Results, Run
from benchmarks.report.statistics import TIE, label_of
from benchmarks.tasks.table import Table
from benchmarks.tasks.truths import WITH_TRUTH

REGRET_FLOOR = 1e-3
"""Regrets below are as good as this one: no user would know them apart."""


class Measure(Enum):
    """What of a run is compared."""

    LOG_REGRET = "log10 of the regret"
    SCORE = "score"

    @property
    def sign(self) -> int:
        """Times this, greater is better."""
        return -1 if self is Measure.LOG_REGRET else 1


class Choice(Enum):
    """Which configuration of a run is judged."""

    LUCKIEST = "luckiest observation"
    RECOMMENDED = "recommendation"


@dataclass(frozen=True)
class Row:
    """A method beside the others.

    Parameters
    ----------
    method, label
        Its name and what to call it.
    tasks
        How many it has runs on.
    seeds
        Fewest and most runs on one of them.
    rank
        Mean over tasks; None for a method that lacks a task.
    mean
        Of its values, over tasks.
    difference, common
        Its mean minus that of the method it is held against, over the tasks that both have, and
        how many these are.
    early
        Runs that ended before their last round.
    cpu
        Median over runs of the mean CPU seconds for a batch.
    """

    method: str
    label: str
    tasks: int
    seeds: tuple[int, int]
    rank: Estimate | None
    mean: Estimate
    difference: Estimate | None
    common: int
    early: int
    cpu: float | None


Values = dict[str, dict[str, list[float]]]
"""By method and task, the values of the runs."""


def measure_of(tasks: Sequence[str]) -> Measure:
    """What is compared on these tasks: scores, unless all are functions with a known minimum.

    Examples
    --------
    >>> measure_of(["branin", "bbob_f001_i01_d03"]).value, measure_of(["hpobench_car"]).value
    ('log10 of the regret', 'score')
    """
    known = [WITH_TRUTH.get(task) for task in tasks]
    is_function = [task is not None and not isinstance(task, Table) for task in known]
    return Measure.LOG_REGRET if all(is_function) else Measure.SCORE


def log_regret(regret: float) -> float:
    """The logarithm of a regret, which is never below :data:`REGRET_FLOOR`.

    Examples
    --------
    >>> log_regret(100.0), log_regret(0.0)
    (2.0, -3.0)
    """
    return math.log10(max(regret, REGRET_FLOOR))


def choices(results: Results) -> tuple[Choice, ...]:
    """The recommendation, too, where some runs have one."""
    has_recommendations = any(
        run.recommended is not None for runs in results.runs.values() for run in runs
    )
    return tuple(Choice) if has_recommendations else (Choice.LUCKIEST,)


def values(results: Results, choice: Choice) -> Values:
    """The values of all runs that have one; a run that found nothing counts as a median draw."""
    of_run = _of_run(results, measure_of(results.tasks), choice)
    found: Values = {}
    for method in results.runs:
        by_task = {
            task: [value for run in runs if (value := of_run(run)) is not None]
            for task, runs in results.by_task(method).items()
        }
        if kept := {task: numbers for task, numbers in by_task.items() if numbers}:
            found[method] = kept
    return found


def rows(results: Results, against: str, choice: Choice = Choice.LUCKIEST) -> list[Row]:
    """All methods, the best mean rank first, and those that lack a task at the end."""
    found = values(results, choice)
    ranks = mean_ranks(results.tasks, found, measure_of(results.tasks))
    made = [_row(results, method, found, ranks.get(method), against) for method in found]
    return sorted(made, key=lambda row: math.inf if row.rank is None else row.rank.value)


def mean_ranks(tasks: Sequence[str], found: Values, measure: Measure) -> dict[str, Estimate]:
    """The mean rank of each method that has a run on every task.

    Examples
    --------
    >>> found = {"a": {"t": [2.0, 4.0]}, "b": {"t": [3.0]}, "c": {"t": [1.0]}}
    >>> {m: rank.value for m, rank in mean_ranks(["t"], found, Measure.SCORE).items()}
    {'a': 1.5, 'b': 1.5, 'c': 3.0}
    """
    complete = [method for method, by_task in found.items() if set(tasks) <= set(by_task)]
    ranks = {}
    for method in complete:
        others = [other for other in complete if other != method]
        of_task = [
            1.0
            + sum(
                _share_of_wins(found[other][task], found[method][task], measure) for other in others
            )
            for task in tasks
        ]
        ranks[method] = estimate(np.array(of_task), list(tasks))
    return ranks


def _share_of_wins(ours: Sequence[float], theirs: Sequence[float], measure: Measure) -> float:
    """In how many of all pairs of runs ours is better; ties count half."""
    gaps = measure.sign * np.subtract.outer(np.array(ours), np.array(theirs))
    return float(np.mean(np.where(np.abs(gaps) <= TIE, 0.5, gaps > 0)))


def _of_run(results: Results, measure: Measure, choice: Choice) -> Callable[[Run], float | None]:
    def of_run(run: Run) -> float | None:
        reference = results.references[run.key.task]
        regret: float | None = run.regret
        gained = run.score
        if choice is Choice.RECOMMENDED and run.recommended is not None:
            regret = run.recommended - reference.best
            gained = score.normalised(run.recommended, reference)
        elif choice is Choice.RECOMMENDED and run.error is None:
            return None  # an old run; one that broke off counts with its luckiest observation
        if measure is Measure.SCORE:
            return gained
        return log_regret(reference.clip - reference.best if regret is None else regret)

    return of_run


def _row(results: Results, method: str, found: Values, rank: Estimate | None, against: str) -> Row:
    by_task = found[method]
    sizes = [len(numbers) for numbers in by_task.values()]
    runs = results.runs[method]
    cpu = [run.mean_batch_cpu for run in runs if run.mean_batch_cpu is not None]
    difference, common = _difference(found, method, against)
    return Row(
        method=method,
        label=label_of(method),
        tasks=len(by_task),
        seeds=(min(sizes), max(sizes)),
        rank=rank,
        mean=estimate(*_flat(by_task)),
        difference=difference,
        common=common,
        early=sum(run.error is not None for run in runs),
        cpu=median(cpu) if cpu else None,
    )


def _difference(found: Values, method: str, against: str) -> tuple[Estimate | None, int]:
    ours, theirs = found[method], found.get(against, {})
    common = [task for task in ours if task in theirs]
    if method == against or not common:
        return None, 0
    made = bootstrap.difference(
        *_flat({task: ours[task] for task in common}),
        *_flat({task: theirs[task] for task in common}),
    )
    return made, len(common)


def _flat(by_task: Mapping[str, Sequence[float]]) -> tuple[Floats, list[str]]:
    """The values in one row, and the task of each."""
    numbers = [value for some in by_task.values() for value in some]
    return np.array(numbers), [task for task, some in by_task.items() for _ in some]
