"""The search spaces of the paper's two tables (appendix, "Black-Box Optimisation Input Variables").

Names, ranges and scales are those of the tables; an integer range {0, 1} is a boolean.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

from warpfront import Boolean, Integer, Real, Space

Kind = Literal["classification", "regression"]

_TREE = Space(
    max_depth=Integer(1, 15),
    min_samples_split=Real(0.01, 0.99, scale="logit"),
    min_samples_leaf=Real(0.01, 0.49, scale="logit"),
    min_weight_fraction_leaf=Real(0.01, 0.49, scale="logit"),
    max_features=Real(0.01, 0.99, scale="logit"),
    min_impurity_decrease=Real(0.0, 0.5),
)
_LOGISTIC = Space(
    C=Real(1e-2, 1e2, scale="log"),
    intercept_scaling=Real(1e-2, 1e2, scale="log"),
)

CLASSIFICATION = MappingProxyType(
    {
        "DT": _TREE,
        "MLP-adam": Space(
            hidden_layer_sizes=Integer(50, 200),
            alpha=Real(1e-5, 1e1, scale="log"),
            batch_size=Integer(10, 250),
            learning_rate_init=Real(1e-5, 1e-1, scale="log"),
            tol=Real(1e-5, 1e-1, scale="log"),
            validation_fraction=Real(0.1, 0.9, scale="logit"),
            beta_1=Real(0.5, 0.99, scale="logit"),
            beta_2=Real(0.9, 1.0 - 1e-6, scale="logit"),
            epsilon=Real(1e-9, 1e-6, scale="log"),
        ),
        "MLP-sgd": Space(
            hidden_layer_sizes=Integer(50, 200),
            alpha=Real(1e-5, 1e1, scale="log"),
            batch_size=Integer(10, 250),
            learning_rate_init=Real(1e-5, 1e-1, scale="log"),
            power_t=Real(0.1, 0.9, scale="logit"),
            tol=Real(1e-5, 1e-1, scale="log"),
            momentum=Real(0.001, 0.999, scale="logit"),
            validation_fraction=Real(0.1, 0.9, scale="logit"),
        ),
        "RF": _TREE,
        "SVM": Space(
            C=Real(1.0, 1e3, scale="log"),
            gamma=Real(1e-4, 1e-3, scale="log"),
            tol=Real(1e-5, 1e-1, scale="log"),
        ),
        "ada": Space(
            n_estimators=Integer(10, 100),
            learning_rate=Real(1e-4, 1e1, scale="log"),
        ),
        "kNN": Space(
            n_neighbors=Integer(1, 25),
            p=Integer(1, 4),
        ),
        "lasso": _LOGISTIC,
        "linear": _LOGISTIC,
    }
)
"""The paper's first table: a space for each model, for classification."""

REGRESSION = MappingProxyType(
    {
        **CLASSIFICATION,
        "lasso": Space(
            alpha=Real(1e-2, 1e2, scale="log"),
            fit_intercept=Boolean(),
            normalize=Boolean(),
            max_iter=Integer(10, 5000, scale="log"),
            tol=Real(1e-5, 1e-1, scale="log"),
            positive=Boolean(),
        ),
        "linear": Space(
            alpha=Real(1e-2, 1e2, scale="log"),
            fit_intercept=Boolean(),
            normalize=Boolean(),
            max_iter=Integer(10, 5000, scale="log"),
            tol=Real(1e-4, 1e-1, scale="log"),
        ),
    }
)
"""The paper's second table, with the models that it omits because their space is the same."""

MODELS = tuple(CLASSIFICATION)
"""The nine models, by Bayesmark's names."""


def search_space(model: str, kind: Kind) -> Space:
    """What may be tried for a model on data of this kind.

    Examples
    --------
    >>> search_space("kNN", "regression").size
    100
    """
    return (CLASSIFICATION if kind == "classification" else REGRESSION)[model]
