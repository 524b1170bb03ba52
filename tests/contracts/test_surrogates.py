"""What every surrogate that can be named must do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.surrogate.builds import central_differences
from warpfront import Categorical, Integer, Real, Space
from warpfront.dataset import Dataset
from warpfront.history import History
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.likelihood import JITTER
from warpfront.surrogate.options import CANDIDATES
from warpfront.surrogate.selection import fit_model
from warpfront.surrogate.viability import OPTIONS as VIABILITY

SPACE = Space(
    x=Real(0, 1), y=Real(1e-3, 1e3, scale="log"), n=Integer(1, 9), c=Categorical(list("abc"))
)
OPTIONS = {o.name: o for o in (*CANDIDATES.values(), VIABILITY)}


def loss(config):
    return (
        (config["x"] - 0.3) ** 2
        + 0.1 * config["n"]
        + np.cos(config["x"] * 5) * (config["c"] == "a")
    )


@pytest.fixture(scope="module", params=OPTIONS)
def gp(request):
    """A fitted surrogate of replicated, noisy data."""
    rng = np.random.default_rng(0)
    configs = SPACE.sample(24, seed=3)
    told = [(None, c, loss(c) + 0.05 * rng.normal()) for c in configs + configs[:4]]
    data = Dataset.of(History(SPACE).tell(told))
    options = OPTIONS[request.param]
    options = replace(options, fit=replace(options.fit, starts=1))
    return fit_model(data, data.objective, options, np.random.default_rng(0)).gp


@pytest.fixture(scope="module")
def X():  # noqa: N802
    return SPACE.encoding.encode(SPACE.sample(11, seed=8))


def brute_force(gp, X):
    """Mean and covariance by the textbook, in plain NumPy."""
    points, new = gp.kernel.points(gp.theta, gp.X), gp.kernel.points(gp.theta, X)
    K = gp.kernel.covariance(gp.theta, points, points)
    K += np.diag(gp.targets.variance(gp.noise) + JITTER * np.diag(K).mean())
    k = gp.kernel.covariance(gp.theta, points, new)
    prior = gp.kernel.covariance(gp.theta, new, new)
    return k.T @ np.linalg.solve(K, gp.t), prior - k.T @ np.linalg.solve(K, k)


def test_predictions_are_the_textbooks(gp, X):
    expected_mean, expected_covariance = brute_force(gp, X)
    mean, variance = gp.predict(X)
    np.testing.assert_allclose(mean, expected_mean, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(variance, np.diag(expected_covariance), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(gp.covariance(X, X), expected_covariance, rtol=1e-5, atol=1e-6)


def test_the_mean_alone_is_that_of_a_prediction(gp, X):
    np.testing.assert_array_equal(gp.mean(X), gp.predict(X)[0])


def test_the_covariance_between_two_sets_is_part_of_that_of_all(gp, X):
    whole = gp.covariance(X, X)
    np.testing.assert_allclose(gp.covariance(X[:4], X[4:]), whole[:4, 4:], atol=1e-10)
    np.testing.assert_allclose(gp.predict(X)[1], np.diag(whole), rtol=1e-7, atol=1e-10)


def test_slopes_are_those_of_finite_differences(gp, X):
    is_category = SPACE.encoding.is_category
    for x in np.clip(X, 0.05, None):
        x = np.where(is_category, x, np.clip(x, 0.05, 0.95))
        mean, variance, dmean, dvariance = gp.slope(x)
        predicted = gp.predict(x[None])
        assert mean == pytest.approx(predicted[0][0], rel=1e-6, abs=1e-9)
        assert variance == pytest.approx(predicted[1][0], rel=1e-4, abs=1e-8)
        for part, found in ((0, dmean), (1, dvariance)):
            numerical = central_differences(lambda z, part=part: gp.predict(z[None])[part][0], x)
            numerical[is_category] = 0.0
            np.testing.assert_allclose(found, numerical, rtol=1e-4, atol=1e-5)


def test_leaving_one_out_is_predicting_it_from_the_others(gp):
    mean, variance = gp.leave_one_out
    assert len(mean) == len(variance) == len(gp.t)
    size = float(gp.kernel.diagonal(gp.theta, gp.points).mean())
    for i in range(0, len(gp.t), 3):
        rest = np.flatnonzero(np.arange(len(gp.t)) != i)
        others = GaussianProcess.build(gp.kernel, gp.theta, gp.X[rest], gp.targets[rest])
        expected, spread = others.predict(gp.X[[i]])
        noise = gp.targets[np.array([i])].variance(gp.noise)[0] + JITTER * size
        assert mean[i] == pytest.approx(expected[0], rel=1e-4, abs=1e-5)
        assert variance[i] == pytest.approx(spread[0] + noise, rel=1e-3)


def test_samples_have_the_moments_of_the_prediction(gp, X):
    samples = gp.sample(X[:5], 20_000, np.random.default_rng(1))
    mean, _ = gp.predict(X[:5])
    covariance = gp.covariance(X[:5], X[:5])
    scale = np.sqrt(np.diag(covariance))
    assert samples.shape == (20_000, 5)
    np.testing.assert_allclose((samples.mean(axis=0) - mean) / scale, 0.0, atol=0.04)
    found = np.cov(samples.T)
    np.testing.assert_allclose((found - covariance) / np.outer(scale, scale), 0.0, atol=0.05)


def test_conditioning_is_a_fit_to_what_was_predicted(gp, X):
    pending, elsewhere = X[:4], X[4:]
    conditioned = gp.condition_on(pending)
    np.testing.assert_allclose(conditioned.mean(elsewhere), gp.mean(elsewhere), atol=1e-6)
    assert np.all(conditioned.predict(X)[1] <= gp.predict(X)[1] * (1 + 1e-9) + 1e-10)
    assert np.all(conditioned.predict(pending)[1] < gp.predict(pending)[1])
    anew = GaussianProcess.build(
        conditioned.kernel, conditioned.theta, conditioned.X, conditioned.targets
    )
    for one, other in zip(conditioned.predict(elsewhere), anew.predict(elsewhere), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_conditioning_may_be_done_step_by_step(gp, X):
    together = gp.condition_on(X[:4]).predict(X[4:])
    stepwise = gp.condition_on(X[:1]).condition_on(X[1:4]).predict(X[4:])
    for one, other in zip(together, stepwise, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-7)


def test_of_nothing_there_is_nothing(gp, X):
    nothing = X[:0]
    assert gp.condition_on(nothing) is gp
    assert gp.mean(nothing).shape == gp.predict(nothing)[1].shape == (0,)
    assert gp.sample(nothing, 3, np.random.default_rng(0)).shape == (3, 0)
    assert gp.covariance(X, nothing).shape == (len(X), 0)


def test_noise_is_positive(gp):
    assert gp.noise > 0.0
