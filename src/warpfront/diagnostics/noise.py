"""Noise: how much of the variation is chance, and how often the best are worth repeating.

The rule: two configurations whose expected values differ by a gap g, each evaluated n times with
noise of standard deviation s, are put into the wrong order by their averages with probability
Φ(-g / (s √(2/n))). That is below 5 % for n >= 2 (1.645 s / g)². What s is at the best, the repeats
of good configurations say: noise need not be the same everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from warpfront.diagnostics.measured import feasible_rows
from warpfront.diagnostics.spread import varies
from warpfront.errors import NotEnoughDataError
from warpfront.space import Configuration
from warpfront.surrogate.model import Model, parts
from warpfront.surrogate.selection import averaged

Floats = NDArray[np.float64]
Source = Literal["model", "repeats", "best"]

ERROR_RATE = 0.05
"""The chance of preferring the worse of two configurations that is put up with."""
MOST_REPEATS = 30
"""What more repeats would have to tell apart counts as equally good."""
BEST_CONFIGURATIONS = 5
"""How many of the best configurations are looked at."""
CLIP_DEVIATIONS = 3.0
"""Beyond the observed losses, repeats count up to so many standard deviations of all targets from
the median of their configuration."""
ENOUGH_DEGREES_OF_FREEDOM = 10
"""With so many degrees of freedom, noise that was measured by repeats replaces the model's."""


@dataclass(frozen=True)
class Contender:
    """One of the best configurations.

    Attributes
    ----------
    config
        The configuration.
    value
        The model's median of its value, as the user measures it.
    repeats
        How many evaluations of it and of the best tell the two apart; None: more than 30. 1 for
        the best itself.
    """

    config: Configuration
    value: float
    repeats: int | None


@dataclass(frozen=True)
class Noise:
    """What chance does to the values of the objective.

    Attributes
    ----------
    share
        The share of the variance of the transformed values that is noise, by the model.
    measured
        The same by repeated evaluations, on the same scale; nan without any.
    std
        Standard deviation of one evaluation of the best configuration, in the user's units.
    contenders
        The best configurations by the model's mean, the best first.
    source
        What ``std`` is taken from: ``"best"``, the repeats of the best configurations that were
        repeated; ``"repeats"``, all of them, where these are too few; ``"model"``, the model's
        noise, where all are too few or all have one value. The last two are averages over the
        space.
    """

    share: float
    measured: float
    std: float
    contenders: tuple[Contender, ...]
    source: Source = "model"

    @property
    def repeats(self) -> int:
        """How often each contender is worth evaluating: enough to tell apart those that differ."""
        return max((c.repeats for c in self.contenders if c.repeats is not None), default=1)


def repeats_needed(gap: float, std: float) -> int | None:
    """How many repeats tell apart two expected values; None: more than 30.

    Parameters
    ----------
    gap
        The difference of the two.
    std
        Standard deviation of one evaluation.

    Examples
    --------
    >>> repeats_needed(1.0, 1.0), repeats_needed(1.0, 0.1), repeats_needed(0.01, 1.0)
    (6, 1, None)
    """
    if std == 0.0:
        return 1
    if gap <= 0.0:
        return None
    ratio = float(ndtri(1.0 - ERROR_RATE)) * float(std) / float(gap)
    needed = 2.0 * ratio * ratio  # a power would raise where this is infinite
    return max(1, math.ceil(needed)) if needed <= MOST_REPEATS else None


def estimate_noise(model: Model, groups: Sequence[ArrayLike] = ()) -> Noise:
    """Estimate the noise of the values that a model was fitted to.

    Parameters
    ----------
    model
        Of the objective.
    groups
        Values of repeated evaluations as they were measured, an array for each configuration, if
        there are any.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> rng = np.random.default_rng(1)
    >>> for x in np.linspace(0, 1, 40):
    ...     optimizer.tell({"x": x}, x + 0.1 * rng.normal())
    >>> noise = estimate_noise(optimizer.model)
    >>> bool(0.05 < noise.std < 0.2), noise.contenders[0].repeats
    (True, 1)
    """
    observed = model.observed
    if len(observed) < 2:
        raise NotEnoughDataError(f"noise needs 2 observations; there are {len(observed)}")
    noise, mean = _noise_of(model), _means(model, model.gp.X)
    repeated = _repeated(groups, model.goal.sign)
    variance, freedom = _within(model, repeated)
    total = float(model.transform(observed.y).var())
    measured = min(1.0, variance / total) if freedom and total > 0.0 else math.nan
    at_best, source = _at_best(model, repeated)
    std = math.sqrt(at_best)
    contenders, best = _contenders(model, std)
    # Equal outcomes have no range that could limit what is said of noisy repeats.
    outcomes_of = model.outcomes_of if total > 0.0 else model.transform.inverse
    around = outcomes_of(best + np.array([-std, std]))
    spread = float(around[1] / 2.0 - around[0] / 2.0)
    return Noise(noise / (noise + float(mean.var())), measured, spread, contenders, source)


