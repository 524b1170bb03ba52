"""The linear and the quadratic term against the functions that they stand for."""

import numpy as np
from sklearn.gaussian_process.kernels import DotProduct

from tests.surrogate.builds import points_of
from warpfront.surrogate.kernels import Codes, Points
from warpfront.surrogate.priors import PriorTable
from warpfront.surrogate.trends import Linear, Quadratic, products, squared_norms

A = Points(np.array([[0.0, 1.0], [0.5, 0.75]]), Codes(np.array([[2.0], [2.0]])))
B = Points(np.array([[1.0, 1.0]]), Codes(np.array([[1.0]])))


def test_products_are_those_of_centred_one_hot_inputs():
    np.testing.assert_allclose(products(A, A), [[3.0, 1.5], [1.5, 1.25]])
    np.testing.assert_allclose(products(A, B), [[0.0], [0.5]])
    np.testing.assert_allclose(squared_norms(A), [3.0, 1.25])


def test_the_linear_term_is_scikit_learns_of_centred_numbers():
    rng = np.random.default_rng(0)
    one, other = (points_of(rng.random((n, 4)), 4) for n in (9, 6))
    expected = 0.3 * DotProduct(0.0)(2 * one.U - 1, 2 * other.U - 1)
    np.testing.assert_allclose(Linear().covariance(np.log([0.3]), one, other), expected, rtol=1e-9)


def test_samples_of_the_quadratic_term_are_quadratic_functions():
    # All third differences along a line vanish; second differences do not.
    rng = np.random.default_rng(1)
    line = points_of(rng.random(3) + np.linspace(-0.1, 0.1, 7)[:, None] * rng.normal(size=3), 3)
    K = Quadratic().covariance(np.zeros(1), line, line)
    values, vectors = np.linalg.eigh(K)
    samples = vectors * np.sqrt(np.maximum(values, 0.0)) @ rng.normal(size=(7, 20))
    assert np.abs(np.diff(samples, 3, axis=0)).max() < 1e-6
    assert np.abs(np.diff(samples, 2, axis=0)).max() > 1e-4


def test_the_quadratic_term_has_interactions():
    # Of u and v at the four corners of a square: an interaction is +-+- of these.
    corners = points_of(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), 2)
    contrast = np.array([1.0, -1.0, -1.0, 1.0])
    quadratic, linear = (
        contrast @ term.covariance(np.zeros(1), corners, corners) @ contrast
        for term in (Quadratic(), Linear())
    )
    assert quadratic > 1.0
    assert abs(linear) < 1e-12


def test_the_prior_expects_less_of_the_quadratic_trend_the_more_parameters_there_are():
    variances = [np.exp(PriorTable(Quadratic().blocks(d, 0)).start[0]) for d in (1, 10, 100)]
    np.testing.assert_allclose(variances, [1e-2, 1e-3, 1e-4])
