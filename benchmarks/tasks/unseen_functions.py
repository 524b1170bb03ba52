"""Functions on which nothing was chosen, for the default was tuned on those of `synthetic`.

Most are standard; they were fixed before any other package was run on them. Up to twenty
parameters, separable and not, valleys and many basins, and one that is mixed and noisy.
"""

from __future__ import annotations

from types import MappingProxyType

import numpy as np

from benchmarks.tasks.synthetic import (
    Configuration,
    Floats,
    Synthetic,
    ackley,
    box,
    levy,
    of_vector,
    point,
    rosenbrock,
)
from warpfront import Boolean, Categorical, Integer, Real, Space


def _griewank(x: Floats) -> float:
    bowl = np.sum(x**2) / 4000.0
    return float(bowl + 1.0 - np.prod(np.cos(x / np.sqrt(np.arange(1, len(x) + 1)))))


GRIEWANK6 = Synthetic(
    name="griewank6",
    space=box(6, -300, 600),
    function=of_vector(_griewank),
    minimum=0.0,
    minimisers=(point([0.0] * 6),),
)


def _rastrigin(x: Floats) -> float:
    return float(np.sum(x**2 + 10.0 * (1.0 - np.cos(2 * np.pi * x))))


RASTRIGIN5 = Synthetic(
    name="rastrigin5",
    space=box(5, -3, 4.6),
    function=of_vector(_rastrigin),
    minimum=0.0,
    minimisers=(point([0.0] * 5),),
)


def _styblinski_tang(x: Floats) -> float:
    return float(np.sum(x**4 - 16.0 * x**2 + 5.0 * x) / 2.0)


# Roots of the gradient to 30 digits, by mpmath, here and below.
STYBLINSKI8 = Synthetic(
    name="styblinski8",
    space=box(8, -5, 5),
    function=of_vector(_styblinski_tang),
    minimum=8 * -39.166165703771415,
    minimisers=(point([-2.903534027771177] * 8),),
)


def _michalewicz(x: Floats) -> float:
    order = np.arange(1, len(x) + 1)
    return -float(np.sum(np.sin(x) * np.sin(order * x**2 / np.pi) ** 20))


MICHALEWICZ5 = Synthetic(
    name="michalewicz5",
    space=box(5, 0, np.pi),
    function=of_vector(_michalewicz),
    minimum=-4.687658179088146,
    minimisers=(
        point(
            [
                2.2029055201726093,
                1.5707963267948966,
                1.2849915705529245,
                1.9230584698663629,
                1.7204697725658413,
            ]
        ),
    ),
)

# Shekel's ten foxholes, with their usual constants.
_FOXHOLES = np.array(
    [
        [4, 4, 4, 4],
        [1, 1, 1, 1],
        [8, 8, 8, 8],
        [6, 6, 6, 6],
        [3, 7, 3, 7],
        [2, 9, 2, 9],
        [5, 5, 3, 3],
        [8, 1, 8, 1],
        [6, 2, 6, 2],
        [7, 3.6, 7, 3.6],
    ]
)
_WIDTHS = 0.1 * np.array([1, 2, 2, 4, 4, 6, 3, 7, 5, 5])


def _shekel(x: Floats) -> float:
    return -float(np.sum(1.0 / (_WIDTHS + np.sum((x - _FOXHOLES) ** 2, axis=1))))


SHEKEL4 = Synthetic(
    name="shekel4",
    space=box(4, 0, 10),
    function=of_vector(_shekel),
    minimum=-10.536409816692043,
    minimisers=(
        point([4.000746531592047, 4.000592934138532, 3.9996633980403223, 3.9995098005868076]),
    ),
)

ROSENBROCK10 = Synthetic(
    name="rosenbrock10",
    space=box(10, -4, 8),
    function=of_vector(rosenbrock),
    minimum=0.0,
    minimisers=(point([1.0] * 10),),
)

# A bowl a thousand times as steep along one axis as along another, its axes mirrored in a plane
# so that none is that of a parameter.
_NORMAL = np.arange(1.0, 13.0)
_STEEPNESS = np.logspace(0, 3, 12)
_BOTTOM = np.linspace(-2, 3, 12)


def _ellipsoid(x: Floats) -> float:
    z = x - _BOTTOM
    mirrored = z - 2.0 * _NORMAL * (_NORMAL @ z) / (_NORMAL @ _NORMAL)
    return float(_STEEPNESS @ mirrored**2)


ELLIPSOID12 = Synthetic(
    name="ellipsoid12",
    space=box(12, -5, 5),
    function=of_vector(_ellipsoid),
    minimum=0.0,
    minimisers=(point(_BOTTOM),),
)

LEVY20 = Synthetic(
    name="levy20",
    space=box(20, -10, 5),
    function=of_vector(levy),
    minimum=0.0,
    minimisers=(point([1.0] * 20),),
)

ACKLEY20 = Synthetic(
    name="ackley20",
    space=box(20, -5, 10),
    function=of_vector(ackley),
    minimum=0.0,
    minimisers=(point([0.0] * 20),),
)

# Hartmann's three-dimensional function, with its usual constants. A choice decides which parameter
# plays which part, and another which count is best; all of it under noise.
_HEIGHT = np.array([1.0, 1.2, 3.0, 3.2])
_NARROW = np.array([[3, 10, 30], [0.1, 10, 35], [3, 10, 30], [0.1, 10, 35]])
_CENTRE = 1e-4 * np.array(
    [[3689, 1170, 2673], [4699, 4387, 7470], [1091, 8732, 5547], [381, 5743, 8828]]
)
_PARTS = {"abc": (0, 1, 2), "bca": (1, 2, 0), "cab": (2, 0, 1)}
_PRICE = {"abc": 0.0, "bca": 0.3, "cab": 0.5}
_BEST_COUNT = {True: 7, False: 14}
_NOISE = 0.1


def _noisy_mixed(config: Configuration) -> float:
    order = config["order"]
    x = np.array([config[name] for name in "abc"])[list(_PARTS[order])]
    bumps = float(_HEIGHT @ np.exp(-np.sum(_NARROW * (x - _CENTRE) ** 2, axis=1)))
    count = (config["count"] - _BEST_COUNT[config["flag"]]) / 10
    loss: float = _PRICE[order] + 0.2 * (not config["flag"]) + count**2 - bumps
    return loss


NOISYMIXED6 = Synthetic(
    name="noisymixed6",
    space=Space(
        a=Real(0, 1),
        b=Real(0, 1),
        c=Real(0, 1),
        count=Integer(1, 20),
        order=Categorical(list(_PARTS)),
        flag=Boolean(),
    ),
    function=_noisy_mixed,
    minimum=-3.8627797873326625,
    minimisers=(
        MappingProxyType(
            {
                "a": 0.11458887665506897,
                "b": 0.55564889461693,
                "c": 0.8525469846866774,
                "count": 7,
                "order": "abc",
                "flag": True,
            }
        ),
    ),
    noise_std=lambda config: _NOISE,
)

UNSEEN_FUNCTIONS = MappingProxyType(
    {
        function.name: function
        for function in (
            GRIEWANK6,
            RASTRIGIN5,
            STYBLINSKI8,
            MICHALEWICZ5,
            SHEKEL4,
            ROSENBROCK10,
            ELLIPSOID12,
            LEVY20,
            ACKLEY20,
            NOISYMIXED6,
        )
    }
)
"""All of them, by name."""
