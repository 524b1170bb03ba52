"""Thompson sampling among candidates: each place of a batch takes the best of one joint sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.surrogate.gp import GaussianProcess

Floats = NDArray[np.float64]


def thompson(gp: GaussianProcess, X: Floats, n: int, rng: np.random.Generator) -> list[int]:
    """Indices of distinct candidates, at most n of X (m, d).

    Each is where one joint sample of the latent function is least, those chosen before left out.
    """
    chosen: list[int] = []
    if len(X) == 0:
        return chosen
    for sample in gp.sample(X, min(n, len(X)), rng):
        sample[chosen] = np.inf
        chosen.append(int(np.argmin(sample)))
    return chosen
