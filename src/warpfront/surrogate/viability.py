"""Viability: how likely an evaluation is to succeed.

A Gaussian process of what has failed: 0 where evaluations succeeded and 1 where they failed, by
regression, with a noise that is learned. Where nothing was tried success is expected. If failures
do not depend on the parameters they are noise to it, and the prediction is about the same
everywhere, so that a machine that dies at random bars no region.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from warpfront.dataset import Dataset
from warpfront.surrogate.gp import FitOptions, GaussianProcess
from warpfront.surrogate.likelihood import Targets
from warpfront.surrogate.matern import Matern
from warpfront.surrogate.options import ModelOptions
from warpfront.surrogate.priors import LogNormal

Floats = NDArray[np.float64]

NOISE = LogNormal(-1.0, 1.0)
"""Of the noise variance, which for targets of 0 and 2 is 1 where half of all fail. A fit that began
with far less would explain every failure by its place, also where they are random."""
OPTIONS = ModelOptions(
    "viability",
    (Matern(),),
    output_warp="none",
    input_warp=False,
    noise=NOISE,
    fit=FitOptions(iterations=20, points=256, active=1024),
)
FAILURE_TARGET = 2.0
"""The target of a failure, where that of a success is 0: so that targets have about unit variance
where half of all fail. Half of it is the border."""


@dataclass(frozen=True, eq=False)
class Viability:
    """The probability that an evaluation succeeds.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> from warpfront.history import History
    >>> told = [(None, {"x": x}, x if x < 0.7 else None) for x in np.linspace(0, 1, 11)]
    >>> viability = Viability.fit(Dataset.of(History(Space(x=Real(0, 1))).tell(told)))
    >>> np.exp(viability.log_probability(np.array([[0.2], [0.95]]))).round(1)
    array([1., 0.])
    """

    gp: GaussianProcess

    @classmethod
    def fit(cls, data: Dataset) -> Viability | None:
        """From what succeeded and failed; None if nothing failed."""
        if len(data.failed) == 0:
            return None
        X = np.vstack([data.X, data.failed])
        t = np.repeat([0.0, FAILURE_TARGET], [len(data.X), len(data.failed)])
        kernel = OPTIONS.kernel(data.columns, data.problem.space.encoding.is_category)
        rng = np.random.default_rng(len(X))
        return cls(GaussianProcess.fit(kernel, X, Targets.plain(t), OPTIONS.fit, rng=rng))

    def log_probability(self, X: Floats) -> Floats:
        """Logarithm of the probability of success at X (m, d), (m,)."""
        mean, variance = self.gp.predict(X)
        return np.asarray(
            log_ndtr((0.5 * FAILURE_TARGET - mean) / np.sqrt(variance + self.gp.noise))
        )
