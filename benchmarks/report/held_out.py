"""How good the configurations found are on data that no optimiser saw.

Held-out losses have no reference of their own, so nothing but their order is used: ranks within a
task, and which of two runs with the same task and seed is better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from benchmarks.report.bootstrap import Estimate, estimate
from benchmarks.report.results import Results
from benchmarks.report.statistics import BASELINE


@dataclass(frozen=True)
class HeldOut:
    """A method on the held-out data.

    Parameters
    ----------
    method
        Its name.
    rank
        Mean over tasks of the rank of its median held-out loss over seeds, 1 the best, ties
        shared; None for a method that lacks a task.
    better, equal, worse
        Pairs of runs, by how its held-out loss compares with that of the baseline.
    """

    method: str
    rank: Estimate | None
    better: int = 0
    equal: int = 0
    worse: int = 0


def held_out(results: Results) -> list[HeldOut]:
    """All methods with a held-out loss, the best rank first."""
    losses = {
        method: {
            (run.key.task, run.key.seed): run.held_out for run in runs if run.held_out is not None
        }
        for method, runs in results.runs.items()
    }
    ranks = _ranks(results, losses)
    rows = [
        HeldOut(method, ranks.get(method), *_duels(of_method, losses.get(BASELINE, {})))
        for method, of_method in losses.items()
        if of_method
    ]
    return sorted(rows, key=lambda row: np.inf if row.rank is None else row.rank.value)


Losses = dict[tuple[str, int], float]


def _ranks(results: Results, losses: dict[str, Losses]) -> dict[str, Estimate]:
    medians = {}
    for method, of_method in losses.items():
        by_task: dict[str, list[float]] = {task: [] for task in results.tasks}
        for (task, _), loss in of_method.items():
            by_task[task].append(loss)
        if all(by_task.values()):
            medians[method] = [float(np.median(by_task[task])) for task in results.tasks]
    if not medians:
        return {}
    ranks = rankdata(np.array(list(medians.values())), axis=0)  # (methods, tasks)
    return {method: estimate(ranks[i], results.tasks) for i, method in enumerate(medians)}


def _duels(ours: Losses, theirs: Losses) -> tuple[int, int, int]:
    pairs = [(loss, theirs[key]) for key, loss in ours.items() if key in theirs]
    better = sum(a < b for a, b in pairs)
    equal = sum(a == b for a, b in pairs)
    return better, equal, len(pairs) - better - equal
