"""Sobol' indices against what is known analytically."""

import numpy as np
import pytest

from warpfront.analysis.importance import sobol_indices


def indices(function, d, **options):
    return sobol_indices(function, d, np.random.default_rng(0), **options)


def ishigami(U):
    x = np.pi * (2.0 * U - 1.0)
    return np.sin(x[:, 0]) + 7.0 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


def test_an_additive_function():
    weights = np.array([3.0, 2.0, 1.0, 0.0])
    found = indices(lambda U: U @ weights + 50.0, 4)
    shares = weights**2 / np.sum(weights**2)
    np.testing.assert_allclose(found.first, shares, atol=0.01)
    np.testing.assert_allclose(found.total, shares, atol=0.01)


def test_ishigami_whose_third_input_acts_together_with_the_first_only():
    found = indices(ishigami, 3)
    variance = 7.0**2 / 8 + 0.1 * np.pi**4 / 5 + 0.01 * np.pi**8 / 18 + 0.5
    first = np.array([0.5 * (1 + 0.1 * np.pi**4 / 5) ** 2, 7.0**2 / 8, 0.0]) / variance
    together = 0.01 * np.pi**8 * (1 / 18 - 1 / 50) / variance
    np.testing.assert_allclose(found.first, first, atol=0.03)
    np.testing.assert_allclose(found.total, first + np.array([together, 0.0, together]), atol=0.03)


def test_a_product_has_no_first_order_part_around_its_centre():
    found = indices(lambda U: (U[:, 0] - 0.5) * (U[:, 1] - 0.5), 2)
    np.testing.assert_allclose(found.first, [0.0, 0.0], atol=0.03)
    np.testing.assert_allclose(found.total, [1.0, 1.0], atol=0.03)


def test_a_constant_has_no_importances():
    found = indices(lambda U: np.full(len(U), 3.0), 2)
    assert found.first.tolist() == found.total.tolist() == [0.0, 0.0]


def test_what_does_not_vary_is_not_looked_at():
    calls = []

    def function(U):
        calls.append(len(U))
        return U.sum(axis=1)

    found = indices(function, 3, varies=np.array([True, False, True]), samples=64)
    assert calls == [64] * 4
    assert found.total[1] == 0.0


@pytest.mark.parametrize("scale", [1e-100, 1e150])
def test_the_size_of_the_values_does_not_matter(scale):
    found = indices(lambda U: scale * U[:, 0], 2)
    np.testing.assert_allclose(found.total, [1.0, 0.0], atol=0.01)


def test_the_same_seed_gives_the_same_indices():
    first, second = indices(ishigami, 3), indices(ishigami, 3)
    np.testing.assert_array_equal(first.total, second.total)
