"""Configurations as rows of numbers, and back, exactly for every configuration handed out.

Glossary
--------
X : (n, d)
    encoded configurations, one column for each parameter in the order of the space. Numeric
    columns lie in [0, 1]; category columns hold the codes 0, 1, ..., levels - 1; the column of an
    inactive parameter holds its neutral position.
U : (n, d)
    points of the unit cube, as samplers draw them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.space.conditions import Conditions
from warpfront.space.parameter import Parameter

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


FEW_ROWS = 4
"""So few rows are faster decoded value by value."""


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

    An inactive parameter has a neutral position, and is not in the configuration:

    >>> encoding = Space(deep=Boolean(), layers=Integer(1, 9, when={"deep": True})).encoding
    >>> encoding.encode([{"deep": False}])
    array([[0. , 0.5]])
    >>> encoding.decode(np.array([[0.0, 0.5], [1.0, 0.5]]))
    [{'deep': False}, {'deep': True, 'layers': 5}]
    """

    def __init__(
        self, parameters: Mapping[str, Parameter], conditions: Conditions | None = None
    ) -> None:
        self.names = tuple(parameters)
        self.parameters = tuple(parameters.values())
        self.conditions = Conditions(parameters) if conditions is None else conditions
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
            if j in self.conditions.parents:
                here = [i for i, c in enumerate(configurations) if name in c]
                X[:, j] = parameter.neutral
                X[here, j] = parameter.encode([configurations[i][name] for i in here])
            else:
                X[:, j] = parameter.encode([c[name] for c in configurations])
        return self.conditions.neutralise(X)

    def decode(self, X: Floats) -> list[dict[str, Any]]:
        """Decode an (n, d) array to configurations of native Python values."""
        if len(X) < FEW_ROWS:
            columns = [
                list(map(p.decode, x)) for p, x in zip(self.parameters, X.T.tolist(), strict=True)
            ]
        else:
            columns = [p.decode_all(X[:, j]) for j, p in enumerate(self.parameters)]
        rows = [dict(zip(self.names, row, strict=True)) for row in zip(*columns, strict=True)]
        if self.conditions:
            for i, j in np.argwhere(~self.active(X)).tolist():
                del rows[i][self.names[j]]
        return rows

    def active(self, X: Floats) -> Bools:
        """Which parameters of encoded rows are active, (n, d); all of them without conditions."""
        return self.conditions.active(X)

    def from_unit(self, U: Floats) -> Floats:
        """Positions of the configurations into whose cells the points of the cube fall."""
        X = np.empty_like(U)
        for j, parameter in enumerate(self.parameters):
            X[:, j] = parameter.snap(U[:, j])
        return self.conditions.neutralise(X)

    def snap(self, X: Floats) -> Floats:
        """Move numeric columns of ``X`` onto their grids, in place; return ``X``."""
        for j in self._gridded:
            X[:, j] = self.parameters[j].snap(X[:, j])
        return X

    def canonical(self, X: Floats) -> Floats:
        """Positions of exactly the configurations that :meth:`decode` would hand out."""
        if len(X) < FEW_ROWS:
            return self.encode(self.decode(X)) if len(X) else X
        C = np.empty_like(X)
        for j, parameter in enumerate(self.parameters):
            C[:, j] = parameter.canonical_positions(X[:, j])
        return self.conditions.neutralise(C)


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
