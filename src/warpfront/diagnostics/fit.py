"""Non-stationarity: how well the GP fits with and without input warp and output transform.

Paper, "Simple Hyper-parameter Tuning Tasks are Non-Stationary" and the table of GP fits. What is
compared is the density of the raw losses: a transform changes their scale, so that its Jacobian
is part of the density, without which the numbers of two transforms have nothing in common.

Glossary
--------
y : (n,)
    losses as observed; t : (n,) their targets, which the GP models.
log p(y)
    log p(t) + log dt/dy, less the logarithm of the mass that p puts on targets of losses: those
    of a power transform end where its losses reach 0 or infinity.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from warpfront.checks import whole_number
from warpfront.diagnostics.comparison import Comparison, paired_comparison
from warpfront.diagnostics.spread import varies
from warpfront.errors import ConfigurationError, NotEnoughDataError
from warpfront.history import History
from warpfront.settings import OutputWarp, Settings
from warpfront.space.encoding import row_keys
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.likelihood import LOG_2PI
from warpfront.surrogate.model import Model
from warpfront.surrogate.output import OutputTransform

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

SPLITS, SHARE = 20, 0.25
"""How many random splits, and the share of the configurations that each holds out."""
LEAST = 8
"""So few distinct configurations say nothing about a fit."""
MOST = 512
"""Of more trials a random choice is used: each fit costs the cube of their number."""
IMPOSSIBLE = math.log(sys.float_info.min)
"""What a loss counts that the model holds impossible: the logarithm of the smallest density."""
DOUBT = 0.01
"""The share of a wide distribution in each forecast that is scored. Nobody acts on odds of a
million to one; without any doubt, one held-out loss decides about a model and all else is
chance."""


def log_density(model: Model, X: Floats, y: Floats, censor: float = math.inf) -> Floats:
    """Log predictive density, noise included, of losses (n,) at encoded configurations (n, d).

    On the scale of the losses: as a function of the loss the density integrates to one. Of losses
    above ``censor`` it is only asked how probable a loss above it was (the censored likelihood, a
    proper score).

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> space = Space(x=Real(0, 1))
    >>> told = [(None, {"x": x}, 1.0 + x * x) for x in np.linspace(0, 1, 8)]
    >>> model = Model.fit(History(space).tell(told), Settings(), seed=0)
    >>> near, far = log_density(model, np.array([[0.5], [0.5]]), np.array([1.25, 1.9]))
    >>> bool(near > far)
    True
    """
    transform = model.transform.uncut  # two losses beyond its cut are not the same loss
    mean, variance = model.posterior(X)
    std = np.sqrt(variance + model.gp.noise)
    low, high = ((end - mean) / std for end in transform.ends)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        z = (transform(np.minimum(y, censor)) - mean) / std
        density = -0.5 * (np.square(z) + LOG_2PI) - np.log(std) + transform.log_slope(y)
        above = log_ndtr(-z) + np.log1p(-np.exp(np.minimum(log_ndtr(-high) - log_ndtr(-z), 0.0)))
        # At most one of the two ends is finite.
        score = np.where(y > censor, above, density) - log_ndtr(high) - log_ndtr(-low)
    return np.asarray(np.maximum(np.nan_to_num(score, nan=IMPOSSIBLE), IMPOSSIBLE))


def log_cauchy(known: Floats, y: Floats, censor: float) -> Floats:
    """Log density, censored as in :func:`log_density`, of the Cauchy distribution of known losses.

    With their median and their interquartile range: it holds nothing impossible.

    Examples
    --------
    >>> log_cauchy(np.array([1.0, 2.0, 3.0]), np.array([2.0, 9.0]), 5.0).round(3)
    array([-0.452, -2.946])
    """
    unit = float(np.abs(known).max()) or 1.0
    low, median, high = np.quantile(known / unit, [0.25, 0.5, 0.75])
    scale = float(high - low) / 2.0 or 1.0
    with np.errstate(over="ignore"):
        z = (np.minimum(y, censor) / unit - median) / scale
    z = np.clip(z, -sys.float_info.max / 2.0, sys.float_info.max / 2.0)
    above = np.log(np.arctan2(1.0, z) / math.pi)
    density = -2.0 * np.log(np.hypot(1.0, z)) - math.log(math.pi * scale) - math.log(unit)
    return np.asarray(np.where(y > censor, above, density))


def log_marginal_likelihood(
    model: Model, history: History, *, jacobian: bool = True, censor: float = math.inf
) -> float:
    """Log marginal likelihood of the completed trials under the model's hyper-parameters.

    Parameters
    ----------
    model
        Fitted to the history.
    history
        Its failed trials do not count.
    jacobian
        Whether it is that of the losses. Without, it is that of the transformed losses, the
        quantity that a fit maximises, which cannot be compared between different transforms.
    censor
        Trials of losses above it are left out, as the robust transform does not tell them apart.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> told = [(None, {"x": x}, 1.0 + x * x) for x in np.linspace(0, 1, 8)]
    >>> for unit in (1.0, 10.0):
    ...     history = History(Space(x=Real(0, 1))).tell([(n, c, unit * y) for n, c, y in told])
    ...     model = Model.fit(history, Settings(), seed=0)
    ...     print(round(log_marginal_likelihood(model, history) + 8 * np.log(unit), 2))
    11.52
    11.52
    """
    X, y = history.observations
    X, y = X[y <= censor], y[y <= censor]
    transform = model.transform.uncut if jacobian else model.transform
    gp = model.gp
    gp = GaussianProcess.build(gp.form, gp.is_category, gp.theta, X[:, model.columns], transform(y))
    return gp.log_likelihood + (float(transform.log_slope(y).sum()) if jacobian else 0.0)


@dataclass(frozen=True)
class FitScores:
    """How well one model fits, on each of several random splits of a history.

    Attributes
    ----------
    held_out
        Mean log predictive density of the held-out losses, with a doubt of 1 %, (splits,).
    marginal
        Log marginal likelihood of the losses of the training part, for each loss, (splits,). It
        flatters a model with more parameters: on stationary samples the input warp is better in
        40 of 40 cases, and significantly in 29 (docs/diagnostics.md).
    overlap
        Held-out configurations for each one in the training part.
    """

    held_out: Floats
    marginal: Floats
    overlap: float


def fit_scores(
    history: History,
    settings: Settings,
    *,
    splits: int = SPLITS,
    share: float = SHARE,
    seed: int = 0,
    censor_as: OutputWarp = "none",
) -> FitScores:
    """Fit the model to random parts of a history and score it on the rest.

    The splits depend on the completed trials and the seed only, so that scores of different
    settings are paired. Repeats of a configuration stay together, and the best one is always in
    the training part: whether losses can be negative, which decides between the transforms, is a
    fact about the objective and not about the split. Failed trials are left out.

    Parameters
    ----------
    history, settings
        What the model is fitted to, and how.
    splits, share
        How many splits, and the share of the distinct configurations that each holds out.
    seed
        Of the splits and of the fits.
    censor_as
        Losses that this output transform, fitted to the training part, cuts are censored; see
        :func:`log_density`. The same for all settings whose scores are compared.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> told = [(None, {"x": x}, 1.0 + x * x) for x in np.linspace(0, 1, 12)]
    >>> history = History(Space(x=Real(0, 1))).tell(told)
    >>> scores = fit_scores(history, Settings(), splits=3)
    >>> scores.held_out.shape, round(scores.overlap, 2)
    ((3,), 0.33)
    """
    splits = whole_number("splits", splits, 1)
    if not 0.0 < share < 1.0:
        raise ConfigurationError(f"share={share!r}: must lie between 0 and 1")
    rng = np.random.default_rng(seed)
    completed = history.completed
    X = history.space.encoding.encode([t.config for t in completed])
    y = np.array([t.value for t in completed], dtype=float)
    rows = np.lexsort((*X.T, y))  # the best first, whatever the order of telling was
    if len(rows) > MOST:
        others = np.sort(rng.choice(len(rows) - 1, MOST - 1, replace=False))
        rows = rows[np.concatenate([[0], 1 + others])]
    X, y, trials = X[rows], y[rows], [completed[row] for row in rows]
    parts, overlap = _splits(X, splits, share, rng)
    held_out, marginal = np.empty((2, splits))
    for i, (train, test) in enumerate(parts):
        part = History(history.space, tuple(trials[row] for row in train))
        model = Model.fit(part, settings, seed)
        censor = OutputTransform.fit(y[train], censor_as).cut
        forecast = log_density(model, X[test], y[test], censor)
        doubt = log_cauchy(y[train], y[test], censor)
        mixture = np.logaddexp(forecast + math.log1p(-DOUBT), doubt + math.log(DOUBT))
        held_out[i] = mixture.mean()
        kept = int(np.sum(y[train] <= censor))
        marginal[i] = log_marginal_likelihood(model, part, censor=censor) / kept
    return FitScores(held_out, marginal, overlap)


def _splits(
    X: Floats, splits: int, share: float, rng: np.random.Generator
) -> tuple[list[tuple[Rows, Rows]], float]:
    """Rows of the training and the held-out part, for each split; row 0 is never held out.

    And how many configurations are held out for each one in the training part.
    """
    keys = row_keys(X)
    distinct = sorted(set(keys), key=keys.index)
    if len(distinct) < LEAST:
        raise NotEnoughDataError(
            f"a comparison of fits needs {LEAST} different completed configurations; there are "
            f"{len(distinct)}"
        )
    group = np.array([distinct.index(key) for key in keys])
    size = max(1, min(round(share * len(distinct)), len(distinct) - 2))
    parts = []
    for _ in range(splits):
        out = np.isin(group, 1 + rng.choice(len(distinct) - 1, size, replace=False))
        parts.append((np.flatnonzero(~out), np.flatnonzero(out)))
    return parts, size / (len(distinct) - size)


@dataclass(frozen=True)
class FitComparison:
    """What input warp and output transform do for the fit.

    Attributes
    ----------
    input_warp, output_warp
        Held-out log predictive density of a loss with the component, less that without it; all
        else, the other component included, as in the settings.
    input_warp_marginal, output_warp_marginal
        The same of the log marginal likelihood, for each loss.
    output_kind
        Which output transform was compared with none.
    """

    input_warp: Comparison
    output_warp: Comparison
    input_warp_marginal: Comparison
    output_warp_marginal: Comparison
    output_kind: OutputWarp


def compare_fits(
    history: History,
    settings: Settings | None = None,
    *,
    splits: int = SPLITS,
    share: float = SHARE,
    seed: int = 0,
) -> FitComparison:
    """Compare the fit with and without input warp, and with and without output transform.

    Losses that the robust output transform cuts are censored in all models.

    Parameters
    ----------
    history
        What the models are fitted to.
    settings
        The components that stay as they are. Where they have no output transform, the default
        one is compared.
    splits, share, seed
        See :func:`fit_scores`.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> space = Space(x=Real(0, 1))
    >>> told = [(None, c, np.sin(12 * c["x"] ** 4)) for c in space.sample(24, seed=0)]
    >>> found = compare_fits(History(space).tell(told), splits=8)
    >>> found.input_warp.verdict
    'significantly better'
    """
    settings = settings or Settings()
    losses = np.array([t.value for t in history.completed], dtype=float)
    if len(losses) > 1 and not varies(losses):
        raise NotEnoughDataError(
            f"a comparison of fits needs completed trials with different values; all {len(losses)} "
            "have the same"
        )
    kind: OutputWarp = "robust" if settings.output_warp == "none" else settings.output_warp
    variants = {
        "as they are": settings,
        "input": replace(settings, input_warp=not settings.input_warp),
        "output": replace(settings, output_warp=kind if settings.output_warp == "none" else "none"),
    }
    scores = {
        name: fit_scores(history, one, splits=splits, share=share, seed=seed, censor_as="robust")
        for name, one in variants.items()
    }

    def compare(name: str, is_on: bool) -> tuple[Comparison, Comparison]:
        pair = scores["as they are"], scores[name]
        with_it, without = pair if is_on else pair[::-1]
        overlap = with_it.overlap
        return (
            paired_comparison(with_it.held_out, without.held_out, overlap=overlap),
            paired_comparison(with_it.marginal, without.marginal, overlap=overlap),
        )

    warp, warp_marginal = compare("input", settings.input_warp)
    output, output_marginal = compare("output", settings.output_warp != "none")
    return FitComparison(warp, output, warp_marginal, output_marginal, kind)
