"""Joint samples of the Gaussian process."""

import numpy as np
import pytest

import warpfront.surrogate.gp as module
from tests.surrogate.builds import kernel_of
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.likelihood import Targets


@pytest.fixture
def gp():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random((20, 2)), rng.integers(0, 3, 20)])
    y = np.sin(5 * X[:, 0]) + X[:, 2]
    kernel = kernel_of(numeric=2, categories=1, warp=True)
    return GaussianProcess.fit(kernel, X, Targets.plain(y - y.mean()))


def test_samples_have_the_mean_and_the_variance_of_the_prediction(gp):
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.random((6, 2)), rng.integers(0, 3, 6)])
    samples = gp.sample(X, 20_000, rng)
    mean, variance = gp.predict(X)
    assert samples.shape == (20_000, 6)
    assert np.abs(samples.mean(axis=0) - mean).max() < 0.03
    assert samples.var(axis=0) == pytest.approx(variance, rel=0.05)


def test_samples_are_joint(gp):
    near = np.array([[0.5, 0.5, 1.0], [0.5, 0.5001, 1.0], [0.1, 0.9, 0.0]])
    samples = gp.sample(near, 2_000, np.random.default_rng(2))
    correlation = np.corrcoef(samples.T)
    assert correlation[0, 1] > 0.99
    assert abs(correlation[0, 2]) < 0.9


def test_samples_are_finite_where_nothing_can_be_factorised(gp, monkeypatch):
    monkeypatch.setattr(module, "_cholesky", lambda K, noise: (K, True))
    samples = gp.sample(gp.X[:5], 3, np.random.default_rng(3))
    assert samples.shape == (3, 5)
    assert np.isfinite(samples).all()


def test_of_no_points_there_are_empty_samples(gp):
    assert gp.sample(np.empty((0, 3)), 4, np.random.default_rng(0)).shape == (4, 0)
