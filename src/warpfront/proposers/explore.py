"""Explore: uniform configurations, whatever the models predict."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.proposers.context import Context

Floats = NDArray[np.float64]


def explore(context: Context, n: int, rng: np.random.Generator) -> Floats:
    """Independent uniform configurations."""
    domain = context.domain
    return context.fresh(domain.canonical(domain.uniform(n, rng)))
