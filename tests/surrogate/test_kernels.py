"""Sums of terms over warped inputs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.surrogate.builds import (
    TERMS,
    central_differences,
    kernel_of,
    points_of,
    random_rows,
    random_theta,
)
from warpfront.surrogate.kernels import (
    BLOCK_ROWS,
    Codes,
    Columns,
    Sensitivity,
    TrainingInputs,
    Workspace,
)
from warpfront.surrogate.options import NOISE_BOUNDS, WARP, WARP_BOUNDS, WIDE_NOISE
from warpfront.surrogate.priors import PriorTable
from warpfront.surrogate.warping import kumaraswamy

ALL = list(TERMS.values())


class TestLayout:
    @pytest.mark.parametrize("terms", [ALL[:1], ALL[:2], ALL])
    @pytest.mark.parametrize("warp", [False, True])
    def test_theta_is_laid_out_without_gap_or_overlap(self, terms, warp):
        kernel = kernel_of(*terms, numeric=3, categories=2, warp=warp)
        places = np.zeros(kernel.size, dtype=int)
        places[kernel.NOISE] += 1
        for part in (kernel._warp_a, kernel._warp_b, *kernel.parts):
            places[part] += 1
        np.testing.assert_array_equal(places, 1)
        own = sum(PriorTable(term.blocks(3, 2)).size for term in terms)
        assert kernel.size == 1 + own + 6 * warp
        assert kernel.columns.d == 5

    def test_bounds_stand_at_their_parameters(self):
        kernel = kernel_of(numeric=1, categories=1, warp=True)
        bounds = np.exp(kernel.priors.bounds)
        np.testing.assert_allclose(bounds[:3], [NOISE_BOUNDS, WARP_BOUNDS, WARP_BOUNDS])
        np.testing.assert_allclose(
            bounds[3:], np.exp(PriorTable(kernel.terms[0].blocks(1, 1)).bounds)
        )

    def test_the_prior_is_that_of_noise_warp_and_terms(self):
        kernel = kernel_of(*ALL, numeric=2, categories=1, warp=True)
        theta = random_theta(kernel, np.random.default_rng(0))
        total = WIDE_NOISE.log_density(theta[:1])[0].sum() + WARP.log_density(theta[1:5])[0].sum()
        for term, part in zip(kernel.terms, kernel.parts, strict=True):
            total += PriorTable(term.blocks(2, 1)).log_density(theta[part])[0]
        assert kernel.priors.log_density(theta)[0] == pytest.approx(total)

    def test_noise_and_warp_are_read_from_theta(self):
        kernel = kernel_of(numeric=2, warp=True)
        theta = np.arange(kernel.size, dtype=float)
        assert kernel.noise(theta) == 1.0
        a, b = kernel.warp_of(theta)
        np.testing.assert_allclose(np.log([*a, *b]), [1, 2, 3, 4])

    def test_columns_are_told_apart(self):
        columns = Columns.of(np.array([True, True, False, True]), np.array([False, True, True, 0]))
        assert (columns.numeric.tolist(), columns.categories.tolist()) == ([0, 3], [1])
        assert columns.d == 3


class TestCovariance:
    def test_it_is_the_sum_of_the_terms(self):
        rng = np.random.default_rng(1)
        kernel = kernel_of(*ALL, numeric=2, categories=1)
        theta = random_theta(kernel, rng)
        A, B = (points_of(random_rows(rng, n, 2, (3,)), 2) for n in (9, 6))
        pairs = list(zip(kernel.terms, kernel.parts, strict=True))
        expected = sum(term.covariance(theta[part], A, B) for term, part in pairs)
        np.testing.assert_allclose(kernel.covariance(theta, A, B), expected, rtol=1e-12)
        expected = sum(term.diagonal(theta[part], A) for term, part in pairs)
        np.testing.assert_allclose(kernel.diagonal(theta, A), expected, rtol=1e-12)

    def test_the_input_warp_comes_first(self):
        rng = np.random.default_rng(2)
        kernel = kernel_of(numeric=2, categories=1, warp=True)
        theta, X = random_theta(kernel, rng), random_rows(rng, 5, 2, (3,))
        points = kernel.points(theta, X)
        np.testing.assert_array_equal(points.U, kumaraswamy(X[:, :2], *kernel.warp_of(theta)))
        np.testing.assert_array_equal(points.codes.C, X[:, 2:])
        plain = kernel_of(numeric=2, categories=1)
        np.testing.assert_array_equal(plain.points(plain.priors.start, X).U, X[:, :2])

    @given(
        numeric=st.integers(0, 4),
        levels=st.lists(st.integers(1, 6), max_size=3),
        terms=st.lists(st.sampled_from(list(TERMS)), min_size=1, max_size=3, unique=True),
        n=st.integers(1, 25),
        seed=st.integers(0, 2**32 - 1),
    )
    def test_it_is_positive_semidefinite(self, numeric, levels, terms, n, seed):
        rng = np.random.default_rng(seed)
        kernel = kernel_of(
            *(TERMS[t] for t in terms), numeric=numeric, categories=len(levels), warp=True
        )
        theta = rng.uniform(*kernel.priors.bounds.T)
        A = kernel.points(theta, random_rows(rng, n, numeric, levels))
        K = kernel.covariance(theta, A, A)
        size = max(np.abs(K).max(), 1e-300)
        np.testing.assert_allclose(K, K.T, rtol=1e-12, atol=1e-9 * size)
        assert np.linalg.eigvalsh(K).min() >= -1e-8 * np.trace(K)
        np.testing.assert_allclose(kernel.diagonal(theta, A), np.diag(K), rtol=1e-8)
        lower = kernel.lower_covariance(theta, A)
        np.testing.assert_allclose(np.tril(lower), np.tril(K), rtol=1e-9, atol=1e-9 * size)
        largest = kernel.largest_variance(theta)
        assert np.all(kernel.diagonal(theta, A) <= largest * (1.0 + 1e-12))

    def test_the_lower_triangle_is_the_same_over_several_blocks(self):
        rng = np.random.default_rng(0)
        kernel = kernel_of(*ALL, numeric=2, categories=1)
        theta = random_theta(kernel, rng)
        A = points_of(random_rows(rng, 2 * BLOCK_ROWS + 3, 2, [3]), 2)
        K = kernel.covariance(theta, A, A)
        lower = np.tril(kernel.lower_covariance(theta, A))
        np.testing.assert_allclose(lower, np.tril(K), atol=1e-12)


@pytest.mark.parametrize("warp", [False, True])
def test_slopes_are_those_of_finite_differences(warp):
    rng = np.random.default_rng(3)
    kernel = kernel_of(*ALL, numeric=3, categories=1, warp=warp)
    theta, X = random_theta(kernel, rng), random_rows(rng, 8, 3, (3,))
    B, x = kernel.points(theta, X), np.append(rng.uniform(0.1, 0.9, 3), 1.0)

    def at(z):
        return kernel.points(theta, np.append(z, 1.0)[None])

    k, J, own = kernel.slopes(theta, x, B)
    np.testing.assert_allclose(k, kernel.covariance(theta, B, at(x[:3]))[:, 0], rtol=1e-9)
    for i in range(8):
        numerical = central_differences(
            lambda z, i=i: kernel.covariance(theta, B, at(z))[i, 0], x[:3], h=1e-6
        )
        np.testing.assert_allclose(J[i], numerical, rtol=1e-5, atol=1e-7)
    numerical = central_differences(lambda z: kernel.diagonal(theta, at(z))[0], x[:3], h=1e-6)
    np.testing.assert_allclose(own, numerical, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("warp", [False, True])
def test_training_inputs_have_the_same_covariance(warp):
    rng = np.random.default_rng(4)
    kernel = kernel_of(*ALL, numeric=2, categories=2, warp=warp)
    X = random_rows(rng, 15, 2, (3, 2))
    inputs = TrainingInputs(kernel, X)
    for _ in range(2):
        theta = random_theta(kernel, rng)
        points = kernel.points(theta, X)
        K = np.tril(inputs.covariance(theta)[0])
        np.testing.assert_allclose(K, np.tril(kernel.covariance(theta, points, points)), rtol=1e-8)


class TestParts:
    def test_a_sensitivity_reads_the_lower_triangle_only(self):
        rng = np.random.default_rng(5)
        G, K = (M + M.T for M in rng.normal(size=(2, 6, 6)))
        B = rng.normal(size=(6, 2))
        half = Sensitivity(np.tril(G) + np.triu(np.full((6, 6), 7.0), 1))
        assert half.dot(np.tril(K) + np.triu(np.full((6, 6), 9.0), 1)) == pytest.approx(
            (G * K).sum()
        )
        np.testing.assert_allclose(half.symmetric_product(B, 2.0), 2.0 * G @ B)
        np.testing.assert_array_equal(half.diagonal, np.diag(G))

    def test_a_workspace_hands_out_the_same_array_for_the_same_shape(self):
        room = Workspace()
        first = room.array("a", (2, 3))
        assert room.array("a", (2, 3)) is first
        assert room.array("b", (2, 3)) is not first
        assert room.array("a", (3, 3)).shape == (3, 3)

    def test_codes_differ_where_they_are_unequal(self):
        one, other = Codes(np.array([[0.0, 1.0], [2.0, 1.0]])), Codes(np.array([[0.0, 3.0]]))
        first, second = one.differences(other)
        assert (first.ravel().tolist(), second.ravel().tolist()) == ([False, True], [True, True])
        assert one.differences(one)[0] is one.among_themselves[0]
