"""Calibration: on data of the model itself, on others, and against refits one by one."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from tests.surrogate.builds import kernel_of
from warpfront import Real, Space
from warpfront.dataset import Dataset
from warpfront.diagnostics.calibration import INTERVAL_LEVEL, Calibration, calibrate
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.likelihood import Targets
from warpfront.surrogate.model import Model
from warpfront.surrogate.options import CANDIDATES
from warpfront.surrogate.selection import fit_model
from warpfront.surrogate.transforms import Standardise, Transform

SPACE = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0))
KERNEL = kernel_of(numeric=2)
NOISE, SIGNAL = KERNEL.NOISE, KERNEL.parts[0].start
TRUTH = np.log([0.1, 1.0, 0.5, 0.5])  # noise, signal, length scales


def model_of(X, y, theta):
    """A model with given hyper-parameters and no transform."""
    told = [(None, {"x": a, "y": b}, t) for (a, b), t in zip(X.tolist(), y, strict=True)]
    data = Dataset.of(History(SPACE).tell(told))
    gp = GaussianProcess.build(KERNEL, theta, X, Targets.plain(y))
    identity = Transform((Standardise(0.0, 1.0),))
    goal, observed = data.problem.objective, data.objective
    return Model(data, observed, goal, CANDIDATES["warped"], identity, gp)


def drawn(seed, n=50):
    """Points, and observations drawn from the model itself."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    points = KERNEL.points(TRUTH, X)
    K = KERNEL.covariance(TRUTH, points, points)
    return X, rng.multivariate_normal(np.zeros(n), K + 0.1 * np.eye(n))


def changed(**logs):
    theta = TRUTH.copy()
    theta[SIGNAL] += logs.get("signal", 0.0)
    theta[NOISE] += logs.get("noise", 0.0)
    return theta


def test_it_is_what_refits_without_each_observation_give():
    X, y = drawn(0, 15)
    pit = calibrate(model_of(X, y, TRUTH)).pit
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        mean, variance = model_of(X[rest], y[rest], TRUTH).posterior(X[[i]])
        expected = norm.cdf(y[i], mean[0], np.sqrt(variance[0] + 0.1))
        assert pit[i] == pytest.approx(expected, abs=1e-6)


def test_on_data_of_the_model_itself_it_is_calibrated():
    found = [calibrate(model_of(*drawn(seed), TRUTH)) for seed in range(60)]
    pits = np.concatenate([f.pit for f in found])
    for probability in (0.5, 0.8, 0.9, 0.95):
        covered = np.mean([f.coverage(probability) for f in found])
        assert covered == pytest.approx(probability, abs=0.02)
    assert np.histogram(pits, 5, (0.0, 1.0))[0] / len(pits) == pytest.approx(0.2, abs=0.03)
    wrong = sum(f.verdict != "calibrated" for f in found)
    assert wrong <= 8  # of 60 at 5 % each: more happen less than once in a hundred times


@pytest.mark.parametrize(
    ("theta", "verdict"),
    [
        (changed(noise=-4.0, signal=-2.0), "overconfident"),
        (changed(noise=4.0), "underconfident"),
    ],
)
def test_wrong_noise_is_found(theta, verdict):
    found = [calibrate(model_of(*drawn(seed), theta)).verdict for seed in range(10)]
    assert found.count(verdict) >= 9


def test_the_test_is_the_binomial_one():
    pit = np.array([0.001] * 4 + [0.5] * 16)
    assert Calibration(pit, 0.0).coverage(INTERVAL_LEVEL) == 0.8
    X, y = drawn(1)
    found = calibrate(model_of(X, y, changed(noise=-1.0)))
    inside = round(found.coverage(INTERVAL_LEVEL) * len(y))
    sides = [binomtest(inside, len(y), INTERVAL_LEVEL, side).pvalue for side in ("less", "greater")]
    assert found.p_value == pytest.approx(min(1.0, 2.0 * min(sides)))


def test_none_inside_is_overconfident():
    X, y = drawn(0, 10)
    found = calibrate(model_of(X, 1e6 * y, changed(noise=-9.0)))
    assert found.coverage(INTERVAL_LEVEL) == 0.0
    assert found.verdict == "overconfident"


def test_repeats_are_one_observation_of_less_noise():
    X, y = drawn(2, 12)
    targets = Targets.of_means(y, np.full(12, 0.25), np.zeros(12))
    plain = model_of(X, y, TRUTH)
    found = calibrate(replace(plain, gp=GaussianProcess.build(KERNEL, TRUTH, X, targets))).pit
    less = TRUTH.copy()
    less[NOISE] -= np.log(4.0)
    np.testing.assert_allclose(found, calibrate(model_of(X, y, less)).pit, rtol=1e-9)


def test_it_needs_observations():
    data = Dataset.of(History(SPACE).tell([(None, {"x": 0.1, "y": 0.1}, 1.0)] * 4))
    rng = np.random.default_rng(0)
    model = fit_model(data, data.objective, CANDIDATES["warped"], rng)
    with pytest.raises(NotEnoughDataError, match="3 observations; there are 1"):
        calibrate(model)
