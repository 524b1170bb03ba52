"""Functions to minimise that carry their truth: minimum, minimisers, and noise if there is any.

The minimum of none lies in the middle of its space, where some methods look first.

Glossary
--------
x
    values of the numeric parameters as floats, (d,)
truth
    the noiseless function
noise
    normal, with a standard deviation that depends on the configuration; the draw is a function of
    (configuration, seed) and of nothing else
"""

from __future__ import annotations

import hashlib
import json
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.tasks.evaluation import Evaluation
from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space

Floats = NDArray[np.float64]
Configuration = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Synthetic:
    """A function with a known minimum.

    Parameters
    ----------
    name
        Unique among all objectives.
    space
        What may be tried.
    function
        The truth, as a function of a configuration.
    minimum
        The smallest value of the truth.
    minimisers
        All configurations at which the truth is smallest.
    noise_std
        Standard deviation of the noise at a configuration; None for a function without noise.

    Examples
    --------
    >>> best = BRANIN.minimisers[0]
    >>> abs(BRANIN.evaluate(best, seed=0).loss - BRANIN.minimum) < 1e-12
    True
    """

    name: str
    space: Space
    function: Callable[[Configuration], float]
    minimum: float
    minimisers: tuple[Configuration, ...]
    noise_std: Callable[[Configuration], float] | None = None

    @property
    def deterministic(self) -> bool:
        """Whether the function has no noise."""
        return self.noise_std is None

    def truth(self, config: Configuration) -> float:
        """The noiseless value."""
        return self.function(self.space.validate(config))

    def evaluate(self, config: Configuration, seed: int) -> Evaluation:
        """What an optimiser sees: the truth, with noise if the function has any.

        Parameters
        ----------
        config
            A configuration of the space.
        seed
            A whole number of at least 0 that chooses the draw of the noise.
        """
        valid = self.space.validate(config)
        value = self.function(valid)
        if self.noise_std is not None:
            # The 0 is kept for the sake of archived runs: without it the noise would be another.
            rng = np.random.default_rng([operator.index(seed), 0, *_words(valid)])
            value += self.noise_std(valid) * float(rng.standard_normal())
        return Evaluation(value)

    def held_out(self, config: Configuration, seed: int) -> Evaluation:
        """The truth, whatever the seed: what an optimiser would like to see."""
        return Evaluation(self.truth(config))


def _words(config: Configuration) -> list[int]:
    """A configuration as words to seed a generator with; equal ones give equal words anywhere."""
    digest = hashlib.sha256(json.dumps(config, sort_keys=True).encode()).digest()
    return [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4)]


def box(d: int, low: float, high: float) -> Space:
    """The space of d numbers between two ends."""
    return Space({f"x{i}": Real(low, high) for i in range(1, d + 1)})


def of_vector(function: Callable[[Floats], float]) -> Callable[[Configuration], float]:
    """The same as a function of a configuration."""
    return lambda config: float(function(np.array(list(config.values()), dtype=float)))


def point(x: list[float] | Floats) -> Configuration:
    """The configuration of a :func:`box` whose numbers these are."""
    return MappingProxyType({f"x{i}": float(value) for i, value in enumerate(x, start=1)})


# Branin-Hoo, with its usual constants. The square vanishes where the cosine is -1: at
# -π, π and 3π, where s (1 - t) cos x1 + s = s t.
_B, _C, _T = 5.1 / (4 * math.pi**2), 5 / math.pi, 1 / (8 * math.pi)


def _branin(x: Floats) -> float:
    valley = x[1] - _B * x[0] ** 2 + _C * x[0] - 6.0
    return float(valley**2 + 10.0 * (1.0 - _T) * np.cos(x[0]) + 10.0)


BRANIN = Synthetic(
    name="branin",
    space=Space(x1=Real(-5, 10), x2=Real(0, 15)),
    function=of_vector(_branin),
    minimum=10.0 * _T,
    minimisers=(
        point([-math.pi, 12.275]),
        point([math.pi, 2.275]),
        point([3 * math.pi, 2.475]),
    ),
)

