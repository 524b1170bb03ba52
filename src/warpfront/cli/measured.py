"""The outcomes of a trial, as Optuna stores them.

The objectives are the values of a trial. A bound is one of Optuna's constraints, which other
samplers and the dashboard understand: the distance to the bound, feasible up to 0. What was
measured stands beside it in a user attribute.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna.storages import BaseStorage
from optuna.trial import FrozenTrial, TrialState

from warpfront.cli.trials import fail
from warpfront.goals import Bound, Goals, Objective
from warpfront.integrations.optuna.goals import CONSTRAINTS, constraints_of

MEASURED = "warpfront:outcomes"
"""User attribute of a trial: what was measured, by name, where there are several goals."""

Outcomes = Mapping[str, float | None]


def objectives(goals: Goals) -> tuple[Objective, ...]:
    """What is to be minimised or maximised."""
    return tuple(goal for goal in goals if isinstance(goal, Objective))


def bounds(goals: Goals) -> tuple[Bound, ...]:
    """What must stay within a bound."""
    return tuple(goal for goal in goals if isinstance(goal, Bound))


def outcomes_of(trial: FrozenTrial, goals: Goals) -> dict[str, float | None]:
    """What was measured of a trial, in the order of the goals; empty unless it has completed.

    Examples
    --------
    >>> import optuna
    >>> from warpfront import AtLeast, Minimize
    >>> trial = optuna.create_trial(value=0.5, system_attrs={"constraints:recall": -0.25})
    >>> outcomes_of(trial, (Minimize("loss"), AtLeast("recall", 0.5)))
    {'loss': 0.5, 'recall': 0.75}
    """
    if trial.state not in (TrialState.COMPLETE, TrialState.PRUNED) or not trial.values:
        return {}
    found: dict[str, float | None] = {goal.name: None for goal in goals}
    found.update(zip((goal.name for goal in objectives(goals)), trial.values, strict=False))
    given = trial.user_attrs.get(MEASURED)
    exact = given if isinstance(given, Mapping) else {}
    distances = constraints_of(trial)
    for bound in bounds(goals):
        distance, value = distances.get(f"constraint {bound.name}"), exact.get(bound.name)
        if distance is not None:  # the constraint decides, whoever has written it
            near = bound.bound + bound.sign * distance
            is_same = isinstance(value, float) and math.isclose(value, near, rel_tol=1e-9)
            found[bound.name] = value if is_same else near
    return found


def is_feasible(outcomes: Outcomes, goals: Goals) -> bool:
    """Whether all bounds hold; what was not measured does not.

    Examples
    --------
    >>> from warpfront import AtMost
    >>> is_feasible({"memory": 3.0}, (AtMost("memory", 2.0),))
    False
    """
    measured = [(bound, outcomes.get(bound.name)) for bound in bounds(goals)]
    return all(value is not None and bound.holds(value) for bound, value in measured)


def record(
    storage: BaseStorage,
    trial_id: int,
    goals: Goals,
    outcomes: Outcomes,
    reason: str | None = None,
    *,
    failed: bool = False,
) -> None:
    """Write what came of a trial: its outcomes, or the reason of its failure.

    Without a value of each objective it has failed; the other outcomes are kept all the same.
    """
    attributes, values, missing = describe(goals, outcomes)
    for key, value in attributes.items():
        if key == MEASURED:
            storage.set_trial_user_attr(trial_id, key, value)
        else:
            storage.set_trial_system_attr(trial_id, key, value)
    if failed or missing:
        fail(storage, trial_id, reason or missing_text(missing))
    else:
        storage.set_trial_state_values(trial_id, TrialState.COMPLETE, values)


def missing_text(missing: Sequence[str]) -> str:
    """The reason of a failure for want of outcomes."""
    return f"there is no value of {', '.join(missing)}"


def describe(goals: Goals, outcomes: Outcomes) -> tuple[dict[str, Any], list[float], list[str]]:
    """The attributes and values of a trial, and the objectives that were not measured.

    Examples
    --------
    >>> from warpfront import AtMost, Minimize
    >>> describe((Minimize("loss"), AtMost("memory", 512)), {"loss": 0.5, "memory": 300.0})[0]
    {'constraints:memory': -212.0, 'warpfront:outcomes': {'loss': 0.5, 'memory': 300.0}}
    """
    attributes: dict[str, Any] = {}
    for bound in bounds(goals):
        value = outcomes.get(bound.name)
        if value is not None:
            attributes[f"{CONSTRAINTS}:{bound.name}"] = bound.sign * (value - bound.bound)
    measured = {name: value for name, value in outcomes.items() if value is not None}
    if len(goals) > 1 and measured:
        attributes[MEASURED] = measured
    names = [goal.name for goal in objectives(goals)]
    values = [value for name in names if (value := outcomes.get(name)) is not None]
    return attributes, values, [name for name in names if outcomes.get(name) is None]


@dataclass(frozen=True)
class Found:
    """A completed trial: its number, and what was measured of it."""

    trial: FrozenTrial
    outcomes: Mapping[str, float | None]

    @property
    def number(self) -> int:
        """The number of the trial."""
        return self.trial.number


def best_of(trials: Sequence[FrozenTrial], goals: Goals) -> list[Found]:
    """The best feasible trial, the first of several; of several objectives, the Pareto front.

    Infinite values do not count.
    """
    found = [Found(trial, outcomes_of(trial, goals)) for trial in trials]
    signs = {goal.name: goal.sign for goal in objectives(goals)}
    losses, kept = [], []
    for one in found:
        values = [one.outcomes.get(name) for name in signs]
        if is_feasible(one.outcomes, goals) and all(
            value is not None and math.isfinite(value) for value in values
        ):
            pairs = zip(values, signs.values(), strict=True)
            losses.append([sign * float(value or 0.0) for value, sign in pairs])
            kept.append(one)
    if not kept:
        return []
    if len(signs) == 1:
        return [min(zip(losses, kept, strict=True), key=lambda p: (p[0][0], p[1].number))[1]]
    F = np.array(losses)
    no_worse = (F[:, None] <= F).all(axis=2)
    dominated = (no_worse & ~no_worse.T).any(axis=0)
    return [one for one, out in zip(kept, dominated, strict=True) if not out]
