"""What was measured of the trials of a study, and which of them are the best."""

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
from warpfront.integrations.optuna.outcomes import REASON, outcome_of, stored_outcomes

Outcomes = Mapping[str, float | None]


def objectives(goals: Goals) -> tuple[Objective, ...]:
    """What is to be minimised or maximised."""
    return tuple(goal for goal in goals if isinstance(goal, Objective))


def bounds(goals: Goals) -> tuple[Bound, ...]:
    """What must stay within a bound."""
    return tuple(goal for goal in goals if isinstance(goal, Bound))


def outcomes_of(trial: FrozenTrial, goals: Goals) -> Outcomes:
    """What was measured of a trial, in the order of the goals; empty if that is nothing.

    Examples
    --------
    >>> import optuna
    >>> from warpfront import AtLeast, Minimize
    >>> trial = optuna.create_trial(value=0.5, system_attrs={"constraints:recall": -0.25})
    >>> outcomes_of(trial, (Minimize("loss"), AtLeast("recall", 0.5)))
    {'loss': 0.5, 'recall': 0.75}
    """
    return outcome_of(trial, goals).values if trial.state.is_finished() else {}


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
    outcomes: Mapping[str, Any],
    reason: str | None = None,
) -> None:
    """Write what came of a trial: its outcomes, or the reason of its failure.

    Without a value of each objective it has failed; the other outcomes are kept all the same.
    """
    stored = stored_outcomes(dict(outcomes), goals)
    for key, value in stored.user_attrs.items():
        if key != REASON:
            storage.set_trial_user_attr(trial_id, key, value)
    for key, value in stored.system_attrs.items():
        storage.set_trial_system_attr(trial_id, key, value)
    if stored.state == TrialState.COMPLETE:
        storage.set_trial_state_values(trial_id, TrialState.COMPLETE, stored.values)
    else:
        fail(storage, trial_id, reason or stored.user_attrs[REASON])


@dataclass(frozen=True)
class Found:
    """A completed trial: its number, and what was measured of it."""

    trial: FrozenTrial
    outcomes: Mapping[str, float | None]

    @property
    def number(self) -> int:
        """The number of the trial."""
        return self.trial.number


def best_of(found: Sequence[Found], goals: Goals) -> list[Found]:
    """The best feasible trial, the first of several; of several objectives, the Pareto front.

    Infinite values do not count.
    """
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
