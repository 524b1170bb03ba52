"""The one trial that pages show first: the best, or a compromise where there are several goals."""

from __future__ import annotations

from warpfront.decision import knee
from warpfront.history import History
from warpfront.trial import Trial


def compromise(history: History) -> Trial:
    """The trial of the front that is closest to the best of all objectives at once.

    Each objective is scaled to its range over the front.

    Examples
    --------
    >>> from warpfront import Minimize, Real, Space
    >>> from warpfront.problem import Problem
    >>> history = History(Problem(Space(x=Real(0, 1)), (Minimize("a"), Minimize("b"))))
    >>> points = [(0.0, 0.0, 9.0), (0.5, 1.0, 1.0), (1.0, 9.0, 0.0)]
    >>> history = history.tell([(None, {"x": x}, {"a": a, "b": b}) for x, a, b in points])
    >>> compromise(history).config
    {'x': 0.5}
    """
    return knee(history)


def centre(history: History) -> Trial:
    """The configuration through which figures go: the best, the compromise of several objectives.

    Without a feasible trial it is the best of all by the first objective.
    """
    objectives = history.problem.objectives
    if history.feasible:
        return history.best if len(objectives) == 1 else compromise(history)
    first = objectives[0]
    known = [t for t in history.completed if t.outcomes.get(first.name) is not None]
    return min(known, key=lambda t: (first.sign * float(t.outcomes[first.name] or 0.0), t.number))
