"""Surrogate: a probabilistic model of one outcome, in the units of its targets."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Surrogate(Protocol):
    """A probabilistic model of a function of configurations X (m, d), encoded."""

    @property
    def noise(self) -> float:
        """Variance of the noise of one measurement."""

    def predict(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the function, without noise, both (m,)."""

    def mean(self, X: Floats) -> Floats:
        """The mean alone, (m,)."""

    def slope(self, x: Floats) -> tuple[float, float, Floats, Floats]:
        """Mean, variance and their derivatives (d,) at one point (d,); 0 for categories."""

    def covariance(self, A: Floats, B: Floats) -> Floats:
        """Covariance of the function between two sets of points, (m, k)."""

    def sample(self, X: Floats, count: int, rng: np.random.Generator) -> Floats:
        """Joint samples of the function, (count, m)."""

    def condition_on(self, X: Floats) -> Surrogate:
        """The model once these points come out as predicted: the mean stays, the variance falls."""

    @property
    def leave_one_out(self) -> tuple[Floats, Floats]:
        """Mean and variance, with noise, of each target given all others, both (n,)."""
