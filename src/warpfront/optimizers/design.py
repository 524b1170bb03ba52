"""The first configurations: scrambled Sobol, one sequence for each seed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.dataset import Dataset
from warpfront.history import History
from warpfront.search.domain import Domain
from warpfront.search.untried import fill_up, untried
from warpfront.settings import Settings
from warpfront.streams import stream

Floats = NDArray[np.float64]

FEWEST_INITIAL = 8
"""The initial design has so many configurations at least."""
CANDIDATES = 1024
"""Out of so many uniform configurations every other one is drawn if the user gave beliefs."""


def needs_initial_design(history: History, settings: Settings) -> bool:
    """Whether the next trial is quasi-random: few were asked for, or an objective has no value yet.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> needs_initial_design(History(Space(x=Real(0, 1))), Settings())
    True
    """
    begun = len(history) - len(history.of_state("withdrawn"))
    size = settings.initial or min(max(FEWEST_INITIAL, 1 + len(history.space)), history.space.size)
    measured = all(
        any(t.outcomes.get(goal.name) is not None for t in history.completed)
        for goal in history.problem.objectives
    )
    return begun < size or not measured


def initial_design(data: Dataset, n: int, *, seed: int, domain: Domain, number: int) -> Floats:
    """Encoded rows number, ..., number + n - 1 of the seed's Sobol sequence, untried ones."""
    rows = domain.canonical(domain.sequence(n, seed, skip=number))
    rng = stream(seed, number, "initial")
    if domain.space.has_beliefs:
        odd = np.arange(number, number + n) % 2 == 1
        rows[odd] = domain.canonical(sample_beliefs(domain, int(odd.sum()), rng))
    return fill_up(rows[untried(rows, data.tried)], n, domain, data.tried, rng)


def sample_beliefs(domain: Domain, n: int, rng: np.random.Generator) -> Floats:
    """Rows (n, d) drawn from the prior beliefs of the user, by resampling uniform ones."""
    rows = domain.uniform(CANDIDATES, rng)
    density = np.exp(domain.space.log_belief(rows))
    return rows[rng.choice(CANDIDATES, n, replace=False, p=density / density.sum())]
