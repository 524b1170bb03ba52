"""What later releases of their dependencies took away from the old packages.

Each function names the package that needs it, and is called before that package is used.
"""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any


def restore_numpy_names() -> None:
    """Dragonfly 0.1.7: names that NumPy dropped from 1.23 on."""
    numpy: Any = import_module("numpy")
    numpy.int, numpy.float, numpy.object = int, float, object
    numpy.math = math
    numpy.asscalar = lambda array: numpy.asarray(array).item()


def mark_quantile_regressor() -> None:
    """scikit-optimize 0.10.2: scikit-learn 1.6 no longer sees that its GBRT is a regressor.

    It inherits from the mixin after the base class, and there the mixin's tags are lost.
    """
    base: Any = import_module("sklearn.base").BaseEstimator
    regressor_tags: Any = import_module("sklearn.utils").RegressorTags
    forest: Any = import_module("skopt.learning.gbrt").GradientBoostingQuantileRegressor

    def tags_of(self: Any) -> Any:
        tags = base.__sklearn_tags__(self)
        tags.estimator_type = "regressor"
        tags.regressor_tags = regressor_tags()
        return tags

    forest.__sklearn_tags__ = tags_of
