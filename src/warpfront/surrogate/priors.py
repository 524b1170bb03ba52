"""The priors of the GP's hyper-parameters, in one table, with their sources.

All hyper-parameters are positive and are fitted as logarithms, so a prior here is one of the
logarithm. KernelForm.log_prior sums them up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from warpfront.settings import LengthscalePrior, WarpPrior

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LogNormal:
    """The logarithm is normal; an infinite scale is no opinion, and fits start at the mode."""

    mode: float
    scale: float


@dataclass(frozen=True)
class Gamma:
    """Gamma with a shape and a rate, seen from the logarithm (with its Jacobian).

    Examples
    --------
    >>> Gamma(2.0, 1.0).log_density(np.array([0.0]))
    (array([-1.]), array([1.]))
    """

    shape: float
    rate: float

    @property
    def mode(self) -> float:
        """The logarithm at which the density is greatest."""
        return math.log(self.shape / self.rate)

    def log_density(self, log_value: Floats) -> tuple[Floats, Floats]:
        """Log-density up to a constant and its derivative, elementwise."""
        value = self.rate * np.exp(log_value)
        return self.shape * log_value - value, self.shape - value


Prior = LogNormal | Gamma
"""Of a positive quantity, seen from its logarithm."""


WARP = LogNormal(0.0, 0.75)
"""a and b of the input warp: centred on no warp (the winning submission)."""

WARPED_FREELY = 9
"""Up to so many inputs have it by default; with more, a warp for each fits chance."""

SIGNAL = Gamma(0.5, 1.0)
"""Variance of the Matérn kernel (the winning submission)."""

LINEAR = LogNormal(math.log(0.1), math.inf)
"""Variance of the linear kernel: the winning submission had no opinion."""

ADDITIVE = LogNormal(math.log(0.02), 2.0)
"""Variance of the additive kernel for each parameter: little, unless the losses ask for more."""

ADDITIVE_LENGTHSCALE = LogNormal(math.log(0.3), 0.7)
"""Length scale that all functions of one parameter share."""

PAPER_NOISE = LogNormal(-4.63, 0.5)
"""Noise variance about 1 % of the losses' (the winning submission)."""

WIDE_NOISE = LogNormal(-6.0, 2.0)
"""Noise variance from nothing to all: measured better than the paper's (docs/experiments.md)."""


def lengthscale_prior(kind: LengthscalePrior, d: int) -> LogNormal:
    """The prior of the length scales of d inputs in the unit cube.

    ``"flat"`` is the paper's; ``"fixed"`` is LogN(log 0.3, 0.5); ``"dimension"`` grows with
    sqrt(d), so that distances in many dimensions stay comparable with the length scale: the idea
    of Hvarfner, Hellsten and Nardi, "Vanilla Bayesian Optimization Performs Great in High
    Dimensions", 2024, with a centre and a scale of our own.

    Examples
    --------
    >>> round(lengthscale_prior("dimension", 9).mode - lengthscale_prior("dimension", 1).mode, 4)
    1.0986
    """
    if kind == "flat":
        return LogNormal(math.log(0.5), math.inf)
    if kind == "fixed":
        return LogNormal(math.log(0.3), 0.5)
    return LogNormal(math.log(0.3) + 0.5 * math.log(d), 1.0)


def warp_prior(kind: WarpPrior, d: int) -> LogNormal:
    """The prior of a and b of the warps of d inputs.

    ``"paper"`` is :data:`WARP`; ``"dimension"`` is narrower by d / 9 where d is greater than 9.

    Examples
    --------
    >>> [warp_prior("dimension", d).scale for d in (1, 9, 18)]
    [0.75, 0.75, 0.375]
    """
    if kind == "paper":
        return WARP
    return LogNormal(WARP.mode, WARP.scale * min(1.0, WARPED_FREELY / max(d, 1)))
