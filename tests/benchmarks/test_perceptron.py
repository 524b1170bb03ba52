"""Our networks against scikit-learn's: the same bits."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier, MLPRegressor

from benchmarks.tasks.data import load
from benchmarks.tasks.perceptron import PerceptronClassifier, PerceptronRegressor
from benchmarks.tasks.spaces import search_space

FIXED = {
    "MLP-adam": {"solver": "adam"},
    "MLP-sgd": {"solver": "sgd", "learning_rate": "invscaling", "nesterovs_momentum": True},
}


def outcome(model, data):
    """Predictions, or that the fit failed."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("ignore", message="Got `batch_size`")
        try:
            model.fit(data.X, data.y)
        except ValueError:
            return "failed"
        look = getattr(model, "predict_proba", model.predict)
        return [look(data.X_held_out).tolist(), model.predict(data.X_held_out).tolist()]


@pytest.mark.parametrize("name", ["iris", "breast", "wine", "boston", "diabetes"])
@pytest.mark.parametrize("model", FIXED)
def test_the_bits_are_those_of_scikit_learn(model, name):
    data = load(name)
    classifies = data.kind == "classification"
    space = search_space(model, data.kind)
    for seed, config in enumerate(space.sample(3, seed=1)):
        extra = {} if classifies or model == "MLP-adam" else {"activation": "tanh"}
        theirs = (MLPClassifier if classifies else MLPRegressor)(
            early_stopping=True, random_state=seed, **FIXED[model], **config, **extra
        )
        ours = (PerceptronClassifier if classifies else PerceptronRegressor)(
            solver=FIXED[model]["solver"], random_state=seed, **config, **extra
        )
        assert outcome(ours, data) == outcome(theirs, data)


SETTINGS = {
    "solver": "sgd",
    "random_state": 0,
    "hidden_layer_sizes": 10,
    "alpha": 1e-3,
    "batch_size": 20,
    "learning_rate_init": 0.1,
    "tol": 1e-4,
    "validation_fraction": 0.2,
}


def test_a_network_that_diverges_fails_as_theirs_does():
    data = load("boston")
    wild = {**SETTINGS, "learning_rate_init": 1e6}
    theirs = MLPRegressor(early_stopping=True, learning_rate="invscaling", **wild)
    assert outcome(PerceptronRegressor(**wild), data) == outcome(theirs, data)


def test_too_few_rows_to_validate_on():
    few = {**SETTINGS, "validation_fraction": 0.1}
    with pytest.raises(ValueError, match="enlarge validation_fraction"):
        PerceptronRegressor(**few).fit(np.zeros((4, 1)), np.arange(4.0))
