"""By acquisition: the paper's share of the trials, with the acquisition that the settings name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.proposers.context import Context
from warpfront.proposers.greedy import greedy
from warpfront.proposers.pareto import pareto

Floats = NDArray[np.float64]


def by_acquisition(context: Context, n: int, rng: np.random.Generator) -> Floats:
    """Points of the ensemble's Pareto front, or a greedy batch by one acquisition.

    Several objectives have their own front, whatever the acquisition.
    """
    several = len(context.models.objectives) > 1
    if several or context.settings.acquisition == "ensemble":
        return pareto(context, n, rng)
    return greedy(context, n, rng)
