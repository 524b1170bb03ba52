"""The summary: what was found, in sentences that are said only where the data support them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from warpfront.analysis.failures import common_reason, failure_region
from warpfront.analysis.model_view import ModelView
from warpfront.analysis.region import best_region
from warpfront.analysis.texts import listed, number
from warpfront.decision import knee
from warpfront.goals import DEFAULT_NAME, Bound
from warpfront.history import History
from warpfront.trial import Trial

LITTLE = 0.5
"""Below this leave-one-out R² nothing is said that rests on the model."""
MATTERS = 0.1
"""A parameter with a smaller share of the variation is not mentioned."""
MENTIONED = 3
NEGLIGIBLE = 0.01
"""An expected gain below this share of the range of the better half is little."""


def sentences(history: History, views: Sequence[ModelView], gain: float | None) -> list[str]:
    """What was found, the most important first.

    Parameters
    ----------
    history
        What was tried.
    views
        The models of the outcomes, as far as there are any.
    gain
        What one more trial is expected to gain; None: not known.
    """
    found = [*_standing(history), *_bounds(history)]
    trusted = [view for view in views if view.explained >= LITTLE]
    for view in trusted:
        found += _importance(view, len(views) > 1)
    found += _failures(history)
    if gain is not None and views and views[0] in trusted:
        found += _gain(history, gain)
    found += _doubts([view for view in views if view not in trusted])
    return found


def outcomes_text(trial: Trial) -> str:
    """The outcomes of a trial in one line.

    Examples
    --------
    >>> outcomes_text(Trial(0, {}, "completed", {"loss": 0.25, "time": None}))
    'loss 0.25, time not measured'
    """
    parts = (
        f"{name} {'not measured' if value is None else number(value)}"
        for name, value in trial.outcomes.items()
    )
    return ", ".join(parts)


def _standing(history: History) -> list[str]:
    """The best trial or the front, and when it was found."""
    if not history.evaluated:
        return ["No trial has ended yet."]
    if not history.completed:
        return ["No trial has completed yet, so there is no best one."]
    if not history.feasible:
        return []  # the bounds say it
    objectives, told = history.problem.objectives, len(history.evaluated)
    if len(objectives) > 1:
        front = history.front
        trials = "trial forms" if len(front) == 1 else "trials form"
        middle = knee(history)
        return [
            f"{len(front)} of {told} {trials} the Pareto front: no trial is better in all of "
            f"{_and([o.name for o in objectives])}. A compromise is trial {middle.number}: "
            f"{outcomes_text(middle)}."
        ]
    best, objective = history.best, objectives[0]
    extreme = "highest" if objective.sign < 0 else "lowest"
    place = 1 + [t.number for t in history.evaluated].index(best.number)
    after = f"It was reached after {place} of {told} trials"
    if place == told > 1:
        after = f"The last of {told} trials reached it, so the search has not settled yet"
    return [
        f"The {extreme} {objective.name} is {number(best.value or 0.0)}, in trial {best.number}. "
        f"{after}."
    ]


def _bounds(history: History) -> list[str]:
    """How many trials keep the bounds, and which is broken most often."""
    bounds, completed = history.problem.bounds, history.completed
    if not bounds or not completed:
        return []
    kept = sum(history.is_feasible(trial) for trial in completed)
    text = f"{kept or 'None'} of {len(completed)} completed trials keep{'s' * (kept == 1)} "
    text += f"{'the bound' if len(bounds) == 1 else 'all bounds'}"
    broken = {bound: sum(_breaks(bound, trial) for trial in completed) for bound in bounds}
    worst = max(bounds, key=lambda bound: broken[bound])
    if len(bounds) > 1 and broken[worst]:
        text += f"; {bound_text(worst)} is broken most often, by {broken[worst]}"
    elif len(bounds) == 1:
        text += f" {bound_text(worst)}"
    return [f"{text}."]


def bound_text(bound: Bound) -> str:
    """A bound as users write it.

    Examples
    --------
    >>> from warpfront import AtMost
    >>> bound_text(AtMost("memory", 512))
    'memory ≤ 512'
    """
    return f"{bound.name} {'≤' if bound.sign > 0 else '≥'} {number(bound.bound)}"


def called(name: str) -> str:
    """An outcome in a sentence: its name, or "the value" if it has none of its own.

    Examples
    --------
    >>> called("loss"), called("value")
    ('loss', 'the value')
    """
    return f"the {name}" if name == DEFAULT_NAME else name


def _breaks(bound: Bound, trial: Trial) -> bool:
    value = trial.outcomes.get(bound.name)
    return value is not None and not bound.holds(value)


def _importance(view: ModelView, say_of_what: bool) -> list[str]:
    """Which parameters matter, and where the best values of them lie."""
    total = view.importance.total
    chosen = [j for j in view.order if total[j] >= MATTERS][:MENTIONED]
    if not chosen:
        return []
    names = view.space.names
    of = f" for {view.goal.name}" if say_of_what else ""
    first = names[chosen[0]]
    others = [f"{names[j]} ({_percent(total[j])})" for j in chosen[1:]]
    then = f", then {_and(others)}" if others else ""
    share = f"involved in {_percent(total[chosen[0]])} of the variation"
    text = f"{first} matters most{of} ({share}){then}."
    if len(view.order) == 1:
        text = ""
    where = [] if view.is_bound else [best_region(view, j) for j in chosen]
    known = [region for region in where if region is not None]
    if known:
        text += f" The best values: {'; '.join(known)}."
    return [text.strip()] if text else []


def _failures(history: History) -> list[str]:
    failed = len(history.of_state("failed"))
    if not failed:
        return []
    told = len(history.evaluated)
    text = f"{failed} of {told} trials failed"
    region = failure_region(history)
    if region is not None:
        share = "all" if region.failed == failed else f"{region.failed} of them"
        text += f", {share} with {region.condition}"
        if region.completed:
            text += f" (where {region.completed} others completed)"
    reason = common_reason(history)
    if reason is not None and reason[0]:
        which = "the reason" if reason[1] == failed else f"the most common reason ({reason[1]})"
        text += f"; {which}: {reason[0].rstrip('.')}"
    return [f"{text}."]


def _gain(history: History, gain: float) -> list[str]:
    """What one more trial may bring."""
    objectives = history.problem.objectives
    if len(objectives) > 1:
        what = "the hypervolume of the front"
        if gain < NEGLIGIBLE:
            return [f"Little is left to gain: one more trial would add less than 1 % to {what}."]
        return [f"One more trial is expected to add about {100 * gain:.2g} % to {what}."]
    values = np.array([t.value for t in history.feasible], dtype=float)
    losses = np.sort(objectives[0].sign * values)
    spread = float(losses[len(losses) // 2] - losses[0])
    about = f"improve {called(objectives[0].name)} by about {number(gain, 1)}"
    if gain < NEGLIGIBLE * spread:
        return [f"Little is left to gain: one more trial is expected to {about}."]
    return [f"One more trial is expected to {about}."]


def _doubts(views: Sequence[ModelView]) -> list[str]:
    """Which models are not to be trusted."""
    if not views:
        return []
    names = listed([called(view.goal.name) for view in views])
    return [
        f"The model explains little of {names} (an R² of {views[0].explained:.2f} on trials left "
        "out), so that the page says nothing on what matters for it: take its figures as hints."
    ]


def _percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def _and(items: Sequence[str]) -> str:
    """Items in one line, with an "and" before the last.

    Examples
    --------
    >>> _and(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))
