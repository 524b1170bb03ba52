"""How far a study is, as plain facts: for the display, for `status` and for `best`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from warpfront.cli.study import OpenStudy
from warpfront.cli.trials import HAND, OWNER, REASON, Overview
from warpfront.dataset import Dataset
from warpfront.errors import ConfigurationError
from warpfront.integrations.optuna import load_history
from warpfront.optimizers.hebo import recommend
from warpfront.space import Configuration
from warpfront.surrogate.models import fit_models

BARS = "▁▂▃▄▅▆▇█"
WIDTH = 32
"""How many characters a sparkline has at most."""
START = 0.125
"""The sparkline leaves out this first share: the first values are often so bad that all others
would look the same beside them."""


@dataclass(frozen=True)
class Progress:
    """A study at one moment.

    Attributes
    ----------
    name, metric
        The study, and what its values are called.
    budget
        How many trials it is to have; None if nobody has said it.
    completed, failed, running, by_hand, waiting
        How many trials are in which state; trials that were tried again count once.
    best, config
        The best trial so far and its configuration; None without a success.
    curve
        The best value after each completed trial.
    failure
        The last failure: number and reason.
    """

    name: str
    metric: str
    budget: int | None
    completed: int
    failed: int
    running: int
    by_hand: int
    waiting: int
    best: FrozenTrial | None
    config: Configuration | None
    curve: Sequence[float]
    failure: tuple[int, str] | None

    @property
    def finished(self) -> int:
        """How many trials have ended, well or not."""
        return self.completed + self.failed

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain JSON data."""
        best = None
        if self.best is not None:
            best = {"trial": self.best.number, self.metric: self.best.value, "config": self.config}
        failure = None
        if self.failure is not None:
            failure = {"trial": self.failure[0], "reason": self.failure[1]}
        return {
            "study": self.name,
            "trials": self.budget,
            "completed": self.completed,
            "failed": self.failed,
            "running": self.running,
            "by_hand": self.by_hand,
            "waiting": self.waiting,
            "best": best,
            "last_failure": failure,
        }


def progress_of(opened: OpenStudy, overview: Overview, budget: int | None) -> Progress:
    """How far a study is."""
    done = overview.of_state(TrialState.COMPLETE, TrialState.PRUNED)
    failed = overview.of_state(TrialState.FAIL)
    running = overview.of_state(TrialState.RUNNING)
    by_hand = sum(HAND in t.user_attrs for t in running)
    best = opened.best(done)
    config = None
    if best is not None:
        try:
            config = opened.configuration(best)
        except ConfigurationError:  # of another program, in another space
            config = dict(best.params)
    failure = None
    if failed:
        failure = failed[-1].number, str(failed[-1].user_attrs.get(REASON, "the trial failed"))
    return Progress(
        name=opened.name,
        metric=opened.metric,
        budget=budget,
        completed=len(done),
        failed=len(failed),
        running=len(running) - by_hand,
        by_hand=by_hand,
        waiting=len(overview.of_state(TrialState.WAITING)),
        best=best,
        config=config,
        curve=_curve(done, opened.maximize),
        failure=failure,
    )


def recommendation_of(opened: OpenStudy) -> dict[str, Any] | None:
    """The trial of the best posterior mean, as the best one is shown; None without a success."""
    history = load_history(opened.study, opened.space)
    if not history.completed:
        return None
    with np.errstate(under="ignore"):
        models = fit_models(Dataset.of(history), opened.settings, opened.seed)
        found = recommend(history, models.model)
    return {"trial": found.number, opened.metric: found.value, "config": dict(found.config)}


def _curve(done: Sequence[FrozenTrial], maximize: bool) -> list[float]:
    """The best value after each trial, in the order in which they ended."""
    better = max if maximize else min
    curve: list[float] = []
    ended = [t for t in done if t.value is not None and t.datetime_complete is not None]
    for trial in sorted(ended, key=lambda t: (t.datetime_complete, t.number)):
        curve.append(better([trial.values[0], *curve[-1:]]))
    return curve


def sparkline(curve: Sequence[float]) -> str:
    """A curve as a row of bars.

    Examples
    --------
    >>> sparkline([8, 4, 2, 1, 1])
    '█▄▂▁▁'
    >>> sparkline([3, 3]), sparkline([])
    ('▁▁', '')
    """
    shown = list(curve)[int(START * len(curve)) :]
    if len(shown) > WIDTH:
        shown = [shown[round(i * (len(shown) - 1) / (WIDTH - 1))] for i in range(WIDTH)]
    low, high = min(shown, default=0.0), max(shown, default=0.0)
    span = high - low
    if not 0 < span < float("inf"):
        return BARS[0] * len(shown)
    return "".join(BARS[min(int((v - low) / span * len(BARS)), len(BARS) - 1)] for v in shown)


def show_config(config: Configuration | None) -> str:
    """A configuration on one line.

    Examples
    --------
    >>> show_config({"rate": 0.001, "kind": "relu"})
    'rate=0.001  kind=relu'
    """
    return "  ".join(f"{name}={value}" for name, value in (config or {}).items())


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
