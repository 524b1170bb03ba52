"""The first population of the search: everywhere, and around the best points seen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from warpfront.search.batch import untried
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
    domain: Domain, elite: Floats, settings: Settings, rng: np.random.Generator
) -> tuple[Floats, int]:
    """The first population (n, d), the incumbent among it, and for how many generations."""
    if domain.size <= LISTED_UP_TO:
        return domain.enumerate(), 0
    size = settings.population
    seeded = min(int(settings.seeded * size), size - 1)  # one place is the incumbent's
    return (
        np.vstack(
            [
                elite[:1],
                around(elite, seeded, domain, rng),
                domain.uniform(size - 1 - seeded, rng),
            ]
        ),
        settings.generations,
    )


def elite_points(domain: Domain, model: Model) -> Floats:
    """The best observed points, (at most ELITE, d), the incumbent first, moved into the domain.

    Where nothing is held they are those of the best targets. Where something is, they are those
    of the best posterior mean once they have moved: what was good in another context may be bad
    in this one, and the best of another may be out of reach here.
    """
    rows = _rows(model)
    if np.array_equal(domain.free, model.columns):
        return rows[np.argsort(model.gp.y, kind="stable")[:ELITE]]
    rows = domain.hold(rows)
    rows = rows[untried(rows, set())]
    return rows[np.argsort(model.posterior(rows)[0], kind="stable")[:ELITE]]


def best_points(domain: Domain, model: Model, elite: Floats) -> Floats:
    """All points that share the best target, (k, d); where something is held, the first elite one.

    Targets tie on plateaus, and where losses take few values; the order of ties means nothing.
    """
    if not np.array_equal(domain.free, model.columns):
        return elite[:1]
    best = model.gp.y == model.gp.y.min()
    return np.asarray(_rows(model)[best])


def _rows(model: Model) -> Floats:
    """The points that the model has seen, (n, d), with the columns that it does not use."""
    rows = np.empty((len(model.gp.X), len(model.columns)))
    rows[:, model.columns] = model.gp.X
    rows[:, ~model.columns] = model.incumbent[~model.columns]
    return rows


def around(elite: Floats, n: int, domain: Domain, rng: np.random.Generator) -> Floats:
    """Copies of elite points (k, d), each with a random share of its coordinates moved, (n, d)."""
    centres = elite[rng.integers(0, len(elite), n)]
    free = max(1, int(domain.free.sum()))
    moved = rng.random(centres.shape) < rng.uniform(1.0 / free, 1.0, (n, 1))
    return stepped(centres, moved, STEPS, domain, rng)


def stepped(
    centres: Floats,
    moved: NDArray[np.bool_],
    steps: Sequence[float],
    domain: Domain,
    rng: np.random.Generator,
) -> Floats:
    """Points (n, d) of which some coordinates take a step, of one size in each; categories jump."""
    encoding, n = domain.encoding, len(centres)
    step = rng.choice(steps, (n, 1)) * rng.standard_normal(centres.shape)
    numbers = np.clip(centres + step, 0.0, 1.0)
    redrawn = encoding.from_unit(rng.random(centres.shape))
    candidates = np.where(encoding.is_category, redrawn, numbers)
    return domain.hold(encoding.snap(np.where(moved, candidates, centres)))
