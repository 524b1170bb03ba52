"""SAMME.R by hand, and by the properties that its paper proves."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks.tasks.data import load
from benchmarks.tasks.samme_r import SammeR

EPS = np.finfo(float).eps
# Cut between the second and the third row, the first stump is sure of two rows and torn about two.
X = np.array([[0.0], [1.0], [2.0], [3.0]])
y = np.array([0, 0, 1, 0])


def test_one_stump_gives_its_leaves_probabilities():
    model = SammeR(n_estimators=1, learning_rate=1.0, random_state=0).fit(X, y)
    sure, torn = [1 / (1 + EPS), EPS / (1 + EPS)], [0.5, 0.5]
    np.testing.assert_allclose(model.predict_proba(X), [sure, sure, torn, torn], rtol=1e-12)
    assert model.predict(X).tolist() == [0, 0, 0, 0]  # the first among equals


def test_two_stumps_by_hand():
    # The first stump multiplies the weights of rows 0 and 1 by exp(log(eps) / 2) = sqrt(eps), those
    # of rows 2 and 3 by 1. The second then cuts off row 3, and its other leaf has odds 1 : 2 sqrt
    # (eps) for class 1. The mean of the stumps' log odds for class 1 is, for row 2,
    # (0 - log(2 sqrt(eps))) / 2; for row 0, (log(eps) - log(2 sqrt(eps))) / 2; for row 3,
    # (0 + log(eps)) / 2.
    model = SammeR(n_estimators=2, learning_rate=1.0, random_state=0).fit(X, y)
    odds = 2 * math.sqrt(EPS)
    log_odds = np.array(
        [
            (math.log(EPS) - math.log(odds)) / 2,
            (math.log(EPS) - math.log(odds)) / 2,
            -math.log(odds) / 2,
            math.log(EPS) / 2,
        ]
    )
    p = model.predict_proba(X)
    np.testing.assert_allclose(np.log(p[:, 1] / p[:, 0]), log_odds, rtol=1e-7)
    assert model.predict(X).tolist() == y.tolist()


def test_the_learning_rate_is_the_power_of_the_weights():
    # With rate 0 the weights never change, and every stump is the first one.
    still = SammeR(n_estimators=7, learning_rate=0.0, random_state=0).fit(X, y)
    once = SammeR(n_estimators=1, learning_rate=1.0, random_state=0).fit(X, y)
    assert len(still.stumps) == 7
    np.testing.assert_allclose(still.predict_proba(X), once.predict_proba(X), rtol=1e-12)


def test_a_perfect_stump_ends_the_boosting():
    model = SammeR(n_estimators=9, learning_rate=1.0, random_state=0)
    assert len(model.fit(X, np.array([0, 0, 1, 1])).stumps) == 1


def test_overflowing_weights_end_the_boosting():
    data = load("iris")
    model = SammeR(n_estimators=50, learning_rate=200.0, random_state=0).fit(data.X, data.y)
    assert 1 <= len(model.stumps) < 50
    assert np.isfinite(model.predict_proba(data.X)).all()


@pytest.mark.parametrize("name", ["iris", "wine", "breast"])
def test_properties(name):
    data = load(name)
    model = SammeR(n_estimators=20, learning_rate=0.5, random_state=1).fit(data.X, data.y)
    votes, p = model.decision_function(data.X_held_out), model.predict_proba(data.X_held_out)
    np.testing.assert_allclose(votes.sum(axis=1), 0.0, atol=1e-10)  # the constraint of the paper
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (model.predict(data.X_held_out) == p.argmax(axis=1)).all()
    assert np.mean(model.predict(data.X) == data.y) > 0.94


def test_more_stumps_fit_better():
    data = load("breast")
    losses = []
    for n in (1, 5, 25):
        model = SammeR(n_estimators=n, learning_rate=0.5, random_state=0).fit(data.X, data.y)
        losses.append(np.mean(model.predict(data.X) != data.y))
    assert losses[0] > losses[1] > losses[2]
