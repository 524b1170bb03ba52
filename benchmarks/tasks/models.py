"""The nine models, with Bayesmark's fixed arguments on today's scikit-learn.

A model is built from a configuration of its search space, a random state and the data set's kind;
what comes back is unfitted and belongs to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import sklearn
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.tasks.ada_boost_r2 import AdaBoostR2
from benchmarks.tasks.data import Dataset
from benchmarks.tasks.normalise import Normalised
from benchmarks.tasks.patient_lasso import PatientLasso
from benchmarks.tasks.perceptron import PerceptronClassifier, PerceptronRegressor
from benchmarks.tasks.samme_r import SammeR

Configuration = Mapping[str, Any]
Builder = Callable[[dict[str, Any], int, Dataset], Any]
"""From (configuration, random state, data set) to a model with fit and predict."""

FOREST_TREES = 10
"""Scikit-learn's default in Bayesmark's day; it is 100 now."""

_HAS_L1_RATIO_ALONE = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 8)
"""Since 1.8 ``l1_ratio`` says which penalty is meant, and naming the penalty warns."""


def _logistic(norm: str) -> Builder:
    penalty: dict[str, Any] = {"penalty": norm}
    if _HAS_L1_RATIO_ALONE:
        penalty = {"l1_ratio": 1.0 if norm == "l1" else 0.0}

    def build(config: dict[str, Any], random_state: int, data: Dataset) -> Any:
        two_classes = LogisticRegression(
            solver="liblinear", fit_intercept=True, random_state=random_state, **penalty, **config
        )
        return two_classes if data.classes == 2 else OneVsRestClassifier(two_classes)

    return build


def _linear(regressor: Callable[..., Any]) -> Builder:
    def build(config: dict[str, Any], random_state: int, data: Dataset) -> Any:
        normalise = config.pop("normalize")
        model = regressor(**config)
        return Normalised(model) if normalise and config["fit_intercept"] else model

    return build


def _seeded(estimator: Callable[..., Any], **fixed: Any) -> Builder:
    return lambda config, seed, data: estimator(random_state=seed, **fixed, **config)


def _seedless(estimator: Callable[..., Any], **fixed: Any) -> Builder:
    return lambda config, seed, data: estimator(**fixed, **config)


_CLASSIFIERS: Mapping[str, Builder] = {
    "DT": _seeded(DecisionTreeClassifier),
    "MLP-adam": _seeded(PerceptronClassifier, solver="adam"),
    "MLP-sgd": _seeded(PerceptronClassifier, solver="sgd"),
    "RF": _seeded(RandomForestClassifier, n_estimators=FOREST_TREES),
    "SVM": _seeded(SVC, kernel="rbf", probability=True),
    "ada": _seeded(SammeR),
    "kNN": _seedless(KNeighborsClassifier),
    "lasso": _logistic("l1"),
    "linear": _logistic("l2"),
}
_REGRESSORS: Mapping[str, Builder] = {
    "DT": _seeded(DecisionTreeRegressor),
    "MLP-adam": _seeded(PerceptronRegressor, solver="adam"),
    "MLP-sgd": _seeded(PerceptronRegressor, solver="sgd", activation="tanh"),
    "RF": _seeded(RandomForestRegressor, n_estimators=FOREST_TREES),
    "SVM": _seedless(SVR, kernel="rbf"),
    "ada": _seeded(AdaBoostR2),
    "kNN": _seedless(KNeighborsRegressor),
    "lasso": _linear(PatientLasso),
    "linear": _linear(Ridge),
}


def build(model: str, data: Dataset, config: Configuration, random_state: int) -> Any:
    """Build an unfitted model for a data set.

    Parameters
    ----------
    model
        One of the nine names.
    data
        Decides between classifier and regressor, and how many classes there are.
    config
        A configuration of the model's search space.
    random_state
        For the model's own randomness; ignored by models that have none.

    Examples
    --------
    >>> from benchmarks.tasks.data import load
    >>> build("kNN", load("iris"), {"n_neighbors": 3, "p": 1}, random_state=0)
    KNeighborsClassifier(n_neighbors=3, p=1)
    """
    builders = _CLASSIFIERS if data.kind == "classification" else _REGRESSORS
    return builders[model](dict(config), random_state, data)
