"""The four losses against scikit-learn's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import metrics

from benchmarks.tasks.metrics import METRICS, acc, mae, metrics_of, mse, nll


def test_regression_losses_are_those_of_scikit_learn():
    y, prediction = np.random.default_rng(0).normal(size=(2, 50))
    assert mse(y, prediction) == pytest.approx(metrics.mean_squared_error(y, prediction))
    assert mae(y, prediction) == pytest.approx(metrics.mean_absolute_error(y, prediction))


def test_accuracy_is_negative():
    y, labels = np.random.default_rng(0).integers(3, size=(2, 50))
    assert acc(y, labels) == pytest.approx(-metrics.accuracy_score(y, labels))


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_nll_is_log_loss_where_nothing_is_clipped(classes):
    rng = np.random.default_rng(classes)
    p = rng.dirichlet(np.ones(classes), size=40)
    y = rng.integers(classes, size=40)
    assert nll(y, p) == pytest.approx(metrics.log_loss(y, p, labels=range(classes)), rel=1e-12)


def test_nll_clips_and_divides_by_the_sum():
    p = np.array([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]])
    clipped_away = -math.log(1e-15 / (1.0 - 1e-15 + 2e-15))
    half = -math.log(0.5 / (1.0 + 1e-15))
    assert nll(np.array([0, 1]), p) == pytest.approx((clipped_away + half) / 2, rel=1e-15)
    doubled = 2 * p  # 2 is clipped to 1, and a half becomes what 1 is clipped to
    assert nll(np.array([0, 1]), doubled) == pytest.approx(nll(np.array([0, 1]), p), rel=1e-12)


def test_nll_of_two_classes_takes_the_first_from_the_second():
    assert nll(np.array([0]), np.array([[0.0, 1.0]])) == -math.log(1.0 - (1.0 - 1e-15))
    assert nll(np.array([1]), np.array([[1.0, 0.0]])) == -math.log(1e-15)


def test_predictions_are_not_written_to():
    p = np.array([[0.0, 1.0]])
    nll(np.array([0]), p)
    assert p.tolist() == [[0.0, 1.0]]


def test_two_metrics_for_each_kind():
    assert metrics_of("regression") == ("mae", "mse")
    assert len(METRICS) == 4
