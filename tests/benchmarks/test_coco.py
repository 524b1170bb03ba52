"""COCO's functions: their names, their minima, and the noise that is ours."""

from __future__ import annotations

from itertools import product

import cocoex
import numpy as np
import pytest
from scipy.stats import ks_2samp

from benchmarks.tasks.coco import Bbob, BbobMixint, bare, levels, of_suite
from benchmarks.tasks.coco_noise import FIRST, LAST, TOLERANCE, UNDERLYING, BbobNoisy
from benchmarks.tasks.public import PUBLIC
from benchmarks.tasks.table import Table
from warpfront import WarpfrontError

COCO = [task for task in PUBLIC.values() if not isinstance(task, Table)]
each = pytest.mark.parametrize("function", COCO, ids=[task.name for task in COCO])

DRAWS = 2000


def fresh_counters():
    """COCO counts its draws of noise in the whole process; a new suite begins anew."""
    cocoex.Suite("bbob-noisy", "instances: 1", "dimensions: 2 function_indices: 1")


@each
def test_names_are_those_of_coco(function):
    number = function.function - (FIRST - 1 if isinstance(function, BbobNoisy) else 0)
    problem = of_suite(function.suite, number, function.dimension, function.instance)
    assert problem.id == function.name
    bounds = [(p.low, p.high) for p in (function.space[name] for name in function.space.names)]
    assert bounds == list(zip(problem.lower_bounds, problem.upper_bounds, strict=True))


@each
def test_the_minimum_is_at_the_minimiser_and_nowhere_lower(function):
    assert function.minimisers[0] in function.space
    assert function.truth(function.minimisers[0]) == pytest.approx(function.minimum, abs=1e-9)
    drawn = function.space.sample(200, seed=0)
    assert min(function.truth(config) for config in drawn) > function.minimum


@each
def test_a_loss_is_repeatable_and_quick(function):
    configs = function.space.sample(5, seed=1)
    first = [function.evaluate(config, seed=3).loss for config in configs]
    assert [function.evaluate(config, seed=3).loss for config in configs] == first
    truths = [function.truth(config) for config in configs]
    assert [function.held_out(config, seed=9).loss for config in configs] == truths
    assert (first == truths) is function.deterministic


def test_a_configuration_outside_the_space_is_refused():
    with pytest.raises(WarpfrontError, match="x1"):
        Bbob(1, 2, 1).truth({"x1": 9.0, "x2": 0.0})


@pytest.mark.parametrize("instance", [1, 5, 9])
def test_no_level_of_the_integers_is_better_than_the_minimiser(instance):
    function = BbobMixint(1, 5, instance)
    best = dict(function.minimisers[0])
    truths = {
        codes: function.truth(
            {f"x{i}": code for i, code in enumerate(codes, 1)} | {"x5": best["x5"]}
        )
        for codes in product(*map(range, levels(5)))
    }
    assert len(truths) == 1024
    assert min(truths, key=truths.__getitem__) == tuple(best[f"x{i}"] for i in range(1, 5))


def test_dimensions_that_mixint_does_not_have_are_refused():
    with pytest.raises(ValueError, match="not of 7"):
        levels(7)


def test_functions_that_noisy_does_not_have_are_refused():
    with pytest.raises(ValueError, match="101 to 130, not 131"):
        BbobNoisy(LAST + 1, 5, 1)


@pytest.mark.parametrize("number", range(FIRST, LAST + 1))
def test_the_truth_of_a_noisy_function_is_that_of_the_underlying_one(number):
    noisy, plain = BbobNoisy(number, 5, 7), Bbob(UNDERLYING[(number - FIRST) // 3], 5, 7)
    for config in noisy.space.sample(20, seed=number):
        above, expected = (f.truth(config) - f.minimum for f in (noisy, plain))
        if plain.function == 10:  # conditioning 1e4 instead of 1e6
            assert 0.0 < above < expected
        elif plain.function == 19:
            assert above == pytest.approx(expected / 10.0)
        else:
            assert above == pytest.approx(expected)


def test_the_gaussian_noise_of_coco_multiplies_the_same_truth():
    """An independent way to the truth, above all of 116: the factor depends on the counter only."""
    factors = []
    for number in (107, 110, 113, 116, 119, 122, 125, 128):
        function = BbobNoisy(number, 5, 2)
        problem = of_suite("bbob-noisy", number - FIRST + 1, 5, 2)
        configs = function.space.sample(4, seed=number)
        truths = np.array([function.truth(config) for config in configs])
        fresh_counters()
        losses = np.array([problem(list(config.values())) for config in configs])
        factors.append((losses - TOLERANCE - function.minimum) / (truths - function.minimum))
    assert np.ptp(factors[0]) > 0.5
    np.testing.assert_allclose(factors, np.tile(factors[0], (len(factors), 1)), rtol=1e-9)


@pytest.mark.parametrize("number", [101, 102, 103, 107, 108, 109])
def test_noise_has_the_distribution_of_cocos(number):
    function, problem = BbobNoisy(number, 5, 1), of_suite("bbob-noisy", number - FIRST + 1, 5, 1)
    config = function.space.sample(1, seed=0)[0]
    fresh_counters()
    theirs = [problem(list(config.values())) for _ in range(DRAWS)]
    ours = [function.evaluate(config, seed).loss for seed in range(DRAWS)]
    assert len(set(ours)) > 0.03 * DRAWS
    # Rounded, for most evaluations with Cauchy noise are equal but for their last bits.
    assert ks_2samp(np.round(ours, 6), np.round(theirs, 6)).pvalue > 0.01


def test_noise_does_not_depend_on_what_was_evaluated_before():
    function = BbobNoisy(108, 5, 1)
    one, other = function.space.sample(2, seed=0)
    first = function.evaluate(one, seed=4)
    function.evaluate(other, seed=5)
    assert function.evaluate(one, seed=4) == first


@pytest.mark.parametrize("number", [107, 108, 109])
def test_noise_is_finite_at_the_minimum(number):
    function = BbobNoisy(number, 5, 1)
    losses = [function.evaluate(function.minimisers[0], seed).loss for seed in range(100)]
    assert np.isfinite(losses).all()


def test_the_underlying_function_is_that_of_bbob():
    function = Bbob(15, 5, 3)
    config = function.space.sample(1, seed=0)[0]
    assert function.truth(config) == bare(15, 5, 3)(np.array(list(config.values())))
