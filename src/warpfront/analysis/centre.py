"""The one trial that figures show first: the best, or a compromise of several goals."""

from __future__ import annotations

from warpfront.decision import knee
from warpfront.history import History
from warpfront.trial import Trial


def centre(history: History) -> Trial:
    """The configuration through which figures go: the best, or the knee of several objectives.

    Without a feasible trial it is the best of all by the first objective.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> history = History(Space(x=Real(0, 1)))
    >>> centre(history.tell([(None, {"x": x}, x) for x in (0.5, 0.2, 0.7)])).number
    1
    """
    objectives = history.problem.objectives
    if history.feasible:
        return history.best if len(objectives) == 1 else knee(history)
    first = objectives[0]
    known = [t for t in history.completed if t.outcomes.get(first.name) is not None]
    return min(known, key=lambda t: (first.sign * float(t.outcomes[first.name] or 0.0), t.number))
