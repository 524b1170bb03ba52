"""Random search: the baseline that everything must beat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warpfront.history import History
from warpfront.optimizers.ask_tell import AskTell, Proposal
from warpfront.search.domain import Domain
from warpfront.streams import stream


def suggest(history: History, n: int, *, seed: int, fixed: Mapping[str, Any]) -> list[Proposal]:
    """Propose n independent uniform configurations."""
    domain = Domain.of(history.space, fixed)
    rows = domain.uniform(n, stream(seed, len(history), "random"))
    return [Proposal(config, "random") for config in domain.decode(rows)]


class RandomSearch(AskTell):
    """Independent uniform suggestions, by the same ask and tell as :class:`warpfront.HEBO`.

    Examples
    --------
    >>> from warpfront import RandomSearch, Real, Space
    >>> optimizer = RandomSearch(Space(x=Real(0, 1)), seed=0)
    >>> len(optimizer.ask(3))
    3
    """

    def _suggest(self, history: History, n: int, fixed: Mapping[str, Any]) -> list[Proposal]:
        return suggest(history, n, seed=self.seed, fixed=fixed)