def _contenders(model: Model, std: float) -> tuple[tuple[Contender, ...], float]:
    """The best configurations, and the mean target of the very best."""
    X = feasible_rows(model)
    mean = _means(model, X)
    order = np.argsort(mean, kind="stable")[:BEST_CONFIGURATIONS]
    gaps, values = mean[order] - mean[order[0]], model.goal.sign * model.median_at(X[order])
    contenders = tuple(
        Contender(config, float(value), 1 if rank == 0 else repeats_needed(float(gap), std))
        for rank, (config, value, gap) in enumerate(
            zip(model.space.encoding.decode(X[order]), values, gaps, strict=True)
        )
    )
    return contenders, float(mean[order[0]])


def _means(model: Model, X: Floats) -> Floats:
    """Mean targets at configurations (n, d), by parts."""
    return np.concatenate([model.gp.mean(part) for part in parts(X)])


def _noise_of(model: Model) -> float:
    """Variance of the target of one measurement, on average: the model's, or what was measured."""
    counts = model.observed.counts
    variance = averaged(model.observed, model.transform).variance(model.gp.noise)  # of means
    return float(np.average(counts * variance, weights=counts))


def _repeated(groups: Sequence[ArrayLike], sign: float) -> list[Floats]:
    """The finite values of groups of two or more, minimised; those of the best median first."""
    told = [sign * np.asarray(group, dtype=float).ravel() for group in groups]
    finite = [group[np.isfinite(group)] for group in told]
    repeated = [group for group in finite if len(group) > 1]
    return sorted(repeated, key=lambda group: float(np.median(group / 2.0)))  # no overflow


def _at_best(model: Model, groups: list[Floats]) -> tuple[float, Source]:
    """Variance of the target of one evaluation of the best, and what it is taken from.

    Of groups in order, only the first are near the best: as many as are enough, if these are no
    more than half of all, rounded up.
    """
    if groups and not any(map(varies, groups)):
        # Few suffice: noise seldom gives the same value twice. But a plateau or a penalty does.
        if varies(np.array([group[0] for group in groups])):
            return 0.0, "repeats"
        return _noise_of(model), "model"
    for count in range(1, (len(groups) + 1) // 2 + 1):
        variance, freedom = _within(model, groups[:count])
        if freedom >= ENOUGH_DEGREES_OF_FREEDOM:
            return variance, "best"
    variance, freedom = _within(model, groups)
    return (
        (variance, "repeats")
        if freedom >= ENOUGH_DEGREES_OF_FREEDOM
        else (_noise_of(model), "model")
    )


def _within(model: Model, groups: Sequence[Floats]) -> tuple[float, int]:
    """Pooled variance of the targets within groups, and its degrees of freedom; 0 if unknown."""
    squares, freedom = 0.0, 0
    for losses in groups:
        if varies(losses):
            targets = _targets(model, losses)
            with np.errstate(over="ignore", invalid="ignore"):
                squares += float(np.square(targets - targets.mean()).sum())
        freedom += len(losses) - 1
    if not freedom or not math.isfinite(squares):
        return math.nan, 0
    return squares / freedom, freedom


def _targets(model: Model, losses: Floats) -> Floats:
    """Targets of a group of outcomes (n,), minimised, which the model need not have seen.

    A power transform that was fitted to positive outcomes sends one of 0 towards minus infinity:
    beyond the observed outcomes its tangent takes its place, as far as that may be noise. How far
    is not for the model's noise to say, which repeats are to correct.
    """
    transform, known = model.transform, model.observed.y
    if transform.power is None:
        return transform(losses)
    kept = np.minimum(losses, transform.cut)
    seen = np.clip(kept, known.min(), min(float(known.max()), transform.cut))
    with np.errstate(divide="ignore", over="ignore"):
        # By logarithms: slopes of subnormal outcomes are beyond all numbers; the steps may be 0.
        step = kept - seen
        beyond = np.sign(step) * np.exp(transform.log_slope(seen) + np.log(np.abs(step)))
    targets = transform(seen)
    low, high = np.median(targets) + np.array([-CLIP_DEVIATIONS, CLIP_DEVIATIONS])
    return np.asarray(
        np.clip(targets + beyond, np.minimum(targets, low), np.maximum(targets, high))
    )
