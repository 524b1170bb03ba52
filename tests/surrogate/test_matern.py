"""The Matérn term against scikit-learn's, and its treatment of categories."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import Matern as SklearnMatern

from tests.surrogate.builds import points_of, random_rows
from warpfront.surrogate.kernels import Codes, Points
from warpfront.surrogate.matern import Matern, squared_distances
from warpfront.surrogate.priors import PriorTable

SMOOTHNESS = {"matern32": 1.5, "matern52": 2.5}


def at_distances(r):
    """One point in the origin, and others so far away."""
    nothing = Codes(np.empty((1, 0)))
    return Points(np.zeros((1, 1)), nothing), Points(r[:, None], Codes(np.empty((len(r), 0))))


def with_slope(r2, smoothness):
    value, slope = np.empty_like(r2), np.empty_like(r2)
    Matern(smoothness)._with_slope(r2.copy(), value, slope)
    return value, slope


class TestCorrelation:
    R = np.concatenate([[0.0], np.logspace(-6, 1.5, 60)])

    @pytest.mark.parametrize(("smoothness", "nu"), SMOOTHNESS.items())
    def test_values_are_scikit_learns(self, smoothness, nu):
        expected = SklearnMatern(nu=nu)(np.zeros((1, 1)), self.R[:, None])[0]
        found = Matern(smoothness).covariance(np.zeros(2), *at_distances(self.R))[0]
        np.testing.assert_allclose(found, expected, rtol=1e-10)

    @pytest.mark.parametrize("smoothness", SMOOTHNESS)
    def test_the_fit_and_predictions_see_the_same_values(self, smoothness):
        found = Matern(smoothness).covariance(np.zeros(2), *at_distances(self.R))[0]
        np.testing.assert_allclose(with_slope(self.R**2, smoothness)[0], found, rtol=1e-12)

    @pytest.mark.parametrize("smoothness", SMOOTHNESS)
    def test_the_slope_is_that_of_finite_differences(self, smoothness):
        r2 = np.logspace(-3, 2, 40)
        h = 1e-6 * r2
        high, low = (with_slope(z, smoothness)[0] for z in (r2 + h, r2 - h))
        slope = with_slope(r2, smoothness)[1]
        np.testing.assert_allclose(slope, (high - low) / (2 * h), rtol=1e-6, atol=1e-9)

    @pytest.mark.parametrize(("smoothness", "slope"), [("matern32", -1.5), ("matern52", -5 / 6)])
    def test_at_no_distance(self, smoothness, slope):
        at_zero = with_slope(np.zeros((2, 3)), smoothness)
        np.testing.assert_array_equal(at_zero[0], np.ones((2, 3)))
        np.testing.assert_allclose(at_zero[1], np.full((2, 3), slope))


class TestSquaredDistances:
    def test_they_are_the_sums_of_squares(self):
        rng = np.random.default_rng(0)
        A, B = rng.normal(size=(7, 4)), rng.normal(size=(5, 4))
        direct = ((A[:, None, :] - B) ** 2).sum(axis=2)
        np.testing.assert_allclose(squared_distances(A, B), direct, atol=1e-12)

    def test_never_negative_for_equal_points_far_out(self):
        A = 200.0 + np.random.default_rng(0).random((20, 3))
        r2 = squared_distances(A, A)
        assert np.all(r2 >= 0.0)
        np.testing.assert_allclose(np.diag(r2), 0.0, atol=1e-9)

    def test_without_columns_all_points_are_one(self):
        np.testing.assert_array_equal(
            squared_distances(np.empty((2, 0)), np.empty((3, 0))), np.zeros((2, 3))
        )


@pytest.mark.parametrize(("smoothness", "nu"), SMOOTHNESS.items())
def test_numbers_have_a_length_scale_each(smoothness, nu):
    rng = np.random.default_rng(1)
    p = rng.normal(0.0, 0.5, 5)
    A, B = (points_of(rng.random((n, 4)), 4) for n in (9, 6))
    expected = np.exp(p[0]) * SklearnMatern(np.exp(p[1:]), nu=nu)(A.U, B.U)
    np.testing.assert_allclose(Matern(smoothness).covariance(p, A, B), expected, rtol=1e-9)


@pytest.mark.parametrize(("smoothness", "nu"), SMOOTHNESS.items())
def test_categories_are_one_hot_codes_with_one_length_scale_each(smoothness, nu):
    # Two different one-hot codes are sqrt(2) apart: with entries of 1 / sqrt(2), 1 apart.
    rng, levels = np.random.default_rng(3), (3, 5)
    p = rng.normal(0.0, 0.5, 5)
    A = points_of(random_rows(rng, 12, 2, levels), 2)
    hot = np.hstack([np.eye(k)[A.codes.C[:, c].astype(int)] for c, k in enumerate(levels)])
    lengths = np.exp(p[1:])
    wide = np.concatenate([lengths[:2], np.repeat(lengths[2:], levels)])
    one_hot = SklearnMatern(wide, nu=nu)(np.hstack([A.U, hot / np.sqrt(2)]))
    found = Matern(smoothness).covariance(p, A, A)
    np.testing.assert_allclose(found, np.exp(p[0]) * one_hot, rtol=1e-9)


def test_a_thousand_levels_have_one_parameter():
    table = PriorTable(Matern().blocks(0, 1))
    assert table.size == 2
    A = points_of(random_rows(np.random.default_rng(5), 200, 0, (1000,)), 0)
    K = Matern().covariance(table.start, A, A)
    same = A.codes.C == A.codes.C.T
    assert len(np.unique(K[same].round(12))) == 1
    assert len(np.unique(K[~same].round(12))) == 1
    assert K[same].min() > K[~same].max()
