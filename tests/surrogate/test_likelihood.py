"""The log-posterior against scikit-learn, its gradient against finite differences."""

import itertools

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from warpfront.surrogate import priors
from warpfront.surrogate.kernels import Inputs, KernelForm
from warpfront.surrogate.likelihood import INFEASIBLE, JITTER, LogPosterior

SMOOTHNESS = {"matern32": 1.5, "matern52": 2.5}
COLUMNS = {"numbers": (3, ()), "categories": (0, (3, 40)), "both": (2, (4, 2))}


def problem(form, levels, n=18, seed=0):
    """Data, and hyper-parameters in a general place."""
    rng = np.random.default_rng(seed)
    N = rng.random((n, form.numeric))
    C = np.column_stack([rng.integers(0, k, n) for k in levels] or [np.empty((n, 0))])
    y = np.sin(5.0 * N.sum(axis=1)) + 0.5 * (C.sum(axis=1) % 3) + rng.normal(0.0, 0.2, n)
    theta = np.clip(form.default + rng.normal(0.0, 0.4, form.size), *form.bounds.T)
    return LogPosterior(form, N, C.astype(float), y - y.mean()), theta


def central_differences(function, theta, h=1e-5):
    gradient = np.empty_like(theta)
    for i in range(len(theta)):
        step = np.zeros_like(theta)
        step[i] = h
        gradient[i] = (function(theta + step)[0] - function(theta - step)[0]) / (2 * h)
    return gradient


@pytest.mark.parametrize(
    ("smoothness", "linear", "additive", "warp", "columns"),
    list(itertools.product(SMOOTHNESS, *[[False, True]] * 3, COLUMNS)),
)
def test_the_gradient_is_that_of_finite_differences(smoothness, linear, additive, warp, columns):
    numeric, levels = COLUMNS[columns]
    form = KernelForm(
        numeric,
        len(levels),
        smoothness=smoothness,
        linear=linear,
        additive=additive,
        input_warp=warp,
        lengthscale_prior="dimension",
    )
    for seed in range(2):
        objective, theta = problem(form, levels, seed=seed)
        gradient = objective(theta)[1]
        numerical = central_differences(objective, theta)
        error = np.abs(gradient - numerical) / np.maximum(1.0, np.abs(numerical))
        assert error.max() < 1e-5


@pytest.mark.parametrize("prior", ["flat", "fixed", "dimension"])
def test_the_gradient_is_right_with_replicates_and_points_on_the_edge(prior):
    form = KernelForm(2, 1, linear=True, lengthscale_prior=prior, noise_prior=priors.WIDE_NOISE)
    N = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.5, 0.5], [1.0, 1.0]])
    C = np.array([[0.0], [0.0], [1.0], [1.0], [2.0], [0.0]])
    objective = LogPosterior(form, N, C, np.array([0.1, -0.2, 1.0, 0.4, -1.0, 0.3]))
    theta = form.default + np.linspace(-0.2, 0.3, form.size)
    np.testing.assert_allclose(
        objective(theta)[1], central_differences(objective, theta), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize(("smoothness", "nu"), SMOOTHNESS.items())
@pytest.mark.parametrize("seed", range(3))
def test_the_value_is_scikit_learns_likelihood_and_the_prior(smoothness, nu, seed):
    form = KernelForm(4, 0, smoothness=smoothness, input_warp=False)
    objective, theta = problem(form, (), n=25, seed=seed)
    signal, noise = np.exp(theta[form.SIGNAL]), np.exp(theta[form.NOISE])
    kernel = ConstantKernel(signal) * Matern(np.exp(theta[form.lengthscales]), nu=nu)
    kernel += WhiteKernel(noise + JITTER * signal)
    regressor = GaussianProcessRegressor(kernel, alpha=0.0, optimizer=None)
    regressor.fit(objective.N, objective.y)
    expected = regressor.log_marginal_likelihood(regressor.kernel_.theta)
    likelihood = -objective(theta)[0] - form.log_prior(theta)[0]
    assert likelihood == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("additive", [False, True])
def test_the_likelihood_is_that_of_a_normal_distribution(additive):
    form = KernelForm(1, 1, linear=True, additive=additive)
    objective, theta = problem(form, (3,), n=12)
    inputs = Inputs(form.features(theta, objective.N), objective.C)
    K = form.covariance(theta, inputs, inputs)
    K += (np.exp(theta[form.NOISE]) + JITTER * np.exp(theta[form.SIGNAL])) * np.eye(12)
    expected = multivariate_normal(np.zeros(12), K).logpdf(objective.y)
    assert -objective(theta)[0] - form.log_prior(theta)[0] == pytest.approx(expected, rel=1e-9)


def test_a_second_evaluation_is_not_disturbed_by_the_first():
    form = KernelForm(2, 1, linear=True, additive=True)
    objective, theta = problem(form, (3,))
    value, gradient = objective(theta)
    kept = gradient.copy()
    objective(theta + 0.3)
    again, gradient_again = objective(theta)
    assert value == again
    np.testing.assert_array_equal(gradient, kept)
    np.testing.assert_array_equal(gradient_again, kept)


def test_the_data_are_left_alone():
    form = KernelForm(2, 1, linear=True, additive=True)
    objective, theta = problem(form, (3,))
    before = [a.copy() for a in (objective.N, objective.C, objective.y, theta)]
    objective(theta)
    for a, b in zip((objective.N, objective.C, objective.y, theta), before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_failed_factorisation_counts_as_infeasible():
    # A linear kernel of variance 1e18 and rank one: no jitter within sight of its rounding.
    form = KernelForm(1, 0, linear=True, input_warp=False)
    theta = form.default.copy()
    theta[2], theta[form.NOISE] = np.log(1e18), -50.0
    X = np.linspace(0.1, 0.9, 30)[:, None]
    value, gradient = LogPosterior(form, X, np.empty((30, 0)), np.sin(9 * X[:, 0]))(theta)
    assert value == INFEASIBLE
    np.testing.assert_array_equal(gradient, np.zeros(form.size))


def test_a_value_that_overflows_counts_as_infeasible():
    form = KernelForm(1, 0)
    X = np.array([[0.2], [0.8]])
    with np.errstate(over="ignore", invalid="ignore"):
        value, gradient = LogPosterior(form, X, np.empty((2, 0)), np.full(2, 1e200))(form.default)
    assert value == INFEASIBLE
    np.testing.assert_array_equal(gradient, np.zeros(form.size))


@pytest.mark.parametrize("n", [1, 2])
def test_few_points_and_no_columns(n):
    form = KernelForm(0, 0)
    objective = LogPosterior(form, np.empty((n, 0)), np.empty((n, 0)), np.linspace(-1, 1, n))
    np.testing.assert_allclose(
        objective(form.default)[1], central_differences(objective, form.default), atol=1e-6
    )
