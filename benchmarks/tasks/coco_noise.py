"""COCO's functions of the suite `bbob-noisy`, with the noise of Hansen et al. (2009).

The noise is ours, not COCO's: COCO draws it from counters of the whole process, so that a loss
would depend on what was evaluated before. Here it is a function of the seed, the same for every
configuration. Its strength is the report's; COCO's counters give it with some deviation: of 20,000
evaluations 7.7 % are Cauchy outliers where the report says 5 %.

Two of the three models multiply f - f_opt, so that the noise dies out at the minimum. The third
adds outliers with heavy tails, on both sides of a constant.

The truth is COCO's. Each underlying function comes three times, once with each model. The Cauchy
one adds the same constant to most evaluations, which taken away leaves the truth.

Reference: N. Hansen, S. Finck, R. Ros, A. Auger, "Real-parameter black-box optimization
benchmarking 2009: noisy functions definitions", INRIA research report RR-6869, section 2.

Glossary
--------
f, f_opt
    the truth, and its minimum
alpha, beta, p
    strength of the noise, and how often the Cauchy noise strikes
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmarks.tasks.coco import (
    CocoFunction,
    bare,
    configuration_of,
    minimiser_of_bbob,
    of_suite,
)
from benchmarks.tasks.evaluation import Evaluation
from benchmarks.tasks.synthetic import Configuration, Floats

FIRST, LAST = 101, 130
"""Numbers of the functions."""

MODERATE = range(101, 107)
"""Functions with moderate noise; that of the others is severe."""

UNDERLYING = (1, 8, 1, 8, 7, 10, 14, 17, 19, 21)
"""The function of `bbob` whose minimiser and minimum each three of `bbob-noisy` share."""

CAUCHY_SHIFT = 1e3
"""Times alpha, what the Cauchy model adds to every evaluation."""

TOLERANCE = 1.01e-8
"""Added to every evaluation: COCO's smallest target, and a little more."""

AGREEING = 3
"""Equal evaluations of a function with Cauchy noise that make sure that none is an outlier."""

Draw = Callable[[float, float, np.random.Generator], float]
"""f, f_opt and a generator to a noisy loss."""


def gaussian(beta: float) -> Draw:
    """Multiplicative log-normal noise (equation 1 of the report)."""

    def draw(f: float, f_opt: float, rng: np.random.Generator) -> float:
        return f_opt + (f - f_opt) * float(np.exp(beta * rng.standard_normal()))

    return draw


def uniform(alpha: float, beta: float) -> Draw:
    """Multiplicative noise whose tail grows towards the minimum (equation 2)."""

    def draw(f: float, f_opt: float, rng: np.random.Generator) -> float:
        shrink = math.pow(rng.random(), beta)
        grow = math.pow(1e9 / max(f - f_opt, 1e-99), alpha * rng.random())
        return f_opt + (f - f_opt) * shrink * max(1.0, grow)

    return draw


def cauchy(alpha: float, p: float) -> Draw:
    """Additive outliers, in a share p of the evaluations (equation 3)."""

    def draw(f: float, f_opt: float, rng: np.random.Generator) -> float:
        strikes = rng.random() < p
        outlier = rng.standard_normal() / (abs(rng.standard_normal()) + 1e-199)
        return f + alpha * max(0.0, CAUCHY_SHIFT + (float(outlier) if strikes else 0.0))

    return draw


def model(function: int, dimension: int) -> Draw:
    """The noise of a function: the three models in turn, with the report's strengths."""
    is_moderate = function in MODERATE
    strength = 0.01 if is_moderate else 1.0
    return (
        gaussian(beta=strength),
        uniform(alpha=strength * (0.49 + 1.0 / dimension), beta=strength),
        cauchy(alpha=strength, p=0.05 if is_moderate else 0.2),
    )[(function - FIRST) % 3]


@dataclass(frozen=True)
class BbobNoisy(CocoFunction):
    """A function of the suite `bbob-noisy`: reals, and noise.

    Examples
    --------
    >>> sphere = BbobNoisy(107, 5, 1)
    >>> sphere.name
    'bbob_noisy_f107_i01_d05'
    >>> config = {f"x{i}": 1.0 for i in range(1, 6)}
    >>> losses = {sphere.evaluate(config, seed).loss for seed in range(3)}
    >>> len(losses), sphere.held_out(config, seed=0).loss == sphere.truth(config)
    (3, True)
    """

    suite = "bbob-noisy"

    def __post_init__(self) -> None:
        if not FIRST <= self.function <= LAST:
            raise ValueError(f"bbob-noisy has the functions {FIRST} to {LAST}, not {self.function}")

    @property
    def deterministic(self) -> bool:
        """Whether there is no noise."""
        return False

    @property
    def underlying(self) -> int:
        """The function of `bbob` that has the same minimiser and minimum."""
        return UNDERLYING[(self.function - FIRST) // 3]

    @property
    def minimum(self) -> float:
        """The smallest value of the truth."""
        return float(bare(self.underlying, self.dimension, self.instance).best_value())

    @property
    def minimisers(self) -> tuple[Configuration, ...]:
        """The best configuration."""
        x = minimiser_of_bbob(self.underlying, self.dimension, self.instance)
        return (configuration_of(self.space, x),)

    def value(self, x: Floats) -> float:
        return truth_of(self.function, self.dimension, self.instance, x)

    def evaluate(self, config: Configuration, seed: int) -> Evaluation:
        """The truth with the noise of this seed.

        Parameters
        ----------
        config
            A configuration of the space.
        seed
            A whole number of at least 0 that chooses the draw of the noise.
        """
        draw = _model(self.function, self.dimension)
        truth = self.truth(config)
        noisy = draw(truth, self.minimum, np.random.default_rng(seed))
        return Evaluation(noisy + TOLERANCE)


_model = lru_cache(maxsize=None)(model)


def truth_of(function: int, dimension: int, instance: int, x: Floats) -> float:
    """The truth at x (d,) of a noisy function.

    It is taken from the one of the three that has the Cauchy model. COCO's counters decide which
    of its evaluations are outliers. These are hardly ever equal (only where the noise is cut at
    zero, six in 100,000), so a value that comes three times is the truth plus the constant.
    """
    third = FIRST + 3 * ((function - FIRST) // 3) + 2
    problem = of_suite("bbob-noisy", third - FIRST + 1, dimension, instance)
    seen: Counter[float] = Counter()
    while seen[value := float(problem(x))] < AGREEING - 1:
        seen[value] += 1
    return value - ((0.01 if third in MODERATE else 1.0) * CAUCHY_SHIFT + TOLERANCE)
