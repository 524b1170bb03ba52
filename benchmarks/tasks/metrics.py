"""The four losses, all of them smaller for a better model.

Glossary
--------
y
    true values, (n,)
prediction
    what the model says: values or labels (n,), or class probabilities (n, K), one column for each
    class in sorted order
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from benchmarks.tasks.spaces import Kind

Array = NDArray[Any]

SMALLEST_PROBABILITY = 1e-15
"""What scikit-learn's log loss clipped probabilities at when Bayesmark was written."""


def mse(y: Array, prediction: Array) -> float:
    """Mean squared error.

    Examples
    --------
    >>> mse(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    2.0
    """
    return float(np.mean((y - prediction) ** 2))


def mae(y: Array, prediction: Array) -> float:
    """Mean absolute error.

    Examples
    --------
    >>> mae(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    1.0
    """
    return float(np.mean(np.abs(y - prediction)))


def acc(y: Array, prediction: Array) -> float:
    """Minus the fraction of right labels.

    Examples
    --------
    >>> acc(np.array([0, 1, 2, 2]), np.array([0, 1, 2, 1]))
    -0.75
    """
    return -float(np.mean(y == prediction))


def nll(y: Array, prediction: Array) -> float:
    """Mean negative log-likelihood of labels 0, 1, ..., K - 1.

    Probabilities are clipped to [1e-15, 1 - 1e-15], then each row is divided by its sum. Of two
    classes only the second is clipped, and the first is what is left: 1 - (1 - 1e-15) is not quite
    1e-15 in floating point, and Bayesmark's losses show it.

    Examples
    --------
    >>> round(nll(np.array([0]), np.array([[0.0, 1.0]])), 6)
    34.539576
    """
    clipped = np.clip(prediction, SMALLEST_PROBABILITY, 1.0 - SMALLEST_PROBABILITY)
    if clipped.shape[1] == 2:
        clipped[:, 0] = 1.0 - clipped[:, 1]
    of_the_truth = clipped[np.arange(len(y)), y] / clipped.sum(axis=1)
    return -float(np.mean(np.log(of_the_truth)))


@dataclass(frozen=True)
class Metric:
    """A loss, the kind of data it is for, and the method of a model that it looks at."""

    loss: Callable[[Array, Array], float]
    kind: Kind
    looks_at: Literal["predict", "predict_proba"]


METRICS = MappingProxyType(
    {
        "acc": Metric(acc, "classification", "predict"),
        "mae": Metric(mae, "regression", "predict"),
        "mse": Metric(mse, "regression", "predict"),
        "nll": Metric(nll, "classification", "predict_proba"),
    }
)
"""The four metrics, by Bayesmark's names."""


def metrics_of(kind: Kind) -> tuple[str, ...]:
    """Names of the two metrics of a kind of data.

    Examples
    --------
    >>> metrics_of("classification")
    ('acc', 'nll')
    """
    return tuple(name for name, metric in METRICS.items() if metric.kind == kind)
