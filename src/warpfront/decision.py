"""Help with the decision between trials that no other one dominates.

Several objectives have no single best trial. :func:`knee` is a good compromise if you have no
preference, :func:`best_of` the best in one objective within limits on the others, and
:func:`hypervolume_so_far` tells how far the search has come.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from warpfront.acquisition.hypervolume import hypervolume, infer_reference
from warpfront.checks import real_number
from warpfront.errors import ConfigurationError, NotEnoughDataError
from warpfront.goals import Bound, Objective
from warpfront.history import History
from warpfront.trial import Trial

Floats = NDArray[np.float64]


def knee(history: History) -> Trial:
    """The trial of the front that is closest to the best of all objectives at once.

    Each objective is scaled to its range over the front, so that units do not matter.

    Examples
    --------
    >>> from warpfront import HEBO, Minimize, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), goals=[Minimize("cost"), Minimize("error")], seed=0)
    >>> for x, cost, error in ((0.1, 1.0, 9.0), (0.2, 2.0, 2.0), (0.9, 9.0, 1.0)):
    ...     optimizer.tell({"x": x}, {"cost": cost, "error": error})
    >>> knee(optimizer.history).outcomes
    {'cost': 2.0, 'error': 2.0}
    """
    front = history.front
    F = _minimised(history, front)
    F /= np.abs(F).max(axis=0, initial=1e-300)  # so that no range can overflow
    spread = np.ptp(F, axis=0)
    scaled = (F - F.min(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    return front[int(np.argmin(np.square(scaled).sum(axis=1)))]


def best_of(history: History, name: str, *limits: Bound) -> Trial:
    """The feasible trial that is best in one objective, within limits on other outcomes.

    Parameters
    ----------
    history
        What was measured.
    name
        Of the objective.
    *limits
        Such as ``AtMost("latency", 20)``, on any outcome.

    Raises
    ------
    NotEnoughDataError
        If no feasible trial is within the limits; it says which one comes closest.

    Examples
    --------
    >>> from warpfront import HEBO, AtMost, Maximize, Minimize, Real, Space
    >>> goals = [Maximize("accuracy"), Minimize("latency")]
    >>> optimizer = HEBO(Space(x=Real(0, 1)), goals=goals, seed=0)
    >>> for x, accuracy, latency in ((0.1, 0.8, 5.0), (0.2, 0.9, 15.0), (0.9, 0.95, 40.0)):
    ...     optimizer.tell({"x": x}, {"accuracy": accuracy, "latency": latency})
    >>> best_of(optimizer.history, "accuracy", AtMost("latency", 20)).outcomes
    {'accuracy': 0.9, 'latency': 15.0}
    """
    objective = _objective(history, name)
    for limit in limits:
        if not isinstance(limit, Bound):
            raise ConfigurationError(f"{limit!r} is not a limit; use AtMost or AtLeast")
        if limit.name not in history.problem.names:
            raise ConfigurationError(
                f"{limit!r}: {limit.name!r} is not measured; there is "
                f"{', '.join(history.problem.names)}"
            )
    candidates = history.feasible
    if not candidates:
        history.front  # noqa: B018 - says what is missing
    within = [t for t in candidates if all(_holds(limit, t) for limit in limits)]
    if not within:
        raise NotEnoughDataError(
            f"no feasible trial has {' and '.join(map(repr, limits))}; "
            f"{_closest(candidates, limits)}; loosen a limit or go on searching"
        )
    return min(within, key=lambda t: (objective.sign * (t.outcomes[name] or 0.0), t.number))


def hypervolume_so_far(history: History, reference: Mapping[str, float] | None = None) -> Floats:
    """The hypervolume that the feasible trials dominate, after each trial, (n,).

    It is the volume of objective space between the front and the reference point: 0 before the
    first feasible trial that is better than the reference in every objective, and never falling.

    Parameters
    ----------
    history
        What was measured.
    reference
        A value of each objective that a trial must be better than to count, by name, in your own
        sign. Where it is not given, the ``reference`` of the goal, or else a little beyond the
        worst values of the front. Give it to compare runs: an inferred one differs between them.

    Examples
    --------
    >>> from warpfront import HEBO, Maximize, Minimize, Real, Space
    >>> goals = [Maximize("accuracy"), Minimize("latency")]
    >>> optimizer = HEBO(Space(x=Real(0, 1)), goals=goals, seed=0)
    >>> for x, accuracy, latency in ((0.1, 0.5, 5.0), (0.2, 0.4, 8.0), (0.9, 1.0, 9.0)):
    ...     optimizer.tell({"x": x}, {"accuracy": accuracy, "latency": latency})
    >>> hypervolume_so_far(optimizer.history, {"accuracy": 0.0, "latency": 10.0})
    array([2.5, 2.5, 3. ])
    """
    objectives, feasible = history.problem.objectives, set(history.feasible)
    given: dict[str, float] = {}
    for name, value in (reference or {}).items():
        given[_objective(history, name).name] = real_number(value)
        if not math.isfinite(given[name]):
            raise ConfigurationError(f"reference: {name!r} is {value!r}; give a finite number")
    F = _minimised(history, history.feasible)
    inferred = infer_reference(F) if len(F) else np.zeros(len(objectives))
    point = inferred.copy()
    for j, goal in enumerate(objectives):
        wanted = given.get(goal.name, goal.reference)
        if wanted is not None:
            point[j] = goal.sign * wanted
    rows, now = iter(F), 0.0
    known: Floats = np.empty((0, len(objectives)))
    volumes = []
    for trial in history.trials:
        if trial in feasible:
            row = next(rows)
            if (row < point).all() and not (known <= row).all(axis=1).any():
                covered = hypervolume(np.maximum(known, row), point)
                now += max(float(np.prod(point - row)) - covered, 0.0)
                known = np.vstack([known[~(row <= known).all(axis=1)], row])
        volumes.append(now)
    return np.array(volumes)


def _minimised(history: History, trials: tuple[Trial, ...]) -> Floats:
    """The objectives of trials, minimised, (n, k)."""
    objectives = history.problem.objectives
    values = [[goal.sign * (t.outcomes[goal.name] or 0.0) for goal in objectives] for t in trials]
    return np.array(values, dtype=float).reshape(len(trials), len(objectives))


def _objective(history: History, name: str) -> Objective:
    for objective in history.problem.objectives:
        if objective.name == name:
            return objective
    names = ", ".join(objective.name for objective in history.problem.objectives)
    raise ConfigurationError(f"{name!r} is not an objective; there is {names}")


def _holds(limit: Bound, trial: Trial) -> bool:
    value = trial.outcomes.get(limit.name)
    return value is not None and limit.holds(value)


def _closest(trials: tuple[Trial, ...], limits: tuple[Bound, ...]) -> str:
    """What comes closest to the first limit that no trial keeps, or else to the first."""
    limit = next((one for one in limits if not any(_holds(one, t) for t in trials)), limits[0])
    values = [(t.outcomes.get(limit.name), t.number) for t in trials]
    known = [(limit.sign * value, number) for value, number in values if value is not None]
    if not known:
        return f"{limit.name!r} was never measured"
    value, number = min(known)
    return f"the closest {limit.name!r} is {limit.sign * value:.6g} (trial {number})"
