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

from warpfront.dataset import Dataset
from warpfront.errors import ConfigurationError
from warpfront.goals import Goal
from warpfront.history import History
from warpfront.optimizers.ask_tell import AskTell, Proposal
from warpfront.optimizers.design import initial_design
from warpfront.problem import Problem
from warpfront.search.domain import Domain
from warpfront.search.untried import fill_up, untried
from warpfront.space import Space
from warpfront.streams import stream
from warpfront.surrogate.matern import Matern
from warpfront.surrogate.model import Model
from warpfront.surrogate.options import ModelOptions
from warpfront.surrogate.selection import fit_model
from warpfront.trial import Trial

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RegionOptions:
    """How the trust region follows the best point; the values of TuRBO's authors.

    Attributes
    ----------
    first_length, smallest_length, largest_length
        A region begins with the first, is started anew below the second, and grows to the third.
    successes_to_grow
        After so many successes in a row its length is doubled.
    improvement
        A round succeeds if it improves the best loss by this share of its size.
    moved_coordinates
        About this many coordinates of a candidate differ from the centre.
    most_candidates
        Among how many, at most, the next points are chosen.
    """

    first_length: float = 0.8
    smallest_length: float = 0.5**7
    largest_length: float = 1.6
    successes_to_grow: int = 3
    improvement: float = 1e-3
    moved_coordinates: int = 20
    most_candidates: int = 2000


REGION = RegionOptions()
TURBO = ModelOptions(
    "turbo", (Matern("matern52", lengthscales="flat"),), output_warp="none", input_warp=False
)
"""The surrogate of TuRBO: a Matérn-5/2 GP of standardised losses."""
TURBO_PLUS = replace(TURBO, output_warp="power", input_warp=True, narrowing_warp=False)
"""The same with the outcome transform and the input warp of the paper."""


@dataclass(frozen=True)
class TrustRegion:
    """Where a replay of the history ends: the trials of the current region, and its size."""

    trials: tuple[Trial, ...]
    length: float

    @classmethod
    def replay(cls, trials: Sequence[Trial], q: int, d: int, sign: float = 1.0) -> TrustRegion:
        """Follow the region through the trials, in order of number, in rounds of q.

        The objective times ``sign`` is minimised.

        Examples
        --------
        >>> trials = [Trial(i, {}, "completed", {"value": float(-i)}) for i in range(5)]
        >>> TrustRegion.replay(trials, q=1, d=1).length
        1.6
        """
        first = math.ceil(initial_points(d) / q) * q
        patience = math.ceil(max(4.0 / q, d / q))
        start = 0
        while True:
            region = tuple(trials[start:])
            length, best = REGION.first_length, _best(region[:first], sign)
            successes = failures = 0
            for end in range(first + q, len(region) + 1, q):
                batch = region[end - q : end]
                value = _best(batch, sign)
                margin = REGION.improvement * abs(best) if best < math.inf else 0.0
                success, best = value < best - margin, min(best, value)
                if any(t.state == "pending" for t in batch):
                    continue  # not counted until its outcome is known, which may be never
                if success:
                    successes, failures = successes + 1, 0
                else:
                    successes, failures = 0, failures + 1
                if successes == REGION.successes_to_grow:
                    length, successes = min(2.0 * length, REGION.largest_length), 0
                elif failures == patience:
                    length, failures = length / 2.0, 0
                if length < REGION.smallest_length:
                    start += end
                    break
            if length >= REGION.smallest_length:
                return cls(region, length)


def _best(trials: Sequence[Trial], sign: float) -> float:
    return min((sign * t.value for t in trials if t.value is not None), default=math.inf)


def initial_points(d: int) -> int:
    """How many quasi-random points start a region."""
    return 2 * d


def suggest(
    history: History, n: int, *, seed: int, fixed: Mapping[str, Any], options: ModelOptions
) -> list[Proposal]:
    """Propose n configurations: a pure function of its arguments."""
    d, number = len(history.space), len(history)
    domain, known = Domain.of(history.space, fixed), Dataset.of(history)
    trials = [t for t in history.trials if t.state != "withdrawn"]
    region = TrustRegion.replay(trials, n, d, history.problem.objective.sign)
    data = Dataset.of(History(history.problem, region.trials))
    if len(region.trials) < initial_points(d) or len(data.objective) == 0:
        rows = initial_design(known, n, seed=seed, domain=domain, number=number)
        return [Proposal(config, "initial") for config in domain.decode(rows)]
    rng = stream(seed, number, "turbo")
    model = fit_model(data, data.objective, options, rng)
    gp = model.gp.condition_on(data.pending)
    centre = domain.repair(data.X[data.objective.row[[np.argmin(data.objective.y)]]])[0]
    rows = candidates(centre, model, region.length, domain, rng)
    rows = rows[untried(rows, known.tried)]
    chosen: list[int] = []
    for sample in gp.sample(rows, min(n, len(rows)), rng):
        sample[chosen] = np.inf
        chosen.append(int(np.argmin(sample)))
    batch = domain.canonical(rows[chosen])
    batch = fill_up(batch[untried(batch, known.tried)], n, domain, known.tried, rng)
    return [Proposal(config, "turbo") for config in domain.decode(batch)]


def candidates(
    centre: Floats, model: Model, length: float, domain: Domain, rng: np.random.Generator
) -> Floats:
    """Copies of the centre (d,) with some coordinates redrawn inside the trust region, (m, d)."""
    encoding = domain.encoding
    count = min(100 * encoding.d, REGION.most_candidates)
    low, high = trust_box(centre, model, length)
    U = rng.random((count, encoding.d))
    inside = np.where(encoding.is_category, encoding.from_unit(U), low + (high - low) * U)
    share = min(1.0, REGION.moved_coordinates / max(1, int(domain.free.sum())))
    moved = rng.random((count, encoding.d)) < share
    return domain.pull(np.where(moved, inside, centre), np.tile(centre, (count, 1)))


def trust_box(centre: Floats, model: Model, length: float) -> tuple[Floats, Floats]:
    """Lower and upper corner, (d,) each: longer where the loss varies slowly."""
    kernel, theta = model.gp.kernel, model.gp.theta
    scales = np.ones(len(centre))
    numeric = kernel.columns.numeric
    lengthscales = np.exp(theta[kernel.parts[0]])[1 : 1 + len(numeric)]
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

    def __init__(
        self,
        space: Space,
        seed: int | None = None,
        *,
        plus: bool = False,
        goals: Goal | Sequence[Goal] | None = None,
    ) -> None:
        super().__init__(space, seed, goals=goals)
        if len(self.goals) > 1:
            raise ConfigurationError(
                f"goals={list(self.goals)!r}: TuRBO supports one objective without bounds; use HEBO"
            )
        self._plus = plus

    def _suggest(self, history: History, n: int, fixed: Mapping[str, Any]) -> list[Proposal]:
        options = TURBO_PLUS if self._plus else TURBO
        return suggest(history, n, seed=self.seed, fixed=fixed, options=options)

    def _options(self) -> dict[str, Any]:
        return {"plus": self._plus}

    @classmethod
    def _from_options(cls, problem: Problem, seed: int, options: Any) -> TuRBO:
        return cls(problem.space, seed, plus=bool(options["plus"]), goals=problem.goals)
