"""The outcomes of a trial: how they are written into a study, and read again.

Optuna stores one number for each direction of a study. What else was measured stands beside it:

==========================  =====================================================================
``trial.values``            the objectives, in the order of the goals
``warpfront:outcomes``      user attribute, JSON: the outcomes by name, as measured. It is there
                            where the values do not say all: with bounds (``AtMost``, ``AtLeast``),
                            or if an objective was not measured
``warpfront:std``           user attribute, JSON: the standard deviations of measured noise by name
``constraints:<outcome>``   system attribute: how far an outcome is from its bound, feasible up to
                            0. It is what ``trial.set_constraint(outcome, ...)`` of Optuna 5
                            writes, so that its feasible best trials and other samplers know it
``reason``                  user attribute: why the evaluation failed
==========================  =====================================================================

Optuna completes a trial only with all of its values. Where an objective was not measured but
something else was, the trial is a failed one to Optuna; its outcomes are read and used all the
same.

:func:`record_outcomes` writes from within an objective, :func:`tell_outcomes` from outside, and
:func:`stored_outcomes` gives the arguments of ``optuna.create_trial``. ``load_history`` and the
sampler read them, if they are given the goals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from optuna.study import Study
from optuna.trial import FrozenTrial, Trial, TrialState

from warpfront.goals import Bound, Goal, Goals, Objective, read_goals
from warpfront.integrations.optuna.goals import CONSTRAINTS, constraints_of
from warpfront.outcomes import Outcome, read_named, read_value

OUTCOMES, STD, REASON = "warpfront:outcomes", "warpfront:std", "reason"


@dataclass(frozen=True)
class StoredOutcomes:
    """The outcomes of one evaluation, as a trial of a study holds them.

    Attributes
    ----------
    state
        ``COMPLETE`` if all objectives were measured, else ``FAIL``.
    values
        The objectives, in the order of the goals; None for a failed trial.
    user_attrs, system_attrs
        What else is known.
    """

    state: TrialState
    values: list[float] | None
    user_attrs: dict[str, Any] = field(default_factory=dict)
    system_attrs: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The keyword arguments of ``optuna.create_trial``."""
        return asdict(self)


def stored_outcomes(outcome: Any, goals: Goal | Sequence[Goal]) -> StoredOutcomes:
    """How a trial holds what an evaluation gave.

    Parameters
    ----------
    outcome
        What ``HEBO.tell`` takes: a number, a dict of numbers by name, ``Measured`` ones among them,
        or None, NaN or an exception for a failed evaluation.
    goals
        What is measured and wanted.

    Examples
    --------
    >>> from warpfront import AtMost, Maximize, Measured
    >>> goals = [Maximize("accuracy"), AtMost("memory", 512)]
    >>> stored = stored_outcomes({"accuracy": Measured(0.9, std=0.01), "memory": 600}, goals)
    >>> stored.values, stored.system_attrs
    ([0.9], {'constraints:memory': 88.0})
    >>> stored.user_attrs["warpfront:outcomes"], stored.user_attrs["warpfront:std"]
    ({'accuracy': 0.9, 'memory': 600.0}, {'accuracy': 0.01})
    """
    wanted = read_goals(goals)
    read = read_named([goal.name for goal in wanted], outcome)
    if read.reason is not None:
        return StoredOutcomes(TrialState.FAIL, None, {REASON: read.reason})
    measured = {name: value for name, value in read.values.items() if value is not None}
    objectives = [goal.name for goal in wanted if isinstance(goal, Objective)]
    missing = [name for name in objectives if name not in measured]
    user: dict[str, Any] = {}
    if missing or len(objectives) < len(wanted):
        user[OUTCOMES] = measured
    if read.noise:
        user[STD] = dict(read.noise)
    if missing:
        user[REASON] = f"{', '.join(missing)}: not measured"
    distances = {
        f"{CONSTRAINTS}:{goal.name}": goal.sign * (measured[goal.name] - goal.bound)
        for goal in wanted
        if isinstance(goal, Bound) and goal.name in measured
    }
    values = None if missing else [measured[name] for name in objectives]
    state = TrialState.FAIL if missing else TrialState.COMPLETE
    return StoredOutcomes(state, values, user, distances)


