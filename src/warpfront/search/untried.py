"""Points that were not tried before, as long as there are any."""

from __future__ import annotations

from collections.abc import Set

import numpy as np
from numpy.typing import NDArray

from warpfront.search.domain import Domain
from warpfront.space.encoding import row_keys

Floats = NDArray[np.float64]

ENUMERATE_UP_TO = 4096
"""A finite domain of at most this size is listed, not sampled, when it is nearly used up."""
ATTEMPTS = 8
"""How often a larger domain is sampled, each time for twice as many configurations, before
repeats are allowed."""


def untried(X: Floats, tried: Set[bytes]) -> NDArray[np.intp]:
    """Indices of the first occurrences of rows of X (n, d) whose keys are not in ``tried``.

    Examples
    --------
    >>> X = np.array([[0.1], [0.2], [0.1]])
    >>> untried(X, set(row_keys(X[1:2])))
    array([0])
    """
    keys = row_keys(X)
    firsts = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
    return np.array(sorted(firsts[key] for key in firsts.keys() - tried), dtype=np.intp)


def fill_up(
    batch: Floats, q: int, domain: Domain, tried: Set[bytes], rng: np.random.Generator
) -> Floats:
    """Complete a batch to q rows: quasi-random untried ones; repeats where there are none."""
    for attempt in range(ATTEMPTS):
        if len(batch) >= q:
            return batch[:q]
        if domain.size <= ENUMERATE_UP_TO:
            rows = domain.enumerate()
            rows = rows[rng.permutation(len(rows))]
        else:
            rows = domain.canonical(domain.sobol(q << attempt, rng))
        fresh = untried(rows, tried | set(row_keys(batch)))
        batch = np.vstack([batch, rows[fresh]])
        if domain.size <= ENUMERATE_UP_TO:
            break
    # The space is used up: repeats are replicated observations.
    repeats = domain.canonical(domain.uniform(max(0, q - len(batch)), rng))
    return np.vstack([batch, repeats])[:q]


def used_up(domain: Domain, tried: Set[bytes]) -> bool:
    """Whether every configuration of a small finite domain was tried."""
    return domain.size <= ENUMERATE_UP_TO and len(untried(domain.enumerate(), tried)) == 0
