"""The option ``normalize=True`` that linear models of scikit-learn had until version 1.2.

Columns are centred and divided by their l2 norm (not by their standard deviation: the penalty
weighs more on more rows). Without an intercept the option had no effect at all.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

CONSTANT = 10 * np.finfo(np.float64).eps
"""A centred column whose norm is below this share of its values' norm is rounding error."""


class Normalised:
    """A linear regressor that sees centred columns of length one.

    Parameters
    ----------
    regressor
        What is fitted on the normalised columns; it fits an intercept.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> X = np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]])
    >>> model = Normalised(Ridge(alpha=1.0)).fit(X, np.array([1.0, 2.0, 3.0]))
    >>> model.scale.round(6).tolist()  # a constant column is left as it is
    [1.414214, 1.0]
    >>> model.predict(X).round(6).tolist()  # alpha = 1 halves the slope of a unit column
    [1.5, 2.0, 2.5]
    """

    def __init__(self, regressor: Any) -> None:
        self.regressor = regressor

    def fit(self, X: Array, y: Array) -> Normalised:
        """Learn the columns' means and norms, then fit the regressor."""
        self.mean = X.mean(axis=0)
        norm = np.linalg.norm(X - self.mean, axis=0)
        constant = norm <= CONSTANT * np.linalg.norm(X, axis=0)
        self.scale = np.where(constant, 1.0, norm)
        self.regressor.fit(self._normalise(X), y)
        return self

    def predict(self, X: Array) -> Array:
        """Predict for rows in the original units."""
        prediction: Array = self.regressor.predict(self._normalise(X))
        return prediction

    def _normalise(self, X: Array) -> Array:
        normalised: Array = (X - self.mean) / self.scale
        return normalised
