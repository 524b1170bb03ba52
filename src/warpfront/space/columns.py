"""The decoded values of many configurations, column by column, as constraints see them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.space.encoding import Encoding

Floats = NDArray[np.float64]


class Columns:
    """Values of encoded rows; each column is decoded when it is first asked for.

    They are the values of the configurations that :meth:`Encoding.decode` hands out, to the last
    digit.

    Parameters
    ----------
    encoding
        The encoding of the rows.
    X
        Encoded rows, (n, d).
    fixed
        Values that all configurations have, with more digits than a row holds.

    Examples
    --------
    >>> from warpfront import Categorical, Real, Space
    >>> encoding = Space(x=Real(0, 10), c=Categorical(["a", "b"])).encoding
    >>> columns = Columns(encoding, np.array([[0.25, 1.0]]))
    >>> columns.numbers(0), columns.codes(1)
    (array([2.5]), array([1]))
    """

    def __init__(
        self, encoding: Encoding, X: Floats, fixed: Mapping[str, Any] | None = None
    ) -> None:
        self.encoding = encoding
        self.n = len(X)
        self._X = X
        self._fixed = fixed or {}
        self._configurations: list[Mapping[str, Any]] | None = None
        self._numbers: dict[int, Floats] = {}
        for j, name in enumerate(encoding.names):
            if name in self._fixed and encoding.parameters[j].is_number:
                self._numbers[j] = np.full(self.n, float(self._fixed[name]))
        self._active = encoding.active(X) if encoding.conditions else None

    @classmethod
    def of(cls, encoding: Encoding, configurations: Sequence[Mapping[str, Any]]) -> Columns:
        """The values of validated configurations, with all their digits."""
        columns = cls(encoding, encoding.encode(configurations))
        columns._configurations = list(configurations)
        for j, name in enumerate(encoding.names):
            if encoding.parameters[j].is_number:
                values = [c.get(name, np.nan) for c in configurations]
                columns._numbers[j] = np.array(values, dtype=float)
        return columns

    def configurations(self) -> list[Mapping[str, Any]]:
        """The configurations themselves."""
        if self._configurations is None:
            decoded = self.encoding.decode(self._X)
            self._configurations = [{**c, **self._fixed} for c in decoded]
        return self._configurations

    def numbers(self, j: int) -> Floats:
        """The values of a column of numbers, (n,)."""
        if j not in self._numbers:
            self._numbers[j] = self.encoding.parameters[j].numbers(self._X[:, j])
        return self._numbers[j]

    def codes(self, j: int) -> NDArray[np.int_]:
        """The levels of a column of listed values, (n,)."""
        return self.encoding.parameters[j].level_of(self._X[:, j]).astype(int)

    def active(self, columns: Collection[int]) -> NDArray[np.bool_] | None:
        """In which rows all of some columns are active, (n,); None: in all of them."""
        conditional = [j for j in columns if j in self.encoding.conditions.parents]
        if not conditional or self._active is None:
            return None
        return np.asarray(self._active[:, conditional].all(axis=1))
