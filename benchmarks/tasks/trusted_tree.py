"""Scikit-learn's trees without their checks of the input, for boosting on data that was checked.

Nine tenths of the time of a small tree are checks; the tree and its numbers are the same without.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray

Array = NDArray[Any]


def as_tree_input(X: Array) -> Array:
    """The rows as trees keep them: contiguous, single precision."""
    return np.ascontiguousarray(X, dtype=np.float32)


def fit_trusted(tree: Any, X: Array, y: Array, sample_weight: Array | None = None) -> Any:
    """Fit a tree on rows from :func:`as_tree_input`.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> X, y = as_tree_input([[0.0], [1.0]]), np.array([2.0, 3.0])
    >>> fit_trusted(DecisionTreeRegressor(), X, y).tree_.predict(X)[:, 0].tolist()
    [2.0, 3.0]
    """
    # The data are finite: `data` loads them, and the weights are checked where they are made.
    with sklearn.config_context(assume_finite=True, skip_parameter_validation=True):
        return tree.fit(X, y, sample_weight=sample_weight, check_input=False)
