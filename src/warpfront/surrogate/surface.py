"""The posterior mean as a surface over the warped numbers, with its slope.

A search that follows the slope finds the bottom of a basin to many digits, where one that only
compares points comes near it.

Glossary
--------
u : (dn,)
    the numeric columns of one point after the input warp, in [0, 1].
w : (n,)
    for each observation, what the mean gains for each unit of squared scaled distance from it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.surrogate.additive import FREQUENCIES, spectrum
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.kernels import agreements, matern_into

Floats = NDArray[np.float64]


class MeanSurface:
    """The posterior mean of a model over the warped numbers, its categories held.

    Parameters
    ----------
    gp
        The model.
    x
        A point (d,), whose categories are held.

    Examples
    --------
    >>> from warpfront.surrogate.kernels import KernelForm
    >>> X = np.linspace(0, 1, 9)[:, None]
    >>> gp = GaussianProcess.fit(KernelForm(1, 0), np.array([False]), X, 9 * X[:, 0] ** 2)
    >>> surface = MeanSurface(gp, np.array([0.8]))
    >>> value, slope = surface(surface.start)
    >>> bool(np.isclose(value, gp.mean(np.array([[0.8]]))[0])), bool(slope[0] > 0.0)
    (True, True)
    """

    def __init__(self, gp: GaussianProcess, x: Floats) -> None:
        form, theta = gp.form, gp.theta
        here = gp.inputs_of(x[None, :])
        #: where x itself lies, (dn,)
        self.start: Floats = here.U[0]
        #: where the numbers 0 and 1 lie, (2, dn): a steep warp does not reach the ends
        self.ends: Floats = form.features(theta, np.array([[0.0], [1.0]]) + np.zeros(form.numeric))
        self._U = gp.inputs.U
        self._alpha = gp.alpha
        self._smoothness = form.smoothness
        self._signal = float(np.exp(theta[form.SIGNAL]))
        weights = np.exp(-2.0 * theta[form.lengthscales])
        self._weights = weights[: form.numeric]
        self._apart = (gp.inputs.C != here.C) @ weights[form.numeric :]  # (n,) by categories
        # The other parts of the kernel are products of features: their share of the mean is one
        # product with what all observations together contribute to each feature.
        self._constant = 0.0
        self._linear = np.zeros(form.numeric)
        self._waves: Floats | None = None
        agreed = float(gp.alpha @ agreements(gp.inputs, here)[:, 0])
        if form.linear:
            variance = float(np.exp(theta[form.LINEAR]))
            self._linear = variance * (gp.alpha @ gp.inputs.centred)
            self._constant += variance * agreed
        if form.additive:
            variance, lengthscale = (float(v) for v in np.exp(theta[form.additive_part]))
            share = variance * (gp.alpha @ gp.inputs.waves(lengthscale))
            amplitudes = spectrum(lengthscale)[0][:, None]
            self._waves = amplitudes * share.reshape(len(FREQUENCIES), form.numeric)
            self._constant += variance * agreed

    def __call__(self, u: Floats) -> tuple[float, Floats]:
        """The mean at u, and its slope (dn,)."""
        apart = u - self._U  # (n, dn)
        scaled = apart * self._weights
        r2 = np.einsum("ij,ij->i", apart, scaled) + self._apart
        correlation, w = np.empty_like(r2), np.empty_like(r2)
        matern_into(r2, correlation, w, self._smoothness)
        w *= self._signal * self._alpha
        value = self._signal * float(self._alpha @ correlation) + self._constant
        value += float(self._linear @ (2.0 * u - 1.0))
        slope = 2.0 * (w @ scaled) + 2.0 * self._linear
        if self._waves is not None:
            turns = np.pi * FREQUENCIES[:, None]  # (J, 1)
            value += float((self._waves * np.cos(turns * u)).sum())
            slope -= (self._waves * turns * np.sin(turns * u)).sum(axis=0)
        return value, slope
