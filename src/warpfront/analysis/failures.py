"""Where evaluations failed: the one condition on a parameter that most failures have in common."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from warpfront.analysis.texts import cut, number, shown
from warpfront.history import History
from warpfront.space import Categorical, Ordinal, Parameter

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

LEAST = 3
"""Of fewer failures nothing is said."""
MOST_BY_CHANCE = 0.05
"""A condition is only reported if chance finds one like it more seldom than this."""
COMMON = 0.8
"""It holds for at least this share of the failures."""


@dataclass(frozen=True)
class FailureRegion:
    """A condition that most failed trials meet, and few others.

    Attributes
    ----------
    condition
        In words, such as ``"depth above 10"``.
    failed, completed
        How many failed and completed trials meet it.
    """

    condition: str
    failed: int
    completed: int


def failure_region(history: History) -> FailureRegion | None:
    """The condition that tells failures from successes best; None if none is beyond chance.

    Examples
    --------
    >>> from warpfront import Integer, Space
    >>> space = Space(depth=Integer(1, 12))
    >>> told = [(None, {"depth": d}, None if d > 10 else 1.0) for d in 3 * list(range(1, 13))]
    >>> failure_region(History(space).tell(told))
    FailureRegion(condition='depth above 10', failed=6, completed=0)
    """
    trials = list(history.evaluated)
    has_failed = np.array([trial.state == "failed" for trial in trials], dtype=bool)
    if has_failed.sum() < LEAST or has_failed.all():
        return None
    encoding = history.space.encoding
    X = history.encode(trials)
    active = encoding.active(X)
    found: list[tuple[float, FailureRegion]] = []
    for j, (name, parameter) in enumerate(zip(encoding.names, encoding.parameters, strict=True)):
        conditions = _conditions(parameter, X[:, j], active[:, j], has_failed)
        for condition, inside in conditions:
            k, failed = int(has_failed.sum()), int((inside & has_failed).sum())
            if failed < COMMON * k:
                continue
            chance = float(hypergeom.sf(failed - 1, len(trials), k, int(inside.sum())))
            chance *= len(encoding.names) * len(conditions)  # so many were looked at
            region = FailureRegion(f"{name} {condition}", failed, int(inside.sum()) - failed)
            found.append((chance, region))
    found = [(chance, region) for chance, region in found if chance < MOST_BY_CHANCE]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def common_reason(history: History) -> tuple[str, int] | None:
    """The reason that most failures give, and how many; None without a failure.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> history = History(Space(x=Real(0, 1))).tell([(None, {"x": 0.5}, OSError("disk full"))])
    >>> common_reason(history)
    ('OSError: disk full', 1)
    """
    reasons = Counter(cut(t.reason or "", 120) for t in history.of_state("failed"))
    return reasons.most_common(1)[0] if reasons else None


def _conditions(
    parameter: Parameter, x: Floats, active: Bools, has_failed: Bools
) -> list[tuple[str, Bools]]:
    """Conditions on one parameter in words, and which trials (n,) meet each."""
    if parameter.is_category:
        codes = np.unique(x[active & has_failed]).tolist()
        return [(f"= {shown(parameter.decode(c))}", active & (x == c)) for c in codes]
    found = []
    for at in np.unique(x[active & has_failed]).tolist():
        above, below = active & (x >= at), active & (x <= at)
        if not above[active].all():
            outside = float(x[active & (x < at)].max())
            found.append((_side(parameter, outside, at, "above"), above))
        if not below[active].all():
            outside = float(x[active & (x > at)].min())
            found.append((_side(parameter, outside, at, "below"), below))
    return found


def _side(parameter: Parameter, outside: float, inside: float, side: str) -> str:
    """One side of a limit between the last position outside and the first inside."""
    near = parameter.decode(inside)
    if isinstance(parameter, (Categorical, Ordinal)):
        return f"from {shown(near)} on" if side == "above" else f"up to {shown(near)}"
    if isinstance(near, int):
        return f"{side} {near - 1 if side == 'above' else near + 1}"
    far = parameter.decode(outside)
    low, high = sorted((float(near), float(far)))
    middle = float(parameter.decode((inside + outside) / 2.0))
    return f"{side} {_short(middle, low, high)}"


def _short(middle: float, low: float, high: float) -> str:
    """The shortest number strictly between two others, near the middle."""
    for digits in range(1, 17):
        if low < float(f"{middle:.{digits}g}") < high:
            return number(middle, digits)
    return number(middle, 17)
