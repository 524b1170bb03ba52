"""What stands under the title: date, duration, version, and the size of the study."""

from __future__ import annotations

from collections.abc import Sequence

from warpfront.analysis.times import Times, duration
from warpfront.goals import Bound, Goal
from warpfront.history import History
from warpfront.report.summary import bound_text


def describe_times(times: Times | None) -> list[str]:
    """The date and the duration, as far as they are known.

    Examples
    --------
    >>> describe_times(Times({0: (0.0, 90.0)}))
    ['took 1 min 30 s']
    """
    if times is None:
        return []
    found = []
    if times.began is not None:
        found.append(times.began.strftime("%d %b %Y, %H:%M").lstrip("0"))
    return [*found, f"took {duration(times.total)}"]


def describe_size(history: History, stated: Sequence[str]) -> list[str]:
    """How large the study is, and what it is made of."""
    trials = f"{len(history)} trial{'s' if len(history) != 1 else ''}"
    width = f"{len(history.space)} parameter{'s' if len(history.space) != 1 else ''}"
    goals = ", ".join(_goal_text(goal) for goal in history.problem.goals)
    return [*stated, trials, width, goals]


def _goal_text(goal: Goal) -> str:
    if isinstance(goal, Bound):
        return bound_text(goal)
    return f"{goal.kind} {goal.name}"
