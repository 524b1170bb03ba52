"""How far a study is, as plain facts: for the display, for `status` and for `best`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from warpfront.cli.measured import Found, best_of, is_feasible, objectives, outcomes_of
from warpfront.cli.shown import number, outcomes, plain
from warpfront.cli.study import OpenStudy
from warpfront.cli.trials import HAND, OWNER, REASON, Overview
from warpfront.dataset import Dataset
from warpfront.errors import ConfigurationError
from warpfront.goals import Goals
from warpfront.optimizers.hebo import recommend
from warpfront.space import Configuration
from warpfront.surrogate.models import fit_models


@dataclass(frozen=True)
class Progress:
    """A study at one moment.

    Attributes
    ----------
    name, goals
        The study, and what is measured and wanted.
    budget
        How many trials it is to have; None if nobody has said it.
    completed, failed, running, by_hand, waiting
        How many trials are in which state; trials that were tried again count once.
    infeasible
        How many of the completed ones violate a bound, or do not say.
    best, configs
        The best feasible trial so far, of several objectives the Pareto front, and their
        configurations; empty without any.
    curve
        The best value after each completed trial; empty for several objectives.
    failure
        The last failure: number and reason.
    """

    name: str
    goals: Goals
    budget: int | None
    completed: int
    failed: int
    running: int
    by_hand: int
    waiting: int
    infeasible: int
    best: Sequence[Found]
    configs: Sequence[Configuration]
    curve: Sequence[float]
    failure: tuple[int, str] | None

    @property
    def finished(self) -> int:
        """How many trials have ended, well or not."""
        return self.completed + self.failed

    @cached_property
    def has_front(self) -> bool:
        """Whether there are several objectives."""
        return len(objectives(self.goals)) > 1

    def headline(self) -> str:
        """The best on one line."""
        if not self.best:
            if self.infeasible:
                violate = "violates" if self.infeasible == 1 else "violate"
                return f"no feasible trial yet ({self.infeasible} {violate} a bound)"
            return "no success yet"
        if not self.has_front:
            (best,) = self.best
            return f"best {outcomes(best.outcomes)} (trial {best.number})"
        ranges = []
        for goal in objectives(self.goals):
            values = [float(one.outcomes[goal.name] or 0.0) for one in self.best]
            low, high = number(min(values)), number(max(values))
            ranges.append(f"{plain(goal.name)} {low}" + (f" to {high}" if low != high else ""))
        trials = "trial" if len(self.best) == 1 else "trials"
        return f"front of {len(self.best)} {trials}: {', '.join(ranges)}"

    def found(self) -> list[dict[str, Any]]:
        """The best trials as plain JSON data."""
        return [
            {"trial": one.number, **one.outcomes, "config": config}
            for one, config in zip(self.best, self.configs, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain JSON data."""
        found = self.found()
        best = {"front": found} if self.has_front else {"best": found[0] if found else None}
        failure = None
        if self.failure is not None:
            failure = {"trial": self.failure[0], "reason": self.failure[1]}
        bounded = {"infeasible": self.infeasible} if self.infeasible else {}
        return {
            "study": self.name,
            "trials": self.budget,
            "completed": self.completed,
            **bounded,
            "failed": self.failed,
            "running": self.running,
            "by_hand": self.by_hand,
            "waiting": self.waiting,
            **best,
            "last_failure": failure,
        }


def progress_of(opened: OpenStudy, overview: Overview, budget: int | None) -> Progress:
    """How far a study is."""
    done = overview.of_state(TrialState.COMPLETE, TrialState.PRUNED)
    failed = overview.of_state(TrialState.FAIL)
    running = overview.of_state(TrialState.RUNNING)
    by_hand = sum(bool(t.user_attrs.get(HAND)) for t in running)
    found = opened.measured(done)
    best = best_of(found, opened.goals)
    feasible = [is_feasible(one.outcomes, opened.goals) for one in found]
    failure = None
    if failed:
        failure = (
            failed[-1].number,
            plain(str(failed[-1].user_attrs.get(REASON, "the trial failed"))),
        )
    return Progress(
        name=opened.name,
        goals=opened.goals,
        budget=budget,
        completed=len(done),
        failed=len(failed),
        running=len(running) - by_hand,
        by_hand=by_hand,
        waiting=len(overview.of_state(TrialState.WAITING)),
        infeasible=feasible.count(False),
        best=best,
        configs=[_config(opened, one.trial) for one in best],
        curve=_curve(opened.goals, found, feasible),
        failure=failure,
    )


def _config(opened: OpenStudy, trial: FrozenTrial) -> Configuration:
    try:
        return opened.configuration(trial)
    except ConfigurationError:  # of another program, in another space
        return dict(trial.params)


def recommendation_of(opened: OpenStudy) -> dict[str, Any] | None:
    """The trial of the best posterior mean, as the best one is shown; None without a success."""
    history = opened.history()
    if not history.feasible:
        return None
    with np.errstate(under="ignore"):
        models = fit_models(Dataset.of(history), opened.settings, opened.seed)
        found = recommend(history, models.model)
    return {"trial": found.number, **found.outcomes, "config": dict(found.config)}


def _curve(goals: Goals, found: Sequence[Found], feasible: Sequence[bool]) -> list[float]:
    """The best value after each feasible trial, in the order in which they ended."""
    objective, *others = objectives(goals)
    if others:
        return []
    ended = [
        (one.trial.datetime_complete, one.number, value)
        for one, good in zip(found, feasible, strict=True)
        if good and one.trial.datetime_complete
        if (value := one.outcomes.get(objective.name)) is not None
    ]
    better = max if objective.sign < 0 else min
    curve: list[float] = []
    for *_, value in sorted(ended):
        curve.append(better([value, *curve[-1:]]))
    return curve


def describe_rest(progress: Progress) -> str:
    """What is left of a study although its workers have nothing more to do."""
    left = (progress.budget or 0) - progress.finished
    who = {"people": progress.by_hand, "other programs": progress.running}
    shown = " and ".join(f"{n} by {name}" for name, n in who.items() if n)
    return f"{left} of {progress.budget} trials left" + (f", {shown}" if shown else "")


def describe_spent(progress: Progress) -> str | None:
    """How to go on when all trials of a study have failed; None if some are left, or have not."""
    n = progress.failed
    if progress.completed or n < (progress.budget or 0):
        return None
    return (
        f"all {n} trials of the study {progress.name!r} have failed and are spent: once the cause "
        f"is mended, begin anew with --name NEW, or evaluate more with --trials {2 * n}"
    )


def describe_beyond(overview: Overview) -> str | None:
    """What to do about trials that were enqueued when the budget was spent; None without any."""
    n = len(overview.beyond())
    if not n:
        return None
    trials, them = ("trial is", "it") if n == 1 else ("trials are", "them")
    return (
        f"{n} enqueued {trials} beyond the budget; --trials {overview.places} evaluates {them} too"
    )


def owner_of(trial: FrozenTrial) -> int | None:
    """The number of the process that evaluates a trial."""
    owner = trial.user_attrs.get(OWNER)
    pid = owner.get("pid") if isinstance(owner, dict) else None
    return pid if isinstance(pid, int) else None


def line_of(trial: FrozenTrial, goals: Goals) -> str:
    """A trial that has ended, in a line: what was measured, or why it failed."""
    found = outcomes_of(trial, goals)
    if not found:
        reason = plain(str(trial.user_attrs.get(REASON, "no reason given")))
        return f"trial {trial.number}: failed, {reason}"
    violates = "" if is_feasible(found, goals) else ", violates a bound"
    return f"trial {trial.number}: {outcomes(found)}{violates}"
