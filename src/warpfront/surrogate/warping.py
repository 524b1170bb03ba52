"""The Kumaraswamy input warp (paper, "Input Transformations for Non-Stationarity").

Each numeric dimension k is bent by 1 - (1 - x^a_k)^b_k, increasing from 0 to 1. The parameters
a and b are fitted inside the marginal likelihood, so their derivatives are needed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

EDGE = 1e-9
"""Inputs are kept this far from 0 and 1, where the logarithms below diverge."""


def kumaraswamy(x: Floats, a: Floats, b: Floats) -> Floats:
    """Warp x (n, d) in [0, 1] with a (d,) and b (d,).

    Examples
    --------
    >>> np.round(kumaraswamy(np.array([[0.25]]), np.array([2.0]), np.array([1.0])), 4)
    array([[0.0625]])
    """
    return np.asarray(1.0 - np.exp(b * np.log1p(-np.exp(a * inner_log(x)))))


def inner_log(x: Floats) -> Floats:
    """Logarithm of x, with x kept off the ends of the unit interval."""
    return np.asarray(np.log(np.clip(x, EDGE, 1.0 - EDGE)))


def kumaraswamy_with_gradient(log_x: Floats, a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
    """The warp u (n, d) of inputs given as :func:`inner_log`, du/d(log a) and du/d(log b)."""
    power = np.exp(a * log_x)  # x^a
    rest = 1.0 - power
    log_rest = np.log(rest)  # log(1 - x^a)
    tail = np.exp(b * log_rest)  # (1 - x^a)^b
    weight = b * tail
    da = weight * power / rest
    da *= a * log_x
    db = -weight * log_rest
    return 1.0 - tail, da, db


def kumaraswamy_with_slope(x: Floats, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The warp of x (n, d), and du/dx.

    Examples
    --------
    >>> u, slope = kumaraswamy_with_slope(np.array([[0.5]]), np.array([2.0]), np.array([1.0]))
    >>> u.round(4), slope.round(4)
    (array([[0.25]]), array([[1.]]))
    """
    log_x = inner_log(x)
    power = np.exp(a * log_x)
    log_rest = np.log1p(-power)
    slope = a * b * np.exp((a - 1.0) * log_x + (b - 1.0) * log_rest)
    return 1.0 - np.exp(b * log_rest), slope
