"""The Matérn term: a smooth function of all parameters together.

Glossary
--------
r2 : (n, m)
    squared scaled distance: the sum of ((u - u') / ℓ)^2 over numeric columns, plus 1 / ℓ^2 for each
    category in which the two differ. That is the distance between one-hot codes divided by sqrt 2,
    with one length scale for each category: one parameter however many levels there are.
p : (1 + dn + dc,)
    logarithms of the variance and of the length scales, numeric columns first.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from warpfront.surrogate.kernels import Points, Pullback, Sensitivity, Workspace, symmetric_product
from warpfront.surrogate.priors import Block, Gamma, LogNormal, Prior

Floats = NDArray[np.float64]
Smoothness = Literal["matern32", "matern52"]
LengthscalePrior = Literal["flat", "dimension"]

SIGNAL_PRIOR = Gamma(0.5, 1.0)
"""Of the variance (the winning submission)."""
SIGNAL_BOUNDS, LENGTHSCALE_BOUNDS = (1e-3, 1e3), (5e-3, 1e2)
"""Within these no Cholesky failed in 5,000 evaluations on 31 pathological data sets."""


def lengthscale_prior(kind: LengthscalePrior, d: int) -> Prior:
    """The prior of the length scales of d inputs in the unit cube.

    ``"flat"`` is the paper's. ``"dimension"`` grows with sqrt(d), so that distances in many
    dimensions stay comparable with the length scale: the idea of Hvarfner, Hellsten and Nardi,
    "Vanilla Bayesian Optimization Performs Great in High Dimensions", 2024, with a centre and a
    scale of our own (docs/experiments.md).

    Examples
    --------
    >>> round(lengthscale_prior("dimension", 9).mode - lengthscale_prior("dimension", 1).mode, 4)
    1.0986
    """
    if kind == "flat":
        return LogNormal(math.log(0.5), math.inf)
    return LogNormal(math.log(0.3) + 0.5 * math.log(max(d, 1)), 1.0)


@dataclass(frozen=True)
class Matern:
    """A Matérn kernel over numbers and categories, one length scale for each.

    Examples
    --------
    >>> from warpfront.surrogate.kernels import Codes
    >>> A = Points(np.array([[0.0], [1.0]]), Codes(np.empty((2, 0))))
    >>> Matern("matern52").covariance(np.zeros(2), A, A).round(4)
    array([[1.   , 0.524],
           [0.524, 1.   ]])
    """

    smoothness: Smoothness = "matern32"
    lengthscales: LengthscalePrior = "dimension"

    def blocks(self, numeric: int, categories: int) -> list[Block]:
        """Variance and length scales."""
        d = numeric + categories
        return [
            Block(1, SIGNAL_PRIOR, SIGNAL_BOUNDS, start=0.0),
            Block(d, lengthscale_prior(self.lengthscales, d), LENGTHSCALE_BOUNDS),
        ]

    def _squared(self, p: Floats, A: Points, B: Points, out: Floats | None = None) -> Floats:
        numeric = A.U.shape[1]
        inverse = np.exp(-p[1:])
        r2 = squared_distances(A.U * inverse[:numeric], B.U * inverse[:numeric], out)
        for differ, weight in zip(
            A.codes.differences(B.codes), inverse[numeric:] ** 2, strict=True
        ):
            r2 += weight * differ
        return r2

    def covariance(self, p: Floats, A: Points, B: Points) -> Floats:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        r = self._squared(p, A, B)
        np.sqrt(r, out=r)
        r *= -self._rate
        K = 1.0 - r
        if self.smoothness == "matern52":
            K += r * r / 3.0
        K *= np.exp(r, out=r)
        K *= np.exp(p[0])
        return np.asarray(K)

    @property
    def _rate(self) -> float:
        return math.sqrt(3.0 if self.smoothness == "matern32" else 5.0)

    def diagonal(self, p: Floats, A: Points) -> Floats:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        return np.full(len(A), np.exp(p[0]))

    def _with_slope(self, r2: Floats, value: Floats, slope: Floats) -> None:
        """Write the correlation and its derivative with respect to r2, which is destroyed."""
        r = np.sqrt(r2, out=r2)
        r *= -self._rate
        e = np.exp(r, out=slope)
        np.subtract(1.0, r, out=value)
        if self.smoothness == "matern32":
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

    def add_to(self, K: Floats, p: Floats, A: Points, room: Workspace) -> Pullback:
        """See :class:`warpfront.surrogate.kernels.Term`.

        With W = G ∘ dK/dr2 the derivative with respect to the scaled inputs V is 4 (w ∘ V - W V),
        w = W 1: all numeric length scales and all inputs come from one symmetric product.
        """
        n, numeric = A.U.shape
        inverse = np.exp(-p[1:])
        V_1 = room.array("V_1", (numeric + 1, n)).T  # V, and the ones of w = W 1
        V = np.multiply(A.U, inverse[:numeric], out=V_1[:, :-1])
        V_1[:, -1] = 1.0
        own, slope, r2 = (room.array(name, (n, n)) for name in ("own", "slope", "r2"))
        squared_distances(V, V, out=r2)
        weights = inverse[numeric:] ** 2
        differences = A.codes.differences(A.codes)
        for differ, weight in zip(differences, weights, strict=True):
            r2 += np.multiply(differ, weight, out=own)
        self._with_slope(r2, own, slope)
        signal = math.exp(p[0])
        own *= signal
        K += own

        def pull_back(G: Sensitivity) -> tuple[Floats, Floats]:
            dp = np.empty(len(p))
            dp[0] = G.dot(own)
            W = np.multiply(G.G, slope, out=slope)
            product = symmetric_product(W, V_1, 4.0 * signal)
            dV = product[:, -1:] * V - product[:, :-1]
            dp[1 : 1 + numeric] = -np.einsum("ij,ij->j", dV, V)
            for c, (differ, weight) in enumerate(zip(differences, weights, strict=True)):
                total = float(np.tril(W, -1).sum(where=differ))
                dp[1 + numeric + c] = -4.0 * signal * weight * total
            return dp, dV * inverse[:numeric]

        return pull_back

    def slope(self, p: Floats, x: Points, B: Points) -> tuple[Floats, Floats]:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        numeric = x.U.shape[1]
        squared_rates = np.exp(-2.0 * p[1:])
        apart = x.U - B.U  # (m, dn)
        J = apart * squared_rates[:numeric]
        r2 = np.einsum("ij,ij->i", apart, J)
        for differ, weight in zip(
            B.codes.differences(x.codes), squared_rates[numeric:], strict=True
        ):
            r2 += weight * differ[:, 0]
        k, slope = np.empty_like(r2), np.empty_like(r2)
        self._with_slope(r2, k, slope)
        signal = math.exp(p[0])
        k *= signal
        slope *= 2.0 * signal
        J *= slope[:, None]
        return k, J

    def diagonal_slope(self, p: Floats, x: Points) -> Floats:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        return np.zeros(x.U.shape[1])

    def largest_variance(self, p: Floats, numeric: int, categories: int) -> float:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        return math.exp(p[0])


def squared_distances(A: Floats, B: Floats, out: Floats | None = None) -> Floats:
    """Squared Euclidean distances between the rows of A (n, k) and of B (m, k), (n, m).

    Examples
    --------
    >>> squared_distances(np.array([[0.0], [3.0]]), np.array([[1.0]]))
    array([[1.],
           [4.]])
    """
    # |a - b|^2 = [-2a, |a|^2, 1] . [b, 1, |b|^2]: one product, and no pass over an (n, m) array.
    left, right = (np.empty((Z.shape[1] + 2, len(Z))) for Z in (A, B))
    np.multiply(A.T, -2.0, out=left[:-2])
    right[:-2] = B.T
    left[-2], left[-1] = np.einsum("ij,ij->i", A, A), 1.0
    right[-2], right[-1] = 1.0, np.einsum("ij,ij->i", B, B)
    r2 = np.matmul(left.T, right, out=out)
    return np.asarray(np.maximum(r2, 0.0, out=r2))
