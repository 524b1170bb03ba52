"""The first points: scrambled Sobol, one sequence for each seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.history import History
from warpfront.search.batch import fill_up, untried
from warpfront.search.domain import Domain
from warpfront.space.encoding import row_keys

Floats = NDArray[np.float64]


def tried_keys(history: History) -> set[bytes]:
    """Keys of all configurations that were told or are pending; withdrawn ones may come again."""
    rows = np.vstack([history.observations[0], history.failures, history.pending])
    return set(row_keys(rows))


def initial_design(
    history: History, n: int, seed: int, domain: Domain, number: int | None = None
) -> Floats:
    """Encoded rows number, ..., number + n - 1 of the seed's Sobol sequence, untried ones."""
    number = len(history) if number is None else number
    rows = domain.canonical(history.space.sample_encoded(n, seed, skip=number))
    tried = tried_keys(history)
    rng = np.random.default_rng([seed, number])
    return fill_up(rows[untried(rows, tried)], n, domain, tried, rng)
