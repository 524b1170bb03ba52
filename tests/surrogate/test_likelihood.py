"""The log-posterior against scikit-learn, its gradient against finite differences."""

import itertools

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, WhiteKernel
from sklearn.gaussian_process.kernels import Matern as SklearnMatern

from tests.surrogate.builds import (
    COLUMNS,
    TERMS,
    central_differences,
    kernel_of,
    random_rows,
    random_theta,
)
from warpfront.dataset import Observations
from warpfront.surrogate.likelihood import INFEASIBLE, JITTER, LogPosterior, Targets
from warpfront.surrogate.matern import Matern
from warpfront.surrogate.options import PAPER_NOISE
from warpfront.surrogate.selection import averaged
from warpfront.surrogate.transforms import Transform
from warpfront.surrogate.trends import Linear

SMOOTHNESS = {"matern32": 1.5, "matern52": 2.5}
SUMS = {
    "matern32": ["matern32"],
    "quadratic": ["matern52", "quadratic"],
    "paper": ["matern52", "linear"],
    "additive": ["matern32", "additive"],
    "all": ["matern32", "additive", "linear", "quadratic"],
}


def problem(kernel, levels, n=18, seed=0, targets=None):
    """Data, and hyper-parameters in a general place."""
    rng = np.random.default_rng(seed)
    numeric = len(kernel.columns.numeric)
    X = random_rows(rng, n, numeric, levels)
    t = np.sin(5.0 * X[:, :numeric].sum(axis=1)) + 0.5 * (X[:, numeric:].sum(axis=1) % 3)
    t += rng.normal(0.0, 0.2, n)
    if targets is None:
        targets = Targets.plain(t - t.mean())
    return LogPosterior(kernel, X, targets), X, random_theta(kernel, rng)


def numerical(objective, theta):
    return central_differences(lambda at: objective(at)[0], theta)


@pytest.mark.parametrize(
    ("terms", "warp", "columns"), list(itertools.product(SUMS, [False, True], COLUMNS))
)
def test_the_gradient_is_that_of_finite_differences(terms, warp, columns):
    numeric, levels = COLUMNS[columns]
    kernel = kernel_of(
        *(TERMS[name] for name in SUMS[terms]), numeric=numeric, categories=len(levels), warp=warp
    )
    for seed in range(2):
        objective, _, theta = problem(kernel, levels, seed=seed)
        expected = numerical(objective, theta)
        error = np.abs(objective(theta)[1] - expected) / np.maximum(1.0, np.abs(expected))
        assert error.max() < 1e-5


@pytest.mark.parametrize("lengthscales", ["flat", "dimension"])
@pytest.mark.parametrize("noise", [PAPER_NOISE, TERMS["linear"].blocks(1, 0)[0].prior])
def test_the_gradient_is_right_with_replicates_and_points_on_the_edge(lengthscales, noise):
    kernel = kernel_of(
        Matern(lengthscales=lengthscales), Linear(), numeric=2, categories=1, warp=True, noise=noise
    )
    N = [[0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.5, 0.5], [1.0, 1.0]]
    X = np.column_stack([N, [0.0, 0.0, 1.0, 1.0, 2.0, 0.0]])
    objective = LogPosterior(kernel, X, Targets.plain(np.array([0.1, -0.2, 1.0, 0.4, -1.0, 0.3])))
    theta = kernel.priors.start + np.linspace(-0.2, 0.3, kernel.size)
    np.testing.assert_allclose(
        objective(theta)[1], numerical(objective, theta), rtol=1e-5, atol=1e-5
    )


