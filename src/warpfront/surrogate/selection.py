"""Model selection: a few candidate models of an outcome, ranked by leave-one-out density.

All candidates are fitted briefly, to few points. How well a model then predicts the better half of
the outcomes, each from all others, on the scale on which they were measured, ranks it. The best is
fitted to its end; the others keep their hyper-parameters and are conditioned on all data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from warpfront.dataset import Dataset, Observations
from warpfront.surrogate.gp import FitOptions, GaussianProcess, subset
from warpfront.surrogate.likelihood import LOG_2PI, Targets
from warpfront.surrogate.model import Model
from warpfront.surrogate.options import ModelOptions
from warpfront.surrogate.transforms import Transform, fit_transform

Floats = NDArray[np.float64]

RANKING_FIT = FitOptions(iterations=20, points=64)
"""How candidates are fitted to be ranked."""


class RankedModels:
    """The candidate models of one outcome, the best first, each fitted when it is first used.

    Parameters
    ----------
    data
        What is known.
    observed
        The outcome.
    candidates
        The models to choose from.
    rng
        Source of random starts and subsets.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> from warpfront.history import History
    >>> from warpfront.surrogate.options import CANDIDATES
    >>> space = Space(x=Real(0, 1), y=Real(0, 1))
    >>> told = [(None, c, c["x"] + np.cos(9 * c["y"])) for c in space.sample(48, seed=0)]
    >>> data = Dataset.of(History(space).tell(told))
    >>> candidates = [CANDIDATES["warped"], CANDIDATES["additive"]]
    >>> models = RankedModels(data, data.objective, candidates, np.random.default_rng(0))
    >>> models[0].options.name
    'additive'
    """

    def __init__(
        self,
        data: Dataset,
        observed: Observations,
        candidates: Sequence[ModelOptions],
        rng: np.random.Generator,
    ) -> None:
        self._fits = [_Fit(data, observed, options, rng.spawn(1)[0]) for options in candidates]
        if len(self._fits) > 1:
            densities = [-fit.density() for fit in self._fits]
            self._fits = [self._fits[i] for i in np.argsort(densities, kind="stable")]
        self._models: dict[int, Model] = {}

    def __len__(self) -> int:
        return len(self._fits)

    def __getitem__(self, rank: int) -> Model:
        if rank not in self._models:
            self._models[rank] = self._fits[rank].model(to_its_end=rank == 0)
        return self._models[rank]


class _Fit:
    """One candidate: its transformed data, and what a brief fit found."""

    def __init__(
        self,
        data: Dataset,
        observed: Observations,
        options: ModelOptions,
        rng: np.random.Generator,
    ) -> None:
        self._data, self._observed, self._options, self._rng = data, observed, options, rng
        self._goal = data.goal_of(observed)
        self._transform = fit_transform(observed.y, options.output_warp)
        self._kernel = options.kernel(data.columns, data.problem.space.encoding.is_category)
        self._X = data.X[observed.rows]
        self._targets = averaged(observed, self._transform)
        self._start: Floats | None = None

    def density(self) -> float:
        """Mean leave-one-out log-density of the better half of the outcomes as measured."""
        rows = subset(self._targets.t, RANKING_FIT.points, RANKING_FIT.best_share, self._rng)
        gp = GaussianProcess.fit(
            self._kernel, self._X[rows], self._targets[rows], RANKING_FIT, rng=self._rng
        )
        self._start = gp.theta
        y = self._observed.mean_of(self._observed.y * 0.5)[rows] * 2.0
        mean, variance = gp.leave_one_out
        log_density = -0.5 * (LOG_2PI + np.log(variance) + (gp.t - mean) ** 2 / variance)
        log_density += self._transform.log_slope(y)
        better = np.argsort(y, kind="stable")[: (len(y) + 1) // 2]
        return float(np.mean(log_density[better]))

    def model(self, *, to_its_end: bool) -> Model:
        """The model of all data; its hyper-parameters are fitted further, or kept."""
        options = self._options.fit
        if not to_its_end:
            options = replace(options, iterations=0)
        gp = GaussianProcess.fit(
            self._kernel,
            self._X,
            self._targets,
            options,
            start=self._start,
            rng=self._rng,
        )
        return Model(self._data, self._observed, self._goal, self._options, self._transform, gp)


def averaged(observed: Observations, transform: Transform) -> Targets:
    """The targets of each row, averaged over its measurements, with what is known of the noise.

    Examples
    --------
    >>> observed = Observations(np.array([0, 0, 1]), np.array([1.0, 3.0, 5.0]), np.full(3, np.nan))
    >>> targets = averaged(observed, fit_transform(observed.y, "none"))
    >>> targets.t.round(2), targets.share
    (array([-0.61,  1.22]), array([0.5, 1. ]))
    """
    t = transform(observed.y)
    with np.errstate(over="ignore"):
        slope = np.exp(transform.log_slope(observed.y))
    # Where outcomes are cut the slope is 0; they say nothing of the noise.
    smooth = (slope > 0.0) & np.isfinite(slope)
    known = np.isfinite(observed.std) & smooth
    std, slope = (np.where(known, values, 0.0) for values in (observed.std, slope))
    variance = np.square(std * slope)
    counts, mean = observed.counts, observed.mean_of(t)
    telling = observed.mean_of((smooth & ~known).astype(float)) == 1.0
    apart = np.square(t - mean[np.searchsorted(observed.rows, observed.row)])
    return Targets(
        mean,
        observed.mean_of((~known).astype(float)) / counts,
        observed.mean_of(variance) / counts,
        np.where(telling, counts * observed.mean_of(apart), 0.0),
        np.where(telling, counts - 1.0, 0.0),
    )


def fit_model(
    data: Dataset, observed: Observations, options: ModelOptions, rng: np.random.Generator
) -> Model:
    """One model, without any others to choose from.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> from warpfront.history import History
    >>> from warpfront.surrogate.options import CANDIDATES
    >>> told = [(None, {"x": x}, x**2) for x in np.linspace(0, 1, 8)]
    >>> data = Dataset.of(History(Space(x=Real(0, 1))).tell(told))
    >>> rng = np.random.default_rng(0)
    >>> fit_model(data, data.objective, CANDIDATES["warped"], rng).options.name
    'warped'
    """
    return RankedModels(data, observed, [options], rng)[0]
