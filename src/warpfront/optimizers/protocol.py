"""The one protocol of all optimisers: a suggestion is a pure function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from warpfront.history import History
from warpfront.space import Configuration


class Suggest(Protocol):
    """What an optimiser is: history, size of the batch, seed and fixed values to configurations.

    It keeps no state and draws from ``numpy.random.default_rng([seed, number])`` with the number
    of the next trial, so that resume, replay and many workers come for free.
    """

    def __call__(
        self, history: History, n: int, *, seed: int, fixed: Mapping[str, Any]
    ) -> list[Configuration]:
        """Propose n configurations of ``history.space`` to evaluate next."""
        ...
