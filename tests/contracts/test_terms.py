"""What every term of a kernel must do, whatever it is."""

from __future__ import annotations

import numpy as np
import pytest

from tests.surrogate.builds import COLUMNS, TERMS, central_differences, points_of, random_rows
from warpfront.surrogate.kernels import Codes, Points, Sensitivity, Workspace
from warpfront.surrogate.options import CANDIDATES
from warpfront.surrogate.priors import PriorTable

EVERY = {repr(term): term for term in TERMS.values()} | {
    repr(term): term for options in CANDIDATES.values() for term in options.terms
}
every_term = pytest.mark.parametrize("term", EVERY.values(), ids=EVERY)
every_kind_of_columns = pytest.mark.parametrize("columns", COLUMNS)


def scene(term, columns, n=14, seed=0):
    """Hyper-parameters in a general place, and two sets of inputs."""
    numeric, levels = COLUMNS[columns]
    rng = np.random.default_rng(seed)
    table = PriorTable(term.blocks(numeric, len(levels)))
    p = np.clip(table.start + rng.normal(0.0, 0.4, table.size), *table.bounds.T)
    A, B = (points_of(random_rows(rng, k, numeric, levels), numeric) for k in (n, n - 3))
    return p, A, B


@every_term
@every_kind_of_columns
def test_the_covariance_is_symmetric_and_positive_semidefinite(term, columns):
    for seed in range(3):
        p, A, B = scene(term, columns, seed=seed)
        K = term.covariance(p, A, A)
        np.testing.assert_allclose(K, K.T, rtol=1e-12, atol=1e-12 * np.abs(K).max())
        assert np.linalg.eigvalsh(K).min() > -1e-9 * np.trace(K)
        between = term.covariance(p, A, B)
        np.testing.assert_allclose(between, term.covariance(p, B, A).T, rtol=1e-9, atol=1e-12)


@every_term
@every_kind_of_columns
def test_the_diagonal_is_that_of_the_covariance(term, columns):
    p, A, _ = scene(term, columns)
    K = term.covariance(p, A, A)
    np.testing.assert_allclose(term.diagonal(p, A), np.diag(K), rtol=1e-9)


@every_term
@every_kind_of_columns
def test_no_variance_is_greater_than_the_largest(term, columns):
    numeric, levels = COLUMNS[columns]
    rng = np.random.default_rng(1)
    corners = rng.integers(0, 2, (30, numeric)).astype(float)
    codes = np.column_stack([rng.integers(0, k, 30) for k in levels] or [np.empty((30, 0))])
    p, A, _ = scene(term, columns, n=60)
    largest = term.largest_variance(p, numeric, len(levels)) * (1.0 + 1e-12)
    assert np.all(term.diagonal(p, A) <= largest)
    assert np.all(term.diagonal(p, Points(corners, Codes(codes.astype(float)))) <= largest)


@every_term
@every_kind_of_columns
def test_what_is_added_in_a_fit_is_the_covariance(term, columns):
    p, A, _ = scene(term, columns)
    K = np.full((len(A), len(A)), 0.25)
    term.add_to(K, p, A, Workspace())
    np.testing.assert_allclose(np.tril(K), np.tril(0.25 + term.covariance(p, A, A)), rtol=1e-9)


@every_term
@every_kind_of_columns
def test_the_gradients_of_a_fit_are_those_of_finite_differences(term, columns):
    # Of the scalar sum(G * K), by the parameters and by the inputs.
    for seed in range(2):
        p, A, _ = scene(term, columns, seed=seed)
        rng = np.random.default_rng(seed)
        G = rng.normal(size=(len(A), len(A)))
        G = G + G.T
        way_back = term.add_to(np.zeros_like(G), p, A, Workspace())
        lower = np.ascontiguousarray(np.tril(G))  # the upper triangle must not matter
        dp, dU = way_back(Sensitivity(lower))
        by_p = central_differences(
            lambda q, G=G, A=A: (G * term.covariance(q, A, A)).sum(),
            p,
        )
        np.testing.assert_allclose(dp, by_p, rtol=1e-5, atol=1e-6)

        def of_inputs(u):
            moved = Points(u.reshape(A.U.shape), A.codes)  # noqa: B023
            return (G * term.covariance(p, moved, moved)).sum()  # noqa: B023

        by_U = central_differences(of_inputs, A.U.ravel(), h=1e-6)
        np.testing.assert_allclose(dU.ravel(), by_U, rtol=1e-4, atol=1e-5)


@every_term
def test_an_evaluation_is_not_disturbed_by_an_earlier_one(term):
    p, A, _ = scene(term, "both")
    room, G = Workspace(), np.ascontiguousarray(np.tril(np.ones((len(A), len(A)))))

    def evaluate(q):
        K = np.zeros_like(G)
        return (np.tril(K), *term.add_to(K, q, A, room)(Sensitivity(G)))

    first = evaluate(p)
    evaluate(p + 0.1)
    for one, again in zip(first, evaluate(p), strict=True):
        np.testing.assert_array_equal(one, again)


@every_term
@every_kind_of_columns
def test_the_slope_is_that_of_finite_differences(term, columns):
    p, A, B = scene(term, columns)
    x = A[slice(0, 1)]
    k, J = term.slope(p, x, B)
    np.testing.assert_allclose(k, term.covariance(p, B, x)[:, 0], rtol=1e-9, atol=1e-12)
    assert J.shape == B.U.shape

    def moved(u):
        return Points(u[None, :], x.codes)

    for i in range(len(B)):
        one = B[slice(i, i + 1)]
        numerical = central_differences(
            lambda u, one=one: term.covariance(p, one, moved(u))[0, 0], x.U[0], h=1e-6
        )
        np.testing.assert_allclose(J[i], numerical, rtol=1e-5, atol=1e-7)
    numerical = central_differences(lambda u: term.diagonal(p, moved(u))[0], x.U[0], h=1e-6)
    np.testing.assert_allclose(term.diagonal_slope(p, x), numerical, rtol=1e-5, atol=1e-7)


@every_term
def test_only_whether_categories_agree_matters(term):
    rng = np.random.default_rng(4)
    p, A, _ = scene(term, "both")
    renamed = np.column_stack([rng.permutation(5)[c.astype(int)] for c in A.codes.C.T])
    other = Points(A.U, Codes(renamed.astype(float)))
    np.testing.assert_array_equal(term.covariance(p, A, A), term.covariance(p, other, other))


@every_term
def test_the_start_lies_within_the_bounds(term):
    for sizes in ((0, 1), (1, 0), (200, 3)):
        table = PriorTable(term.blocks(*sizes))
        low, high = table.bounds.T
        assert np.all((low < table.start) & (table.start < high))
        value, gradient = table.log_density(table.start)
        assert np.isfinite(value)
        assert gradient.shape == (table.size,)


@every_term
def test_no_inputs_have_no_covariance(term):
    p, A, _ = scene(term, "both")
    nothing = A[slice(0, 0)]
    assert term.covariance(p, nothing, A).shape == (0, len(A))
    assert term.diagonal(p, nothing).shape == (0,)
