"""Calibration: on data of the model itself, on others, and against refits one by one."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from warpfront import Real, Settings, Space
from warpfront.diagnostics.calibration import JUDGED, Calibration, calibrate
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.kernels import KernelForm
from warpfront.surrogate.model import Model
from warpfront.surrogate.output import OutputTransform

SPACE = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0))
FORM = KernelForm(numeric=2, categories=0, input_warp=False)
TRUTH = np.log([1.0, 0.1, 0.5, 0.5])  # signal, noise, length scales


def model_of(X, y, theta):
    """A model with given hyper-parameters and no transform."""
    gp = GaussianProcess.build(FORM, np.array([False, False]), theta, X, y)
    transform = OutputTransform("linear", 1.0, 0.0, 1.0, 1.0, np.inf, 0.0, 1.0)
    return Model(History(SPACE), transform, gp, np.array([True, True]), X[0])


def drawn(seed, n=50):
    """Points, and observations drawn from the model itself."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 2))
    blank = GaussianProcess.build(FORM, np.array([False, False]), TRUTH, X, np.zeros(n))
    K = FORM.covariance(TRUTH, blank.inputs, blank.inputs)
    return X, rng.multivariate_normal(np.zeros(n), K + 0.1 * np.eye(n))


def changed(**logs):
    theta = TRUTH.copy()
    theta[0] += logs.get("signal", 0.0)
    theta[1] += logs.get("noise", 0.0)
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
    assert Calibration(pit, 0.0).coverage(JUDGED) == 0.8
    X, y = drawn(1)
    found = calibrate(model_of(X, y, changed(noise=-1.0)))
    inside = round(found.coverage(JUDGED) * len(y))
    sides = [binomtest(inside, len(y), JUDGED, side).pvalue for side in ("less", "greater")]
    assert found.p_value == pytest.approx(min(1.0, 2.0 * min(sides)))


def test_none_inside_is_overconfident():
    X, y = drawn(0, 10)
    found = calibrate(model_of(X, 1e6 * y, changed(noise=-9.0)))
    assert found.coverage(JUDGED) == 0.0
    assert found.verdict == "overconfident"


def test_it_needs_observations():
    history = History(SPACE).tell([(None, {"x": 0.1, "y": 0.1}, 1.0)])
    with pytest.raises(NotEnoughDataError, match="3 observations; there are 1"):
        calibrate(Model.fit(history, Settings(), seed=0))
