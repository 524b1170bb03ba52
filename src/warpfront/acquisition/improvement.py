"""Improvement: what a new configuration may gain, for one objective and for several.

Glossary
--------
mean, std : (m, k)
    predictions of the k objectives, all minimised, at m configurations.
samples : (m, k)
    one joint sample of the objectives.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from warpfront.acquisition.functions import log_ei
from warpfront.acquisition.hypervolume import (
    expected_improvement,
    free_cells,
    improvement,
    non_dominated,
)

Floats = NDArray[np.float64]

TINY = 1e-300


class Improvement(Protocol):
    """How much better configurations are than what is known."""

    def log_expected(self, mean: Floats, std: Floats) -> Floats:
        """Logarithm of the expected improvement, (m,)."""

    def cost(self, samples: Floats) -> Floats:
        """What is least for the configuration that improves most on this sample, (m,)."""


@dataclass(frozen=True)
class BelowThreshold:
    """One objective below a threshold.

    Examples
    --------
    >>> BelowThreshold(0.0).log_expected(np.array([[0.0]]), np.array([[1.0]])).round(3)
    array([-0.919])
    """

    tau: float

    def log_expected(self, mean: Floats, std: Floats) -> Floats:
        """See :class:`Improvement`."""
        return log_ei(mean[:, 0], std[:, 0], self.tau)

    def cost(self, samples: Floats) -> Floats:
        """See :class:`Improvement`."""
        return samples[:, 0]


@dataclass(frozen=True, eq=False)
class BeyondFront:
    """Hypervolume that a front does not dominate yet.

    Attributes
    ----------
    F
        Points in objective space, of which the best are the front, (n, k).
    reference
        Up to where hypervolume counts, (k,).

    Examples
    --------
    >>> beyond = BeyondFront(np.array([[1.0, 1.0]]), np.array([2.0, 2.0]))
    >>> tiny = np.full((1, 2), 1e-9)
    >>> np.exp(beyond.log_expected(np.array([[0.0, 0.0]]), tiny)).round(6)
    array([3.])
    """

    F: Floats
    reference: Floats

    @cached_property
    def cells(self) -> Floats:
        """What the front does not dominate, (c, 2, k)."""
        return free_cells(self.F, self.reference)

    def log_expected(self, mean: Floats, std: Floats) -> Floats:
        """See :class:`Improvement`."""
        return np.asarray(np.log(np.maximum(expected_improvement(mean, std, self.cells), TINY)))

    def cost(self, samples: Floats) -> Floats:
        """See :class:`Improvement`; where nothing improves, what comes nearest to it."""
        gained = improvement(samples, self.cells)
        front = self.F[non_dominated(self.F)] if len(self.F) else self.reference[None]
        behind = (samples[:, None] - front).max(axis=2).min(axis=1)  # how far from the front
        return np.where(gained > 0.0, -gained, np.maximum(behind, 0.0))
