"""The warped Gaussian process: fit, predict, condition on pending points.

Glossary
--------
X : (n, d)
    encoded configurations; y : (n,) targets, about standard normal.
theta : (p,)
    logarithms of the hyper-parameters (see warpfront.surrogate.kernels).
L : (n, n)
    Cholesky factor of K + noise I; alpha = (K + noise I)^-1 y, (n,).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from warpfront.surrogate.kernels import Inputs, KernelForm
from warpfront.surrogate.likelihood import INFEASIBLE, JITTER, LOG_2PI, LogPosterior

Floats = NDArray[np.float64]

JITTER_LADDER = (1.0, 1e2, 1e4, 1e6)
"""Multiples of the jitter to try in turn until the Cholesky factorisation succeeds."""
FIT_POINTS = 512
"""Hyper-parameters are fitted on at most this many points: beyond, the test error stays within
3 % of the full fit's and the cost grows with the cube (docs/experiments.md)."""
RACE_POINTS, RACE_ITERATIONS = 64, 20
"""Several starts compete on so many points for so many iterations; the winner, warm, goes on."""
ACTIVE_POINTS = 2048
"""Predictions use at most this many observations."""
BEST_SHARE = 0.25
"""The share of a subset that goes to the best observations; the rest is drawn at random."""
MIN_VARIANCE = 1e-12
THETA_DECIMALS = 2
"""Fitted parameters are rounded to 1 %, far below their uncertainty, so that the last bits, in
which BLAS libraries and numbers of threads differ, seldom grow into different suggestions where the
fit has come to its end. One that is cut short, as that of the second opinion, may end elsewhere."""


