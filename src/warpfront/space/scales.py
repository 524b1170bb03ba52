"""The scales on which a numeric parameter is searched: linear, log, logit.

A scale is a pair of increasing maps between the parameter's own values and the real line. Equal
steps on the line are equally interesting to the optimiser.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ScaleName = Literal["linear", "log", "logit"]


@dataclass(frozen=True)
class Scale:
    """A named pair of increasing maps: ``to_line`` and its inverse ``from_line``."""

    name: ScaleName
    to_line: Callable[[Floats], Floats]
    from_line: Callable[[Floats], Floats]


def _identity(x: Floats) -> Floats:
    return x


def _logit(x: Floats) -> Floats:
    return np.asarray(np.log(x) - np.log1p(-x))


def _expit(z: Floats) -> Floats:
    # Split by sign so that neither exponential can overflow.
    e = np.exp(-np.abs(z))
    return np.asarray(np.where(z >= 0.0, 1.0, e) / (1.0 + e))


SCALES: dict[str, Scale] = {
    "linear": Scale("linear", _identity, _identity),
    "log": Scale("log", np.log, np.exp),
    "logit": Scale("logit", _logit, _expit),
}
