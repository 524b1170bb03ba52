"""Model: the fitted surrogate of one outcome as a user looks at it, in the units of the outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from warpfront.checks import real_number
from warpfront.dataset import Dataset, Observations
from warpfront.errors import ConfigurationError
from warpfront.goals import Goal, Objective
from warpfront.space import Space
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.options import ModelOptions
from warpfront.surrogate.transforms import Transform
from warpfront.trial import Trial

Floats = NDArray[np.float64]
Configs = Mapping[str, Any] | Trial | Sequence[Mapping[str, Any] | Trial]

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(31)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
EXTRAPOLATION = 3.0
"""Predictions reach at most this far beyond the observed outcomes: this many standard deviations
of the targets, and this many times the range of the outcomes. A power transform has no inverse
beyond the end of its range, so that an unlimited prediction may well be infinite."""
ROWS_AT_A_TIME = 1024
"""So many configurations are predicted at a time: their covariances with 2,048 observations take
16 MB."""


def parts(X: Floats) -> list[Floats]:
    """Rows (n, d) in parts that are predicted at a time, one at least.

    Examples
    --------
    >>> [len(part) for part in parts(np.zeros((2500, 2)))]
    [1024, 1024, 452]
    """
    return [X[i : i + ROWS_AT_A_TIME] for i in range(0, max(len(X), 1), ROWS_AT_A_TIME)]


@dataclass(frozen=True, eq=False)  # == of arrays is not a bool
class Prediction:
    """What the model expects of some configurations, in the units of the outcome.

    Attributes
    ----------
    mean, std
        Mean and standard deviation of the outcome without its observation noise, (n,).
    """

    mean: Floats
    std: Floats


@dataclass(frozen=True, eq=False)
class Model:
    """The surrogate of one outcome: an outcome transform and a Gaussian process.

    Attributes
    ----------
    data
        The dataset that it was fitted to.
    observed
        The measurements of its outcome, minimised.
    goal
        What is wanted of the outcome.
    options
        What the model is made of.
    transform
        The fitted outcome transform.
    gp
        The Gaussian process of the transformed outcomes.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> for x in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
    ...     optimizer.tell({"x": x}, (x - 0.4) ** 2)
    >>> prediction = optimizer.model.predict([{"x": 0.5}])
    >>> bool(abs(prediction.mean[0] - 0.01) < 0.01)
    True
    """

    data: Dataset
    observed: Observations
    goal: Goal
    options: ModelOptions
    transform: Transform
    gp: GaussianProcess

    @property
    def reference(self) -> float | None:
        """The target of the reference that the objective names, if it does."""
        if not isinstance(self.goal, Objective) or self.goal.reference is None:
            return None
        return float(self.transform.uncut(np.array([self.goal.sign * self.goal.reference]))[0])

    @property
    def space(self) -> Space:
        """The space it predicts on."""
        return self.data.problem.space

    @property
    def columns(self) -> NDArray[np.bool_]:
        """Which columns of an encoded configuration it uses, (d,)."""
        return self.data.columns

    def posterior(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the target at encoded configurations (n, d)."""
        predicted = [self.gp.predict(part) for part in parts(X)]
        mean, variance = (np.concatenate(values) for values in zip(*predicted, strict=True))
        return mean, variance

    def _encode(self, configs: Configs) -> Floats:
        if isinstance(configs, (Mapping, Trial)):
            configs = [configs]
        try:
            given = [c.config if isinstance(c, Trial) else c for c in configs]
        except TypeError:
            raise ConfigurationError(
                f"{configs!r} is not a configuration; give one, or a sequence of them"
            ) from None
        return self.space.encoding.encode([self.space.validate(c) for c in given])

    def predict(self, configs: Configs) -> Prediction:
        """Predict the outcome at one configuration or several, or trials, evaluated or not.

        Outcome transforms that cut outliers know nothing beyond the cut: read a prediction of about
        ``transform.cut`` as "at least about so bad".

        Examples
        --------
        >>> from warpfront import HEBO, Real, Settings, Space
        >>> settings = Settings(models=["warped"])
        >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0, settings=settings)
        >>> for i in range(20):
        ...     optimizer.tell({"x": i / 19}, np.exp(10 * i / 19))
        >>> model = optimizer.model
        >>> print(f"{np.exp(10):.0f} is cut at {model.transform.cut:.0f}")
        22026 is cut at 2683
        >>> print(f"{model.predict({'x': 1.0}).mean[0]:.1e}")
        2.7e+03
        """
        with np.errstate(under="ignore"):
            moments = [self._moments(part) for part in parts(self._encode(configs))]
        mean, std = np.concatenate(moments, axis=1)
        return Prediction(self.goal.sign * mean, std)

    def _moments(self, X: Floats) -> Floats:
        """Mean and standard deviation of the minimised outcome at X (n, d), (2, n)."""
        mean, variance = self.posterior(X)
        # Gauss-Hermite quadrature through the inverse of the outcome transform.
        y = self.outcomes_of(mean[:, None] + np.sqrt(variance)[:, None] * NODES)
        size = float(np.abs(y).max(initial=0.0)) or 1.0  # so that no square can overflow
        y /= size
        centre = y @ WEIGHTS
        std = np.sqrt(np.square(y - centre[:, None]) @ WEIGHTS)
        return size * np.array([centre, std])

    def quantile(self, configs: Configs, q: float) -> Floats:
        """The q-quantile of the outcome without its observation noise, 0 < q < 1.

        Examples
        --------
        >>> from warpfront import HEBO, Real, Space
        >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
        >>> optimizer.tell([{"x": 0.0}, {"x": 0.5}, {"x": 1.0}], [3.0, 1.0, 2.0])
        >>> low, high = (optimizer.model.quantile([{"x": 0.3}], q)[0] for q in (0.1, 0.9))
        >>> bool(low < high)
        True
        """
        share = real_number(q)
        if not 0.0 < share < 1.0:
            raise ConfigurationError(
                f"q={q!r}: a quantile lies between 0 and 1; give one number, such as 0.9"
            )
        share = share if self.goal.sign > 0.0 else 1.0 - share
        return self.goal.sign * np.asarray(self.quantiles_at(self._encode(configs), [share])[0])

    def quantiles_at(self, X: Floats, q: Sequence[float]) -> Floats:
        """Quantiles (k,) of the minimised outcome, without noise, at X (n, d), (k, n)."""
        with np.errstate(under="ignore"):
            mean, variance = self.posterior(X)
            return self.outcomes_of(mean + np.sqrt(variance) * np.array(ndtri(q))[:, None])

    def median_at(self, X: Floats) -> Floats:
        """Median of the minimised outcome, without noise, at encoded configurations (n, d)."""
        return self.outcomes_of(self.gp.mean(X))

    def outcomes_of(self, targets: Floats) -> Floats:
        """Minimised outcomes of targets, limited to what lies not too far beyond the observed."""
        low, high = float(self.gp.t.min()), float(self.gp.t.max())
        y = self.transform.inverse(np.clip(targets, low - EXTRAPOLATION, high + EXTRAPOLATION))
        best, worst = (float(v) for v in self.transform.inverse(np.array([low, high])))
        if worst > best:
            reach = EXTRAPOLATION * (worst - best)
            y = np.clip(y, best - reach, worst + reach)
        return y
