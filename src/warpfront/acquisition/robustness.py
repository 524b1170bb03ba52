"""The constants of the robustness theorem (paper, appendix "Details of Robust Acquisition").

The theorem says: with probability at least 1 - delta the noisy acquisition, alpha + N(0,
sigma_n^2), is within rho of the robust one, the expectation of alpha over hyper-parameters
perturbed by N(0, sigma_epsilon^2 I).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtri

TINY = 1e-300
MOST_SAMPLES = 1e300
"""Keep the arithmetic finite for any rho and delta above 0."""


@dataclass(frozen=True)
class RobustScales:
    """The two standard deviations and the number of samples that the theorem prescribes."""

    sigma_n: float
    sigma_epsilon: float
    samples: int


def robust_scales(
    rho: float,
    delta: float,
    *,
    parameters: int,
    gradient_norm: float,
    mean_square: float,
    variance: float,
    kappa: float,
) -> RobustScales:
    """Sigma_n, sigma_epsilon and N_epsilon from accuracy rho and confidence delta.

    Parameters
    ----------
    rho, delta
        Accuracy and confidence, both in (0, 1) in the theorem.
    parameters
        How many hyper-parameters are perturbed (the paper's p).
    gradient_norm
        A bound of the norm of the acquisition's gradient in the hyper-parameters (A_1).
    mean_square, variance
        Bounds of E[mu^2] and E[sigma^2] under the perturbation (A_2 and A_3).
    kappa
        The weight of the standard deviation in UCB, the paper's sqrt(beta pi / 2).

    Examples
    --------
    >>> scales = robust_scales(
    ...     0.1, 0.05, parameters=10, gradient_norm=2.0, mean_square=1.0, variance=1.0, kappa=2.0
    ... )
    >>> scales.samples
    160000
    >>> round(scales.sigma_n, 5), round(scales.sigma_epsilon, 6)
    (0.00465, 0.000603)
    """
    wanted = 16.0 * (mean_square + kappa**2 * variance) / max(delta * rho * rho, TINY)
    samples = max(1, math.ceil(min(wanted, MOST_SAMPLES)))
    quantile = -float(ndtri(delta / (8.0 * samples)))  # Φ^-1(1 - δ / 8N), accurate for tiny δ / N
    spread = 2.0 * math.sqrt(parameters) + math.sqrt(math.log(4.0 * samples / delta))
    return RobustScales(
        sigma_n=rho / (4.0 * quantile),
        sigma_epsilon=min(1.0, rho / (8.0 * spread * max(gradient_norm, 1e-300))),
        samples=samples,
    )
