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
    return kumaraswamy_with_gradient(x, a, b)[0]


def kumaraswamy_with_gradient(x: Floats, a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
    """The warp u (n, d), du/d(log a) and du/d(log b), both (n, d)."""
    log_x = np.log(np.clip(x, EDGE, 1.0 - EDGE))
    power = np.exp(a * log_x)  # x^a
    log_rest = np.log1p(-power)  # log(1 - x^a)
    tail = np.exp(b * log_rest)  # (1 - x^a)^b
    da = a * b * tail * power * log_x / (1.0 - power)
    db = -b * tail * log_rest
    return 1.0 - tail, da, db
