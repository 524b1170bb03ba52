"""The lasso of scikit-learn before version 1.8, which made a sweep before it looked at its gap.

Today's solver first checks whether zero coefficients already satisfy the tolerance, and if so
returns them. With the wide tolerances of the search space (up to 0.1) it often does: on the
diabetes data that changes losses by up to 15 %.

The remedy is a start whose gap cannot be small. A sweep replaces the coefficients one after the
other, and the first replacement does not depend on the value it replaces. So the descent that
starts with a huge first coefficient and zeros elsewhere takes, from there on, the steps of the
descent that starts with zeros only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Lasso

Array = NDArray[Any]

HUGE = 10.0
"""Norm of the start's prediction in norms of y.

The start's gap is then at least ((HUGE - 1)² - 1) / 2 = 40 times |y|², the tolerance at most 0.1.
"""


class PatientLasso:
    """A lasso that makes at least one sweep.

    Parameters
    ----------
    fit_intercept
        Whether columns and target are centred.
    **arguments
        Those of `sklearn.linear_model.Lasso`.

    Examples
    --------
    >>> X, y = np.array([[1.0], [2.0], [3.0]]), np.array([1.0, 2.0, 3.0])
    >>> PatientLasso(fit_intercept=True, alpha=0.6, tol=0.1).fit(X, y).lasso.coef_.round(6).tolist()
    [0.1]
    """

    def __init__(self, *, fit_intercept: bool, **arguments: Any) -> None:
        self.fit_intercept = fit_intercept
        self.lasso = Lasso(fit_intercept=fit_intercept, warm_start=True, **arguments)

    def fit(self, X: Array, y: Array) -> PatientLasso:
        """Fit from the start described above."""
        if self.fit_intercept:
            norms, norm_y = np.linalg.norm(X - X.mean(axis=0), axis=0), np.linalg.norm(y - y.mean())
        else:
            norms, norm_y = np.linalg.norm(X, axis=0), np.linalg.norm(y)
        start = np.zeros(X.shape[1])
        if norms.any():
            first = int(np.argmax(norms > 0.0))  # columns of zeros are skipped by the sweep
            start[first] = HUGE * norm_y / norms[first]
        self.lasso.coef_ = start
        self.lasso.fit(X, y)
        return self

    def predict(self, X: Array) -> Array:
        """Predict for rows of X."""
        prediction: Array = self.lasso.predict(X)
        return prediction