def test_the_gradient_is_right_with_averaged_targets_of_known_noise():
    kernel, rng = kernel_of(numeric=2, warp=True), np.random.default_rng(1)
    targets = Targets.of_means(rng.normal(size=12), rng.uniform(0, 1, 12), rng.uniform(0, 0.3, 12))
    objective, _, theta = problem(kernel, (), n=12, targets=targets)
    np.testing.assert_allclose(
        objective(theta)[1], numerical(objective, theta), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize(("smoothness", "nu"), SMOOTHNESS.items())
@pytest.mark.parametrize("seed", range(3))
def test_the_value_is_scikit_learns_likelihood_and_the_prior(smoothness, nu, seed):
    kernel = kernel_of(Matern(smoothness), numeric=4)
    objective, X, theta = problem(kernel, (), n=25, seed=seed)
    noise, signal, *lengths = np.exp(theta)
    expected = ConstantKernel(signal) * SklearnMatern(lengths, nu=nu)
    expected += WhiteKernel(noise + JITTER * signal)
    regressor = GaussianProcessRegressor(expected, alpha=0.0, optimizer=None)
    regressor.fit(X, objective.targets.t)
    likelihood = -objective(theta)[0] - kernel.priors.log_density(theta)[0]
    found = regressor.log_marginal_likelihood(regressor.kernel_.theta)
    assert likelihood == pytest.approx(found, rel=1e-9)


@pytest.mark.parametrize("terms", SUMS)
def test_the_likelihood_is_that_of_a_normal_distribution(terms):
    rng = np.random.default_rng(2)
    kernel = kernel_of(*(TERMS[n] for n in SUMS[terms]), numeric=1, categories=1, warp=True)
    targets = Targets.of_means(rng.normal(size=12), rng.uniform(0, 1, 12), rng.uniform(0, 0.3, 12))
    objective, X, theta = problem(kernel, (3,), n=12, targets=targets)
    points = kernel.points(theta, X)
    K = kernel.covariance(theta, points, points)
    jitter = JITTER * np.diag(K).mean()
    K += np.diag(kernel.noise(theta) * targets.share + targets.known)
    expected = multivariate_normal(np.zeros(12), K + jitter * np.eye(12)).logpdf(targets.t)
    found = -objective(theta)[0] - kernel.priors.log_density(theta)[0]
    assert found == pytest.approx(expected, rel=1e-6)


def replicated(rng, numeric=2):
    """Rows of 1 to 4 measurements each: all of them, and their means."""
    X, counts = random_rows(rng, 9, numeric), np.array([1, 2, 3, 4, 1, 2, 3, 4, 1])
    every = np.repeat(np.arange(9), counts)
    t = np.sin(5.0 * X[every].sum(axis=1)) + rng.normal(0.0, 0.3, len(every))
    observed = Observations(every, t, np.full(len(t), np.nan))
    return X, every, t, averaged(observed, Transform(()))


def test_the_likelihood_of_means_is_that_of_all_measurements():
    # Up to a constant: so differences between hyper-parameters are the same.
    rng = np.random.default_rng(3)
    kernel = kernel_of(numeric=2, warp=True)
    X, every, t, targets = replicated(rng)
    means = LogPosterior(kernel, X, targets)
    single = LogPosterior(kernel, X[every], Targets.plain(t))
    thetas = [random_theta(kernel, rng) for _ in range(4)]
    for theta in thetas:
        theta[kernel.NOISE] = rng.uniform(-3.0, 0.0)  # far above the jitter, which differs
    apart = [means(theta)[0] - single(theta)[0] for theta in thetas]
    np.testing.assert_allclose(apart, apart[0], rtol=1e-5)
    for theta in thetas:
        np.testing.assert_allclose(means(theta)[1], single(theta)[1], rtol=1e-4, atol=1e-4)


def test_the_gradient_is_right_with_replicates_that_were_averaged():
    rng = np.random.default_rng(4)
    kernel = kernel_of(numeric=2, warp=True)
    X, _, _, targets = replicated(rng)
    objective, theta = LogPosterior(kernel, X, targets), random_theta(kernel, rng)
    np.testing.assert_allclose(
        objective(theta)[1], numerical(objective, theta), rtol=1e-5, atol=1e-5
    )


def test_a_second_evaluation_is_not_disturbed_by_the_first():
    objective, _, theta = problem(kernel_of(*TERMS.values(), numeric=2, categories=1), (3,))
    value, gradient = objective(theta)
    kept = gradient.copy()
    objective(theta + 0.3)
    again, gradient_again = objective(theta)
    assert value == again
    np.testing.assert_array_equal(gradient, kept)
    np.testing.assert_array_equal(gradient_again, kept)


def test_the_data_are_left_alone():
    objective, X, theta = problem(
        kernel_of(*TERMS.values(), numeric=2, categories=1, warp=True), (3,)
    )
    arrays = (X, objective.targets.t, objective.targets.share, objective.targets.known, theta)
    before = [a.copy() for a in arrays]
    objective(theta)
    for a, b in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_failed_factorisation_counts_as_infeasible(monkeypatch):
    # A linear kernel of variance 1e18 and rank one, without the jitter that would save it.
    kernel = kernel_of(Matern(), Linear(), numeric=1)
    theta = kernel.priors.start.copy()
    theta[kernel.parts[1]], theta[kernel.NOISE] = np.log(1e18), -50.0
    X = np.linspace(0.1, 0.9, 30)[:, None]
    targets = Targets.plain(np.sin(9 * X[:, 0]))
    monkeypatch.setattr("warpfront.surrogate.likelihood.JITTER", 0.0)
    value, gradient = LogPosterior(kernel, X, targets)(theta)
    assert value == INFEASIBLE
    np.testing.assert_array_equal(gradient, np.zeros(kernel.size))


def test_a_value_that_overflows_counts_as_infeasible():
    kernel = kernel_of(numeric=1, warp=True)
    X, start = np.array([[0.2], [0.8]]), kernel.priors.start
    with np.errstate(over="ignore", invalid="ignore"):
        value, gradient = LogPosterior(kernel, X, Targets.plain(np.full(2, 1e200)))(start)
    assert value == INFEASIBLE
    np.testing.assert_array_equal(gradient, np.zeros(kernel.size))


@pytest.mark.parametrize("n", [1, 2])
def test_few_points_and_no_columns(n):
    kernel = kernel_of(numeric=0)
    objective = LogPosterior(kernel, np.empty((n, 0)), Targets.plain(np.linspace(-1, 1, n)))
    theta = kernel.priors.start.copy()
    theta[kernel.NOISE] = np.log(0.1)  # far above the jitter, whose own derivative is left out
    np.testing.assert_allclose(objective(theta)[1], numerical(objective, theta), atol=1e-5)