def record_outcomes(
    trial: Trial, outcome: Any, goals: Goal | Sequence[Goal]
) -> float | tuple[float, ...]:
    """Write the outcomes of a running trial; what the objective then returns.

    Parameters
    ----------
    trial
        The trial that the objective was given.
    outcome, goals
        As in :func:`stored_outcomes`.

    Returns
    -------
    float or tuple of float
        The values of the objectives; NaN, which fails the trial, if one was not measured.

    Examples
    --------
    >>> import optuna
    >>> from warpfront import AtMost, Minimize
    >>> goals = [Minimize("loss"), AtMost("memory", 512)]
    >>> def objective(trial):
    ...     x = trial.suggest_float("x", 0, 1)
    ...     return record_outcomes(trial, {"loss": 1 - x, "memory": 1000 * x}, goals)
    >>> study = optuna.create_study()
    >>> study.optimize(objective, n_trials=2)
    >>> sorted(study.trials[0].user_attrs["warpfront:outcomes"])
    ['loss', 'memory']
    """
    stored = stored_outcomes(outcome, goals)
    _write(trial.study, trial._trial_id, stored)
    n = len([goal for goal in read_goals(goals) if isinstance(goal, Objective)])
    values = [math.nan] * n if stored.values is None else stored.values
    return values[0] if n == 1 else tuple(values)


def tell_outcomes(
    study: Study, trial: Trial | int, outcome: Any, goals: Goal | Sequence[Goal]
) -> FrozenTrial:
    """Finish a trial of ``study.ask`` with its outcomes.

    Parameters
    ----------
    study
        The study.
    trial
        The trial, or its number.
    outcome, goals
        As in :func:`stored_outcomes`.

    Examples
    --------
    >>> import optuna
    >>> from warpfront import AtMost, Minimize
    >>> goals = [Minimize("loss"), AtMost("memory", 512)]
    >>> study = optuna.create_study()
    >>> trial = study.ask()
    >>> tell_outcomes(study, trial, {"loss": 0.5, "memory": 300}, goals).value
    0.5
    >>> tell_outcomes(study, study.ask(), {"memory": 900}, goals).state.name  # no loss
    'FAIL'
    """
    stored = stored_outcomes(outcome, goals)
    if isinstance(trial, int):
        where = study._storage.get_trial_id_from_study_id_trial_number(study._study_id, trial)
    else:
        where = trial._trial_id
    _write(study, where, stored)
    return study.tell(trial, stored.values, state=stored.state)


def _write(study: Study, trial_id: int, stored: StoredOutcomes) -> None:
    for key, value in stored.user_attrs.items():
        study._storage.set_trial_user_attr(trial_id, key, value)
    for key, value in stored.system_attrs.items():
        study._storage.set_trial_system_attr(trial_id, key, value)


def outcome_of(trial: FrozenTrial, goals: Goals) -> Outcome:
    """What came of a finished trial; a pruned one counts with its last intermediate value.

    Examples
    --------
    >>> import optuna
    >>> from warpfront import AtMost, Minimize
    >>> goals = (Minimize("loss"), AtMost("memory", 512))
    >>> trial = optuna.create_trial(**stored_outcomes({"memory": 300}, goals).to_dict())
    >>> outcome_of(trial, goals).values
    {'loss': None, 'memory': 300.0}
    """
    values: Sequence[float] | None = None
    reason = "the trial failed"
    if trial.state == TrialState.COMPLETE:
        values = trial.values
    elif trial.state == TrialState.PRUNED:
        reason = "it was pruned before it reported a value"
        if trial.last_step is not None:
            values = [trial.intermediate_values[trial.last_step]]
    told = _numbers(trial.user_attrs.get(OUTCOMES))
    if values is None and not any(goal.name in told for goal in goals):
        return Outcome(reason=str(trial.user_attrs.get(REASON, reason)))
    measured: dict[str, Any] = dict(zip((goal.name for goal in goals), values or (), strict=False))
    measured = _bounded(trial, goals) | measured | told
    outcomes: dict[str, float | None] = {}
    for goal in goals:
        value, why = read_value(measured.get(goal.name))
        if why is not None and goal.name in measured:
            return Outcome(reason=why if len(goals) == 1 else f"{goal.name}: {why}")
        outcomes[goal.name] = value
    noise = _numbers(trial.user_attrs.get(STD))
    return Outcome(
        outcomes,
        {n: s for n, s in noise.items() if outcomes.get(n) is not None and 0.0 <= s < math.inf},
    )


def _bounded(trial: FrozenTrial, goals: Goals) -> dict[str, float]:
    """The outcomes with a bound, from how far they were from it."""
    distances, found = constraints_of(trial), {}
    for goal in goals:
        if isinstance(goal, Bound):
            for key, start in ((f"constraint {goal.name}", goal.bound), (goal.name, 0.0)):
                if key in distances:
                    found[goal.name] = start + goal.sign * distances[key]
    return found


def _numbers(given: Any) -> dict[str, float]:
    """The numbers by name in an attribute; whatever else stands there is ignored."""
    if not isinstance(given, Mapping):
        return {}
    return {
        name: float(value)
        for name, value in given.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }
