"""What was measured, as far as it is feasible, and the best of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.surrogate.model import Model

Floats = NDArray[np.float64]


def feasible_rows(model: Model) -> Floats:
    """Distinct measured configurations within the bounds, (n, d); all measured ones if none is.

    Examples
    --------
    >>> from warpfront import HEBO, AtMost, Minimize, Real, Space
    >>> goals = [Minimize("loss"), AtMost("size", 1)]
    >>> optimizer = HEBO(Space(x=Real(0, 1)), goals=goals, seed=0)
    >>> for x in (0.2, 0.6, 0.8):
    ...     optimizer.tell({"x": x}, {"loss": 1 - x, "size": 2 * x})
    >>> feasible_rows(optimizer.model)
    array([[0.2]])
    """
    return np.asarray(model.data.X[_places(model)])


def incumbent(model: Model) -> Floats:
    """The best configuration that was measured, by the mean of its targets, encoded, (d,).

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> for x in (0.2, 0.6, 0.8):
    ...     optimizer.tell({"x": x}, (x - 0.5) ** 2)
    >>> incumbent(optimizer.model)
    array([0.6])
    """
    observed, places = model.observed, _places(model)
    mean = observed.mean_of(model.transform(observed.y))[np.isin(observed.rows, places)]
    return np.asarray(model.data.X[places[int(np.argmin(mean))]])


def _places(model: Model) -> NDArray[np.intp]:
    rows = model.observed.rows
    within = rows[model.data.feasible[rows]]
    return within if len(within) else rows
