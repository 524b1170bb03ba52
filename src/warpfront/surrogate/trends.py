"""Trend terms: linear and quadratic functions of all parameters.

Glossary
--------
Z : (n, dn)
    numbers in [-1, 1].
S : (n, m)
    products of Z, plus the number of categories in which two configurations agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from warpfront.surrogate.kernels import Points, Pullback, Sensitivity, Workspace, symmetric_product
from warpfront.surrogate.priors import Block, LogNormal

Floats = NDArray[np.float64]


def products(A: Points, B: Points) -> Floats:
    """The matrix S between two sets of inputs, (n, m)."""
    S = A.centred @ B.centred.T
    for differ in A.codes.differences(B.codes):
        S += 1.0
        S -= differ
    return np.asarray(S)


def squared_norms(A: Points) -> Floats:
    """The diagonal of S, (n,)."""
    return np.asarray(np.einsum("ij,ij->i", A.centred, A.centred) + A.codes.C.shape[1])


@dataclass(frozen=True)
class Linear:
    """A linear function: v S. The winning submission's, with a flat prior of the variance v.

    Examples
    --------
    >>> from warpfront.surrogate.kernels import Codes
    >>> A = Points(np.array([[0.0], [1.0]]), Codes(np.empty((2, 0))))
    >>> Linear().covariance(np.zeros(1), A, A)
    array([[ 1., -1.],
           [-1.,  1.]])
    """

    def blocks(self, numeric: int, categories: int) -> list[Block]:
        """The variance."""
        return [Block(1, LogNormal(math.log(0.1), math.inf), (1e-6, 1e2))]

    def covariance(self, p: Floats, A: Points, B: Points) -> Floats:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        return math.exp(p[0]) * products(A, B)

    def diagonal(self, p: Floats, A: Points) -> Floats:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        return math.exp(p[0]) * squared_norms(A)

    def add_to(self, K: Floats, p: Floats, A: Points, room: Workspace) -> Pullback:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        own = self.covariance(p, A, A)
        K += own

        def pull_back(G: Sensitivity) -> tuple[Floats, Floats]:
            dU = G.symmetric_product(A.centred, 4.0 * math.exp(p[0]))
            return np.array([G.dot(own)]), dU

        return pull_back

    def slope(self, p: Floats, x: Points, B: Points) -> tuple[Floats, Floats]:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        variance = math.exp(p[0])
        return variance * products(B, x)[:, 0], 2.0 * variance * B.centred

    def diagonal_slope(self, p: Floats, x: Points) -> Floats:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        return np.asarray(4.0 * math.exp(p[0]) * x.centred[0])

    def largest_variance(self, p: Floats, numeric: int, categories: int) -> float:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        return math.exp(p[0]) * (numeric + categories)


@dataclass(frozen=True)
class Quadratic:
    """A quadratic function, with all interactions of two parameters: v (S + S ∘ S).

    Its prior expects little of it, the less the more parameters there are: the variance in a
    corner of the cube grows with d^2.

    Examples
    --------
    >>> from warpfront.surrogate.kernels import Codes
    >>> A = Points(np.array([[0.0], [1.0]]), Codes(np.empty((2, 0))))
    >>> Quadratic().covariance(np.zeros(1), A, A)
    array([[2., 0.],
           [0., 2.]])
    """

    def blocks(self, numeric: int, categories: int) -> list[Block]:
        """The variance."""
        d = max(numeric + categories, 1)
        return [Block(1, LogNormal(math.log(0.01 / d), 2.0), (1e-8, 1e1))]

    def covariance(self, p: Floats, A: Points, B: Points) -> Floats:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        S = products(A, B)
        S += S * S
        S *= math.exp(p[0])
        return S

    def diagonal(self, p: Floats, A: Points) -> Floats:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        squares = squared_norms(A)
        return math.exp(p[0]) * (squares + squares**2)

    def add_to(self, K: Floats, p: Floats, A: Points, room: Workspace) -> Pullback:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        S = products(A, A)
        variance = math.exp(p[0])
        own = S * S
        own += S
        own *= variance
        K += own

        def pull_back(G: Sensitivity) -> tuple[Floats, Floats]:
            H = 2.0 * S
            H += 1.0
            H *= G.G
            return np.array([G.dot(own)]), symmetric_product(H, A.centred, 4.0 * variance)

        return pull_back

    def slope(self, p: Floats, x: Points, B: Points) -> tuple[Floats, Floats]:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        variance, S = math.exp(p[0]), products(B, x)
        J = (2.0 * variance * (1.0 + 2.0 * S)) * B.centred
        return variance * (S + S * S)[:, 0], J

    def diagonal_slope(self, p: Floats, x: Points) -> Floats:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        grown = 4.0 * (1.0 + 2.0 * float(squared_norms(x)[0]))
        return np.asarray(math.exp(p[0]) * grown * x.centred[0])

    def largest_variance(self, p: Floats, numeric: int, categories: int) -> float:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        d = numeric + categories
        return math.exp(p[0]) * (d + d**2)
