"""One method in numbers: its mean score and interval, spread, wins, cost and failures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np

from benchmarks.methods.registry import find
from benchmarks.report import bootstrap, paper, spread
from benchmarks.report.bootstrap import Estimate, Floats, estimate, interval, mean_over_tasks
from benchmarks.report.results import Results, Run

BASELINE = "warpfront"
"""The method that the others are compared with."""

EXPECTED_RANDOM = "random search (expected)"
"""The label of the row that is computed from the references, not run."""

CENTILES = (50, *paper.PERCENTILES)
"""Of the runs, in a row of the summary."""

TIE = 1e-9
"""Mean scores that differ by no more are equal."""


@dataclass(frozen=True)
class Summary:
    """A row of the summary.

    Parameters
    ----------
    method, label
        Its name and what to call it.
    tasks
        How many it has runs on.
    seeds
        Fewest and most runs on one of them; (0, 0) for an expectation.
    mean
        Mean over tasks of the mean score over seeds.
    std, percentiles
        Of the scores of its runs, all tasks weighing the same; absent for an expectation.
    best_on, alone
        Tasks on which no other method has a higher mean score, and those of them on which none
        has the same; None for a method that lacks a task.
    difference, common
        Its mean minus the baseline's over the tasks that both have, and how many.
    kit
        The mean with the challenge kit's values.
    paper
        The mean that the paper prints.
    failed, early
        Failed evaluations, and runs that ended before their last round.
    cpu
        Median over runs of the mean CPU seconds for a batch.
    """

    method: str
    label: str
    tasks: int
    seeds: tuple[int, int]
    mean: Estimate
    std: float | None = None
    percentiles: Mapping[int, float] = field(default_factory=dict)
    best_on: int | None = None
    alone: int | None = None
    difference: Estimate | None = None
    common: int = 0
    kit: Estimate | None = None
    paper: float | None = None
    failed: int = 0
    early: int = 0
    cpu: float | None = None


def label_of(method: str) -> str:
    """What to call a method."""
    try:
        return find(method).label
    except KeyError:  # of a run long ago
        return method


def summaries(results: Results) -> list[Summary]:
    """All rows, with random search's expectation among them.

    The highest mean comes first. Methods that lack a task come last: their means are of others.
    """
    wins = best_on(results)
    rows = [_summary(results, method, wins.get(method)) for method in results.runs]
    if np.isfinite(results.random).all():  # not of tables
        rows.append(_expected_random(results))
    return sorted(rows, key=lambda row: (row.tasks < len(results.tasks), -row.mean.value))


def best_on(results: Results) -> dict[str, tuple[int, int]]:
    """Of each method with all tasks: on how many it is best, tied or not, and on how many alone.

    Real runs of random search count; its expectation does not. Presets and other settings of
    warpfront are set against the other methods, not against each other: they are one optimiser.
    The others meet warpfront itself, or all of its settings where it lacks a task.
    """
    complete = results.complete()
    found = {}
    for method in complete:
        ours = method if family_of(method) == BASELINE else BASELINE
        rivals = {
            name: runs
            for name, runs in results.runs.items()
            if ours not in complete or name == ours or family_of(name) != BASELINE
        }
        found[method] = won(method, winners(replace(results, runs=rivals)))
    return found


def won(method: str, best: Mapping[str, list[str]]) -> tuple[int, int]:
    """On how many tasks a method is among the winners, and on how many it is the only one.

    Examples
    --------
    >>> won("turbo", {"DT_iris_acc": ["turbo", "pysot"], "DT_iris_nll": ["turbo"]})
    (2, 1)
    """
    among = [names for names in best.values() if method in names]
    return len(among), among.count([method])


def family_of(method: str) -> str:
    """The method that a preset, a variant or other settings belong to, by its name.

    Examples
    --------
    >>> family_of("turbo+"), family_of("warpfront-paper"), family_of("warpfront@initial=8")
    ('turbo', 'warpfront', 'warpfront')
    """
    return re.split(r"[-+@]", method)[0]


def winners(results: Results) -> dict[str, list[str]]:
    """By task, the methods of the highest mean score, ties included, among those with all tasks."""
    means = {method: task_means(results, method) for method in results.complete()}
    found = {}
    for i, task in enumerate(results.tasks):
        top = max((scores[i] for scores in means.values()), default=0.0)  # unused if there are none
        found[task] = [method for method, scores in means.items() if scores[i] >= top - TIE]
    return found


def final_score(run: Run) -> float:
    """The score that counts."""
    return run.score


def mean_score(run: Run) -> float:
    """The mean over all evaluations of a run whose curve is known: how early it was good."""
    if run.curve is None:
        raise ValueError(f"only the end of the run {run.key} is known")
    return float(np.mean(run.curve))


def task_means(results: Results, method: str) -> list[float]:
    """Mean score over seeds on each task of a method that has them all."""
    found = results.by_task(method)
    return [float(np.mean([run.score for run in found[task]])) for task in results.tasks]


def paired_difference(
    results: Results, method: str, other: str, value: Callable[[Run], float] = final_score
) -> tuple[Estimate | None, int]:
    """Mean score of a method minus another's over the tasks that both have, and how many.

    All seeds of both count, each run with its final score or another `value`. Without a common task
    there is no difference.
    """
    ours, theirs = on_common_tasks(results, method, other)
    if not ours:
        return None, 0
    groups = _groups(ours)
    found = bootstrap.difference(
        np.array([value(run) for run in ours]),
        groups,
        np.array([value(run) for run in theirs]),
        _groups(theirs),
    )
    return found, len(set(groups))


def better_and_worse(results: Results, method: str, other: str) -> tuple[int, int]:
    """On how many tasks the mean score of a method is above another's, and on how many below."""
    ours, theirs = (
        bootstrap.means_of_tasks(_scores(runs), _groups(runs)) if runs else np.empty(0)
        for runs in on_common_tasks(results, method, other)
    )
    return int(np.sum(ours > theirs + TIE)), int(np.sum(ours < theirs - TIE))


