"""Calibration: whether the GP's intervals hold as often as they say, one trial left out at a time.

Glossary
--------
PIT
    the probability integral transform: where in its predictive distribution an observation fell,
    from 0 to 1. Of a calibrated model these are uniform.
coverage
    the share of observations that fell into the central interval of a probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, ndtr

from warpfront.diagnostics.comparison import LEVEL
from warpfront.errors import NotEnoughDataError
from warpfront.surrogate.model import Model

Floats = NDArray[np.float64]

INTERVAL_LEVEL = 0.9
"""The probability of the interval by which a model is judged: wide enough that overconfidence
shows, and narrow enough that some observations fall outside."""
LEAST = 3
"""So many observations there must be before one is left out."""


@dataclass(frozen=True)
class Calibration:
    """How the GP's predictions of trials left out one by one turned out.

    Attributes
    ----------
    pit
        The probability integral transform of each observation, (n,). The output transform is
        increasing, so that it is the same for outcomes and targets.
    p_value
        Of the two-sided binomial test of the coverage of the 90 % interval.

    Examples
    --------
    >>> found = Calibration(np.array([0.01, 0.2, 0.5, 0.99]), 0.05)
    >>> found.coverage(0.5), found.coverage(0.9)
    (0.25, 0.5)
    """

    pit: Floats
    p_value: float

    def coverage(self, probability: float) -> float:
        """The share of observations within the central interval of a probability."""
        return _inside(self.pit, probability) / len(self.pit)

    @property
    def verdict(self) -> Literal["calibrated", "overconfident", "underconfident"]:
        """Whether the 90 % interval holds, too seldom or too often, as far as the data tell."""
        if self.p_value >= LEVEL:
            return "calibrated"
        return (
            "overconfident" if self.coverage(INTERVAL_LEVEL) < INTERVAL_LEVEL else "underconfident"
        )


def calibrate(model: Model) -> Calibration:
    """Predict each observation of a model from all others, and see where it fell.

    Repeats of a configuration are one observation, their mean. In closed form, from one inversion;
    the hyper-parameters and the outcome transform stay those of all observations, which flatters
    the model a little.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> rng = np.random.default_rng(0)
    >>> for x in np.linspace(0, 1, 40):
    ...     optimizer.tell({"x": x}, x + 0.1 * rng.normal())
    >>> calibrate(optimizer.model).verdict
    'calibrated'
    """
    gp = model.gp
    n = len(gp.t)
    if n < LEAST:
        raise NotEnoughDataError(f"a calibration needs {LEAST} observations; there are {n}")
    mean, variance = gp.leave_one_out
    pit = np.asarray(ndtr((gp.t - mean) / np.sqrt(variance)))
    inside = _inside(pit, INTERVAL_LEVEL)
    tails = bdtr(inside, n, INTERVAL_LEVEL), bdtrc(inside - 1, n, INTERVAL_LEVEL) if inside else 1.0
    return Calibration(pit, min(1.0, 2.0 * float(min(tails))))


def _inside(pit: Floats, probability: float) -> int:
    return int(np.sum(np.abs(pit - 0.5) <= probability / 2.0))
