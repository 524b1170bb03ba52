"""The additive part of the kernel: functions of one parameter each, added up.

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
waves : (n, J * dn)
    a_j cos(j π u) of each column, j = 1 to J.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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


def waves(U: Floats, lengthscale: float) -> Floats:
    """The features of points U (n, dn), (n, J * dn).

    Examples
    --------
    >>> waves(np.array([[0.5, 1.0]]), 0.3).shape
    (1, 24)
    """
    return scaled(cosines(U), spectrum(lengthscale)[0])


def scaled(terms: Floats, factors: Floats) -> Floats:
    """Terms (J, dn, n) times factors (J,): a row for each point, (n, J * dn), in Fortran order."""
    count, d, n = terms.shape
    return np.asarray((terms * factors[:, None, None]).reshape(count * d, n).T)
