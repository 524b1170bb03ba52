"""Model: the fitted surrogate as a user looks at it, in the units of the loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from warpfront.checks import real_number
from warpfront.errors import ConfigurationError, NotEnoughDataError
from warpfront.history import History, Trial
from warpfront.settings import Settings
from warpfront.space import Space
from warpfront.surrogate import priors
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.kernels import KernelForm
from warpfront.surrogate.output import OutputTransform

Floats = NDArray[np.float64]
Configs = Mapping[str, Any] | Trial | Sequence[Mapping[str, Any] | Trial]

FIT_STREAM = 1
"""Keeps the random numbers of the fit apart from those of the search."""
NEGLIGIBLE = 1e-3
"""Targets, which have a standard deviation of 1, whose range is below this are all the same, but
for the last digits of their losses."""
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(31)
WEIGHTS = WEIGHTS / WEIGHTS.sum()
BEYOND = 3.0
"""Predictions reach at most this far beyond the observed losses: this many standard deviations
of the targets, and this many times the range of the losses. A power transform has no inverse
beyond the end of its range, so that an unlimited prediction may well be infinite."""
PART = 1024
"""So many configurations are predicted at a time: their covariances with 2,048 observations take
16 MB."""


def parts(X: Floats) -> list[Floats]:
    """Rows (n, d) in parts that are predicted at a time, one at least.

    Examples
    --------
    >>> [len(part) for part in parts(np.zeros((2500, 2)))]
    [1024, 1024, 452]
    """
    return [X[i : i + PART] for i in range(0, max(len(X), 1), PART)]


@dataclass(frozen=True, eq=False)  # == of arrays is no truth value
class Prediction:
    """What the model expects of some configurations, in the units of the loss.

    Attributes
    ----------
    mean, std
        Mean and standard deviation of the loss without its observation noise, (n,).
    """

    mean: Floats
    std: Floats


@dataclass(frozen=True, eq=False)  # == of arrays is no truth value
class Model:
    """The surrogate fitted to a history: an output transform and a warped Gaussian process.

    Attributes
    ----------
    history
        The trials that it was fitted to.
    transform
        The fitted output transform.
    gp
        The Gaussian process of the transformed losses, over the columns that vary.

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

    history: History
    transform: OutputTransform
    gp: GaussianProcess
    columns: NDArray[np.bool_]  # (d,) the columns that can vary
    incumbent: Floats  # (d,) the encoded best observed configuration

    @classmethod
    def fit(
        cls,
        history: History,
        settings: Settings,
        seed: int,
        start: Floats | None = None,
        iterations: int | None = None,
    ) -> Model:
        """Transform the losses and fit the warped GP; a pure function of its arguments.

        Failed trials take part with the worst target seen, so that the search leaves their
        region. The fit goes on from hyper-parameters ``start`` if they are given, and has fresh
        starts otherwise, and has as many iterations as the settings say, or ``iterations``.
        """
        X, y = history.observations
        if len(y) == 0:
            raise NotEnoughDataError(
                "there is no model before an evaluation has completed; tell a finite loss first"
            )
        transform = OutputTransform.fit(y, settings.output_warp)
        targets = transform(y)
        failures = history.failures
        if len(failures):
            worst = float(targets.max())
            penalty = worst if worst - targets.min() > NEGLIGIBLE else worst + 1.0
            X = np.vstack([X, failures])
            targets = np.concatenate([targets, np.full(len(failures), penalty)])
            centre = float(targets.mean())
            targets = targets - centre
            transform = replace(transform, mean=transform.mean + centre * transform.std)
        encoding = history.space.encoding
        columns = encoding.levels > 1
        is_category = encoding.is_category[columns]
        form = KernelForm(
            numeric=int((~is_category).sum()),
            categories=int(is_category.sum()),
            smoothness=settings.smoothness,
            linear=settings.linear_kernel,
            additive=settings.additive_kernel,
            input_warp=settings.input_warp,
            warp_prior=settings.warp_prior,
            lengthscale_prior=settings.lengthscale_prior,
            noise_prior=(
                priors.PAPER_NOISE if settings.noise_prior == "paper" else priors.WIDE_NOISE
            ),
        )
        gp = GaussianProcess.fit(
            form,
            is_category,
            X[:, columns],
            targets,
            starts=settings.starts,
            start=start,
            iterations=settings.iterations if iterations is None else iterations,
            tolerance=settings.tolerance,
            race=settings.race,
            rng=np.random.default_rng([seed, len(targets), FIT_STREAM]),
        )
        return cls(history, transform, gp, columns, X[int(np.argmin(y))])

    @property
    def space(self) -> Space:
        """The space it predicts on."""
        return self.history.space

    def posterior(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the transformed loss at encoded configurations (n, d)."""
        predicted = [self.gp.predict(part) for part in parts(X[:, self.columns])]
        mean, variance = (np.concatenate(values) for values in zip(*predicted, strict=True))
        return mean, variance

    def _encode(self, configs: Configs) -> Floats:
        if isinstance(configs, (Mapping, Trial)):
            configs = [configs]
        try:
            given = [c.config if isinstance(c, Trial) else c for c in configs]
        except TypeError:
            raise ConfigurationError(
                f"{configs!r} is no configuration; give one, or a sequence of them"
            ) from None
        return self.space.encoding.encode([self.space.validate(c) for c in given])

    def predict(self, configs: Configs) -> Prediction:
        """Predict the loss at one configuration or several, or trials, evaluated or not.

        The default output transform (``"robust"``) cuts the worst losses if they are outliers, at
        most a fifth of all. Where losses are that bad, mean and spread are those of the cut: read
        a prediction of about ``transform.cut`` as "at least about so much".

        Examples
        --------
        >>> from warpfront import HEBO, Real, Space
        >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
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
        return Prediction(*np.concatenate(moments, axis=1))

    def _moments(self, X: Floats) -> Floats:
        """Mean and standard deviation of the loss at encoded configurations (n, d), (2, n)."""
        mean, variance = self.posterior(X)
        # Gauss-Hermite quadrature through the inverse of the output transform.
        losses = self.losses_of(mean[:, None] + np.sqrt(variance)[:, None] * NODES)
        size = float(np.abs(losses).max(initial=0.0)) or 1.0  # so that no square can overflow
        losses /= size
        centre = losses @ WEIGHTS
        std = np.sqrt(np.square(losses - centre[:, None]) @ WEIGHTS)
        return size * np.array([centre, std])

    def quantile(self, configs: Configs, q: float) -> Floats:
        """The q-quantile of the loss without its observation noise, 0 < q < 1.

        Among the worst losses it is that of the cut ones, as in :meth:`predict`.

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
        return np.asarray(self.quantiles_at(self._encode(configs), [share])[0])

    def quantiles_at(self, X: Floats, q: Sequence[float]) -> Floats:
        """Quantiles (k,) of the loss, without its noise, at encoded configurations, (k, n)."""
        with np.errstate(under="ignore"):
            mean, variance = self.posterior(X)
            return self.losses_of(mean + np.sqrt(variance) * np.array(ndtri(q))[:, None])

    def median_at(self, X: Floats) -> Floats:
        """Median of the loss, without its noise, at encoded configurations (n, d)."""
        return self.losses_of(self.gp.mean(X[:, self.columns]))

    def losses_of(self, targets: Floats) -> Floats:
        """Losses of targets, limited to what lies not too far beyond the observed losses."""
        low, high = float(self.gp.y.min()), float(self.gp.y.max())
        losses = self.transform.inverse(np.clip(targets, low - BEYOND, high + BEYOND))
        best, worst = (float(y) for y in self.transform.inverse(np.array([low, high])))
        if worst > best:
            reach = BEYOND * (worst - best)
            losses = np.clip(losses, best - reach, worst + reach)
        return losses

    @property
    def recommendation(self) -> Trial:
        """The completed trial of the best posterior mean; under noise, not the luckiest one."""
        completed = self.history.completed
        with np.errstate(under="ignore"):
            mean, _ = self.posterior(self._encode(completed))
        return completed[int(np.argmin(mean))]
