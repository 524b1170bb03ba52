"""Noise: how much of the variation is chance, and how often the best are worth repeating.

The rule: two configurations whose expected losses differ by a gap g, each evaluated n times with
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

from warpfront.diagnostics.spread import varies
from warpfront.errors import NotEnoughDataError
from warpfront.space import Configuration
from warpfront.space.encoding import row_keys
from warpfront.surrogate.model import Model

Floats = NDArray[np.float64]
Source = Literal["model", "repeats", "best"]

WRONG = 0.05
"""The chance of preferring the worse of two configurations that is put up with."""
MOST_REPEATS = 30
"""What more repeats would have to tell apart counts as equally good."""
BEST = 5
"""How many of the best configurations are looked at."""
BEYOND = 3.0
"""Beyond the observed losses, repeats count up to so many standard deviations of all targets from
the median of their configuration."""
ENOUGH = 10
"""With so many degrees of freedom, noise that was measured by repeats replaces the model's."""


@dataclass(frozen=True)
class Contender:
    """One of the best configurations.

    Attributes
    ----------
    config
        The configuration.
    loss
        The model's median of its loss.
    repeats
        How many evaluations of it and of the best tell the two apart; None: more than 30. 1 for
        the best itself.
    """

    config: Configuration
    loss: float
    repeats: int | None


@dataclass(frozen=True)
class Noise:
    """What chance does to the losses.

    Attributes
    ----------
    share
        The share of the variance of the transformed losses that is noise, by the model.
    measured
        The same by repeated evaluations, on the same scale; nan without any.
    std
        Standard deviation of one evaluation of the best configuration, in units of the loss.
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
    """How many repeats tell apart two expected losses; None: more than 30.

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
    ratio = float(ndtri(1.0 - WRONG)) * float(std) / float(gap)
    needed = 2.0 * ratio * ratio  # a power would raise where this is infinite
    return max(1, math.ceil(needed)) if needed <= MOST_REPEATS else None


def estimate_noise(model: Model, groups: Sequence[ArrayLike] = ()) -> Noise:
    """Estimate the noise of the losses that a model was fitted to.

    Parameters
    ----------
    model
        Fitted to completed trials only.
    groups
        Losses of repeated evaluations, an array for each configuration, if there are any.

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
    gp = model.gp
    if len(gp.y) < 2:
        raise NotEnoughDataError(f"noise needs 2 observations; there are {len(gp.y)}")
    mean = gp.mean(gp.X)
    share = gp.noise / (gp.noise + float(mean.var()))
    repeated = _repeated(groups)
    variance, freedom = _within(model, repeated)
    total = float(gp.y.var())
    # Equal losses have no range that could limit what is said of noisy repeats.
    losses_of = model.losses_of if total > 0.0 else model.transform.inverse
    measured = min(1.0, variance / total) if freedom and total > 0.0 else math.nan
    at_best, source = _at_best(model, repeated)
    std = math.sqrt(at_best)
    keys = row_keys(gp.X)
    order = [int(i) for i in np.argsort(mean, kind="stable") if keys.index(keys[i]) == i][:BEST]
    X = np.tile(model.incumbent, (len(order), 1))
    X[:, model.columns] = gp.X[order]
    around = losses_of(mean[order[0]] + np.array([-std, std]))
    contenders = tuple(
        Contender(config, float(loss), 1 if i == 0 else repeats_needed(gap, std))
        for i, (config, loss, gap) in enumerate(
            zip(
                model.space.encoding.decode(X),
                model.median_at(X),
                (mean[order] - mean[order[0]]).tolist(),
                strict=True,
            )
        )
    )
    spread = float(around[1] / 2.0 - around[0] / 2.0)
    return Noise(float(share), measured, spread, contenders, source)


def _repeated(groups: Sequence[ArrayLike]) -> list[Floats]:
    """The finite losses of each group that has two or more, those of the best median first."""
    told = [np.asarray(group, dtype=float).ravel() for group in groups]
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
        return model.gp.noise, "model"
    for count in range(1, (len(groups) + 1) // 2 + 1):
        variance, freedom = _within(model, groups[:count])
        if freedom >= ENOUGH:
            return variance, "best"
    variance, freedom = _within(model, groups)
    return (variance, "repeats") if freedom >= ENOUGH else (model.gp.noise, "model")


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
    """Targets of the losses of a group, which the model need not have seen.

    A power transform that was fitted to positive losses sends one of 0 towards minus infinity:
    beyond the observed losses its tangent takes its place, as far as that may be noise. How far is
    not for the model's noise to say, which repeats are to correct.
    """
    transform, y = model.transform, model.gp.y
    if transform.method == "linear":
        return transform(losses)
    kept = np.minimum(losses, transform.cut)
    seen = np.clip(kept, *transform.inverse(np.array([y.min(), y.max()])))
    with np.errstate(divide="ignore", over="ignore"):
        # By logarithms: slopes of subnormal losses are beyond all numbers, and the steps may be 0.
        step = kept - seen
        beyond = np.sign(step) * np.exp(transform.log_slope(seen) + np.log(np.abs(step)))
    targets = transform(seen)
    low, high = np.median(targets) + np.array([-BEYOND, BEYOND])
    return np.asarray(
        np.clip(targets + beyond, np.minimum(targets, low), np.maximum(targets, high))
    )
