"""SAMME.R, the boosting of class probabilities: AdaBoost's default until scikit-learn 1.6.

Zhu, Zou, Rosset and Hastie, "Multi-class AdaBoost", Statistics and Its Interface 2 (2009),
algorithm 4 with shrinkage, over decision stumps.

Glossary
--------
K
    number of classes
w
    weights of the rows, (n,), summing to one
log_p
    logarithms of a stump's class probabilities, (n, K)
h
    a stump's vote, (n, K); every row sums to zero
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from benchmarks.tasks.trusted_tree import as_tree_input, fit_trusted

Array = NDArray[Any]

SMALLEST_PROBABILITY = np.finfo(np.float64).eps
"""A leaf without a class has log probability log(eps) for it, not minus infinity."""


class SammeR:
    """AdaBoost with the SAMME.R weights and votes, over stumps, for labels 0, ..., K - 1.

    Parameters
    ----------
    n_estimators
        How many stumps at most. Fewer when one is perfect, or when the weights overflow.
    learning_rate
        Shrinks the exponent of the weights.
    random_state
        Seeds the stumps, which break ties between equally good columns at random.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = SammeR(n_estimators=5, learning_rate=1.0, random_state=0)
    >>> model.fit(X, np.array([0, 0, 1, 1])).predict(X).tolist()
    [0, 0, 1, 1]
    >>> len(model.stumps)  # the first is perfect
    1
    """

    def __init__(self, n_estimators: int, learning_rate: float, random_state: int) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> SammeR:
        """Fit stump after stump, each on weights that favour the rows the last one missed."""
        # The legacy generator draws the seeds that scikit-learn's ensembles draw.
        random = np.random.RandomState(self.random_state)
        X = as_tree_input(X)
        K = int(y.max()) + 1
        rows = np.arange(len(y))
        w = np.full(len(y), 1.0 / len(y))
        self.stumps: list[Any] = []
        for _ in range(self.n_estimators):
            stump = DecisionTreeClassifier(
                max_depth=1, random_state=random.randint(np.iinfo(np.int32).max)
            )
            self.stumps.append(fit_trusted(stump, X, y, sample_weight=w))
            log_p = _log_probabilities(stump, X)
            if not np.any(w[np.argmax(log_p, axis=1) != y] > 0.0):
                break
            # Step 2 (d): w *= exp(-(K-1)/K * code(y) . log p), where code(y) is 1 at the true
            # class and -1/(K-1) at the others; (K-1)/K * code . log p is log p_y - mean log p.
            exponent = -self.learning_rate * (log_p[rows, y] - log_p.mean(axis=1))
            with np.errstate(over="ignore"):
                w = np.where(w > 0.0, w * np.exp(exponent), 0.0)
                total = w.sum()
            if not np.isfinite(total) or total <= 0.0:
                break
            w /= total
        self.classes = K
        return self

    def decision_function(self, X: Array) -> Array:
        """Mean vote of the stumps, (n, K)."""
        X = as_tree_input(X)
        votes = np.zeros((len(X), self.classes))
        for stump in self.stumps:
            log_p = _log_probabilities(stump, X)
            votes += (self.classes - 1) * (log_p - log_p.mean(axis=1, keepdims=True))  # step 2 (c)
        mean: Array = votes / len(self.stumps)
        return mean

    def predict(self, X: Array) -> Array:
        """The class with the largest vote; the first among equals."""
        label: Array = np.argmax(self.decision_function(X), axis=1)
        return label

    def predict_proba(self, X: Array) -> Array:
        """Softmax of the votes divided by K - 1 (equation 4 of the paper), (n, K)."""
        logits = self.decision_function(X) / (self.classes - 1)
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        p: Array = odds / odds.sum(axis=1, keepdims=True)
        return p


def _log_probabilities(stump: Any, X: Array) -> Array:
    log_p: Array = np.log(np.maximum(stump.tree_.predict(X), SMALLEST_PROBABILITY))
    return log_p
