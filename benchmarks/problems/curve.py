"""How good a run became, batch by batch, and the number by which runs are compared.

Glossary
--------
level
    of a run so far: with one objective the best value within the bounds, in the sign of the goal,
    None before there is one; with several objectives the hypervolume beyond the reference
gap
    what is missing: with one objective the regret, as a share of that of a typical configuration
    within the bounds; with several the missing share of the ideal hypervolume
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from benchmarks.problems.problem import Outcomes, Problem
from warpfront.acquisition.hypervolume import hypervolume, non_dominated

LEAST_GAP = 1e-4
"""Gaps below are as good as this one: no user would know them apart."""
GREATEST_GAP = 10.0
"""Greater gaps, and runs that found nothing within the bounds, count as this."""


def levels(problem: Problem, told: Sequence[Outcomes | None], batch: int) -> list[float | None]:
    """The level after every batch.

    Examples
    --------
    >>> from benchmarks.problems.constrained import GARDNER_WAVES
    >>> told = [{"loss": -3.0, "c": 0.6}, {"loss": 1.0, "c": 0.1}, {"loss": 0.5, "c": 0.5}]
    >>> levels(GARDNER_WAVES, told, 1)
    [None, 1.0, 0.5]
    """
    ends = range(batch, len(told) + 1, batch)
    if len(problem.objectives) == 1:
        return [best_value(problem, told[:end]) for end in ends]
    return [volume(problem, told[:end]) for end in ends]


def best_value(problem: Problem, told: Sequence[Outcomes | None]) -> float | None:
    """The best value within the bounds, in the sign of the goal, if there is one."""
    sign = problem.objectives[0].sign
    values = [problem.minimised(o)[0] for o in told if o is not None and problem.is_feasible(o)]
    return sign * min(values) if values else None


def volume(problem: Problem, told: Sequence[Outcomes | None]) -> float:
    """The hypervolume of what is within the bounds."""
    values = [problem.minimised(o) for o in told if o is not None and problem.is_feasible(o)]
    if not values:
        return 0.0
    points = np.array(values)
    return hypervolume(points[non_dominated(points)], np.array(problem.reference))


def first_feasible(problem: Problem, told: Sequence[Outcomes | None]) -> int | None:
    """The number of the first evaluation within the bounds, counted from 1."""
    return next((i for i, o in enumerate(told, start=1) if problem.is_feasible(o)), None)


def gap(problem: Problem, level: float | None) -> float:
    """What is missing, between :data:`LEAST_GAP` and :data:`GREATEST_GAP`.

    Examples
    --------
    >>> from benchmarks.problems.constrained import BRANIN_DISK
    >>> gap(BRANIN_DISK, BRANIN_DISK.optimum), gap(BRANIN_DISK, BRANIN_DISK.typical)
    (0.0001, 1.0)
    >>> gap(BRANIN_DISK, None)
    10.0
    """
    if level is None:
        return GREATEST_GAP
    if problem.ideal is not None:
        missing = 1.0 - level / problem.ideal
    elif problem.optimum is not None and problem.typical is not None:
        missing = (level - problem.optimum) / (problem.typical - problem.optimum)
    else:
        raise ValueError(f"{problem.name} has neither an ideal nor an optimum to compare with")
    return min(max(missing, LEAST_GAP), GREATEST_GAP)


def score(problem: Problem, level: float | None) -> float:
    """The logarithm of the gap, by which runs are compared; smaller is better."""
    return math.log10(gap(problem, level))
