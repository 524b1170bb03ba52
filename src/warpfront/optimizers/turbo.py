"""TuRBO, a trust region that follows the best point, and TuRBO+, with both warps of HEBO.

Eriksson, Pearce, Gardner, Turner and Poloczek, "Scalable Global Optimization via Local Bayesian
Optimization", 2019 (TuRBO-1). The size of the region follows from successes and failures so far;
here it is read off the history by replaying it, so that a suggestion stays a pure function.

Glossary
--------
length
    the side of the trust region in the unit cube, before it is stretched along the length scales.
round
    q consecutive trials, where q is the size of the batch asked for; a success if one of them
    improves the best loss of the region.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.history import History, Trial
from warpfront.optimizers.ask_tell import AskTell
from warpfront.optimizers.design import initial_design, tried_keys
from warpfront.search.batch import fill_up, untried
from warpfront.search.domain import Domain
from warpfront.search.population import elite_points
from warpfront.search.thompson import thompson
from warpfront.settings import Settings
from warpfront.space import Configuration, Space
from warpfront.surrogate.model import Model

Floats = NDArray[np.float64]

FIRST_LENGTH, SMALLEST_LENGTH, LARGEST_LENGTH = 0.8, 0.5**7, 1.6
SUCCESSES_TO_GROW = 3
IMPROVEMENT = 1e-3
"""A round succeeds if it improves the best loss by this share of its size."""
MOVED_COORDINATES = 20
"""About this many coordinates of a candidate differ from the centre."""
MOST_CANDIDATES = 2000

TURBO = Settings(
    output_warp="none",
    input_warp=False,
    warp_prior="paper",
    smoothness="matern52",
    lengthscale_prior="flat",
    starts=1,
)
"""The surrogate of TuRBO: a Matérn-5/2 GP of standardised losses."""
TURBO_PLUS = replace(TURBO, output_warp="power", input_warp=True)
"""The same with the output transform and the input warp of the paper."""


@dataclass(frozen=True)
class TrustRegion:
    """Where a replay of the history ends: the trials of the current region, and its size."""

    trials: tuple[Trial, ...]
    length: float

    @classmethod
    def replay(cls, trials: Sequence[Trial], q: int, d: int) -> TrustRegion:
        """Follow the region through the trials, in order of number, in rounds of q.

        Examples
        --------
        >>> trials = [Trial(i, {}, "completed", float(-i)) for i in range(5)]
        >>> TrustRegion.replay(trials, q=1, d=1).length
        1.6
        """
        first = math.ceil(initial_points(d) / q) * q
        patience = math.ceil(max(4.0 / q, d / q))
        start = 0
        while True:
            region = tuple(trials[start:])
            length, best = FIRST_LENGTH, _best(region[:first])
            successes = failures = 0
            for end in range(first + q, len(region) + 1, q):
                batch = region[end - q : end]
                value = _best(batch)
                margin = IMPROVEMENT * abs(best) if best < math.inf else 0.0
                success, best = value < best - margin, min(best, value)
                if any(t.state == "pending" for t in batch):
                    continue  # not judged until it is known, which may be never
                if success:
                    successes, failures = successes + 1, 0
                else:
                    successes, failures = 0, failures + 1
                if successes == SUCCESSES_TO_GROW:
                    length, successes = min(2.0 * length, LARGEST_LENGTH), 0
                elif failures == patience:
                    length, failures = length / 2.0, 0
                if length < SMALLEST_LENGTH:
                    start += end
                    break
            if length >= SMALLEST_LENGTH:
                return cls(region, length)


def _best(trials: Sequence[Trial]) -> float:
    return min((t.value for t in trials if t.value is not None), default=math.inf)


def initial_points(d: int) -> int:
    """How many quasi-random points start a region."""
    return 2 * d


def suggest(
    history: History, n: int, *, seed: int, fixed: Mapping[str, Any], settings: Settings
) -> list[Configuration]:
    """Propose n configurations: a pure function of its arguments."""
    d = len(history.space)
    domain = Domain.of(history.space, fixed)
    trials = [t for t in history.trials if t.state != "withdrawn"]
    region = TrustRegion.replay(trials, n, d)
    local = History(history.space, region.trials)
    if len(local) < initial_points(d) or not local.completed:
        return domain.decode(initial_design(history, n, seed, domain))
    rng = np.random.default_rng([seed, len(history)])
    model = Model.fit(local, settings, seed)
    gp = model.gp.believe(local.pending[:, model.columns])
    tried = tried_keys(history)
    rows = candidates(elite_points(domain, model)[0], model, region.length, domain, rng)
    rows = rows[untried(rows, tried)]
    batch = domain.canonical(rows[thompson(gp, rows[:, model.columns], n, rng)])
    return domain.decode(fill_up(batch[untried(batch, tried)], n, domain, tried, rng))


def candidates(
    centre: Floats, model: Model, length: float, domain: Domain, rng: np.random.Generator
) -> Floats:
    """Copies of the centre (d,) with some coordinates redrawn inside the trust region, (m, d)."""
    encoding = domain.encoding
    count = min(100 * encoding.d, MOST_CANDIDATES)
    low, high = trust_box(centre, model, length)
    U = rng.random((count, encoding.d))
    inside = np.where(encoding.is_category, encoding.from_unit(U), low + (high - low) * U)
    share = min(1.0, MOVED_COORDINATES / max(1, int(domain.free.sum())))
    moved = rng.random((count, encoding.d)) < share
    return domain.hold(encoding.snap(np.where(moved, inside, centre)))


def trust_box(centre: Floats, model: Model, length: float) -> tuple[Floats, Floats]:
    """Lower and upper corner, (d,) each: longer where the loss varies slowly."""
    gp = model.gp
    scales = np.ones(len(centre))
    lengthscales = np.exp(gp.theta[gp.form.lengthscales])[: gp.form.numeric]
    numeric = np.flatnonzero(model.columns)[~gp.is_category]
    scales[numeric] = lengthscales / np.exp(np.log(lengthscales).mean()) if len(numeric) else 1.0
    half = 0.5 * length * scales
    return np.clip(centre - half, 0.0, 1.0), np.clip(centre + half, 0.0, 1.0)


class TuRBO(AskTell):
    """TuRBO-1 by ask and tell; ``plus=True`` is the paper's TuRBO+.

    Parameters
    ----------
    space
        What may be tried.
    seed
        The same seed and the same observations give the same suggestions.
    plus
        Whether the surrogate has HEBO's output transform and input warp.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> optimizer = TuRBO(Space(x=Real(-2, 2), y=Real(-2, 2)), seed=0)
    >>> for _ in range(8):
    ...     batch = optimizer.ask(4)
    ...     optimizer.tell(batch, [c["x"] ** 2 + (c["y"] - 1) ** 2 for c in batch])
    >>> optimizer.best.value < 0.1
    True
    """

    def __init__(self, space: Space, seed: int | None = None, *, plus: bool = False) -> None:
        super().__init__(space, seed)
        self._plus = plus

    def _suggest(self, history: History, n: int, fixed: Mapping[str, Any]) -> list[Configuration]:
        settings = TURBO_PLUS if self._plus else TURBO
        return suggest(history, n, seed=self.seed, fixed=fixed, settings=settings)

    def _options(self) -> dict[str, Any]:
        return {"plus": self._plus}

    @classmethod
    def _from_options(cls, space: Space, seed: int, options: Any) -> TuRBO:
        return cls(space, seed, plus=bool(options["plus"]))
