"""A cubic spline through the losses: what a smooth surface between them looks like.

A Gaussian process follows every ripple that the data allow. The spline bends as little as it can,
so that it sees the valley under the ripples, and it has nothing to fit. (Radial basis functions of
this kind are the model of Regis and Shoemaker's DYCORS, 2013.)

Glossary
--------
X : (n, d)
    encoded configurations; Z : (n, e) the same with a column for each category.
A : (n + 1 + e, n + 1 + e)
    cubed distances, bordered by a constant and the columns of Z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from warpfront.space.encoding import Encoding
from warpfront.surrogate.kernels import squared_distances

Floats = NDArray[np.float64]

SMOOTHING, BORDER = 1e-6, 1e-9
"""What is added to the diagonals, so that repeated points and constant columns do no harm."""


@dataclass(frozen=True)
class Features:
    """Distances as the spline sees them: two different categories are one unit apart.

    Examples
    --------
    >>> from warpfront import Categorical, Real, Space
    >>> space = Space(x=Real(0, 1), c=Categorical(["p", "q", "r"]))
    >>> features = Features.of(space.encoding, np.array([True, True]))
    >>> Z = features(np.array([[0.5, 0.0], [0.5, 2.0]]))
    >>> np.round(Z, 2)
    array([[0.5 , 0.71, 0.  , 0.  ],
           [0.5 , 0.  , 0.  , 0.71]])
    >>> float(np.round(np.linalg.norm(Z[0] - Z[1]), 6))
    1.0
    """

    is_category: NDArray[np.bool_]  # (d,)
    levels: Floats  # (d,) how many values a column takes

    @classmethod
    def of(cls, encoding: Encoding, columns: NDArray[np.bool_]) -> Features:
        """Of the given columns (d,) of a space's encoding."""
        return cls(encoding.is_category[columns], encoding.levels[columns])

    @property
    def width(self) -> int:
        """How many columns there are then."""
        return int(np.where(self.is_category, self.levels, 1.0).sum())

    def __call__(self, X: Floats) -> Floats:
        """Numbers as they are, and a column for each category, (n, e)."""
        columns = [X[:, ~self.is_category]]
        for j in np.flatnonzero(self.is_category):
            codes = np.arange(int(self.levels[j]))
            columns.append((X[:, [j]] == codes) * np.sqrt(0.5))
        return np.hstack(columns)


@dataclass(frozen=True)
class Spline:
    """The smoothest surface, by its cubic energy, through given values.

    Examples
    --------
    >>> Z = np.linspace(0, 1, 9)[:, None]
    >>> spline = Spline.fit(Z, 3.0 + (Z[:, 0] - 0.4) ** 2)
    >>> bool(abs(spline(np.array([[0.43]]))[0] - 3.0009) < 1e-3)
    True
    """

    Z: Floats
    weights: Floats  # (n,) of the cubed distances
    plane: Floats  # (1 + e,)

    @classmethod
    def fit(cls, Z: Floats, y: Floats) -> Spline:
        """Through values y (n,) at points Z (n, e)."""
        n = len(Z)
        P = _with_constant(Z)
        A = np.zeros((n + P.shape[1],) * 2)
        A[:n, :n] = squared_distances(Z, Z) ** 1.5
        A[:n, n:] = P
        A[n:, :n] = P.T
        A[np.diag_indices_from(A)] += np.repeat([SMOOTHING, -BORDER], [n, P.shape[1]])
        solution = np.linalg.solve(A, np.concatenate([y, np.zeros(P.shape[1])]))
        return cls(Z, solution[:n], solution[n:])

    def __call__(self, Z: Floats) -> Floats:
        """Values at points (m, e), (m,)."""
        cubes = squared_distances(Z, self.Z) ** 1.5
        return np.asarray(cubes @ self.weights + _with_constant(Z) @ self.plane)


def _with_constant(Z: Floats) -> Floats:
    return np.column_stack([np.ones(len(Z)), Z])
