"""Non-stationarity: how well the GP fits with and without input warp and output transform.

Paper, "Simple Hyper-parameter Tuning Tasks are Non-Stationary" and the table of GP fits. What is
compared is the density of the outcomes as measured: a transform changes their scale, so that its
Jacobian is part of the density, without which the numbers of two transforms cannot be compared.

Glossary
--------
y : (n,)
    outcomes as measured, minimised; t : (n,) their targets, which the GP models.
log p(y)
    log p(t) + log dt/dy, less the logarithm of the mass that p puts on targets of outcomes: those
    of a power transform end where its outcomes reach 0 or infinity.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from warpfront.checks import whole_number
from warpfront.dataset import Dataset, Observations
from warpfront.diagnostics.comparison import Comparison, paired_comparison
from warpfront.diagnostics.penalties import known_outcomes
from warpfront.diagnostics.spread import varies
from warpfront.errors import ConfigurationError, NotEnoughDataError
from warpfront.history import History
from warpfront.problem import Problem
from warpfront.settings import Settings, settings_or_default
from warpfront.streams import stream
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.likelihood import LOG_2PI
from warpfront.surrogate.model import Model
from warpfront.surrogate.models import candidate_models
from warpfront.surrogate.options import CANDIDATES, ModelOptions
from warpfront.surrogate.selection import averaged, fit_model
from warpfront.surrogate.transforms import OutputWarp, fit_transform

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

SPLITS, HELD_OUT_SHARE = 20, 0.25
"""How many random splits, and the share of the configurations that each holds out."""
FEWEST_CONFIGURATIONS = 8
"""So few distinct configurations say nothing about a fit."""
MOST_MEASUREMENTS = 512
"""Of more measurements a random choice is used: each fit costs the cube of their number."""
IMPOSSIBLE = math.log(sys.float_info.min)
"""What an outcome scores that the model holds impossible: the logarithm of the smallest density."""
CAUCHY_SHARE = 0.01
"""The share of a wide distribution in each forecast that is scored. Nobody acts on odds of a
million to one; without it, one held-out outcome decides about a model and all else is chance."""


def log_density(model: Model, X: Floats, y: Floats, censor: float = math.inf) -> Floats:
    """Log predictive density, noise included, of outcomes (n,) at encoded configurations (n, d).

    On the scale of the minimised outcomes: as a function of the outcome the density integrates to
    one. Of outcomes above ``censor`` it is only asked how probable one above it was (the censored
    likelihood, a proper score).

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> told = [(None, {"x": x}, 1.0 + x * x) for x in np.linspace(0, 1, 8)]
    >>> data = Dataset.of(History(Space(x=Real(0, 1))).tell(told))
    >>> rng = np.random.default_rng(0)
    >>> model = fit_model(data, data.objective, CANDIDATES["warped"], rng)
    >>> near, far = log_density(model, np.array([[0.5], [0.5]]), np.array([1.25, 1.9]))
    >>> bool(near > far)
    True
    """
    transform = model.transform.uncut  # two outcomes beyond its cut are not the same
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
    """Log density, censored as in :func:`log_density`, of a Cauchy distribution.

    It has the median and the interquartile range of known outcomes, and holds nothing impossible.

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
    model: Model, *, jacobian: bool = True, censor: float = math.inf
) -> float:
    """Log marginal likelihood of the measurements that a model was fitted to.

    Parameters
    ----------
    model
        Its hyper-parameters stay as they are.
    jacobian
        Whether it is that of the outcomes as measured. Without, it is that of the targets, the
        quantity that a fit maximises, which cannot be compared between different transforms.
    censor
        Outcomes above it are left out, as the robust transform does not tell them apart.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> told = [(None, {"x": x}, 1.0 + x * x) for x in np.linspace(0, 1, 8)]
    >>> for unit in (1.0, 10.0):
    ...     history = History(Space(x=Real(0, 1))).tell([(n, c, unit * y) for n, c, y in told])
    ...     data, rng = Dataset.of(history), np.random.default_rng(0)
    ...     model = fit_model(data, data.objective, CANDIDATES["warped"], rng)
    ...     print(round(log_marginal_likelihood(model) + 8 * np.log(unit), 2))
    11.52
    11.52
    """
    observed = model.observed.where(model.observed.y <= censor)
    single = Observations(np.arange(len(observed)), observed.y, observed.std)  # repeats, too
    transform = model.transform.uncut if jacobian else model.transform
    X, targets = model.data.X[observed.row], averaged(single, transform)
    gp = GaussianProcess.build(model.gp.kernel, model.gp.theta, X, targets)
    return gp.log_likelihood + (float(transform.log_slope(observed.y).sum()) if jacobian else 0.0)


