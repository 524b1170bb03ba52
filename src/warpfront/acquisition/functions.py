"""LCB, log-EI and log-PI: pure functions of posterior mean and standard deviation.

We minimise the loss, so improvement means falling below the threshold tau (paper, section 2.2,
with the sign flipped: the paper's UCB is our LCB). All are stable far in the tails.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, log_ndtr

Floats = NDArray[np.float64]

LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
ASYMPTOTIC_BELOW = -1e3
"""Below this z the cancellation in 1 + z R(-z) costs more digits than the series does."""


def exploration_weight(n: int, q: int, d: int) -> float:
    """The weight kappa of the standard deviation in the LCB after n observations in batches of q.

    Its square grows with the logarithm of the number of rounds, t = n // q, as GP-UCB's does.

    Examples
    --------
    >>> round(exploration_weight(128, 8, 9), 3)
    4.992
    """
    upsilon, delta = 0.5, 0.01
    t = max(1, n // q)
    return math.sqrt(
        2.0 * upsilon * ((2.0 + d / 2.0) * math.log(t) + math.log(3.0 * math.pi**2 / (3.0 * delta)))
    )


def lcb(mean: Floats, std: Floats, kappa: float) -> Floats:
    """Lower confidence bound, to be minimised.

    Examples
    --------
    >>> lcb(np.array([1.0]), np.array([0.5]), 2.0)
    array([0.])
    """
    return mean - kappa * std


def log_ei(mean: Floats, std: Floats, tau: float | Floats) -> Floats:
    """Logarithm of the expected improvement below tau, to be maximised.

    Examples
    --------
    >>> np.round(log_ei(np.array([0.0, 40.0]), np.array([1.0, 1.0]), 0.0), 4).tolist()
    [-0.9189, -808.2986]
    """
    return np.asarray(np.log(std) + _log_h((tau - mean) / std))


def log_ei_slopes(mean: float, std: float, tau: float) -> tuple[float, float, float]:
    """Log-EI at one point, and its derivatives with respect to mean and standard deviation.

    Examples
    --------
    >>> [round(v, 4) for v in log_ei_slopes(0.0, 1.0, 0.0)]
    [-0.9189, -1.2533, 1.0]
    """
    value = float(log_ei(np.array([mean]), np.array([std]), tau)[0])
    z = (tau - mean) / std
    below = math.exp(float(log_ndtr(z)) - value)
    density = math.exp(-0.5 * z * z - LOG_SQRT_2PI - value)
    return value, -below, density


def log_pi(mean: Floats, std: Floats, tau: float | Floats) -> Floats:
    """Logarithm of the probability of improvement below tau, to be maximised.

    Examples
    --------
    >>> np.round(log_pi(np.array([0.0, 40.0]), np.array([1.0, 1.0]), 0.0), 4).tolist()
    [-0.6931, -804.6084]
    """
    return np.asarray(log_ndtr((tau - mean) / std))


def _log_h(z: Floats) -> Floats:
    """log(φ(z) + z Φ(z)): the log-EI of a unit standard deviation.

    With the Mills ratio R(x) = Φ(-x) / φ(x) it is log φ(z) + log(1 + z R(-z)).
    """
    centre = np.maximum(z, ASYMPTOTIC_BELOW)
    mills = math.sqrt(math.pi / 2.0) * erfcx(-np.minimum(centre, 0.0) / math.sqrt(2.0))
    negative = np.log1p(np.minimum(centre, 0.0) * mills) - 0.5 * centre**2 - LOG_SQRT_2PI
    # For z > 0: Φ(z) = 1 - φ(z) R(z), so that h(z) = z + φ(z) (1 - z R(z)).
    positive_z = np.maximum(z, 0.0)
    density = np.exp(-0.5 * positive_z**2 - LOG_SQRT_2PI)
    tail = math.sqrt(math.pi / 2.0) * erfcx(positive_z / math.sqrt(2.0))
    positive = np.log(positive_z + density * (1.0 - positive_z * tail))
    far = np.minimum(z, ASYMPTOTIC_BELOW)
    inverse = far**-2.0
    asymptotic = (
        -0.5 * far**2
        - LOG_SQRT_2PI
        + np.log(inverse)
        + np.log1p(-3.0 * inverse + 15.0 * inverse**2)
    )
    near = np.where(z > 0.0, positive, negative)
    return np.asarray(np.where(z < ASYMPTOTIC_BELOW, asymptotic, near))
