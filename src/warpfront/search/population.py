"""The first population of the search: everywhere, and around the best points seen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.search.domain import Domain
from warpfront.settings import Settings
from warpfront.surrogate.model import Model

Floats = NDArray[np.float64]

ELITE = 5
"""Seeds are drawn around this many of the best observed points."""
STEPS = (0.3, 0.1, 0.03, 0.01)
"""Standard deviations of the steps away from them, in the unit cube."""
LISTED_UP_TO = 512
"""A finite domain of at most this size is not searched: all of it is the population."""


def first_population(
    domain: Domain, model: Model, settings: Settings, rng: np.random.Generator
) -> tuple[Floats, int]:
    """The first population (n, d) and the number of generations to evolve it."""
    if domain.size <= LISTED_UP_TO:
        return domain.enumerate(), 0
    size = settings.population
    seeded = int(settings.seeded * size)
    elite = elite_points(model)
    return (
        np.vstack(
            [
                domain.hold(model.incumbent[None, :].copy()),
                around(elite, seeded, domain, rng),
                domain.uniform(size - 1 - seeded, rng),
            ]
        )[:size],
        settings.generations,
    )


def elite_points(model: Model) -> Floats:
    """The observed points of the best targets, (at most ELITE, d)."""
    rows = np.empty((len(model.gp.X), len(model.columns)))
    rows[:, model.columns] = model.gp.X
    rows[:, ~model.columns] = model.incumbent[~model.columns]
    return rows[np.argsort(model.gp.y, kind="stable")[:ELITE]]


def around(elite: Floats, n: int, domain: Domain, rng: np.random.Generator) -> Floats:
    """Copies of elite points (k, d) with a few coordinates moved, (n, d)."""
    encoding, d = domain.encoding, elite.shape[1]
    centres = elite[rng.integers(0, len(elite), n)]
    free = max(1, int(domain.free.sum()))
    moved = rng.random((n, d)) < rng.uniform(1.0 / free, 1.0, (n, 1))
    step = rng.choice(STEPS, (n, 1)) * rng.standard_normal((n, d))
    numbers = np.clip(centres + step, 0.0, 1.0)
    redrawn = encoding.from_unit(rng.random((n, d)))
    candidates = np.where(encoding.is_category, redrawn, numbers)
    return domain.hold(encoding.snap(np.where(moved, candidates, centres)))