def on_common_tasks(results: Results, method: str, other: str) -> tuple[list[Run], list[Run]]:
    """The runs of a method, and another's, on the tasks that both have."""
    both = results.runs.get(method, ()), results.runs.get(other, ())
    tasks = set.intersection(*({run.key.task for run in runs} for runs in both))
    ours, theirs = ([run for run in runs if run.key.task in tasks] for runs in both)
    return ours, theirs


def mean_curve(results: Results, method: str) -> tuple[Floats, Floats, Floats]:
    """Mean score after each evaluation, with the ends of its interval, each (n,).

    Of the runs whose curve is known; there must be one. The ends are NaN for too few tasks.
    """
    runs = [run for run in results.runs[method] if run.curve is not None]
    curves = np.array([run.curve for run in runs])
    return (mean_over_tasks(curves, _groups(runs)), *interval(curves, _groups(runs)))


def mean_random_curve(results: Results) -> Floats:
    """Expected score of random search after each evaluation, mean over tasks, (n,)."""
    return np.asarray(results.random.mean(axis=0))


def _summary(results: Results, method: str, wins: tuple[int, int] | None) -> Summary:
    runs = results.runs[method]
    groups = _groups(runs)
    scores = _scores(runs)
    sizes = [len(of_task) for of_task in results.by_task(method).values()]
    kit = [run.kit_score for run in runs if run.kit_score is not None]
    cpu = [run.mean_batch_cpu for run in runs if run.mean_batch_cpu is not None]
    difference, common = None, 0
    if method != BASELINE:
        difference, common = paired_difference(results, method, BASELINE)
    return Summary(
        method=method,
        label=label_of(method),
        tasks=len(sizes),
        seeds=(min(sizes), max(sizes)),
        mean=estimate(scores, groups),
        std=spread.std(scores, groups),
        percentiles=dict(zip(CENTILES, spread.centiles(scores, groups, CENTILES), strict=True)),
        best_on=None if wins is None else wins[0],
        alone=None if wins is None else wins[1],
        difference=difference,
        common=common,
        kit=estimate(np.array(kit), groups) if results.has_kit else None,
        paper=_printed(results, method),
        failed=sum(run.failed for run in runs),
        early=sum(run.error is not None for run in runs),
        cpu=median(cpu) if cpu else None,
    )


def _expected_random(results: Results) -> Summary:
    final = results.random[:, -1]
    kit = results.random_kit
    expected = dict(zip(results.tasks, final, strict=True))
    theirs = results.runs.get(BASELINE, ())
    losses = np.array([expected[run.key.task] - run.score for run in theirs])
    return Summary(
        method="",
        label=EXPECTED_RANDOM,
        tasks=len(results.tasks),
        seeds=(0, 0),
        mean=estimate(final, results.tasks),
        difference=estimate(losses, _groups(theirs)) if theirs else None,
        common=len({run.key.task for run in theirs}),
        kit=None if kit is None else estimate(kit, results.tasks),
        paper=_printed(results, "random"),
    )


def _printed(results: Results, method: str) -> float | None:
    is_papers = results.design == paper.DESIGN
    return paper.MEAN_SCORES.get(method) if is_papers and results.has_kit else None


def _scores(runs: Sequence[Run]) -> Floats:
    return np.array([run.score for run in runs])


def _groups(runs: Sequence[Run]) -> list[str]:
    return [run.key.task for run in runs]
