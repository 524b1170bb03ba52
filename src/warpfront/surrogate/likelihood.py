"""The log-posterior of the hyper-parameters and its exact gradient.

Paper, "All Modelling Improvements Together": the marginal likelihood of the transformed losses
under the kernel of the warped inputs, plus the priors.

All 3d derivatives with respect to length scales, a and b come from one symmetric product. Let L be
minus the log-likelihood. With G = 2 dL/dK = K^-1 - αα' and W = G ∘ dM/dr2, its derivative with
respect to the scaled inputs is 2 s (w ∘ V - W V) with w = W 1; everything else is a chain rule on
n x d arrays. The signal variance s follows from the trace identity  sum(G ∘ K) = n - y'α.

Arrays of shape (n, n) are C-ordered; after the inversion only their lower triangle is valid,
which LAPACK and BLAS (Fortran order) see as the upper triangle of the transpose: the faster of
the two in OpenBLAS. They are allocated once for a fit, not once for an evaluation.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from warpfront.surrogate.additive import FREQUENCIES, scaled, spectrum, turns
from warpfront.surrogate.kernels import (
    Inputs,
    KernelForm,
    linear_products,
    matern_into,
    squared_distances,
)
from warpfront.surrogate.warping import inner_log, kumaraswamy_with_gradient

Floats = NDArray[np.float64]

LOG_2PI = math.log(2.0 * math.pi)
JITTER = 1e-8
"""Added to the diagonal, as a share of the signal variance."""
INFEASIBLE = 1e25
"""What a failed Cholesky counts; with a zero gradient the line search steps back."""


class LogPosterior:
    """Minus the log-posterior of theta, with gradient, for fixed data.

    Parameters
    ----------
    form
        The parts of the kernel.
    N, C, y
        Numeric columns (n, dn), category codes (n, dc) and targets (n,).
    """

    def __init__(self, form: KernelForm, N: Floats, C: Floats, y: Floats) -> None:
        n = len(y)
        # Points last in memory, so that loops over (n, dn) arrays are long.
        self.form, self.N, self.C, self.y = form, np.asfortranarray(N), C, y
        self._log_N = inner_log(self.N)
        self._diagonal = slice(None, None, n + 1)
        # (n, n), lower triangle only: where two configurations differ in a category
        self._mismatch = [np.tril(C[:, c, None] != C[:, c], -1) for c in range(form.categories)]
        self._r2, self._K, self._slope = np.empty((3, n, n))
        self._V_1 = np.ones((n, form.numeric + 1), order="F")  # V, and the ones of w = W 1

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """Minus the log-posterior and its gradient."""
        form, n = self.form, len(self.y)
        signal, noise = np.exp(theta[form.SIGNAL]), np.exp(theta[form.NOISE])
        inverse = np.exp(-theta[form.lengthscales])
        if form.input_warp:
            U, dU_da, dU_db = kumaraswamy_with_gradient(
                self._log_N, np.exp(theta[form.warp_a]), np.exp(theta[form.warp_b])
            )
        else:
            U = self.N
        V = np.multiply(U, inverse[: form.numeric], out=self._V_1[:, :-1])  # scaled inputs
        K, slope = self._K, self._slope
        r2 = squared_distances(V, V, out=self._r2)
        for mismatch, weight in zip(self._mismatch, inverse[form.numeric :] ** 2, strict=True):
            r2 += np.multiply(mismatch, weight, out=K)
        matern_into(r2, K, slope, form.smoothness)
        K *= signal
        if form.linear:
            inputs = Inputs(U, self.C)
            K += np.exp(theta[form.LINEAR]) * linear_products(inputs, inputs)
        if form.additive:
            variance, lengthscale = (float(v) for v in np.exp(theta[form.additive_part]))
            amplitudes, growth = spectrum(lengthscale)
            terms = turns(U)
            features = scaled(terms.real, amplitudes)
            if form.numeric:  # into the lower triangle of K, the upper one of its transpose
                blas.dsyrk(variance, features, beta=1.0, c=K.T, overwrite_c=1)
            for mismatch in self._mismatch:
                K += variance * ~mismatch
        K.ravel()[self._diagonal] += noise + JITTER * signal

        L, failed = lapack.dpotrf(K.T, lower=0, clean=0, overwrite_a=1)
        if failed:
            return INFEASIBLE, np.zeros_like(theta)
        log_det = 2.0 * np.log(L.ravel(order="K")[self._diagonal]).sum()
        alpha, _ = lapack.dpotrs(L, self.y, lower=0)
        fit = float(self.y @ alpha)
        minus_log_likelihood = 0.5 * (fit + log_det + n * LOG_2PI)
        inverse_K, _ = lapack.dpotri(L, lower=0, overwrite_c=1)

        gradient = np.zeros_like(theta)
        G = blas.dsyr(-1.0, alpha, a=inverse_K, lower=0, overwrite_a=1).T
        trace_G = float(G.ravel()[self._diagonal].sum())
        gradient[form.NOISE] = 0.5 * noise * trace_G
        gradient[form.SIGNAL] = 0.5 * (n - fit) - gradient[form.NOISE]  # less the other parts
        dU = np.zeros_like(U)
        agreement = 0.0  # sum(G ∘ (in how many categories two configurations agree))
        if form.linear or form.additive:
            agreement = sum(
                trace_G + 2.0 * float((np.tril(G, -1) * ~mismatch).sum())
                for mismatch in self._mismatch
            )
        if form.linear:
            half = 0.5 * np.exp(theta[form.LINEAR])
            GA = blas.dsymm(half, G.T, inputs.centred, lower=0)
            share = float((GA * inputs.centred).sum()) + half * agreement
            gradient[form.LINEAR] = share
            gradient[form.SIGNAL] -= share
            dU += 4.0 * GA
        if form.additive:
            half = 0.5 * variance
            share = half * agreement
            if form.numeric:
                GF = blas.dsymm(half, G.T, features, lower=0).T.reshape(terms.shape)
                cosines = features.T.reshape(terms.shape)
                shares = np.einsum("jkn,jkn->j", GF, cosines)  # of each frequency
                share += float(shares.sum())
                gradient[form.additive_part.stop - 1] = 2.0 * shares @ growth
                sines = terms.imag * (-np.pi * FREQUENCIES * amplitudes)[:, None, None]
                dU += 2.0 * np.einsum("jkn,jkn->nk", GF, sines)
            gradient[form.additive_part.start] = share
            gradient[form.SIGNAL] -= share

        W = G
        W *= slope
        product = blas.dsymm(2.0 * signal, W.T, self._V_1, lower=0)
        dV = product[:, -1:] * V - product[:, :-1]
        start = form.lengthscales.start
        gradient[start : start + form.numeric] = -np.einsum("ij,ij->j", dV, V)
        for c, mismatch in enumerate(self._mismatch):
            k = form.numeric + c
            total = float(W.sum(where=mismatch))
            gradient[start + k] = -2.0 * signal * inverse[k] ** 2 * total
        if form.input_warp:
            dU += dV * inverse[: form.numeric]
            gradient[form.warp_a] = np.einsum("ij,ij->j", dU, dU_da)
            gradient[form.warp_b] = np.einsum("ij,ij->j", dU, dU_db)

        log_prior, prior_gradient = form.log_prior(theta)
        value = minus_log_likelihood - log_prior
        if not math.isfinite(value):
            return INFEASIBLE, np.zeros_like(theta)
        return value, gradient - prior_gradient
