"""The kernel against scikit-learn's, and its treatment of categories."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import DotProduct, Matern

from warpfront.surrogate import priors
from warpfront.surrogate.additive import waves
from warpfront.surrogate.kernels import (
    BLOCK,
    BOUNDS,
    Inputs,
    KernelForm,
    linear_products,
    matern,
    matern_into,
    squared_distances,
)
from warpfront.surrogate.warping import kumaraswamy

SMOOTHNESS = {"matern32": 1.5, "matern52": 2.5}


def random_inputs(rng, n, numeric, levels=()):
    codes = np.column_stack([rng.integers(0, k, n) for k in levels] or [np.empty((n, 0))])
    return Inputs(rng.random((n, numeric)), codes.astype(float))


def random_theta(rng, form):
    return np.clip(form.default + rng.normal(0.0, 0.5, form.size), *form.bounds.T)


def with_slope(r2, smoothness):
    value, slope = np.empty_like(r2), np.empty_like(r2)
    matern_into(r2.copy(), value, slope, smoothness)
    return value, slope


class TestMatern:
    @pytest.mark.parametrize(("smoothness", "nu"), SMOOTHNESS.items())
    def test_values_are_scikit_learns(self, smoothness, nu):
        r = np.concatenate([[0.0], np.logspace(-6, 1.5, 60)])
        expected = Matern(nu=nu)(np.zeros((1, 1)), r[:, None])[0]
        np.testing.assert_allclose(matern(r**2, smoothness), expected, rtol=1e-10)

    @pytest.mark.parametrize("smoothness", SMOOTHNESS)
    def test_the_fit_and_predictions_see_the_same_values(self, smoothness):
        r2 = np.logspace(-6, 3, 60)
        np.testing.assert_array_equal(with_slope(r2, smoothness)[0], matern(r2, smoothness))

    @pytest.mark.parametrize("smoothness", SMOOTHNESS)
    def test_the_slope_is_that_of_finite_differences(self, smoothness):
        r2 = np.logspace(-3, 2, 40)
        h = 1e-6 * r2
        high, low = matern(r2 + h, smoothness), matern(r2 - h, smoothness)
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


class TestForm:
    @pytest.mark.parametrize("linear", [False, True])
    @pytest.mark.parametrize("warp", [False, True])
    def test_theta_is_laid_out_without_gap_or_overlap(self, linear, warp):
        form = KernelForm(3, 2, linear=linear, input_warp=warp)
        places = np.zeros(form.size, dtype=int)
        for where, _, _ in form.prior_table:
            places[where] += 1
        np.testing.assert_array_equal(places, 1)
        assert form.size == 2 + linear + 5 + 6 * warp
        assert form.d == 5

    @pytest.mark.parametrize("kind", ["flat", "fixed", "dimension"])
    def test_the_default_lies_within_the_bounds(self, kind):
        form = KernelForm(200, 3, linear=True, lengthscale_prior=kind)
        low, high = form.bounds.T
        assert np.all((low < form.default) & (form.default < high))
        assert form.default[form.SIGNAL] == 0.0

    def test_the_bounds_stand_at_their_parameters(self):
        form = KernelForm(1, 1, linear=True)
        names = ["signal", "noise", "linear", "lengthscale", "lengthscale", "warp", "warp"]
        np.testing.assert_allclose(np.exp(form.bounds), [BOUNDS[name] for name in names])

    def test_the_log_prior_sums_the_table(self):
        form = KernelForm(
            2, 1, linear=True, lengthscale_prior="fixed", noise_prior=priors.WIDE_NOISE
        )
        theta = random_theta(np.random.default_rng(0), form)
        lengthscale = priors.lengthscale_prior("fixed", 3)
        normal = [priors.WIDE_NOISE, priors.LINEAR] + [lengthscale] * 3 + [priors.WARP] * 4
        scales = np.array([p.scale for p in normal])
        z = (theta[1:] - [p.mode for p in normal]) / scales
        signal, slope = priors.SIGNAL.log_density(theta[form.SIGNAL])
        total, gradient = form.log_prior(theta)
        assert total == pytest.approx(signal - 0.5 * np.sum(z**2))
        np.testing.assert_allclose(gradient, [slope, *(-z / scales)])


class TestCovariance:
    @pytest.mark.parametrize(("smoothness", "nu"), SMOOTHNESS.items())
    def test_numbers_alone_are_scikit_learns(self, smoothness, nu):
        rng = np.random.default_rng(1)
        form = KernelForm(4, 0, smoothness=smoothness, linear=True, input_warp=False)
        theta = random_theta(rng, form)
        A, B = random_inputs(rng, 9, 4), random_inputs(rng, 6, 4)
        signal, linear = np.exp(theta[form.SIGNAL]), np.exp(theta[form.LINEAR])
        expected = signal * Matern(np.exp(theta[form.lengthscales]), nu=nu)(A.U, B.U)
        expected += linear * DotProduct(0.0)(2 * A.U - 1, 2 * B.U - 1)
        np.testing.assert_allclose(form.covariance(theta, A, B), expected, rtol=1e-9)

    def test_the_input_warp_comes_first(self):
        rng = np.random.default_rng(2)
        form = KernelForm(2, 0)
        theta, N = random_theta(rng, form), rng.random((5, 2))
        expected = kumaraswamy(N, np.exp(theta[form.warp_a]), np.exp(theta[form.warp_b]))
        np.testing.assert_array_equal(form.features(theta, N), expected)
        plain = KernelForm(2, 0, input_warp=False)
        np.testing.assert_array_equal(plain.features(plain.default, N), N)

    @pytest.mark.parametrize("smoothness", SMOOTHNESS)
    def test_categories_are_one_hot_codes_with_one_length_scale_each(self, smoothness):
        # Two different one-hot codes are sqrt(2) apart: with entries of 1 / sqrt(2), 1 apart.
        rng = np.random.default_rng(3)
        levels = (3, 5)
        form = KernelForm(2, 2, smoothness=smoothness, linear=True, input_warp=False)
        theta, A = random_theta(rng, form), random_inputs(rng, 12, 2, levels)
        hot = np.hstack([np.eye(k)[A.C[:, c].astype(int)] for c, k in enumerate(levels)])
        lengths = np.exp(theta[form.lengthscales])
        wide = np.concatenate([lengths[:2], np.repeat(lengths[2:], levels)])
        one_hot = Matern(wide, nu=SMOOTHNESS[smoothness])(np.hstack([A.U, hot / np.sqrt(2)]))
        centred = np.hstack([A.centred, hot])
        expected = np.exp(theta[0]) * one_hot + np.exp(theta[2]) * centred @ centred.T
        np.testing.assert_allclose(form.covariance(theta, A, A), expected, rtol=1e-9)

    def test_the_names_of_the_levels_do_not_matter(self):
        rng = np.random.default_rng(4)
        form = KernelForm(1, 1, linear=True)
        theta, A = random_theta(rng, form), random_inputs(rng, 10, 1, (4,))
        renamed = Inputs(A.U, rng.permutation(4)[A.C.astype(int)].astype(float))
        np.testing.assert_array_equal(
            form.covariance(theta, A, A), form.covariance(theta, renamed, renamed)
        )

    def test_a_thousand_levels_have_one_parameter(self):
        rng = np.random.default_rng(5)
        form = KernelForm(0, 1, linear=True)
        assert form.size == 4
        A = random_inputs(rng, 200, 0, (1000,))
        K = form.covariance(form.default, A, A)
        same = A.C == A.C.T
        assert len(np.unique(K[same].round(12))) == 1
        assert len(np.unique(K[~same].round(12))) == 1
        assert K[same].min() > K[~same].max()

    @given(
        numeric=st.integers(0, 4),
        levels=st.lists(st.integers(1, 6), max_size=3),
        smoothness=st.sampled_from(list(SMOOTHNESS)),
        linear=st.booleans(),
        additive=st.booleans(),
        n=st.integers(1, 25),
        seed=st.integers(0, 2**32 - 1),
    )
    def test_it_is_positive_semidefinite(
        self, numeric, levels, smoothness, linear, additive, n, seed
    ):
        rng = np.random.default_rng(seed)
        form = KernelForm(numeric, len(levels), smoothness, linear=linear, additive=additive)
        theta = rng.uniform(*form.bounds.T)
        A = random_inputs(rng, n, numeric, levels)
        A = Inputs(form.features(theta, A.U), A.C)
        K = form.covariance(theta, A, A)
        np.testing.assert_allclose(K, K.T, rtol=1e-12, atol=1e-9 * K.max())
        assert np.linalg.eigvalsh(K).min() > -1e-8 * np.trace(K)
        np.testing.assert_allclose(form.variance(theta, A), np.diag(K), rtol=1e-8)
        lower = form.lower_covariance(theta, A)
        np.testing.assert_allclose(np.tril(lower), np.tril(K), rtol=1e-9, atol=1e-9 * K.max())
        largest = form.largest_variance(theta)
        assert np.all(form.variance(theta, A) <= largest * (1.0 + 1e-12))

    def test_the_lower_triangle_is_the_same_over_several_blocks(self):
        rng = np.random.default_rng(0)
        form = KernelForm(2, 1, linear=True, additive=True)
        theta, A = random_theta(rng, form), random_inputs(rng, 2 * BLOCK + 3, 2, [3])
        K = form.covariance(theta, A, A)
        lower = np.tril(form.lower_covariance(theta, A))
        np.testing.assert_allclose(lower, np.tril(K), atol=1e-12)

    @pytest.mark.parametrize("linear", [False, True])
    @pytest.mark.parametrize("additive", [False, True])
    def test_the_largest_variance_is_that_of_a_corner(self, linear, additive):
        rng = np.random.default_rng(6)
        form = KernelForm(3, 2, linear=linear, additive=additive, input_warp=False)
        for _ in range(20):
            theta = rng.uniform(*form.bounds.T)
            inside = random_inputs(rng, 50, 3, (4, 2))
            corners = Inputs(rng.integers(0, 2, (8, 3)).astype(float), inside.C[:8])
            largest = form.largest_variance(theta)
            assert np.all(form.variance(theta, inside) <= largest * (1.0 + 1e-12))
            np.testing.assert_allclose(form.variance(theta, corners), largest, rtol=1e-12)

    def test_the_linear_variance_stands_third(self):
        form = KernelForm(2, 1, linear=True)
        assert form.bounds[form.LINEAR].tolist() == np.log(BOUNDS["linear"]).tolist()
        assert form.default[form.LINEAR] == priors.LINEAR.mode


def test_the_additive_kernel_joins_what_was_seen_apart():
    form = KernelForm(2, 1, additive=True, input_warp=False)
    theta = form.default.copy()
    theta[form.SIGNAL], theta[form.lengthscales] = np.log(1e-3), np.log(5e-3)
    variance, lengthscale = np.exp(theta[form.additive_part])
    corner = Inputs(np.array([[0.0, 1.0]]), np.array([[1.0]]))
    apart = Inputs(np.array([[0.0, 0.4], [0.7, 1.0], [0.7, 0.4]]), np.array([[0.0], [0.0], [1.0]]))
    one = [waves(np.array([[u]]), lengthscale) for u in (0.0, 0.7, 0.4, 1.0)]
    low, other, middle, high = (w[0] for w in one)
    expected = [low @ low + high @ middle, low @ other + high @ high]
    expected.append(low @ other + high @ middle + 1.0)
    found = form.covariance(theta, corner, apart)[0]
    np.testing.assert_allclose(found, variance * np.array(expected), rtol=1e-6)


def test_the_linear_kernel_is_the_product_of_centred_one_hot_inputs():
    A = Inputs(np.array([[0.0, 1.0], [0.5, 0.75]]), np.array([[2.0], [2.0]]))
    B = Inputs(np.array([[1.0, 1.0]]), np.array([[1.0]]))
    np.testing.assert_allclose(linear_products(A, A), [[3.0, 1.5], [1.5, 1.25]])
    np.testing.assert_allclose(linear_products(A, B), [[0.0], [0.5]])
