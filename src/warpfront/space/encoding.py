"""Configurations as rows of numbers, and back, exactly for every configuration handed out.

Glossary
--------
X : (n, d)
    encoded configurations, one column for each parameter in the order of the space. Numeric
    columns lie in [0, 1]; category columns hold the codes 0, 1, ..., levels - 1.
U : (n, d)
    points of the unit cube, as samplers draw them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.space.parameters import Parameter

Floats = NDArray[np.float64]


class Encoding:
    """The two-way map between configurations and rows of numbers.

    Parameters
    ----------
    parameters
        The named parameters, in the order of the columns.

    Examples
    --------
    >>> from warpfront import Boolean, Integer, Real, Space
    >>> encoding = Space(rate=Real(1e-3, 1e-1, scale="log"), deep=Boolean()).encoding
    >>> encoding.encode([{"rate": 0.01, "deep": True}])
    array([[0.5, 1. ]])
    >>> encoding.decode(encoding.encode([{"rate": 0.01, "deep": True}]))
    [{'rate': 0.01, 'deep': True}]
    """

    def __init__(self, parameters: Mapping[str, Parameter]) -> None:
        self.names = tuple(parameters)
        self.parameters = tuple(parameters.values())
        self.d = len(self.parameters)
        #: (d,) which columns hold category codes
        self.is_category = np.array([p.is_category for p in self.parameters], dtype=bool)
        #: (d,) how many values a column can take; infinite for a continuous one
        self.levels = np.array(  # floats: the product of whole numbers would wrap around
            [np.inf if p.levels is None else p.levels for p in self.parameters], dtype=float
        )
        self._gridded = [
            j for j in range(self.d) if np.isfinite(self.levels[j]) and not self.is_category[j]
        ]

    def encode(self, configurations: Sequence[Mapping[str, Any]]) -> Floats:
        """Encode validated configurations as an (n, d) array."""
        X = np.empty((len(configurations), self.d))
        for j, (name, parameter) in enumerate(zip(self.names, self.parameters, strict=True)):
            X[:, j] = parameter.encode([c[name] for c in configurations])
        return X

    def decode(self, X: Floats) -> list[dict[str, Any]]:
        """Decode an (n, d) array to configurations of native Python values."""
        return [
            {
                name: parameter.decode(position)
                for name, parameter, position in zip(self.names, self.parameters, row, strict=True)
            }
            for row in X.tolist()
        ]

    def from_unit(self, U: Floats) -> Floats:
        """Positions of the configurations into whose cells the points of the cube fall."""
        X = np.empty_like(U)
        for j, parameter in enumerate(self.parameters):
            X[:, j] = parameter.snap(U[:, j])
        return X

    def snap(self, X: Floats) -> Floats:
        """Move numeric columns of ``X`` onto their grids, in place; return ``X``."""
        for j in self._gridded:
            X[:, j] = self.parameters[j].snap(X[:, j])
        return X

    def canonical(self, X: Floats) -> Floats:
        """Positions of exactly the configurations that :meth:`decode` would hand out."""
        return self.encode(self.decode(X)) if len(X) else X


def row_keys(X: Floats) -> list[bytes]:
    """One hashable key a row; equal rows have equal keys.

    Examples
    --------
    >>> import numpy as np
    >>> keys = row_keys(np.array([[0.0, 1.0], [-0.0, 1.0], [0.5, 1.0]]))
    >>> keys[0] == keys[1], keys[0] == keys[2]
    (True, False)
    """
    if X.size == 0:
        return [b""] * len(X)
    rows = np.ascontiguousarray(X) + 0.0  # without negative zeros
    keys: list[bytes] = rows.view(f"V{rows.itemsize * rows.shape[1]}").ravel().tolist()
    return keys
