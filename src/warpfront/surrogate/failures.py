"""Penalties: losses that stand for failures.

Who cannot tell NaN tells 1e6. Where many losses are such, no transform leaves the others a
difference; so they count as what they mean.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from warpfront.dataset import Dataset

Floats = NDArray[np.float64]

SHARED_BY_TRIALS, GAP_SHARE, OTHER_TRIALS = 3, 0.1, 4
"""A penalty is the loss of so many trials at least; all other losses, so many at least, lie within
this share of their gap to it."""


def penalty_level(y: Floats) -> float:
    """The least loss that is a penalty; infinite if none is.

    A penalty is the worst loss, far above all others, of several trials. There may be several, one
    above the other.

    Examples
    --------
    >>> penalty_level(np.array([0.1, 0.2, 0.3, 0.4, 1e6, 1e6, 1e6]))
    1000000.0
    >>> penalty_level(np.array([0.1, 0.2, 0.3, 0.4, 0.5]))
    inf
    """
    losses = np.sort(y)
    quarter = 0.25 * losses  # so that no difference can overflow
    others = len(losses)
    while (
        others
        and (below := int(np.searchsorted(quarter[:others], quarter[others - 1]))) >= OTHER_TRIALS
    ):
        apart, gap = quarter[below - 1] - quarter[0], quarter[below] - quarter[below - 1]
        if not 0.0 < apart < GAP_SHARE * gap or others - below < SHARED_BY_TRIALS:
            break
        others = below
    return float(losses[others]) if others < len(losses) else np.inf


def penalties_as_failures(data: Dataset) -> Dataset:
    """The data in which evaluations that gave a penalty have failed.

    Only for one objective, the first outcome. A configuration that also succeeded keeps the losses
    that are none.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> from warpfront.history import History
    >>> told = [(None, {"x": x}, x if x < 0.5 else 1e6) for x in np.linspace(0, 1, 8)]
    >>> data = Dataset.of(History(Space(x=Real(0, 1))).tell(told))
    >>> len(penalties_as_failures(data).failed)
    4
    """
    objective = data.objective
    if len(data.problem.objectives) > 1 or len(objective) == 0:
        return data
    kept = objective.y < penalty_level(objective.y)
    if kept.all():
        return data
    seen, fine = np.zeros((2, len(data.X)), dtype=bool)
    seen[objective.row], fine[objective.row[kept]] = True, True
    cleaned = replace(data, outcomes=(objective.where(kept), *data.outcomes[1:]))
    failed = np.vstack([data.failed, data.X[objective.row[~kept]]])  # a row for each evaluation
    return replace(
        cleaned.with_failures(seen & ~fine), failed=np.asarray(failed[np.lexsort(failed.T)])
    )
