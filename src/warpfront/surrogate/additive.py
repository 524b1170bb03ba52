"""The additive term: functions of one parameter each, added up.

A Matérn kernel over all parameters knows nothing of a point whose every coordinate was seen, but
not together. Where the effects of the parameters add up, a sum of kernels of one parameter each
does: it can combine the best of every coordinate.

Each of these kernels is a short cosine series on [0, 1] with the spectrum of a Matérn-3/2 (the
idea of Solin and Särkkä, "Hilbert space methods for reduced-rank Gaussian process regression",
2020). So the whole sum is one product of feature matrices, however many parameters there are.

Glossary
--------
U : (n, dn)
    numeric columns after the input warp, in [0, 1].
features : (n, J * dn)
    a_j cos(j π u) of each column, j = 1 to J.
p : (2,)
    logarithms of the variance for each parameter and of the length scale that all share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from warpfront.surrogate.kernels import Points, Pullback, Sensitivity, Workspace
from warpfront.surrogate.priors import Block, LogNormal

Floats = NDArray[np.float64]

FREQUENCIES = np.arange(1.0, 13.0)
"""j: up to six full periods across a parameter."""


def spectrum(lengthscale: float) -> tuple[Floats, Floats]:
    """Amplitudes a (J,) at a length scale, and d log(a) / d log(lengthscale).

    Their squares add up to 2, so that a function of one parameter has variance 1 on average.

    Examples
    --------
    >>> smooth, rough = spectrum(1.0)[0], spectrum(0.1)[0]
    >>> bool(smooth[0] > rough[0]), bool(smooth[-1] < rough[-1])
    (True, True)
    """
    rate = 3.0 / lengthscale**2
    density = 1.0 / (rate + np.square(np.pi * FREQUENCIES))
    share = np.square(density) / np.square(density).sum()
    growth = 2.0 * rate * density
    return np.sqrt(2.0 * share), growth - share @ growth


def turns(U: Floats) -> NDArray[np.complex128]:
    """exp(i j π u) of U (n, dn), (J, dn, n): points last, so that loops over memory are long."""
    n, d = U.shape
    count = len(FREQUENCIES)
    powers = np.empty((count, d, n), dtype=complex)
    np.exp(1j * np.pi * U.T, out=powers[0])
    known = 1
    while known < count:  # by doubling: a product is much cheaper than a cosine
        more = min(known, count - known)
        np.multiply(powers[:more], powers[known - 1], out=powers[known : known + more])
        known += more
    return powers


def cosines(U: Floats) -> Floats:
    """cos(j π u) of U (n, dn), (J, dn, n): the real part of the turns, in less time."""
    n, d = U.shape
    count = len(FREQUENCIES)
    found = np.empty((1 + count, d, n))  # from j = 0 on
    found[0] = 1.0
    np.cos(np.pi * U.T, out=found[1])
    known = 1
    while known < count:  # cos(a + b) = 2 cos(a) cos(b) - cos(a - b)
        more = min(known, count - known)
        next_ones = found[known + 1 : known + more + 1]
        np.multiply(found[1 : more + 1], 2.0 * found[known], out=next_ones)
        next_ones -= found[known - more : known][::-1]
        known += more
    return found[1:]


def features(A: Points, lengthscale: float) -> Floats:
    """The features of inputs, (n, J * dn), kept with them.

    Examples
    --------
    >>> from warpfront.surrogate.kernels import Codes
    >>> features(Points(np.array([[0.5, 1.0]]), Codes(np.empty((1, 0)))), 0.3).shape
    (1, 24)
    """
    return A.keep(("cosines", lengthscale), lambda: _scaled(cosines(A.U), spectrum(lengthscale)[0]))


def _scaled(terms: Floats, factors: Floats) -> Floats:
    """Terms (J, dn, n) times factors (J,): a row for each point, (n, J * dn), in Fortran order."""
    count, d, n = terms.shape
    return np.asarray((terms * factors[:, None, None]).reshape(count * d, n).T)


@dataclass(frozen=True)
class Additive:
    """A sum of functions of one parameter each; categories have a level each.

    Examples
    --------
    >>> from warpfront.surrogate.kernels import Codes
    >>> A = Points(np.array([[0.0], [1.0]]), Codes(np.empty((2, 0))))
    >>> Additive().covariance(np.zeros(2), A, A).round(2)
    array([[ 2.  , -1.64],
           [-1.64,  2.  ]])
    """

    def blocks(self, numeric: int, categories: int) -> list[Block]:
        """Variance, little unless the data ask for more, and length scale."""
        return [
            Block(1, LogNormal(math.log(0.02), 2.0), (1e-6, 1e1)),
            Block(1, LogNormal(math.log(0.3), 0.7), (5e-2, 1e1)),
        ]

    def covariance(self, p: Floats, A: Points, B: Points) -> Floats:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        variance, lengthscale = (float(v) for v in np.exp(p))
        K = variance * features(A, lengthscale) @ features(B, lengthscale).T
        for differ in A.codes.differences(B.codes):
            K += variance
            K -= variance * differ
        return np.asarray(K)

    def diagonal(self, p: Floats, A: Points) -> Floats:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        variance, lengthscale = (float(v) for v in np.exp(p))
        own = features(A, lengthscale)
        return np.asarray(variance * (np.einsum("ij,ij->i", own, own) + A.codes.C.shape[1]))

    def add_to(self, K: Floats, p: Floats, A: Points, room: Workspace) -> Pullback:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        variance, lengthscale = (float(v) for v in np.exp(p))
        amplitudes, growth = spectrum(lengthscale)
        terms = turns(A.U)
        own_features = _scaled(terms.real, amplitudes)
        own = room.array("own", K.shape)
        np.matmul(own_features, own_features.T, out=own)
        for differ in A.codes.differences(A.codes):
            own += 1.0
            own -= differ
        own *= variance
        K += own

        def pull_back(G: Sensitivity) -> tuple[Floats, Floats]:
            GF = G.symmetric_product(own_features, variance).T.reshape(terms.shape)
            shares = np.einsum("jkn,jkn->j", GF, own_features.T.reshape(terms.shape))
            sines = terms.imag * (-np.pi * FREQUENCIES * amplitudes)[:, None, None]
            dU = 2.0 * np.einsum("jkn,jkn->nk", GF, sines)
            return np.array([G.dot(own), 2.0 * shares @ growth]), dU

        return pull_back

    def slope(self, p: Floats, x: Points, B: Points) -> tuple[Floats, Floats]:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        variance, lengthscale = (float(v) for v in np.exp(p))
        seen, waves = features(B, lengthscale), self._waves(lengthscale, x)
        k = seen @ features(x, lengthscale)[0]
        for differ in B.codes.differences(x.codes):
            k += ~differ[:, 0]
        J = np.einsum("jdm,jd->md", seen.T.reshape(*waves.shape, len(seen)), waves)
        return variance * k, variance * J

    def diagonal_slope(self, p: Floats, x: Points) -> Floats:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        variance, lengthscale = (float(v) for v in np.exp(p))
        waves = self._waves(lengthscale, x)
        own = features(x, lengthscale).reshape(waves.shape)
        return np.asarray(2.0 * variance * (own * waves).sum(axis=0))

    def _waves(self, lengthscale: float, x: Points) -> Floats:
        """Derivatives of the features of one input, (J, dn)."""
        rates = np.pi * FREQUENCIES[:, None]
        amplitudes = spectrum(lengthscale)[0][:, None]
        return np.asarray(-amplitudes * rates * np.sin(rates * x.U))

    def largest_variance(self, p: Floats, numeric: int, categories: int) -> float:
        """See :class:`warpfront.surrogate.kernels.Term`."""
        return math.exp(p[0]) * (2 * numeric + categories)
