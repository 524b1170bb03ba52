"""The warped Gaussian process: fit, predict, condition on pending points, leave one out.

Glossary
--------
X : (n, d)
    encoded configurations; t : (n,) targets, about standard normal.
theta : (p,)
    logarithms of the hyper-parameters (see warpfront.surrogate.kernels).
L : (n, n)
    Cholesky factor of K plus the noise; alpha = (K + noise)^-1 t, (n,).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from warpfront.surrogate.kernels import BLOCK_ROWS, Kernel, Points
from warpfront.surrogate.likelihood import INFEASIBLE, JITTER, LOG_2PI, LogPosterior, Targets

Floats = NDArray[np.float64]

JITTER_LADDER = (1.0, 1e2, 1e4, 1e6)
"""Multiples of the jitter to try in turn until the Cholesky factorisation succeeds."""
MIN_VARIANCE = 1e-12
THETA_DECIMALS = 2
"""Fitted parameters are rounded to 1 %, far below their uncertainty, so that the last bits, in
which BLAS libraries and numbers of threads differ, seldom grow into different suggestions."""


@dataclass(frozen=True)
class FitOptions:
    """How hyper-parameters are fitted.

    Attributes
    ----------
    starts
        The default start, and random ones around it.
    iterations, tolerance
        Most L-BFGS iterations from each start, and the gain, as a share of the log-posterior, below
        which they end: a tenth where that is 100, far below what a posterior can tell apart.
    points
        Hyper-parameters are fitted on at most so many points: beyond 512 the test error stays
        within 3 % of the full fit's, and the cost grows with the cube (docs/experiments.md).
    active
        Predictions use at most so many observations.
    best_share
        The share of a subset that goes to the best observations; the rest is drawn at random.
    start_scale
        Standard deviation of the random starts around the default one.
    """

    starts: int = 1
    iterations: int = 50
    tolerance: float = 1e-3
    points: int = 512
    active: int = 2048
    best_share: float = 0.25
    start_scale: float = 0.75


def subset(t: Floats, size: int, best_share: float, rng: np.random.Generator) -> NDArray[np.intp]:
    """Sorted indices of at most ``size`` observations: the best ones, and random others.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> subset(np.array([3.0, 1.0, 2.0]), 5, 0.25, rng)
    array([0, 1, 2])
    >>> bool(1 in subset(np.array([3.0, 1.0, 2.0, 5.0]), 2, 0.25, rng))
    True
    """
    if len(t) <= size:
        return np.arange(len(t))
    order = np.argsort(t, kind="stable")
    best = max(1, int(best_share * size))
    others = rng.choice(order[best:], size - best, replace=False)
    return np.sort(np.concatenate([order[:best], others]))


@dataclass(frozen=True, eq=False)
class GaussianProcess:
    """A Gaussian process with given hyper-parameters, conditioned on data.

    Make one with :meth:`fit` (hyper-parameters from the data) or :meth:`build` (given ones).

    Examples
    --------
    >>> from warpfront.surrogate.kernels import Columns
    >>> from warpfront.surrogate.matern import Matern
    >>> from warpfront.surrogate.priors import Block, LogNormal
    >>> columns = Columns.of(np.array([True]), np.array([False]))
    >>> kernel = Kernel([Matern()], columns, Block(1, LogNormal(-6.0, 2.0), (1e-6, 10.0)))
    >>> X = np.linspace(0, 1, 8)[:, None]
    >>> gp = GaussianProcess.fit(kernel, X, Targets.plain(np.sin(6 * X[:, 0])))
    >>> mean, variance = gp.predict(np.array([[0.5]]))
    >>> bool(abs(mean[0] - np.sin(3.0)) < 0.1)
    True
    """

    kernel: Kernel
    theta: Floats
    X: Floats
    targets: Targets
    points: Points
    L: Floats
    alpha: Floats

    @classmethod
    def build(cls, kernel: Kernel, theta: Floats, X: Floats, targets: Targets) -> GaussianProcess:
        """Condition on data (n, d), (n,) with given hyper-parameters."""
        points = kernel.points(theta, X)
        K = kernel.lower_covariance(theta, points)
        noise = targets.variance(kernel.noise(theta))
        L, failed = _cholesky(K, noise)
        if not failed:
            alpha, _ = lapack.dpotrs(L, targets.t, lower=1)
            return cls(kernel, theta, X, targets, points, L, alpha)
        # Never an exception: as if there were no correlation between the points at all.
        L = np.asfortranarray(np.diag(np.sqrt(np.diag(K) + noise)))
        return cls(kernel, theta, X, targets, points, L, np.zeros_like(targets.t))

    @classmethod
    def fit(
        cls,
        kernel: Kernel,
        X: Floats,
        targets: Targets,
        options: FitOptions | None = None,
        *,
        start: Floats | None = None,
        rng: np.random.Generator | None = None,
    ) -> GaussianProcess:
        """Find hyper-parameters by maximum a posteriori (L-BFGS) and condition on the data.

        Parameters
        ----------
        kernel
            Its terms, warp and priors.
        X, targets
            Encoded configurations (n, d) and what was measured there, (n,).
        options
            Of the fit.
        start
            Hyper-parameters to go on from, instead of fresh starts.
        rng
            Source of the random starts and subsets.
        """
        options = FitOptions() if options is None else options
        rng = np.random.default_rng(0) if rng is None else rng
        low, high = kernel.priors.bounds.T
        candidates = [kernel.priors.start if start is None else start]
        for _ in range(options.starts - 1 if start is None else 0):
            away = rng.normal(0.0, options.start_scale, kernel.size)
            candidates.append(np.clip(kernel.priors.start + away, low, high))
        rows = subset(targets.t, options.points, options.best_share, rng)
        theta = _best(LogPosterior(kernel, X[rows], targets[rows]), candidates, options)
        theta = np.clip(np.round(theta, THETA_DECIMALS), low, high)
        active = subset(targets.t, options.active, options.best_share, rng)
        return cls.build(kernel, theta, X[active], targets[active])

    @property
    def noise(self) -> float:
        """Variance of the noise of one measurement."""
        return self.kernel.noise(self.theta)

    @property
    def t(self) -> Floats:
        """The targets, (n,)."""
        return self.targets.t

    @property
    def log_likelihood(self) -> float:
        """Log marginal likelihood of the targets under these hyper-parameters."""
        log_det = 2.0 * float(np.log(np.diag(self.L)).sum())
        return -0.5 * (float(self.t @ self._solved) + log_det + len(self.t) * LOG_2PI)

    def predict(self, X: Floats) -> tuple[Floats, Floats]:
        """Posterior mean and variance of the latent function at X (m, d), both (m,)."""
        points, mean, half = self._condition(X)
        variance = self.kernel.diagonal(self.theta, points) - np.einsum("ij,ij->j", half, half)
        return mean, np.maximum(variance, MIN_VARIANCE)

    def mean(self, X: Floats) -> Floats:
        """Posterior mean alone at X (m, d), (m,): much cheaper than with the variance."""
        return np.asarray(self.alpha @ self._cross(X)[1])

    def slope(self, x: Floats) -> tuple[float, float, Floats, Floats]:
        """Posterior mean, variance and their derivatives (d,) at x (d,); 0 for categories."""
        k, J, own = self.kernel.slopes(self.theta, x, self.points)
        weights = self._inverse @ k
        both = np.zeros((2, len(x)))
        both[:, self.kernel.columns.numeric] = self.alpha @ J, own - 2.0 * (weights @ J)
        prior = float(self.kernel.diagonal(self.theta, self.kernel.points(self.theta, x[None]))[0])
        variance = max(prior - float(k @ weights), MIN_VARIANCE)
        return float(self.alpha @ k), variance, both[0], both[1]

    @cached_property
    def _inverse(self) -> Floats:
        """The inverse of K plus the noise, (n, n)."""
        inverse, _ = lapack.dpotri(self.L, lower=1)
        return _completed(inverse.T)

    def release(self) -> None:
        """Forget the inverse, which takes as much memory as the factor; slopes make it again."""
        self.__dict__.pop("_inverse", None)

    @cached_property
    def _solved(self) -> Floats:
        """(K + noise)^-1 t, (n,): alpha, but where the factorisation failed and alpha is 0."""
        solved, _ = lapack.dpotrs(self.L, self.t, lower=1)
        return np.asarray(solved)

    def covariance(self, A: Floats, B: Floats) -> Floats:
        """Posterior covariance of the latent function between A (m, d) and B (k, d), (m, k)."""
        a, _, half_a = self._condition(A)
        b, _, half_b = self._condition(B)
        return np.asarray(self.kernel.covariance(self.theta, a, b) - half_a.T @ half_b)

    @cached_property
    def leave_one_out(self) -> tuple[Floats, Floats]:
        """Mean and variance, with noise, of each target given all others, both (n,).

        The hyper-parameters stay the same.
        """
        variance = 1.0 / np.diag(self._inverse)
        mean = self.t - self._solved * variance
        mean.flags.writeable = variance.flags.writeable = False  # they are kept
        return mean, variance

    def _cross(self, X: Floats) -> tuple[Points, Floats]:
        """The kernel's view of X (m, d), and k(X_n, X), (n, m)."""
        points = self.kernel.points(self.theta, X)
        return points, self.kernel.covariance(self.theta, self.points, points)

    def _condition(self, X: Floats) -> tuple[Points, Floats, Floats]:
        """The kernel's view of X (m, d), the posterior mean (m,), and L^-1 k(X_n, X), (n, m)."""
        points, k = self._cross(X)
        mean = self.alpha @ k
        # As k' L'^-1, in place: to BLAS, which counts in columns, k is its own transpose.
        half = blas.dtrsm(1.0, self.L, k.T, side=1, lower=1, trans_a=1, overwrite_b=1).T
        return points, mean, half

    def sample(self, X: Floats, count: int, rng: np.random.Generator) -> Floats:
        """Joint samples of the latent function at X (m, d), (count, m)."""
        mean, factor = self.joint(X)
        return np.asarray(mean + rng.standard_normal((count, len(X))) @ factor.T)

    def joint(self, X: Floats) -> tuple[Floats, Floats]:
        """Posterior mean (m,) and lower Cholesky factor (m, m) of the covariance at X (m, d)."""
        if len(X) == 0:
            return np.empty(0), np.empty((0, 0))
        points, mean, half = self._condition(X)
        covariance = self.kernel.lower_covariance(self.theta, points)
        covariance = blas.dsyrk(-1.0, half.T, beta=1.0, c=covariance, lower=1, overwrite_c=1)
        factor, failed = _cholesky(covariance, np.zeros(len(X)))
        if failed:  # never an exception: as if independent
            variance = np.maximum(np.diag(covariance), MIN_VARIANCE)
            factor = np.diag(np.sqrt(variance))
        return mean, factor

    def condition_on(self, X: Floats) -> GaussianProcess:
        """Condition on points (m, d) still being evaluated, as if they came out as predicted.

        The mean stays what it was; the variance shrinks around them.
        """
        if len(X) == 0:
            return self
        points, mean, half = self._condition(X)
        K = self.kernel.lower_covariance(self.theta, points)
        K = blas.dsyrk(-1.0, half.T, beta=1.0, c=K, lower=1, overwrite_c=1)
        added = Targets.plain(mean)
        corner, failed = _cholesky(K, added.variance(self.noise))
        if failed:
            corner = np.asfortranarray(np.diag(np.sqrt(np.maximum(np.diag(K), MIN_VARIANCE))))
        n, m = len(self.t), len(X)
        L = np.zeros((n + m, n + m), order="F")
        L[:n, :n], L[n:, :n], L[n:, n:] = self.L, half.T, corner
        targets = Targets(*(np.concatenate(pair) for pair in _pairs(self.targets, added)))
        stacked = np.vstack([self.X, X])
        return replace(
            self,
            X=stacked,
            targets=targets,
            points=self.kernel.points(self.theta, stacked),
            L=L,
            alpha=np.concatenate([self.alpha, np.zeros(m)]),
        )

    def with_theta(self, theta: Floats) -> GaussianProcess:
        """The same data under other hyper-parameters."""
        return self.build(self.kernel, theta, self.X, self.targets)


