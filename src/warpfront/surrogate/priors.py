"""Priors of hyper-parameters, all positive and fitted as logarithms.

A prior here is one of the logarithm, so that it includes the Jacobian.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LogNormal:
    """The logarithm is normal. An infinite scale is a flat prior; fits then start at the mode.

    Examples
    --------
    >>> LogNormal(0.0, 0.5).log_density(np.array([0.5]))
    (array([-0.5]), array([-2.]))
    """

    mode: float
    scale: float

    def log_density(self, log_value: Floats) -> tuple[Floats, Floats]:
        """Log-density up to a constant and its derivative, elementwise."""
        z = (log_value - self.mode) / self.scale
        return -0.5 * z * z, -z / self.scale


@dataclass(frozen=True)
class Gamma:
    """Gamma with a shape and a rate.

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


@dataclass(frozen=True)
class Block:
    """Some hyper-parameters of one kind: how many, their prior, bounds, and where a fit starts.

    Attributes
    ----------
    size
        How many there are.
    prior
        Of each logarithm.
    bounds
        Least and greatest value, not as logarithms.
    start
        The logarithm at which fits start; None: at the mode of the prior.
    """

    size: int
    prior: Prior
    bounds: tuple[float, float]
    start: float | None = None


class PriorTable:
    """The priors of all blocks together, evaluated in a few array operations.

    Examples
    --------
    >>> table = PriorTable([Block(2, LogNormal(0.0, 1.0), (0.1, 10.0))])
    >>> table.log_density(np.array([1.0, -1.0]))
    (-1.0, array([-1.,  1.]))
    """

    def __init__(self, blocks: list[Block]) -> None:
        self.size = sum(block.size for block in blocks)
        #: where a fit starts, (p,), and lower and upper bounds, (p, 2)
        self.start, self.bounds = np.empty(self.size), np.empty((self.size, 2))
        self._modes, self._precisions = np.zeros((2, self.size))
        self._gammas: list[tuple[slice, Gamma]] = []
        at = 0
        for block in blocks:
            where = slice(at, at + block.size)
            self.bounds[where] = np.log(block.bounds)
            self.start[where] = block.prior.mode if block.start is None else block.start
            if isinstance(block.prior, Gamma):
                if block.size:
                    self._gammas.append((where, block.prior))
            else:
                self._modes[where] = block.prior.mode
                self._precisions[where] = 1.0 / block.prior.scale
            at += block.size
        self.start = np.clip(self.start, *self.bounds.T)

    def log_density(self, theta: Floats) -> tuple[float, Floats]:
        """Log-density of theta (p,) up to a constant, and its gradient."""
        z = (theta - self._modes) * self._precisions
        value, gradient = -0.5 * float(z @ z), -z * self._precisions
        for where, prior in self._gammas:
            density, gradient[where] = prior.log_density(theta[where])
            value += float(density.sum())
        return value, gradient
