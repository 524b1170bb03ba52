"""The same splits for all candidates, also where the splitter draws new ones at each call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class SameSplits:
    """A splitter that gives the splits of another one's first call, again and again.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> splits = SameSplits(KFold(2, shuffle=True))
    >>> first, again = list(splits.split(range(8))), list(splits.split(range(8)))
    >>> all((a[1] == b[1]).all() for a, b in zip(first, again))
    True
    """

    def __init__(self, splitter: Any) -> None:
        self._splitter = splitter
        self._splits: list[Any] | None = None

    def split(self, X: Any, y: Any = None, **params: Any) -> Iterator[Any]:
        """The indices of the training and of the test set of each fold."""
        if self._splits is None:
            self._splits = list(self._splitter.split(X, y, **params))
        return iter(self._splits)
