"""The kernel of the surrogate: Matérn over numbers and categories, plus optional parts.

A linear part, and an additive one (see warpfront.surrogate.additive).

Glossary
--------
X : (n, d)
    encoded configurations (see warpfront.space.encoding).
U : (n, dn)
    numeric columns after the input warp, in [0, 1].
C : (n, dc)
    category codes.
r2 : (n, m)
    squared scaled distance: sum of ((u - u') / ℓ)^2 over numeric columns, plus 1 / ℓ^2 for each
    category in which the two differ. That is the distance between one-hot codes divided by sqrt 2,
    with one length scale for each category: one parameter however many levels there are.
theta : (p,)
    logarithms of all hyper-parameters, laid out by :class:`KernelForm`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from warpfront.settings import LengthscalePrior, Smoothness, WarpPrior
from warpfront.surrogate import priors
from warpfront.surrogate.additive import waves
from warpfront.surrogate.priors import LogNormal, Prior
from warpfront.surrogate.warping import kumaraswamy, unwarped

Floats = NDArray[np.float64]

BOUNDS = {
    "signal": (1e-3, 1e3),
    "noise": (1e-6, 1e1),
    "linear": (1e-6, 1e2),
    "additive": (1e-6, 1e1),
    "additive_lengthscale": (5e-2, 1e1),
    "lengthscale": (5e-3, 1e2),
    "warp": (1e-1, 1e1),
}
"""Within these no Cholesky failed in 5,000 evaluations on 31 pathological data sets."""
BLOCK = 64
"""A symmetric covariance is computed in blocks of so many columns, from the diagonal down."""


def matern(r2: Floats, smoothness: Smoothness) -> Floats:
    """The Matérn correlation at squared distances r2, which are destroyed.

    Examples
    --------
    >>> matern(np.array([0.0]), "matern52")
    array([1.])
    """
    r = np.sqrt(r2, out=r2)
    r *= -math.sqrt(3.0 if smoothness == "matern32" else 5.0)
    value = 1.0 - r
    if smoothness == "matern52":
        value += r * r / 3.0
    value *= np.exp(r, out=r)
    return np.asarray(value)


def matern_into(r2: Floats, value: Floats, slope: Floats, smoothness: Smoothness) -> None:
    """Write the same and its derivative with respect to r2 into given arrays; r2 is destroyed.

    Large arrays that live for one call only cost more in page faults than in arithmetic.
    """
    r = np.sqrt(r2, out=r2)
    r *= -math.sqrt(3.0 if smoothness == "matern32" else 5.0)
    e = np.exp(r, out=slope)
    np.subtract(1.0, r, out=value)
    if smoothness == "matern32":
        value *= e
        slope *= -1.5
    else:
        r *= r
        r /= 3.0
        r += value
        r *= e
        slope *= value
        slope *= -5.0 / 6.0
        value[...] = r


def squared_distances(A: Floats, B: Floats, out: Floats | None = None) -> Floats:
    """Squared Euclidean distances between the rows of A (n, k) and of B (m, k), (n, m)."""
    # |a - b|^2 = [-2a, |a|^2, 1] . [b, 1, |b|^2]: one product, and no pass over an (n, m) array.
    left, right = (np.empty((Z.shape[1] + 2, len(Z))) for Z in (A, B))
    np.multiply(A.T, -2.0, out=left[:-2])
    right[:-2] = B.T
    left[-2], left[-1] = np.einsum("ij,ij->i", A, A), 1.0
    right[-2], right[-1] = 1.0, np.einsum("ij,ij->i", B, B)
    r2 = np.matmul(left.T, right, out=out)
    return np.asarray(np.maximum(r2, 0.0, out=r2))


@dataclass(frozen=True)
class KernelForm:
    """Which parts the kernel has, and where their parameters stand in theta.

    Examples
    --------
    >>> form = KernelForm(numeric=2, categories=1, input_warp=True)
    >>> form.size, form.lengthscales, form.warp_a
    (9, slice(2, 5, None), slice(5, 7, None))
    """

    numeric: int
    categories: int
    smoothness: Smoothness = "matern32"
    linear: bool = False
    additive: bool = False
    input_warp: bool = True
    warp_prior: WarpPrior = "paper"
    lengthscale_prior: LengthscalePrior = "flat"
    noise_prior: LogNormal = priors.PAPER_NOISE

    SIGNAL = 0
    NOISE = 1
    LINEAR = 2  # if there is one

    @property
    def d(self) -> int:
        """How many length scales there are."""
        return self.numeric + self.categories

    @property
    def warped(self) -> int:
        """How many dimensions are warped."""
        return self.numeric if self.input_warp else 0

    @cached_property
    def additive_part(self) -> slice:
        """Variance for each parameter and length scale of the additive part, if there is one."""
        start = 2 + self.linear
        return slice(start, start + 2 * self.additive)

    @cached_property
    def lengthscales(self) -> slice:
        """Numeric columns first, then categories."""
        start = self.additive_part.stop
        return slice(start, start + self.d)

    @cached_property
    def warp_a(self) -> slice:
        """Logarithms of a of the warp."""
        start = self.lengthscales.stop
        return slice(start, start + self.warped)

    @cached_property
    def warp_b(self) -> slice:
        """Logarithms of b of the warp."""
        start = self.warp_a.stop
        return slice(start, start + self.warped)

    @property
    def size(self) -> int:
        """Length of theta."""
        return 2 + self.linear + 2 * self.additive + self.d + 2 * self.warped

    @cached_property
    def prior_table(self) -> list[tuple[slice, Prior, tuple[float, float]]]:
        """Where each kind of parameter stands, its prior and its bounds."""
        table: list[tuple[slice, Prior, tuple[float, float]]] = [
            (slice(0, 1), priors.SIGNAL, BOUNDS["signal"]),
            (slice(1, 2), self.noise_prior, BOUNDS["noise"]),
            (
                self.lengthscales,
                priors.lengthscale_prior(self.lengthscale_prior, max(self.d, 1)),
                BOUNDS["lengthscale"],
            ),
            (
                slice(self.warp_a.start, self.warp_b.stop),
                priors.warp_prior(self.warp_prior, self.warped),
                BOUNDS["warp"],
            ),
        ]
        if self.linear:
            table.append((slice(2, 3), priors.LINEAR, BOUNDS["linear"]))
        if self.additive:
            start, stop = self.additive_part.start, self.additive_part.stop
            table.append((slice(start, start + 1), priors.ADDITIVE, BOUNDS["additive"]))
            table.append(
                (
                    slice(start + 1, stop),
                    priors.ADDITIVE_LENGTHSCALE,
                    BOUNDS["additive_lengthscale"],
                )
            )
        return table

    @cached_property
    def bounds(self) -> Floats:
        """Lower and upper bounds of theta, (p, 2)."""
        box = np.empty((self.size, 2))
        for where, _, limits in self.prior_table:
            box[where] = np.log(limits)
        return box

    @cached_property
    def default(self) -> Floats:
        """Where a fit starts: signal variance 1, all else at the mode of its prior."""
        theta = np.empty(self.size)
        for where, prior, _ in self.prior_table:
            theta[where] = prior.mode
        theta[self.SIGNAL] = 0.0
        return np.clip(theta, self.bounds[:, 0], self.bounds[:, 1])

    @cached_property
    def _normal_priors(self) -> tuple[Floats, Floats]:
        """Modes and inverse scales of all priors but that of the signal, both (p,)."""
        modes, precisions = np.zeros((2, self.size))
        for where, prior, _ in self.prior_table:
            if isinstance(prior, LogNormal):
                modes[where], precisions[where] = prior.mode, 1.0 / prior.scale
        return modes, precisions

    def log_prior(self, theta: Floats) -> tuple[float, Floats]:
        """Log-density of all priors together, up to a constant, and its gradient."""
        modes, precisions = self._normal_priors  # all at once: a fit asks at every step
        z = (theta - modes) * precisions
        gradient = -z * precisions
        value, gradient[self.SIGNAL] = priors.SIGNAL.log_density(theta[self.SIGNAL])
        return float(value) - 0.5 * float(z @ z), gradient

    def features(self, theta: Floats, N: Floats) -> Floats:
        """Numeric columns N (n, dn) after the input warp."""
        if not self.input_warp:
            return N
        return kumaraswamy(N, np.exp(theta[self.warp_a]), np.exp(theta[self.warp_b]))

    def numbers(self, theta: Floats, U: Floats) -> Floats:
        """Numeric columns of which U (n, dn) is the warp."""
        if not self.input_warp:
            return U
        return unwarped(U, np.exp(theta[self.warp_a]), np.exp(theta[self.warp_b]))

    def covariance(self, theta: Floats, A: Inputs, B: Inputs) -> Floats:
        """Prior covariance of the latent function between two sets of inputs, (n, m)."""
        inverse = np.exp(-theta[self.lengthscales])
        r2 = squared_distances(A.U * inverse[: self.numeric], B.U * inverse[: self.numeric])
        for c, weight in enumerate(inverse[self.numeric :] ** 2):
            r2 += weight * (A.C[:, c, None] != B.C[:, c])
        K = matern(r2, self.smoothness)
        K *= np.exp(theta[self.SIGNAL])
        if self.linear:
            K += np.exp(theta[self.LINEAR]) * linear_products(A, B)
        if self.additive:
            variance, lengthscale = np.exp(theta[self.additive_part])
            K += variance * A.waves(lengthscale) @ B.waves(lengthscale).T
            if self.categories:
                K += variance * agreements(A, B)
        return np.asarray(K)

    def lower_covariance(self, theta: Floats, A: Inputs) -> Floats:
        """Covariance of inputs with themselves, (n, n), Fortran-ordered, from the diagonal down.

        Block by block: half as much to compute, in pieces that stay in the processor's cache.
        """
        n = len(A.U)
        K = np.zeros((n, n), order="F")
        if self.additive:
            A.waves(np.exp(theta[self.additive_part])[1])  # once, not for each block
        for start in range(0, n, BLOCK):
            stop = min(start + BLOCK, n)
            K.T[start:stop, start:] = self.covariance(theta, A[start:stop], A[start:])
        return K

    def largest_variance(self, theta: Floats) -> float:
        """The greatest prior variance of the latent function: in a corner of the cube."""
        total = np.exp(theta[self.SIGNAL])
        if self.linear:
            total += np.exp(theta[self.LINEAR]) * self.d
        if self.additive:
            total += np.exp(theta[self.additive_part][0]) * (2 * self.numeric + self.categories)
        return float(total)

    def variance(self, theta: Floats, A: Inputs) -> Floats:
        """Prior variance of the latent function at each input, (n,)."""
        total = np.full(len(A.U), np.exp(theta[self.SIGNAL]))
        if self.linear:
            total += np.exp(theta[self.LINEAR]) * (
                np.einsum("ij,ij->i", A.centred, A.centred) + self.categories
            )
        if self.additive:
            variance, lengthscale = np.exp(theta[self.additive_part])
            features = A.waves(lengthscale)
            total += variance * (np.einsum("ij,ij->i", features, features) + self.categories)
        return total


@dataclass(frozen=True)
class Inputs:
    """Inputs as the kernel sees them: warped numbers U (n, dn) and category codes C (n, dc)."""

    U: Floats
    C: Floats
    _waves: dict[float, Floats] = field(default_factory=dict, repr=False, compare=False)

    def __getitem__(self, rows: slice) -> Inputs:
        known = {lengthscale: waves[rows] for lengthscale, waves in self._waves.items()}
        return Inputs(self.U[rows], self.C[rows], known)

    @cached_property
    def centred(self) -> Floats:
        """Numbers in [-1, 1], where the linear kernel lives."""
        return 2.0 * self.U - 1.0

    def waves(self, lengthscale: float) -> Floats:
        """The features of the additive kernel, (n, J * dn), kept for the next time."""
        if lengthscale not in self._waves:
            self._waves[lengthscale] = waves(self.U, lengthscale)
        return self._waves[lengthscale]


def linear_products(A: Inputs, B: Inputs) -> Floats:
    """Isotropic linear kernel of variance 1; categories count as one-hot codes."""
    return np.asarray(A.centred @ B.centred.T + agreements(A, B))


def agreements(A: Inputs, B: Inputs) -> Floats:
    """In how many categories two configurations agree, (n, m)."""
    total = np.zeros((len(A.C), len(B.C)))
    for c in range(A.C.shape[1]):
        total += A.C[:, c, None] == B.C[:, c]
    return total
