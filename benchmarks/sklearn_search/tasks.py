"""Estimators, their data, and what may be tried of their parameters.

Workers import this in the environments of the competitors, too, so that it needs scikit-learn only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sklearn import datasets
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import ElasticNet
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier

FOLDS = 3
HELD_OUT = 0.3
"""The share of the data that no search sees."""


@dataclass(frozen=True)
class Log:
    """A real number on a log scale."""

    low: float
    high: float


@dataclass(frozen=True)
class Uniform:
    """A real number on a linear scale."""

    low: float
    high: float


@dataclass(frozen=True)
class Whole:
    """A whole number."""

    low: int
    high: int


@dataclass(frozen=True)
class Choices:
    """One of several values without an order."""

    values: tuple[Any, ...]


Dimension = Log | Uniform | Whole | Choices


@dataclass(frozen=True)
class Task:
    """An estimator, data, and a space; the score is the estimator's own."""

    estimator: Any
    load: Callable[..., Any]
    space: Mapping[str, Dimension]

    def data(self, seed: int) -> tuple[Any, Any, Any, Any]:
        """Training and held-out data, different ones for each seed."""
        X, y = self.load(return_X_y=True)
        X, X_held, y, y_held = train_test_split(X, y, test_size=HELD_OUT, random_state=seed)
        return X, X_held, y, y_held


_KERNEL: dict[str, Dimension] = {
    "svc__C": Log(1e-3, 1e3),
    "svc__gamma": Log(1e-5, 1e1),
    "svc__kernel": Choices(("rbf", "poly", "sigmoid")),
}
_TREE: dict[str, Dimension] = {
    "max_depth": Whole(1, 20),
    "min_samples_split": Uniform(0.001, 0.5),
    "min_samples_leaf": Uniform(0.001, 0.3),
    "max_features": Uniform(0.1, 1.0),
    "criterion": Choices(("gini", "entropy", "log_loss")),
}

TASKS: dict[str, Task] = {
    "svc-breast": Task(
        make_pipeline(StandardScaler(), SVC()), datasets.load_breast_cancer, _KERNEL
    ),
    "svc-wine": Task(make_pipeline(StandardScaler(), SVC()), datasets.load_wine, _KERNEL),
    "svr-diabetes": Task(
        make_pipeline(StandardScaler(), SVR()),
        datasets.load_diabetes,
        {
            "svr__C": Log(1e-2, 1e4),
            "svr__gamma": Log(1e-5, 1e1),
            "svr__epsilon": Log(1e-3, 1e2),
        },
    ),
    "tree-breast": Task(DecisionTreeClassifier(random_state=0), datasets.load_breast_cancer, _TREE),
    "knn-breast": Task(
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        datasets.load_breast_cancer,
        {
            "kneighborsclassifier__n_neighbors": Whole(1, 50),
            "kneighborsclassifier__weights": Choices(("uniform", "distance")),
            "kneighborsclassifier__p": Uniform(1.0, 4.0),
        },
    ),
    "elastic-diabetes": Task(
        ElasticNet(max_iter=10_000),
        datasets.load_diabetes,
        {"alpha": Log(1e-5, 1e1), "l1_ratio": Uniform(0.0, 1.0)},
    ),
    "boosting-diabetes": Task(
        GradientBoostingRegressor(random_state=0, n_estimators=50),
        datasets.load_diabetes,
        {
            "learning_rate": Log(1e-3, 1.0),
            "max_depth": Whole(1, 8),
            "subsample": Uniform(0.2, 1.0),
            "max_features": Uniform(0.1, 1.0),
            "min_samples_leaf": Whole(1, 50),
        },
    ),
}