def _completed(A: Floats) -> Floats:
    """Make A (n, n), whose lower triangle is 0, symmetric: in place, and block by block."""
    for start in range(0, len(A), BLOCK_ROWS):
        block, after = slice(start, start + BLOCK_ROWS), slice(start + BLOCK_ROWS, None)
        A[block, block] += np.triu(A[block, block], 1).T
        A[after, block] = A[block, after].T
    return A


def _pairs(a: Targets, b: Targets) -> list[tuple[Floats, Floats]]:
    return [(getattr(a, field.name), getattr(b, field.name)) for field in fields(Targets)]


def _cholesky(K: Floats, noise: Floats) -> tuple[Floats, bool]:
    """Lower factor of K plus noise (n,) with as little jitter as will do, and whether none did.

    Only the lower triangle of K is read.
    """
    diagonal = np.arange(len(K))
    size = float(K[diagonal, diagonal].mean())
    for rung in JITTER_LADDER:
        A = K.copy(order="F")
        A[diagonal, diagonal] += noise + rung * JITTER * size
        L, failed = lapack.dpotrf(A, lower=1, clean=1, overwrite_a=1)
        if not failed:
            return L, False
    return K, True


def _best(objective: LogPosterior, starts: Sequence[Floats], options: FitOptions) -> Floats:
    """Run L-BFGS from each start and return the best parameters found; never fails."""
    if options.iterations == 0:
        return starts[0]
    from scipy.optimize import minimize  # as slow to import as all of warpfront, so not before

    best, best_value = objective.kernel.priors.start, INFEASIBLE
    for start in starts:
        result = minimize(
            objective,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=objective.kernel.priors.bounds,
            options={
                "maxiter": options.iterations,
                "maxfun": 2 * options.iterations,
                "ftol": options.tolerance,
            },
        )
        if np.all(np.isfinite(result.x)) and result.fun < best_value:
            best, best_value = result.x, float(result.fun)
    return best
