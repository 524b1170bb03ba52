"""AdaBoost.R2 against scikit-learn's, where they agree, and where they must not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostRegressor

from benchmarks.tasks.ada_boost_r2 import AdaBoostR2
from benchmarks.tasks.data import load


def predictions(model, data):
    return model.fit(data.X, data.y).predict(data.X_held_out)


@pytest.mark.parametrize("name", ["boston", "diabetes"])
@pytest.mark.parametrize("learning_rate", [1e-4, 0.1, 1.5])
def test_equals_scikit_learn_where_weights_are_not_clipped(name, learning_rate):
    settings = {"n_estimators": 20, "learning_rate": learning_rate, "random_state": 3}
    ours = predictions(AdaBoostR2(**settings), load(name))
    assert ours.tolist() == predictions(AdaBoostRegressor(**settings), load(name)).tolist()


def test_differs_where_scikit_learn_clips_the_weights():
    settings = {"n_estimators": 20, "learning_rate": 8.0, "random_state": 3}
    ours = predictions(AdaBoostR2(**settings), load("boston"))
    theirs = predictions(AdaBoostRegressor(**settings), load("boston"))
    assert np.isfinite(ours).all()
    assert not np.allclose(ours, theirs)


def test_a_perfect_tree_ends_the_boosting():
    X, y = np.arange(6.0)[:, None], np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])
    model = AdaBoostR2(n_estimators=50, learning_rate=1.0, random_state=0).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()


def test_a_first_tree_worse_than_chance_is_all_there_is():
    X, y = np.zeros((4, 1)), np.array([0.0, 0.0, 1.0, 1.0])
    model = AdaBoostR2(n_estimators=50, learning_rate=1.0, random_state=0).fit(X, y)
    theirs = AdaBoostRegressor(n_estimators=50, random_state=0).fit(X, y)
    assert model.predict(X).tolist() == theirs.predict(X).tolist()
