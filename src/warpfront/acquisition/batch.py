"""EI, PI and UCB of a joint batch of q points, by Monte Carlo (paper, section 2.2).

The paper writes all three in the reparameterised form of Wilson, Hutter and Deisenroth,
"Maximizing Acquisition Functions for Bayesian Optimization", 2018: the expectation, over joint
posterior samples of the batch, of the best that its points achieve. We minimise, so improvement
means falling below tau, and the paper's UCB is a lower bound. :func:`q_ei`, :func:`q_pi` and
:func:`q_lcb` are these expectations. A :class:`Batch` extends a batch by one point: the others are
sampled, and the expectation over the new point given a sample is the closed form. For q = 1 nothing
is sampled.

Glossary
--------
X : (p, d)
    encoded points of the batch so far; C : (m, d) candidates for the next one.
Z : (s, p)
    quasi-random standard normal draws, the same for every candidate (common random numbers).
samples : (s, p)
    joint posterior samples of the latent function at X.
tau
    improvement threshold, the paper's f(x+).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import logsumexp, ndtr, ndtri

from warpfront.acquisition.functions import log_ei, log_pi
from warpfront.space.sampling import sobol
from warpfront.surrogate.gp import MIN_VARIANCE, GaussianProcess

Floats = NDArray[np.float64]

SAMPLES = 128
"""Joint samples of a batch: with Sobol draws the standard error is about 1 % for eight points."""
EDGE = 2.0**-32
"""Quasi-random numbers are kept so far from 0 and 1, where the normal quantile is infinite."""
FARTHEST = -35.0
"""Standard deviations below which nothing is expected, as far as numbers of 64 bits go."""
SQRT_2PI = math.sqrt(2.0 * math.pi)
SQRT_HALF_PI = math.sqrt(math.pi / 2.0)


def normal_draws(q: int, rng: np.random.Generator, count: int = SAMPLES) -> Floats:
    """Standard normal draws of a scrambled Sobol sequence, (count, q).

    Examples
    --------
    >>> Z = normal_draws(3, np.random.default_rng(0))
    >>> Z.shape, bool(abs(Z.mean()) < 0.01), bool(abs(Z.std() - 1.0) < 0.02)
    ((128, 3), True, True)
    """
    if q == 0:
        return np.empty((count, 0))
    return np.asarray(ndtri(np.clip(sobol(count, q, rng), EDGE, 1.0 - EDGE)))


def joint_samples(gp: GaussianProcess, X: Floats, Z: Floats) -> Floats:
    """Joint posterior samples at X (p, d) from draws Z (s, p): mean + Z L', (s, p)."""
    mean, factor = gp.joint(X)
    return np.asarray(mean + Z @ factor.T)


def q_ei(samples: Floats, tau: float) -> float:
    """Expected improvement of a batch from joint samples (s, q), to be maximised (``Eq:q_EI``).

    Examples
    --------
    >>> q_ei(np.array([[1.0, -2.0], [0.5, 3.0]]), tau=0.0)
    1.0
    """
    return float(np.maximum(tau - samples, 0.0).max(axis=1).mean())


def q_pi(samples: Floats, tau: float) -> float:
    """Probability that a point of the batch improves, from joint samples (s, q), to be maximised.

    The paper's step function is left-continuous: equality is not an improvement.

    Examples
    --------
    >>> q_pi(np.array([[1.0, -2.0], [0.0, 3.0]]), tau=0.0)
    0.5
    """
    return float((samples < tau).any(axis=1).mean())


def q_lcb(samples: Floats, mean: Floats, kappa: float) -> float:
    """Lower confidence bound of a batch from joint samples (s, q), to be minimised.

    The paper's UCB with its sign flipped, and kappa for the square root of its beta.

    Parameters
    ----------
    samples
        Joint samples, (s, q).
    mean
        Posterior mean, (q,).
    kappa
        The weight of the standard deviation.

    Examples
    --------
    >>> round(q_lcb(np.array([[1.0], [-1.0]]), np.array([0.0]), kappa=2.0), 3)
    -2.507
    """
    return float(_bounds(samples, mean, kappa).min(axis=1).mean())


def _bounds(samples: Floats, mean: Floats, kappa: float) -> Floats:
    """The term of the paper's UCB, mu - sqrt(beta pi / 2) |gamma| with gamma = f - mu, (s, q)."""
    return np.asarray(mean - kappa * SQRT_HALF_PI * np.abs(samples - mean))


