"""The six data sets, split as Bayesmark splits them, with folds that are the same for everybody.

Nothing is scaled. A data set is loaded once in a process, and its arrays cannot be written to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from benchmarks.tasks.spaces import Kind

Array = NDArray[Any]
Fold = tuple[Array, Array]
"""Row numbers to fit on, row numbers to score on."""

FOLDS = 5
HELD_OUT_FRACTION = 0.2
SPLIT_SEED = 0


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set after its split.

    Parameters
    ----------
    name, kind
        Bayesmark's name, and what is to be predicted.
    X, y
        The 80 % that the optimiser's loss is cross-validated on.
    X_held_out, y_held_out
        The 20 % that no optimiser sees.
    folds
        Five pairs of row numbers of ``X``: stratified and unshuffled for classes, contiguous for
        regression.
    """

    name: str
    kind: Kind
    X: Array
    y: Array
    X_held_out: Array
    y_held_out: Array
    folds: tuple[Fold, ...]

    @property
    def classes(self) -> int:
        """How many classes there are; 0 for regression."""
        return len(np.unique(self.y)) if self.kind == "classification" else 0


def _boston() -> tuple[Array, Array]:
    # Not at import: mlxtend brings pandas and Matplotlib, and only Boston needs it.
    from mlxtend.data import boston_housing_data

    X, y = boston_housing_data()
    return X, y


_LOADERS: dict[str, tuple[Kind, Callable[[], tuple[Array, Array]]]] = {
    "boston": ("regression", _boston),
    "breast": ("classification", lambda: datasets.load_breast_cancer(return_X_y=True)),
    "diabetes": ("regression", lambda: datasets.load_diabetes(return_X_y=True)),
    "digits": ("classification", lambda: datasets.load_digits(return_X_y=True)),
    "iris": ("classification", lambda: datasets.load_iris(return_X_y=True)),
    "wine": ("classification", lambda: datasets.load_wine(return_X_y=True)),
}

KINDS = MappingProxyType({name: kind for name, (kind, _) in _LOADERS.items()})
"""The names of the six data sets, and their kinds."""


@cache
def load(name: str, split_seed: int = SPLIT_SEED) -> Dataset:
    """Load and split a data set.

    Parameters
    ----------
    name
        One of `KINDS`.
    split_seed
        The split of every task is that of seed 0. Others are for studies of the noise that comes
        from the split.

    Examples
    --------
    >>> iris = load("iris")
    >>> iris.X.shape, iris.X_held_out.shape, len(iris.folds)
    ((120, 4), (30, 4), 5)
    """
    kind, loader = _LOADERS[name]
    data, target = loader()
    X, X_held_out, y, y_held_out = train_test_split(
        data, target, test_size=HELD_OUT_FRACTION, random_state=split_seed, shuffle=True
    )
    splitter = StratifiedKFold(FOLDS) if kind == "classification" else KFold(FOLDS)
    folds = tuple((fit_on, score_on) for fit_on, score_on in splitter.split(X, y))
    for array in (X, X_held_out, y, y_held_out, *(rows for fold in folds for rows in fold)):
        array.flags.writeable = False
    return Dataset(name, kind, X, y, X_held_out, y_held_out, folds)