def judged_model(settings: Settings) -> ModelOptions:
    """The model whose warp and transform are compared: the first one that has an input warp.

    Where the settings name none, it is ``"warped"``.

    Examples
    --------
    >>> judged_model(Settings()).name, judged_model(Settings(models=["quadratic"])).name
    ('warped', 'warped')
    >>> judged_model(Settings.paper(output_warp="none")).output_warp
    'none'
    """
    names = [name for name in settings.models if CANDIDATES[name].input_warp] or ["warped"]
    return candidate_models(replace(settings, models=tuple(names[:1])))[0]


@dataclass(frozen=True)
class FitScores:
    """How well one model fits, on each of several random splits of a history.

    Attributes
    ----------
    held_out
        Mean log predictive density of the held-out outcomes, with a doubt of 1 %, (splits,).
    marginal
        Log marginal likelihood of the training part, for each outcome, (splits,). It favours a
        model with more parameters: on stationary samples the input warp is better in nearly all
        cases, and often significantly (docs/diagnostics.md).
    overlap
        Held-out configurations for each one in the training part.
    """

    held_out: Floats
    marginal: Floats
    overlap: float


def fit_scores(
    history: History,
    settings: Settings | ModelOptions,
    *,
    splits: int = SPLITS,
    share: float = HELD_OUT_SHARE,
    seed: int = 0,
    censor_as: OutputWarp = "none",
) -> FitScores:
    """Fit a model of the objective to random parts of a history and score it on the rest.

    The splits depend on the completed trials and the seed only, so that scores of different
    models are paired. Repeats of a configuration stay together, and the best one is always in
    the training part: whether outcomes can be negative, which decides between the transforms, is
    a fact about the objective and not about the split. Failed trials are left out.

    Parameters
    ----------
    history
        What the model is fitted to.
    settings
        What the model is made of; of settings, it is that of :func:`judged_model`.
    splits, share
        How many splits, and the share of the distinct configurations that each holds out.
    seed
        Of the splits and of the fits.
    censor_as
        Outcomes that this transform, fitted to the training part, cuts are censored; see
        :func:`log_density`. The same for all models whose scores are compared.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> told = [(None, {"x": x}, 1.0 + x * x) for x in np.linspace(0, 1, 12)]
    >>> history = History(Space(x=Real(0, 1))).tell(told)
    >>> scores = fit_scores(history, Settings(), splits=3)
    >>> scores.held_out.shape, round(scores.overlap, 2)
    ((3,), 0.33)
    """
    options = judged_model(settings) if isinstance(settings, Settings) else settings
    parts = split(Dataset.of(history), splits, share, seed)
    return _scores(parts, options, seed, censor_as)


@dataclass(frozen=True, eq=False)
class Splits:
    """Random splits of the measurements of the objective.

    Attributes
    ----------
    data
        With these measurements alone, the best one first.
    parts
        Which of them are in the training part and which are held out, for each split.
    overlap
        Held-out configurations for each one in the training part.
    """

    data: Dataset
    parts: Sequence[tuple[Rows, Rows]]
    overlap: float


def split(data: Dataset, splits: int, share: float, seed: int) -> Splits:
    """Random splits of the measurements of the objective by configuration.

    The configuration of the best measurement is never held out.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> told = [(None, {"x": x}, 1.0 + x * x) for x in np.linspace(0, 1, 12)]
    >>> found = split(Dataset.of(History(Space(x=Real(0, 1))).tell(told)), 2, 0.25, seed=0)
    >>> [(len(train), len(test)) for train, test in found.parts]
    [(9, 3), (9, 3)]
    """
    splits = whole_number("splits", splits, 1)
    if not 0.0 < share < 1.0:
        raise ConfigurationError(f"share={share!r}: must lie between 0 and 1")
    rng, observed = stream(seed, 0, "splits"), data.objective
    rows = np.argsort(observed.y, kind="stable")
    if len(rows) > MOST_MEASUREMENTS:
        others = np.sort(rng.choice(len(rows) - 1, MOST_MEASUREMENTS - 1, replace=False))
        rows = rows[np.concatenate([[0], 1 + others])]
    row = observed.row[rows]
    distinct = np.unique(row)
    if len(distinct) < FEWEST_CONFIGURATIONS:
        raise NotEnoughDataError(
            f"a comparison of fits needs {FEWEST_CONFIGURATIONS} different completed "
            f"configurations; there are {len(distinct)}"
        )
    others = distinct[distinct != row[0]]
    size = max(1, min(round(share * len(distinct)), len(distinct) - 2))
    parts = []
    for _ in range(splits):
        out = np.isin(row, rng.choice(others, size, replace=False))
        parts.append((np.flatnonzero(~out), np.flatnonzero(out)))
    return Splits(_restricted(data, rows), parts, size / (len(distinct) - size))