@dataclass(frozen=True, eq=False)
class Conditional:
    """The latent function at candidates given each joint sample of the batch.

    Attributes
    ----------
    mean
        Posterior mean without the samples, the paper's mu, (m,).
    gamma
        What each sample adds to it: the conditional mean of f - mu, (s, m).
    std
        Conditional standard deviation, (m,).
    """

    mean: Floats
    gamma: Floats
    std: Floats


@dataclass(frozen=True, eq=False)
class Batch:
    """The points of a batch so far, with joint samples, to which one more is to be added.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> for x in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
    ...     optimizer.tell({"x": x}, (x - 0.4) ** 2)
    >>> Z = normal_draws(1, np.random.default_rng(0))
    >>> batch = Batch.of(optimizer.model.gp, np.array([[0.5]]), Z)
    >>> near, far = batch.log_ei(batch.condition(np.array([[0.5], [0.3]])), tau=-0.5)
    >>> bool(near < far)
    True
    """

    gp: GaussianProcess
    X: Floats
    mean: Floats
    factor: Floats
    Z: Floats

    @classmethod
    def of(cls, gp: GaussianProcess, X: Floats, Z: Floats) -> Batch:
        """Sample a model at X (p, d) by the first p columns of the draws Z (s, >= p)."""
        Z = Z[:, : len(X)] if len(X) else np.empty((1, 0))  # one sample of nothing
        return cls(gp, X, *gp.joint(X), Z)

    @cached_property
    def samples(self) -> Floats:
        """Joint posterior samples, (s, p)."""
        return np.asarray(self.mean + self.Z @ self.factor.T)

    def condition(self, C: Floats) -> Conditional:
        """The candidates C (m, d) given each sample.

        The cross-covariance whitened by the factor is the next row of the factor: with ``Z`` of one
        more column, mean + gamma + std * Z[:, p] would be the next column of the samples.
        """
        mean, variance = self.gp.predict(C)
        row = np.zeros((0, len(C)))
        if len(self.X):
            row = solve_triangular(self.factor, self.gp.covariance(self.X, C), lower=True)
        left = np.maximum(variance - np.square(row).sum(axis=0), MIN_VARIANCE)
        return Conditional(mean, self.Z @ row, np.sqrt(left))

    def log_ei(self, at: Conditional, tau: float) -> Floats:
        """Logarithm of what each candidate adds to q-EI, (m,)."""
        best = np.minimum(tau, self.samples.min(axis=1, initial=np.inf))
        return _log_mean(log_ei(at.mean + at.gamma, at.std, best[:, None]), len(best))

    def log_pi(self, at: Conditional, tau: float) -> Floats:
        """Logarithm of what each candidate adds to q-PI, (m,).

        Where the batch improves on every sample nothing is left to add; the sample on which it
        improves least decides then.
        """
        best = self.samples.min(axis=1, initial=np.inf)
        left = best >= tau
        if not left.any():
            left[np.argmax(best)] = True
        return _log_mean(log_pi(at.mean + at.gamma[left], at.std, tau), len(best))

    def lcb(self, at: Conditional, kappa: float) -> Floats:
        """The q-LCB of the batch with each candidate, (m,).

        With c = sqrt(beta pi / 2) and b the bound of the batch so far, E min(b, mu - c |gamma|) is
        min(b, mu) - c E max(0, |gamma| - r), where r = max(0, (mu - b) / c).
        """
        c = kappa * SQRT_HALF_PI
        b = _bounds(self.samples, self.mean, kappa).min(axis=1, initial=np.inf)[:, None]
        r = np.maximum((at.mean - b) / c, 0.0)
        # A normal gamma exceeds r, or falls below -r: two expected improvements.
        beyond = _excess(at.gamma - r, at.std) + _excess(-at.gamma - r, at.std)
        return np.asarray((np.minimum(b, at.mean) - c * beyond).mean(axis=0))


def _excess(mean: Floats, std: Floats) -> Floats:
    """The expected value of max(0, y) for normal y, (s, m)."""
    z = np.maximum(mean / std, FARTHEST)
    return np.asarray(std * (z * ndtr(z) + np.exp(-0.5 * z * z) / SQRT_2PI))


def _log_mean(values: Floats, count: int) -> Floats:
    return np.asarray(logsumexp(values, axis=0) - math.log(count))