def subset(y: Floats, size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Sorted indices of at most ``size`` observations: the best ones, and random others.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> subset(np.array([3.0, 1.0, 2.0]), 5, rng)
    array([0, 1, 2])
    >>> bool(1 in subset(np.array([3.0, 1.0, 2.0, 5.0]), 2, rng))
    True
    """
    if len(y) <= size:
        return np.arange(len(y))
    order = np.argsort(y, kind="stable")
    best = max(1, int(BEST_SHARE * size))
    others = rng.choice(order[best:], size - best, replace=False)
    return np.sort(np.concatenate([order[:best], others]))


@dataclass(frozen=True)
class GaussianProcess:
    """A Gaussian process with given hyper-parameters, conditioned on data.

    Make one with :meth:`fit` (hyper-parameters from the data) or :meth:`build` (given ones).

    Examples
    --------
    >>> X = np.linspace(0, 1, 8)[:, None]
    >>> form = KernelForm(numeric=1, categories=0)
    >>> gp = GaussianProcess.fit(form, np.array([False]), X, np.sin(6 * X[:, 0]))
    >>> mean, variance = gp.predict(np.array([[0.5]]))
    >>> bool(abs(mean[0] - np.sin(3.0)) < 0.1)
    True
    """

    form: KernelForm
    is_category: NDArray[np.bool_]
    theta: Floats
    X: Floats
    y: Floats
    inputs: Inputs
    L: Floats
    alpha: Floats

    @classmethod
    def build(
        cls,
        form: KernelForm,
        is_category: NDArray[np.bool_],
        theta: Floats,
        X: Floats,
        y: Floats,
    ) -> GaussianProcess:
        """Condition on data (n, d), (n,) with given hyper-parameters."""
        inputs = _inputs(form, is_category, theta, X)
        K = form.lower_covariance(theta, inputs)
        noise = np.exp(theta[form.NOISE])
        L, failed = _cholesky(K, noise, np.exp(theta[form.SIGNAL]))
        if not failed:
            alpha, _ = lapack.dpotrs(L, y, lower=1)
            return cls(form, is_category, theta, X, y, inputs, L, alpha)
        # Never an exception: as if there were no correlation between the points at all.
        L = np.asfortranarray(np.diag(np.sqrt(np.diag(K) + noise)))
        return cls(form, is_category, theta, X, y, inputs, L, np.zeros_like(y))

    @classmethod
    def fit(
        cls,
        form: KernelForm,
        is_category: NDArray[np.bool_],
        X: Floats,
        y: Floats,
        *,
        starts: int = 1,
        start: Floats | None = None,
        iterations: int = 50,
        tolerance: float = 1e-5,
        race: bool = True,
        rng: np.random.Generator | None = None,
    ) -> GaussianProcess:
        """Find hyper-parameters by maximum a posteriori (L-BFGS) and condition on the data.

        Parameters
        ----------
        form, is_category
            The kernel's parts, and which of the d columns hold category codes.
        X, y
            Encoded configurations (n, d) and targets (n,).
        starts
            How many fresh starts: ``form.default``, then random ones around it.
        start
            Hyper-parameters to go on from, instead of fresh starts.
        iterations, tolerance
            Most L-BFGS iterations from each start, and the gain, as a share of the log-posterior,
            below which they end. None at all takes the first start as it is.
        race
            Whether several starts compete on few points, for few iterations, and only the winner
            goes on, warm, with all points. Otherwise each of them is run to its end.
        rng
            Source of the random starts and subsets.
        """
        rng = np.random.default_rng(0) if rng is None else rng
        candidates = [form.default if start is None else start]
        for _ in range(starts - 1 if start is None else 0):
            noise = rng.normal(0.0, 0.75, form.size)
            candidates.append(np.clip(form.default + noise, form.bounds[:, 0], form.bounds[:, 1]))
        rows = subset(y, FIT_POINTS, rng)
        if race and len(candidates) > 1 and len(rows) > RACE_POINTS:
            few, laps = subset(y, RACE_POINTS, rng), min(iterations, RACE_ITERATIONS)
            candidates = [_best(form, is_category, X[few], y[few], candidates, laps, tolerance)]
        theta = _best(form, is_category, X[rows], y[rows], candidates, iterations, tolerance)
        theta = np.clip(np.round(theta, THETA_DECIMALS), *form.bounds.T)
        active = subset(y, ACTIVE_POINTS, rng)
        return cls.build(form, is_category, theta, X[active], y[active])

    @property
    def noise(self) -> float:
        """Variance of the observation noise."""
        return float(np.exp(self.theta[self.form.NOISE]))

    @property
    def log_likelihood(self) -> float:
        """Log marginal likelihood of the targets under these hyper-parameters."""
        log_det = 2.0 * float(np.log(np.diag(self.L)).sum())
        return -0.5 * (float(self.y @ self.alpha) + log_det + len(self.y) * LOG_2PI)

    def predict(self, X: Floats) -> tuple[Floats, Floats]:
        """Posterior mean and variance of the latent function at X (m, d), both (m,)."""
        inputs, mean, half = self._condition(X)
        variance = self.form.variance(self.theta, inputs) - np.einsum("ij,ij->j", half, half)
        return mean, np.maximum(variance, MIN_VARIANCE)

    def mean(self, X: Floats) -> Floats:
        """Posterior mean alone at X (m, d), (m,): much cheaper than with the variance."""
        return np.asarray(self.alpha @ self._cross(X)[1])

    @cached_property
    def leave_one_out(self) -> tuple[Floats, Floats]:
        """Mean and variance, with noise, of each observation given all others, both (n,).

        The hyper-parameters stay the same.
        """
        inverse, _ = lapack.dpotri(self.L, lower=1)  # of K + noise I; the lower half
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        variance = 1.0 / np.diag(inverse)
        mean = self.y - inverse @ self.y * variance
        mean.flags.writeable = variance.flags.writeable = False  # they are kept
        return mean, variance

    def explained(self, n: int) -> float:
        """The share of the variance of the first n targets explained when each is left out.

        At most 1; around 0, or below, where the model knows nothing.
        """
        y, mean = self.y[:n], self.leave_one_out[0][:n]
        variance = float(y.var())
        return 1.0 - float(np.mean((y - mean) ** 2)) / variance if variance > 0.0 else 0.0

    def inputs_of(self, X: Floats) -> Inputs:
        """The kernel's view of X (m, d)."""
        return _inputs(self.form, self.is_category, self.theta, X)

    def unwarp(self, U: Floats) -> Floats:
        """Numeric columns of the points whose warped numbers are U (m, dn) or (dn,)."""
        return self.form.numbers(self.theta, U)

    def _cross(self, X: Floats) -> tuple[Inputs, Floats]:
        """The kernel's view of X (m, d), and k(X_n, X), (n, m)."""
        inputs = self.inputs_of(X)
        return inputs, self.form.covariance(self.theta, self.inputs, inputs)

    def _condition(self, X: Floats) -> tuple[Inputs, Floats, Floats]:
        """The kernel's view of X (m, d), the posterior mean (m,), and L^-1 k(X_n, X), (n, m)."""
        inputs, k = self._cross(X)
        mean = self.alpha @ k
        # As k' L'^-1, in place: to BLAS, which counts in columns, k is its own transpose.
        half = blas.dtrsm(1.0, self.L, k.T, side=1, lower=1, trans_a=1, overwrite_b=1).T
        return inputs, mean, half

    def sample(self, X: Floats, count: int, rng: np.random.Generator) -> Floats:
        """Joint samples of the latent function at X (m, d), (count, m)."""
        if len(X) == 0:
            return np.empty((count, 0))
        inputs, mean, half = self._condition(X)
        covariance = self.form.lower_covariance(self.theta, inputs)
        covariance = blas.dsyrk(-1.0, half.T, beta=1.0, c=covariance, lower=1, overwrite_c=1)
        signal = np.exp(self.theta[self.form.SIGNAL])
        factor, failed = _cholesky(covariance, 0.0, signal)
        if failed:  # never an exception: independent samples
            variance = np.maximum(np.diag(covariance), MIN_VARIANCE)
            factor = np.diag(np.sqrt(variance))
        return np.asarray(mean + rng.standard_normal((count, len(X))) @ factor.T)

    def believe(self, X: Floats) -> GaussianProcess:
        """Condition on points (m, d) still being evaluated, as if they came out as predicted.

        The mean stays what it was; the variance shrinks around them.
        """
        if len(X) == 0:
            return self
        mean, _ = self.predict(X)
        return self.build(
            self.form,
            self.is_category,
            self.theta,
            np.vstack([self.X, X]),
            np.concatenate([self.y, mean]),
        )

    def with_theta(self, theta: Floats) -> GaussianProcess:
        """The same data under other hyper-parameters."""
        return self.build(self.form, self.is_category, theta, self.X, self.y)


def _cholesky(K: Floats, noise: float, signal: float) -> tuple[Floats, bool]:
    """Lower factor of K + noise I with as little jitter as will do, and whether none did.

    Only the lower triangle of K is read.
    """
    diagonal = np.arange(len(K))
    for rung in JITTER_LADDER:
        A = K.copy(order="F")
        A[diagonal, diagonal] += noise + rung * JITTER * signal
        L, failed = lapack.dpotrf(A, lower=1, clean=1, overwrite_a=1)
        if not failed:
            return L, False
    return K, True


def _inputs(form: KernelForm, is_category: NDArray[np.bool_], theta: Floats, X: Floats) -> Inputs:
    return Inputs(form.features(theta, X[:, ~is_category]), X[:, is_category])


def _best(
    form: KernelForm,
    is_category: NDArray[np.bool_],
    X: Floats,
    y: Floats,
    starts: Sequence[Floats],
    iterations: int,
    tolerance: float,
) -> Floats:
    """Run L-BFGS from each start and return the best parameters found; never fails."""
    if iterations == 0:
        return starts[0]
    from scipy.optimize import minimize  # as slow to import as all of warpfront, so not before

    objective = LogPosterior(form, X[:, ~is_category], X[:, is_category], y)
    best, best_value = form.default, INFEASIBLE
    for start in starts:
        result = minimize(
            objective,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=form.bounds,
            options={"maxiter": iterations, "maxfun": 2 * iterations, "ftol": tolerance},
        )
        if np.all(np.isfinite(result.x)) and result.fun < best_value:
            best, best_value = result.x, float(result.fun)
    return best
