"""What a study wants: its directions and constraints as goals."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from warpfront.errors import ConfigurationError
from warpfront.goals import (
    DEFAULT_NAME,
    AtMost,
    Goal,
    Goals,
    Maximize,
    Minimize,
    Objective,
    read_goals,
)

CONSTRAINTS = "constraints"
"""System attribute in which Optuna keeps the values of a ``constraints_func``; those of
``trial.set_constraint`` have an attribute each, with a colon and their name behind this one."""


def names_of(study: Study) -> list[str]:
    """What the values of a study are called: its metric names, if they tell the values apart.

    Examples
    --------
    >>> import optuna
    >>> names_of(optuna.create_study()), names_of(optuna.create_study(directions=["minimize"] * 2))
    (['value'], ['value 0', 'value 1'])
    """
    names = study.metric_names or []
    if names and all(names) and len(set(names)) == len(names):
        return list(names)
    return default_names(len(study.directions))


def default_names(n: int) -> list[str]:
    """What n values are called where nobody has named them."""
    return [DEFAULT_NAME] if n == 1 else [f"{DEFAULT_NAME} {i}" for i in range(n)]


def goals_of(
    study: Study, trials: Sequence[FrozenTrial], names: Sequence[str] | None = None
) -> Goals:
    """The goals of a study: an objective for each direction, a bound for each known constraint.

    Parameters
    ----------
    study
        The study.
    trials
        Its trials: Optuna learns of constraints when they are measured.
    names
        Of the objectives.

    Examples
    --------
    >>> import optuna
    >>> study = optuna.create_study(direction="maximize")
    >>> study.add_trial(optuna.create_trial(value=1.0, system_attrs={"constraints": [-0.5]}))
    >>> goals_of(study, study.trials)
    (Maximize(name='value', reference=None), AtMost(name='constraint 0', bound=0.0))
    """
    directions = study.directions
    objectives = [
        Maximize(name) if direction == StudyDirection.MAXIMIZE else Minimize(name)
        for name, direction in zip(names or default_names(len(directions)), directions, strict=True)
    ]
    done = (t for t in trials if t.state in (TrialState.COMPLETE, TrialState.PRUNED))
    constraints = sorted(set(chain.from_iterable(map(constraints_of, done))))
    return (*objectives, *(AtMost(name, 0.0) for name in constraints))


def directions_of(goals: Goal | Sequence[Goal]) -> list[str]:
    """The directions of a study with these goals.

    Examples
    --------
    >>> import optuna
    >>> goals = [Maximize("accuracy"), Minimize("latency"), AtMost("memory", 512)]
    >>> study = optuna.create_study(directions=directions_of(goals))
    >>> directions_of(goals)
    ['maximize', 'minimize']
    """
    return [goal.kind for goal in read_goals(goals) if isinstance(goal, Objective)]


def of_study(study: Study, trials: Sequence[FrozenTrial], goals: Goal | Sequence[Goal]) -> Goals:
    """The goals, if a study has their directions, and constraints of its trials besides.

    Examples
    --------
    >>> import optuna
    >>> of_study(optuna.create_study(), [], Maximize("accuracy"))
    Traceback (most recent call last):
    warpfront.errors.ConfigurationError: goals: they need a study of the directions ...
    """
    wanted, found = directions_of(goals), [d.name.lower() for d in study.directions]
    if wanted != found:
        raise ConfigurationError(
            f"goals: they need a study of the directions {wanted}, and this one has {found}; "
            "create it with optuna.create_study(directions=directions_of(goals))"
        )
    given = read_goals(goals)
    known = {name for goal in given for name in (goal.name, f"constraint {goal.name}")}
    others = (goal for goal in goals_of(study, trials) if isinstance(goal, AtMost))
    return (*given, *(goal for goal in others if goal.name not in known))


def constraints_of(trial: FrozenTrial) -> dict[str, float]:
    """The constraint values of a trial by the names of their goals; up to 0 is feasible.

    Examples
    --------
    >>> import optuna
    >>> attrs = {"constraints": [-0.5], "constraints:memory": 3.0}
    >>> constraints_of(optuna.create_trial(value=1.0, system_attrs=attrs))
    {'constraint 0': -0.5, 'constraint memory': 3.0}
    """
    found: dict[str, float] = {}
    for key, value in trial.system_attrs.items():
        if key == CONSTRAINTS and isinstance(value, (list, tuple)):
            found |= {str(i): one for i, one in enumerate(value)}
        elif key.startswith(f"{CONSTRAINTS}:"):
            found[key.partition(":")[2]] = value
    # Held by an unknown margin: at the bound itself.
    return {f"constraint {k}": 0.0 if v == float("-inf") else v for k, v in found.items()}