# Hartmann's six-dimensional function, with its usual constants.
_HEIGHT = np.array([1.0, 1.2, 3.0, 3.2])
_WIDTH = np.array(
    [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
)
_CENTRE = 1e-4 * np.array(
    [
        [1312, 1696, 5569, 124, 8283, 5886],
        [2329, 4135, 8307, 3736, 1004, 9991],
        [2348, 1451, 3522, 2883, 3047, 6650],
        [4047, 8828, 8732, 5743, 1091, 381],
    ]
)


def _hartmann6(x: Floats) -> float:
    return -float(_HEIGHT @ np.exp(-np.sum(_WIDTH * (x - _CENTRE) ** 2, axis=1)))


HARTMANN6 = Synthetic(
    name="hartmann6",
    space=box(6, 0, 1),
    function=of_vector(_hartmann6),
    minimum=-3.322368011415515,  # a root of the gradient to 30 digits, by mpmath
    minimisers=(
        point(
            [
                0.20168951100670542,
                0.15001069182345797,
                0.476873974221897,
                0.27533243049405607,
                0.31165161660011324,
                0.6573005340656203,
            ]
        ),
    ),
)


def ackley(x: Floats) -> float:
    """Ackley's function of x (d,): ripples on a funnel, its minimum 0 at 0."""
    distance = np.sqrt(np.mean(x**2))
    ripples = np.mean(np.cos(2 * np.pi * x))
    # expm1 keeps the value at the minimum at 0, not at 4e-16.
    return float(-20.0 * np.expm1(-0.2 * distance) - np.e * np.expm1(ripples - 1.0))


ACKLEY5 = Synthetic(
    name="ackley5",
    space=box(5, -5, 10),  # not symmetric, or the centre would be the minimum
    function=of_vector(ackley),
    minimum=0.0,
    minimisers=(point([0.0] * 5),),
)


def rosenbrock(x: Floats) -> float:
    """Rosenbrock's function of x (d,): a bent valley, its minimum 0 where all are 1."""
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


ROSENBROCK4 = Synthetic(
    name="rosenbrock4",
    space=box(4, -5, 10),
    function=of_vector(rosenbrock),
    minimum=0.0,
    minimisers=(point([1.0] * 4),),
)


def levy(x: Floats) -> float:
    """Levy's function of x (d,): many basins, its minimum 0 where all are 1."""
    # sin(π + πz) is written -sin(πz), which is exactly 0 at the minimum.
    z = (x - 1.0) / 4.0
    first = np.sin(np.pi * z[0]) ** 2
    middle = np.sum(z[:-1] ** 2 * (1.0 + 10.0 * np.sin(np.pi * z[:-1] + np.pi + 1.0) ** 2))
    last = z[-1] ** 2 * (1.0 + np.sin(2 * np.pi * z[-1]) ** 2)
    return float(first + middle + last)


LEVY6 = Synthetic(
    name="levy6",
    space=box(6, -10, 10),
    function=of_vector(levy),
    minimum=0.0,
    minimisers=(point([1.0] * 6),),
)

# A bowl with ripples whose noise grows a hundredfold along the first coordinate. The minimum
# lies in the quiet part; the ripples hide it where it is loud.
_QUIET_MINIMISER = np.array([0.2, 0.65, 0.35, 0.8])
_QUIETEST, _LOUDEST = 0.01, 1.0


def _rippled_bowl(x: Floats) -> float:
    z = x - _QUIET_MINIMISER
    return float(np.sum(4.0 * z**2 + 0.2 * (1.0 - np.cos(6 * np.pi * z))))


def _noise_along_first(x: Floats) -> float:
    return float(_QUIETEST * (_LOUDEST / _QUIETEST) ** x[0])


HETEROSCEDASTIC4 = Synthetic(
    name="heteroscedastic4",
    space=box(4, 0, 1),
    function=of_vector(_rippled_bowl),
    minimum=0.0,
    minimisers=(point(_QUIET_MINIMISER),),
    noise_std=of_vector(_noise_along_first),
)

# A stationary function of bent coordinates: waves thirty times as long at 1 as at 0.
_BEND = 30.0
_BENT_MINIMISER = np.array([0.08, 0.15, 0.6])


def _bend(x: Floats) -> Floats:
    return np.asarray(np.log1p(_BEND * x) / np.log1p(_BEND))


def _bent_ripples(x: Floats) -> float:
    z = _bend(x) - _bend(_BENT_MINIMISER)
    return float(np.sum(4.0 * z**2 + 0.3 * (1.0 - np.cos(8 * np.pi * z))))


NONSTATIONARY3 = Synthetic(
    name="nonstationary3",
    space=box(3, 0, 1),
    function=of_vector(_bent_ripples),
    minimum=0.0,
    minimisers=(point(_BENT_MINIMISER),),
)

# Every kind of parameter. The activation decides where the best rate lies and how good it can get,
# so the categories cannot be chosen one by one.
_BEST_LOG_RATE = {"relu": -2.0, "tanh": -3.0, "logistic": -4.0}
_PRICE = {"relu": 0.1, "tanh": 0.0, "logistic": 0.3}
_PATCHES = (8, 16, 32, 64)


def _mixed(config: Configuration) -> float:
    activation = config["activation"]
    rate = math.log10(config["rate"]) - _BEST_LOG_RATE[activation]
    momentum = _log_odds(config["momentum"]) - _log_odds(0.9)
    units = (config["units"] - 140) / 75
    depth = config["depth"] - 3
    patch = _PATCHES.index(config["patch"]) - 2
    dropout = config["dropout"] - 0.2
    bias = 0.05 if config["bias"] else 0.25 * (1.0 + rate**2)
    loss: float = (
        _PRICE[activation]
        + 0.5 * rate**2
        + 0.05 * momentum**2
        + 0.3 * units**2
        + 0.1 * abs(depth)
        + 0.1 * patch**2
        + 2.0 * dropout**2
        + bias
        - 0.05
    )
    return loss


def _log_odds(p: float) -> float:
    return math.log(p) - math.log1p(-p)


MIXED8 = Synthetic(
    name="mixed8",
    space=Space(
        rate=Real(1e-5, 1e-1, scale="log"),
        momentum=Real(0.001, 0.999, scale="logit"),
        dropout=Real(0, 0.9),
        units=Integer(50, 200),
        depth=Integer(1, 8, scale="log"),
        patch=Ordinal(_PATCHES),
        activation=Categorical(["relu", "tanh", "logistic"]),
        bias=Boolean(),
    ),
    function=_mixed,
    minimum=0.0,
    minimisers=(
        MappingProxyType(
            {
                "rate": 1e-3,
                "momentum": 0.9,
                "dropout": 0.2,
                "units": 140,
                "depth": 3,
                "patch": 32,
                "activation": "tanh",
                "bias": True,
            }
        ),
    ),
)

SYNTHETIC = MappingProxyType(
    {
        function.name: function
        for function in (
            BRANIN,
            HARTMANN6,
            ACKLEY5,
            ROSENBROCK4,
            LEVY6,
            HETEROSCEDASTIC4,
            NONSTATIONARY3,
            MIXED8,
        )
    }
)
"""All of them, by name."""
