"""The synthetic functions: their truth, and noise that belongs to the evaluation."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.optimize import rosen

from benchmarks.tasks.functions import FUNCTIONS
from benchmarks.tasks.synthetic import (
    ACKLEY5,
    HARTMANN6,
    HETEROSCEDASTIC4,
    LEVY6,
    MIXED8,
    NONSTATIONARY3,
    ROSENBROCK4,
)
from benchmarks.tasks.unseen_functions import (
    ELLIPSOID12,
    MICHALEWICZ5,
    NOISYMIXED6,
    SHEKEL4,
)
from warpfront import WarpfrontError

each = pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
SAMPLES = 2000
NEIGHBOURS = 200


@each
def test_the_minimum_is_at_the_minimisers(function):
    for config in function.minimisers:
        assert config in function.space
        assert function.truth(config) == pytest.approx(function.minimum, abs=1e-12)
        assert function.held_out(config, seed=0).loss == function.truth(config)


@each
def test_nothing_is_below_the_minimum(function):
    values = [function.truth(c) for c in function.space.sample(SAMPLES, seed=1, method="uniform")]
    assert min(values) > function.minimum
    assert np.ptp(values) > 0.1


@each
def test_nothing_near_a_minimiser_is_below_it(function):
    rng = np.random.default_rng(0)
    numeric = [n for n in function.space if isinstance(function.minimisers[0][n], float)]
    for config in function.minimisers:
        for size in (1e-1, 1e-3, 1e-5):
            for _ in range(NEIGHBOURS):
                near = dict(config)
                for name in numeric:
                    low, high = function.space[name].low, function.space[name].high
                    moved = near[name] + size * (high - low) * rng.normal()
                    near[name] = float(np.clip(moved, low, high))
                assert function.truth(near) >= function.minimum - 1e-12


@each
def test_a_minimiser_is_not_in_the_middle(function):
    middle = function.space.encoding.decode(np.full((1, len(function.space)), 0.5))[0]
    assert function.truth(middle) > function.minimum + 0.05


@each
def test_evaluations_repeat(function):
    config = function.space.sample(1, seed=3)[0]
    first = function.evaluate(config, seed=5)
    assert first == function.evaluate(dict(reversed(config.items())), seed=5)
    assert not first.failed
    assert (first == function.evaluate(config, seed=6)) == function.deterministic
    assert (first.loss == function.truth(config)) == function.deterministic


@each
def test_a_function_is_frozen_and_rejects_what_is_outside(function):
    with pytest.raises(dataclasses.FrozenInstanceError):
        function.minimum = 1.0
    with pytest.raises(WarpfrontError):
        function.evaluate({}, seed=0)
    with pytest.raises(WarpfrontError):
        function.truth({**function.minimisers[0], "more": 1})


def test_noise_leaves_the_global_generator_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    HETEROSCEDASTIC4.evaluate(HETEROSCEDASTIC4.minimisers[0], seed=0)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("x1", [0.0, 0.5, 1.0])
def test_noise_is_normal_with_the_stated_spread(x1):
    config = {**HETEROSCEDASTIC4.minimisers[0], "x1": x1}
    truth, std = HETEROSCEDASTIC4.truth(config), HETEROSCEDASTIC4.noise_std(config)
    assert std == pytest.approx(0.01 * 100**x1)
    draws = [HETEROSCEDASTIC4.evaluate(config, seed=seed).loss for seed in range(1000)]
    standard = (np.array(draws) - truth) / std
    assert abs(standard.mean()) < 4 / np.sqrt(1000)
    assert standard.std() == pytest.approx(1.0, abs=0.1)


def test_noise_differs_between_configurations():
    a, b = ({**HETEROSCEDASTIC4.minimisers[0], "x4": x} for x in (0.1, 0.2))
    noise = [HETEROSCEDASTIC4.evaluate(c, seed=0).loss - HETEROSCEDASTIC4.truth(c) for c in (a, b)]
    assert noise[0] != noise[1]  # although their spread is the same


def values(function, x):
    return function.truth({f"x{i}": v for i, v in enumerate(x, start=1)})


def test_known_values():
    rng = np.random.default_rng(0)
    for x in rng.uniform(-5, 10, size=(20, 4)):
        assert values(ROSENBROCK4, x) == pytest.approx(rosen(x))
    for x in rng.uniform(-5, 10, size=(20, 5)):
        ackley = (
            -20 * np.exp(-0.2 * np.sqrt(np.mean(x**2)))
            - np.exp(np.mean(np.cos(2 * np.pi * x)))
            + 20
            + np.e
        )
        assert values(ACKLEY5, x) == pytest.approx(ackley)
    for x in rng.uniform(-10, 10, size=(20, 6)):
        w = 1 + (x - 1) / 4
        levy = (
            np.sin(np.pi * w[0]) ** 2
            + np.sum((w[:-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:-1] + 1) ** 2))
            + (w[-1] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[-1]) ** 2)
        )
        assert values(LEVY6, x) == pytest.approx(levy)
    assert HARTMANN6.minimum == pytest.approx(-3.32237, abs=1e-5)
    assert SHEKEL4.minimum == pytest.approx(-10.5364, abs=1e-4)
    assert MICHALEWICZ5.minimum == pytest.approx(-4.687658, abs=1e-6)


def test_the_nonstationary_function_changes_faster_near_zero():
    def roughness(low):
        grid = np.linspace(low, low + 0.1, 200)
        return np.abs(np.diff([values(NONSTATIONARY3, [x, 0.15, 0.6]) for x in grid])).sum()

    assert roughness(0.0) > 5 * roughness(0.9)


def test_the_best_rate_of_the_mixed_function_depends_on_the_activation():
    for activation, rate in (("relu", 1e-2), ("tanh", 1e-3), ("logistic", 1e-4)):
        config = {**MIXED8.minimisers[0], "activation": activation}
        losses = {r: MIXED8.truth({**config, "rate": r}) for r in (1e-2, 1e-3, 1e-4)}
        assert min(losses, key=losses.get) == rate


def test_the_axes_of_the_ellipsoid_are_those_of_no_parameter():
    bottom = np.array(list(ELLIPSOID12.minimisers[0].values()))
    steps = np.vstack([np.zeros(12), np.eye(12)])

    def along(i, j):
        """The mixed difference of two parameters, which a sum of functions of one has not."""
        both, one, other = (
            values(ELLIPSOID12, bottom + s) for s in (steps[i] + steps[j], steps[i], steps[j])
        )
        return both - one - other

    assert min(abs(along(i, j)) for i in range(1, 13) for j in range(1, i)) > 0.01
    curvatures = np.linalg.eigvalsh([[along(i, j) / 2 for j in range(1, 13)] for i in range(1, 13)])
    assert curvatures == pytest.approx(np.logspace(0, 3, 12))


def test_the_choices_of_the_noisy_mixed_function_interact():
    best = NOISYMIXED6.minimisers[0]
    for flag, count in ((True, 7), (False, 14)):
        losses = {c: NOISYMIXED6.truth({**best, "flag": flag, "count": c}) for c in range(1, 21)}
        assert min(losses, key=losses.get) == count
    a, b, c = (best[name] for name in "abc")
    turned = {**best, "order": "bca", "b": a, "c": b, "a": c}
    assert NOISYMIXED6.truth(turned) == pytest.approx(NOISYMIXED6.minimum + 0.3)
    assert NOISYMIXED6.truth({**best, "order": "bca"}) > NOISYMIXED6.minimum + 1
