"""AdaBoost.R2, boosting for regression, as scikit-learn had it when Bayesmark was written.

Drucker, "Improving Regressors using Boosting Techniques", ICML 1997, with the linear loss and a
learning rate, over trees of depth three. Today's scikit-learn also keeps the weights of the rows
above 2e-16, which changes the losses at large learning rates.

Glossary
--------
w
    weights of the rows, (n,), summing to one
error
    absolute errors of a tree divided by the largest of them, (n,)
beta
    odds of a tree's weighted mean error; small is good
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from benchmarks.tasks.trusted_tree import as_tree_input, fit_trusted

Array = NDArray[Any]


class AdaBoostR2:
    """Boosted regression trees; the prediction is their weighted median.

    Parameters
    ----------
    n_estimators
        How many trees at most. Fewer when one is perfect or worse than chance.
    learning_rate
        Shrinks the exponent of the weights, and the trees' votes.
    random_state
        Seeds the samples that the trees are fitted on, and the trees.

    Examples
    --------
    >>> X = np.arange(8.0)[:, None]
    >>> model = AdaBoostR2(n_estimators=5, learning_rate=1.0, random_state=0)
    >>> bool(abs(model.fit(X, X[:, 0]).predict(X) - X[:, 0]).max() < 2.0)
    True
    """

    def __init__(self, n_estimators: int, learning_rate: float, random_state: int) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> AdaBoostR2:
        """Fit tree after tree, each on rows drawn by weights that favour what is hard so far."""
        # The legacy generator, called in the order in which scikit-learn's ensemble calls it.
        random = np.random.RandomState(self.random_state)
        X = as_tree_input(X)
        n = len(y)
        w = np.full(n, 1.0 / n)
        self._trees: list[Any] = []
        self._votes: list[float] = []
        for _ in range(self.n_estimators):
            tree = DecisionTreeRegressor(
                max_depth=3, random_state=random.randint(np.iinfo(np.int32).max)
            )
            drawn = random.choice(np.arange(n), size=n, replace=True, p=w)
            fit_trusted(tree, X[drawn], y[drawn])
            error = np.abs(tree.tree_.predict(X)[:, 0] - y)
            largest = error[w > 0.0].max()
            if largest != 0.0:
                error /= largest
            mean_error = float((w * error)[w > 0.0].sum())
            if mean_error >= 0.5 and self._trees:
                break
            self._trees.append(tree)
            if mean_error <= 0.0:
                self._votes.append(1.0)
                break
            if mean_error >= 0.5:
                self._votes.append(0.0)  # the first tree is all there is, whatever its vote
                break
            beta = mean_error / (1.0 - mean_error)
            self._votes.append(self.learning_rate * np.log(1.0 / beta))
            w = np.where(w > 0.0, w * np.power(beta, (1.0 - error) * self.learning_rate), 0.0)
            total = w.sum()
            if not np.isfinite(total) or total <= 0.0:
                break
            w /= total
        return self

    def predict(self, X: Array) -> Array:
        """Median of the trees' predictions, weighted by their votes."""
        X = as_tree_input(X)
        predictions = np.column_stack([tree.tree_.predict(X)[:, 0] for tree in self._trees])
        order = np.argsort(predictions, axis=1)
        share = np.cumsum(np.asarray(self._votes)[order], axis=1)
        middle = np.argmax(share >= 0.5 * share[:, -1:], axis=1)
        rows = np.arange(len(X))
        median: Array = predictions[rows, order[rows, middle]]
        return median