def _restricted(data: Dataset, rows: Rows) -> Dataset:
    """The data with some measurements of the objective, and no others."""
    problem = Problem(data.problem.space, (data.problem.objective,))
    observed = data.objective
    kept = Observations(observed.row[rows], observed.y[rows], observed.std[rows])
    none = data.failed[:0]
    return replace(data, problem=problem, outcomes=(kept,), failed=none, pending=none)


def _scores(splits: Splits, options: ModelOptions, seed: int, censor_as: OutputWarp) -> FitScores:
    held_out, marginal = np.empty((2, len(splits.parts)))
    X, row, y = splits.data.X, splits.data.objective.row, splits.data.objective.y
    for i, (train, test) in enumerate(splits.parts):
        part = _restricted(splits.data, train)
        model = fit_model(part, part.objective, options, stream(seed, i, "fit"))
        censor = fit_transform(y[train], censor_as).cut
        forecast = log_density(model, X[row[test]], y[test], censor)
        doubt = log_cauchy(y[train], y[test], censor)
        mixture = np.logaddexp(forecast + math.log1p(-CAUCHY_SHARE), doubt + math.log(CAUCHY_SHARE))
        held_out[i] = mixture.mean()
        kept = int(np.sum(y[train] <= censor))
        marginal[i] = log_marginal_likelihood(model, censor=censor) / kept
    return FitScores(held_out, marginal, splits.overlap)


@dataclass(frozen=True)
class FitComparison:
    """What input warp and output transform do for the fit.

    Attributes
    ----------
    input_warp, output_warp
        Held-out log predictive density of an outcome with the component, less that without it; all
        else, the other component included, as in the settings.
    input_warp_marginal, output_warp_marginal
        The same of the log marginal likelihood, for each outcome.
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
    share: float = HELD_OUT_SHARE,
    seed: int = 0,
) -> FitComparison:
    """Compare the fit with and without input warp, and with and without output transform.

    The model is that of :func:`judged_model`. Outcomes that the robust output transform cuts are
    censored in all variants.

    Parameters
    ----------
    history
        What the models are fitted to.
    settings
        The components that stay as they are. Where they have no output transform, the one that the
        model prefers is compared.
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
    settings = settings_or_default(settings)
    data = known_outcomes(Dataset.of(history), settings)
    y = data.objective.y
    if len(y) > 1 and not varies(y):
        raise NotEnoughDataError(
            f"a comparison of fits needs completed trials with different values; all {len(y)} "
            "have the same"
        )
    used = judged_model(settings)
    kind = CANDIDATES[used.name].output_warp if used.output_warp == "none" else used.output_warp
    variants = (
        used,
        replace(used, input_warp=not used.input_warp),
        replace(used, output_warp=kind if used.output_warp == "none" else "none"),
    )
    parts = split(data, splits, share, seed)
    as_used, other_input, other_output = (
        _scores(parts, options, seed, "robust") for options in variants
    )

    def compare(other: FitScores, is_on: bool) -> tuple[Comparison, Comparison]:
        with_it, without = (as_used, other) if is_on else (other, as_used)
        return (
            paired_comparison(with_it.held_out, without.held_out, overlap=parts.overlap),
            paired_comparison(with_it.marginal, without.marginal, overlap=parts.overlap),
        )

    warp, warp_marginal = compare(other_input, used.input_warp)
    output, output_marginal = compare(other_output, used.output_warp != "none")
    return FitComparison(warp, output, warp_marginal, output_marginal, kind)
