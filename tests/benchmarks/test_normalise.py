"""The removed ``normalize=True`` against closed forms, and the lasso that makes a sweep."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Lasso, Ridge

from benchmarks.tasks import models
from benchmarks.tasks.data import load
from benchmarks.tasks.normalise import Normalised
from benchmarks.tasks.patient_lasso import PatientLasso

CONFIG = {"alpha": 0.3, "fit_intercept": True, "normalize": True, "max_iter": 500, "tol": 1e-4}


@pytest.mark.parametrize("name", ["boston", "diabetes"])
@pytest.mark.parametrize("alpha", [0.01, 1.0, 100.0])
def test_ridge_is_the_closed_form(name, alpha):
    data = load(name)
    centred, y = data.X - data.X.mean(axis=0), data.y - data.y.mean()
    Z = centred / np.sqrt((centred**2).sum(axis=0))
    slopes = np.linalg.solve(Z.T @ Z + alpha * np.eye(Z.shape[1]), Z.T @ y)
    by_hand = data.y.mean() + (data.X_held_out - data.X.mean(axis=0)) @ (
        slopes / np.sqrt((centred**2).sum(axis=0))
    )
    model = Normalised(Ridge(alpha=alpha)).fit(data.X, data.y)
    np.testing.assert_allclose(model.predict(data.X_held_out), by_hand, rtol=1e-10)


def test_lasso_of_orthonormal_columns_is_soft_thresholding():
    rng = np.random.default_rng(0)
    raw = rng.normal(size=(40, 3))
    Q, _ = np.linalg.qr(raw - raw.mean(axis=0))  # centred, orthonormal
    y = Q @ [3.0, -2.0, 0.1] + 5.0
    # The objective is |y - Zw|² / (2 n) + alpha |w|: the threshold is n alpha.
    alpha = 0.01
    expected = np.sign([3.0, -2.0, 0.1]) * np.maximum(np.abs([3.0, -2.0, 0.1]) - 40 * alpha, 0.0)
    X = Q * [10.0, 0.1, 7.0] + [1.0, 2.0, 3.0]  # what normalising takes away again
    model = Normalised(Lasso(alpha=alpha, tol=1e-12)).fit(X, y)
    np.testing.assert_allclose(model.regressor.coef_, expected, atol=1e-9)


def test_scaling_a_column_changes_nothing_if_normalised():
    data = load("diabetes")
    scale = np.linspace(1.0, 50.0, data.X.shape[1])
    plain, scaled = (
        Normalised(Ridge(alpha=0.5)).fit(data.X * s, data.y).predict(data.X_held_out * s)
        for s in (1.0, scale)
    )
    np.testing.assert_allclose(plain, scaled, rtol=1e-10)


def test_a_constant_column_is_left_alone():
    X = np.column_stack([np.arange(5.0), np.full(5, 0.1)])
    assert Normalised(Ridge()).fit(X, np.arange(5.0)).scale[1] == 1.0


@pytest.mark.parametrize("model", ["lasso", "linear"])
def test_without_an_intercept_nothing_is_normalised(model):
    extra = {"positive": False} if model == "lasso" else {}
    data = load("diabetes")
    with_intercept = models.build(model, data, {**CONFIG, **extra}, 0)
    without = models.build(model, data, {**CONFIG, **extra, "fit_intercept": False}, 0)
    assert isinstance(with_intercept, Normalised)
    assert not isinstance(without, Normalised)


def test_a_wide_tolerance_does_not_stop_the_patient_lasso_at_zero():
    # One column: a single sweep solves the problem, by soft thresholding.
    rng = np.random.default_rng(0)
    x = rng.normal(size=30)
    X, y = (x - x.mean())[:, None], x + rng.normal(size=30)
    n_alpha = 0.9 * abs(X[:, 0] @ (y - y.mean()))
    model = PatientLasso(fit_intercept=True, alpha=n_alpha / 30, tol=0.1).fit(X, y)
    slope = (X[:, 0] @ (y - y.mean()) - n_alpha) / (X[:, 0] @ X[:, 0])
    np.testing.assert_allclose(model.lasso.coef_, [slope], rtol=1e-10)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_a_narrow_tolerance_gives_the_same_lasso(fit_intercept, positive):
    data = load("boston")
    arguments = {"alpha": 0.5, "positive": positive, "tol": 1e-10, "max_iter": 100_000}
    plain = Lasso(fit_intercept=fit_intercept, **arguments).fit(data.X, data.y)
    patient = PatientLasso(fit_intercept=fit_intercept, **arguments).fit(data.X, data.y)
    np.testing.assert_allclose(patient.lasso.coef_, plain.coef_, rtol=1e-6, atol=1e-9)


def test_columns_of_zeros_keep_a_zero_coefficient():
    X = np.column_stack([np.zeros(6), np.arange(6.0)])
    model = PatientLasso(fit_intercept=True, alpha=0.01).fit(X, np.arange(6.0))
    assert model.lasso.coef_[0] == 0.0
    nothing = PatientLasso(fit_intercept=True, alpha=0.01).fit(np.zeros((6, 2)), np.arange(6.0))
    assert nothing.lasso.coef_.tolist() == [0.0, 0.0]
