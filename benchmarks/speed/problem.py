"""The data of a timed step: n observations of one fixed function in the unit cube."""

from __future__ import annotations

import numpy as np

DATA_SEED = 20201203
"""Any number; fixed, so that every package and every repeat sees the same points."""

NOISE_STD = 0.01
RIPPLE = 0.1
RIPPLE_FREQUENCY = 12.0


def observations(n: int, d: int) -> dict[str, list[list[float]] | list[float]]:
    """``points`` (n rows of d coordinates) and their ``values``, ready for JSON.

    The function is a bowl with ripples, ``sum (x - 0.3)^2 + 0.1 sin(12 x)``, plus noise:
    smooth, with many local minima.

    Examples
    --------
    >>> data = observations(3, 2)
    >>> len(data["points"]), len(data["values"])
    (3, 3)
    """
    rng = np.random.default_rng([DATA_SEED, n, d])
    points = rng.random((n, d))
    bowl = np.sum((points - 0.3) ** 2 + RIPPLE * np.sin(RIPPLE_FREQUENCY * points), axis=1)
    values = bowl + NOISE_STD * rng.standard_normal(n)
    return {"points": points.tolist(), "values": values.tolist()}
