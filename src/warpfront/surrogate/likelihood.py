"""The log-posterior of the hyper-parameters and its exact gradient.

Paper, "All Modelling Improvements Together": the marginal likelihood of the transformed outcomes
under the kernel of the warped inputs, plus the priors.

Arrays of shape (n, n) are C-ordered and only their lower triangle is valid, which LAPACK and BLAS
(Fortran order) see as the upper triangle of the transpose: the faster of the two in OpenBLAS.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from warpfront.surrogate.kernels import Kernel, Sensitivity, TrainingInputs

Floats = NDArray[np.float64]

LOG_2PI = math.log(2.0 * math.pi)
JITTER = 1e-8
"""Added to the diagonal, as a share of the mean variance."""
INFEASIBLE = 1e25
"""What a failed Cholesky counts; with a zero gradient the line search steps back."""


@dataclass(frozen=True, eq=False)
class Targets:
    """What a Gaussian process is fitted to: averaged targets and what is known of their noise.

    The variance of the noise of a target is ``share`` times the noise variance of the model, plus
    ``known``.

    Attributes
    ----------
    t
        About standard normal, (n,).
    share
        One over the number of measurements that were averaged, (n,); less where the noise of some
        is known.
    known
        The variance of the mean that was measured, (n,).
    squares, freedom
        The sum of the squared differences between the measurements of a target and their mean, and
        how many measurements there are but one, (n,); 0 where these say nothing of the noise. With
        these the likelihood is that of all measurements, though there is one row for each mean.
    """

    t: Floats
    share: Floats
    known: Floats
    squares: Floats
    freedom: Floats

    @classmethod
    def plain(cls, t: Floats) -> Targets:
        """One measurement each, of unknown noise.

        Examples
        --------
        >>> Targets.plain(np.array([0.5])).share
        array([1.])
        """
        return cls.of_means(t, np.ones_like(t), np.zeros_like(t))

    @classmethod
    def of_means(cls, t: Floats, share: Floats, known: Floats) -> Targets:
        """Means alone: nothing is known of the differences between their measurements."""
        return cls(t, share, known, np.zeros_like(t), np.zeros_like(t))

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, rows: NDArray[np.intp]) -> Targets:
        return Targets(
            self.t[rows], self.share[rows], self.known[rows], self.squares[rows], self.freedom[rows]
        )

    def variance(self, noise: float) -> Floats:
        """The variance of the noise of each, (n,)."""
        return noise * self.share + self.known


class LogPosterior:
    """Minus the log-posterior of theta, with gradient, for fixed data.

    Parameters
    ----------
    kernel
        What is fitted.
    X
        Encoded configurations, (n, d).
    targets
        Of these.
    """

    def __init__(self, kernel: Kernel, X: Floats, targets: Targets) -> None:
        self.kernel, self.targets = kernel, targets
        self._inputs = TrainingInputs(kernel, X)
        self._diagonal = slice(None, None, len(X) + 1)
        self._squares, self._freedom = float(targets.squares.sum()), float(targets.freedom.sum())

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """Minus the log-posterior and its gradient."""
        kernel, t, n = self.kernel, self.targets.t, len(self.targets)
        noise = kernel.noise(theta)
        K, pull_back = self._inputs.covariance(theta)
        diagonal = K.ravel()[self._diagonal]
        diagonal += self.targets.variance(noise) + JITTER * float(diagonal.mean())
        K.ravel()[self._diagonal] = diagonal

        L, failed = lapack.dpotrf(K.T, lower=0, clean=0, overwrite_a=1)
        if failed:
            return INFEASIBLE, np.zeros_like(theta)
        log_det = 2.0 * np.log(L.ravel(order="K")[self._diagonal]).sum()
        alpha, _ = lapack.dpotrs(L, t, lower=0)
        minus_log_likelihood = 0.5 * (float(t @ alpha) + log_det + n * LOG_2PI)
        # Of the measurements around their means: what theta does not change is left out.
        within = self._squares / noise
        minus_log_likelihood += 0.5 * (self._freedom * math.log(noise) + within)
        inverse_K, _ = lapack.dpotri(L, lower=0, overwrite_c=1)
        inverse_K *= 0.5

        # The derivative of minus the log-likelihood with respect to K: (K^-1 - αα') / 2.
        G = Sensitivity(blas.dsyr(-0.5, alpha, a=inverse_K, lower=0, overwrite_a=1).T)
        gradient = pull_back(G)
        gradient[kernel.NOISE] = noise * float(self.targets.share @ G.diagonal)
        gradient[kernel.NOISE] += 0.5 * (self._freedom - within)

        log_prior, prior_gradient = kernel.priors.log_density(theta)
        value = minus_log_likelihood - log_prior
        if not math.isfinite(value):
            return INFEASIBLE, np.zeros_like(theta)
        return value, gradient - prior_gradient
