"""What trackers log of a trial: the same facts for MLflow, Weights & Biases and TensorBoard."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from warpfront.history import History
from warpfront.overview import best_of
from warpfront.result import Result
from warpfront.trial import Trial


@dataclass(frozen=True)
class Facts:
    """A trial that has an outcome, and how far the run is.

    Attributes
    ----------
    step
        How many trials have an outcome, this one included: the axis of curves over time.
    params
        The parameters, as numbers, texts and truth values.
    metrics
        What was measured: outcomes, their noise where it was measured, and the seconds it took.
    progress
        Of the run: the best value so far, or the size of the front; how many have failed.
    reason
        Why the trial failed, else None.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> optimizer.tell([{"x": 0.5}, {"x": 0.1}], [2.0, 3.0])
    >>> facts = Facts.of(Result(optimizer), optimizer.history.trials[1])
    >>> facts.params, facts.metrics, facts.progress
    ({'x': 0.1}, {'value': 3.0}, {'best_value': 2.0, 'failed': 0.0})
    """

    step: int
    params: dict[str, Any]
    metrics: dict[str, float]
    progress: dict[str, float]
    reason: str | None

    @classmethod
    def of(cls, result: Result, trial: Trial) -> Facts:
        """The facts of a trial, at the time of a result."""
        return cls(
            step=result.history.told,
            params={name: plain(value) for name, value in trial.config.items()},
            metrics=_metrics(result, trial),
            progress=_progress(result.history),
            reason=trial.reason,
        )


def best_facts(history: History) -> dict[str, Any]:
    """The best trial of a run: its number, outcomes and parameters; empty if there is none.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> optimizer.tell({"x": 0.5}, 2.0)
    >>> best_facts(optimizer.history)
    {'best_trial': 0, 'best_value': 2.0, 'best_param/x': 0.5}
    """
    best = best_of(history)
    if best is None:
        return {}
    outcomes = {f"best_{name}": value for name, value in best.outcomes.items()}
    params = {f"best_param/{name}": plain(value) for name, value in best.config.items()}
    return {"best_trial": best.number, **outcomes, **params}


def plain(value: Any) -> Any:
    """A value as all trackers take it: lists and dicts are JSON texts.

    Examples
    --------
    >>> plain([64, 32]), plain(0.5), plain(None)
    ('[64, 32]', 0.5, 'null')
    """
    return value if isinstance(value, (bool, int, float, str)) else json.dumps(value)


def _metrics(result: Result, trial: Trial) -> dict[str, float]:
    told: Mapping[str, float | None] = trial.outcomes
    metrics = {name: float(value) for name, value in told.items() if value is not None}
    metrics |= {f"{name}_std": float(std) for name, std in trial.noise.items()}
    for event in reversed(result.events):
        if event.kind == "told" and event.number == trial.number:
            return metrics if event.seconds is None else metrics | {"seconds": event.seconds}
    return metrics


def _progress(history: History) -> dict[str, float]:
    progress = {"failed": float(len(history.of_state("failed")))}
    objectives, best = history.problem.objectives, best_of(history)
    if best is not None and (value := best.outcomes[objectives[0].name]) is not None:
        return {f"best_{objectives[0].name}": value, **progress}
    if len(objectives) > 1 and history.feasible:
        return {"front": float(len(history.front)), **progress}
    return progress
