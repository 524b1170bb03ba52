"""The configurations to take: the best and the recommended one, or those of several goals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from warpfront.analysis.model_view import ModelView
from warpfront.analysis.texts import cut, number, shown
from warpfront.decision import knee
from warpfront.history import History
from warpfront.optimizers.hebo import recommend
from warpfront.trial import Trial

LONGEST = 60


@dataclass(frozen=True)
class Card:
    """A configuration, with what is known of it."""

    heading: str
    outcomes: Sequence[tuple[str, str, str]]
    note: str
    config: Sequence[tuple[str, str, str, bool]]
    json: str


def cards(history: History, views: Sequence[ModelView]) -> list[Card]:
    """The configurations to show side by side; none without a feasible trial."""
    if not history.feasible:
        return []
    chosen = _chosen(history, views)
    names = list(chosen)
    return [
        Card(
            heading=f"{heading}: trial {trial.number}",
            outcomes=[_outcome(trial, name) for name in trial.outcomes],
            note=_note(history, views, trial),
            config=_config(trial, chosen[names[0]]),
            json=json.dumps(dict(trial.config), ensure_ascii=False, indent=2),
        )
        for heading, trial in chosen.items()
    ]


def _chosen(history: History, views: Sequence[ModelView]) -> dict[str, Trial]:
    """The trials by what they are; one that is two things once."""
    objectives = history.problem.objectives
    if len(objectives) == 1:
        best = history.best
        if not views:
            return {"Best": best}
        recommended = recommend(history, views[0].model)
        if recommended.number == best.number:
            return {"Best and recommended": best}
        return {"Best observed": best, "Recommended": recommended}
    found = {"Compromise": knee(history)}
    for objective in objectives:
        sign, name = objective.sign, objective.name
        best = min(history.front, key=lambda t: (sign * (t.outcomes[name] or 0.0), t.number))
        if best.number not in [trial.number for trial in found.values()]:
            found[f"{'Highest' if sign < 0 else 'Lowest'} {name}"] = best
    return found


def _outcome(trial: Trial, name: str) -> tuple[str, str, str]:
    value, std = trial.outcomes[name], trial.noise.get(name)
    if value is None:
        return name, "not measured", ""
    return name, number(value) + (f" ± {number(std, 2)}" if std else ""), repr(value)


def _note(history: History, views: Sequence[ModelView], trial: Trial) -> str:
    """What the model expects of a single objective."""
    if not views or len(history.problem.objectives) > 1:
        return ""
    view = views[0]
    low, median, high = (
        view.sign * float(q)
        for q in view.model.quantiles_at(history.encode([trial]), QUANTILES)[:, 0]
    )
    low, high = sorted((low, high))
    return (
        f"Without noise, the model expects {number(median, 4)} ({number(low, 4)} to "
        f"{number(high, 4)})."
    )


QUANTILES = (0.05, 0.5, 0.95)


def _config(trial: Trial, first: Trial) -> list[tuple[str, str, str, bool]]:
    """Names, values, whole values, and whether they differ from the first card's."""
    rows = []
    for name, value in trial.config.items():
        text = shown(value)
        exact = repr(value) if isinstance(value, float) else text
        same = name in first.config and shown(first.config[name]) == text
        rows.append((name, cut(text, LONGEST), exact, not same))
    return rows
