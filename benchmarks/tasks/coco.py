"""COCO's functions of the suites `bbob` and `bbob-mixint`, by the names that COCO gives them.

The package coco-experiment computes them; it is loaded when the first one is evaluated. All have a
known minimum, which lies at another place in each instance.

Glossary
--------
d
    parameters of a function
n
    levels of an integer
x
    values of the parameters as floats, (d,)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from benchmarks.tasks.evaluation import Evaluation
from benchmarks.tasks.synthetic import Configuration, Floats, box
from warpfront import Integer, Real, Space

LOW, HIGH = -5.0, 5.0
"""Bounds of the reals."""

LEVELS = (2, 4, 8, 16)
"""Levels of the integers of `bbob-mixint`: a fifth of the parameters each, and the last fifth are
reals."""

GRID = 4.0
"""`bbob-mixint` spreads the levels of an integer evenly inside ±4 of the underlying function."""

ROUNDING = 1e-7
"""COCO rounds up what is this close to the middle between two levels."""


@dataclass(frozen=True)
class CocoFunction(ABC):
    """A function of one of COCO's suites.

    Parameters
    ----------
    function, dimension, instance
        COCO's numbers of it.
    """

    function: int
    dimension: int
    instance: int

    suite: ClassVar[str]

    @property
    def name(self) -> str:
        """COCO's name."""
        suite = self.suite.replace("bbob-noisy", "bbob_noisy")  # COCO's own exception
        return f"{suite}_f{self.function:03}_i{self.instance:02}_d{self.dimension:02}"

    @property
    def space(self) -> Space:
        """What may be tried."""
        return reals(self.dimension)

    @property
    def deterministic(self) -> bool:
        """Whether there is no noise."""
        return True

    @property
    def minimum(self) -> float:
        """The smallest value of the truth."""
        return _minimum(self)

    @property
    @abstractmethod
    def minimisers(self) -> tuple[Configuration, ...]:
        """The best configuration that is known."""

    @abstractmethod
    def value(self, x: Floats) -> float:
        """The truth at x (d,)."""

    def truth(self, config: Configuration) -> float:
        """The value without noise."""
        return self.value(np.array(list(self.space.validate(config).values()), dtype=float))

    def evaluate(self, config: Configuration, seed: int) -> Evaluation:
        """What an optimiser sees: the truth, if the function has no noise."""
        return Evaluation(self.truth(config))

    def held_out(self, config: Configuration, seed: int) -> Evaluation:
        """The truth, whatever the seed."""
        return Evaluation(self.truth(config))


@dataclass(frozen=True)
class Bbob(CocoFunction):
    """A function of the suite `bbob`: reals, no noise.

    Examples
    --------
    >>> sphere = Bbob(1, 3, 1)
    >>> sphere.name
    'bbob_f001_i01_d03'
    >>> sphere.evaluate(sphere.minimisers[0], seed=0).loss == sphere.minimum
    True
    """

    suite = "bbob"

    @property
    def minimisers(self) -> tuple[Configuration, ...]:
        """The best configuration."""
        return (configuration_of(self.space, minimiser_of_bbob(*self.numbers)),)

    @property
    def numbers(self) -> tuple[int, int, int]:
        """Function, dimension and instance."""
        return self.function, self.dimension, self.instance

    def value(self, x: Floats) -> float:
        return float(bare(*self.numbers)(x))


@dataclass(frozen=True)
class BbobMixint(CocoFunction):
    """A function of the suite `bbob-mixint`: four fifths integers, one fifth reals, no noise.

    Examples
    --------
    >>> ellipsoid = BbobMixint(10, 5, 1)
    >>> ellipsoid.name
    'bbob-mixint_f010_i01_d05'
    >>> ellipsoid.space["x4"]
    Integer(low=0, high=15, scale='linear', step=1)
    """

    suite = "bbob-mixint"

    @property
    def space(self) -> Space:
        """What may be tried."""
        return integers_and_reals(self.dimension)

    @property
    def minimisers(self) -> tuple[Configuration, ...]:
        """The best configuration.

        COCO shifts the levels of each integer so that one of them, the nearest, meets the
        minimiser of the underlying function.
        """
        x = minimiser_of_bbob(self.function, self.dimension, self.instance)
        for i, n in enumerate(levels(self.dimension)):
            end = GRID - 2.0 * GRID / (n + 1)  # the levels lie in [-end, end] before the shift
            nearest = np.floor((n - 1) * (x[i] + end) / (2.0 * end) + 0.5 + ROUNDING)
            x[i] = np.clip(nearest, 0, n - 1)
        return (configuration_of(self.space, x),)

    def value(self, x: Floats) -> float:
        return float(of_suite(self.suite, self.function, self.dimension, self.instance)(x))


@cache
def _minimum(function: CocoFunction) -> float:
    return function.truth(function.minimisers[0])


@cache
def reals(d: int) -> Space:
    """The space of a function of d reals."""
    return box(d, LOW, HIGH)


@cache
def integers_and_reals(d: int) -> Space:
    """The space of a function of `bbob-mixint`."""
    integers = {f"x{i}": Integer(0, n - 1) for i, n in enumerate(levels(d), start=1)}
    floats = {f"x{i}": Real(LOW, HIGH) for i in range(len(integers) + 1, d + 1)}
    return Space({**integers, **floats})


def levels(d: int) -> tuple[int, ...]:
    """How many levels each integer of a `bbob-mixint` function of d parameters has.

    Examples
    --------
    >>> levels(10)
    (2, 2, 4, 4, 8, 8, 16, 16)
    """
    if d < 5 or d % 5:
        raise ValueError(f"bbob-mixint has functions of 5, 10, 20, ... parameters, not of {d}")
    return tuple(n for n in LEVELS for _ in range(d // 5))


def configuration_of(space: Space, x: Floats) -> Configuration:
    """The configuration of the values x (d,); they are whole where the space has integers."""
    found: dict[str, Any] = {
        name: round(value) if isinstance(space[name], Integer) else float(value)
        for name, value in zip(space.names, x, strict=True)
    }
    return MappingProxyType(found)


def minimiser_of_bbob(function: int, dimension: int, instance: int) -> Floats:
    """Where a function of `bbob` is smallest, (d,)."""
    return np.array(bare(function, dimension, instance).best_parameter(), dtype=float)


@cache
def bare(function: int, dimension: int, instance: int) -> Any:
    """A function of `bbob` as COCO's callable, which also knows its minimiser."""
    return _import("cocoex.bare_problem").BareProblem("bbob", function, dimension, instance)


def of_suite(suite: str, number: int, dimension: int, instance: int) -> Any:
    """A function of any suite as COCO's callable; `number` counts from 1 in every suite."""
    return _suite_and_problem(suite, number, dimension, instance)[1]


@cache
def _suite_and_problem(suite: str, number: int, dimension: int, instance: int) -> tuple[Any, Any]:
    """The suite must be kept as long as its function is used."""
    # A suite of this function alone: COCO builds every function of a suite that it makes.
    which = f"dimensions: {dimension} function_indices: {number}"
    made = _import("cocoex").Suite(suite, f"instances: {instance}", which)
    return made, made.get_problem(0)


def _import(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(
            "COCO's functions need the package coco-experiment; install what the benchmarks need "
            "with: pip install -e '.[bench]'"
        ) from error
