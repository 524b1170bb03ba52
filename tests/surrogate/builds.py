"""Kernels, inputs and data for the tests of surrogates."""

from __future__ import annotations

import numpy as np

from warpfront.surrogate.additive import Additive
from warpfront.surrogate.kernels import Codes, Columns, Kernel, Points
from warpfront.surrogate.matern import Matern
from warpfront.surrogate.options import NOISE_BOUNDS, WARP, WARP_BOUNDS, WIDE_NOISE
from warpfront.surrogate.priors import Block
from warpfront.surrogate.trends import Linear, Quadratic

TERMS = {
    "matern32": Matern("matern32"),
    "matern52": Matern("matern52", lengthscales="flat"),
    "additive": Additive(),
    "linear": Linear(),
    "quadratic": Quadratic(),
}
"""One term of every kind."""
COLUMNS = {"numbers": (3, ()), "categories": (0, (3, 40)), "both": (2, (4, 2))}
"""How many numeric columns, and the levels of each category."""


def kernel_of(*terms, numeric, categories=0, warp=False, noise=WIDE_NOISE):
    """A kernel over numbers, then categories."""
    columns = Columns(np.arange(numeric), np.arange(numeric, numeric + categories))
    block = Block(numeric, WARP, WARP_BOUNDS) if warp else None
    return Kernel(terms or (Matern(),), columns, Block(1, noise, NOISE_BOUNDS), block)


def random_theta(kernel, rng, scale=0.4):
    """Hyper-parameters in a general place."""
    theta = kernel.priors.start + rng.normal(0.0, scale, kernel.size)
    return np.clip(theta, *kernel.priors.bounds.T)


def random_rows(rng, n, numeric, levels=()):
    """Encoded configurations: numbers in [0, 1], then codes."""
    codes = [rng.integers(0, k, n) for k in levels]
    return np.column_stack([rng.random((n, numeric)), *codes]).astype(float)


def points_of(X, numeric):
    """Rows as terms see them, without a warp."""
    return Points(X[:, :numeric], Codes(X[:, numeric:]))


def wavy(X):
    """A smooth function of numbers (n, d)."""
    return np.sin(6.0 * X[:, 0]) + (X[:, 1:] ** 2).sum(axis=1)


def central_differences(function, x, h=1e-5):
    """The gradient of a scalar function at x (d,)."""
    gradient = np.empty_like(x)
    for i in range(len(x)):
        step = np.zeros_like(x)
        step[i] = h
        gradient[i] = (function(x + step) - function(x - step)) / (2 * h)
    return gradient
