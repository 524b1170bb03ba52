"""Portfolio: who proposes the next trial.

Every proposer has a fixed share of the trials. The one that is furthest behind its share, among the
trials of the same context, is next. So one batch of eight, eight batches of one and eight workers
are composed alike, and two contexts that take turns do not disturb each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from warpfront.history import History
from warpfront.proposers.hedge import ARMS

ON_BEHALF_OF = {"replicate": "improve", **dict.fromkeys(ARMS, "pareto")}
"""Whose share is used up by trials that another proposer made instead."""


def assign(shares: Mapping[str, float], past: Iterable[str | None], n: int) -> list[str]:
    """Name the proposers of the next n trials.

    Parameters
    ----------
    shares
        The share of each proposer, relative to their sum; those of share 0 propose nothing.
    past
        Who proposed the earlier trials of the same context, pending ones included; names that
        have no share do not count.
    n
        How many trials are wanted.

    Examples
    --------
    >>> assign({"a": 1, "b": 1}, [], 4)
    ['a', 'b', 'a', 'b']
    >>> assign({"a": 1, "b": 1}, ["a", "a", "initial"], 3)
    ['b', 'b', 'a']
    >>> assign({"a": 3, "b": 1}, [], 4)
    ['a', 'a', 'b', 'a']
    """
    wanted = {name: share for name, share in shares.items() if share > 0.0}
    whole = sum(wanted.values())
    counts = Counter(name for name in past if name in wanted)
    chosen = []
    for _ in range(n):
        total = counts.total() + 1
        # The first of the listed ones where several are equally far behind.
        name = max(wanted, key=lambda k: round(wanted[k] / whole * total - counts[k], 9))
        counts[name] += 1
        chosen.append(name)
    return chosen


def past_proposers(history: History, fixed: Mapping[str, Any]) -> list[str | None]:
    """Who proposed the trials of the same context so far, pending ones included.

    The context are the values at which parameters are held: contexts that take turns do not
    disturb each other.

    Examples
    --------
    >>> from warpfront import Categorical, Real, Space
    >>> history = History(Space(x=Real(0, 1), c=Categorical(["a", "b"])))
    >>> configs = [{"x": 0.1, "c": "a"}, {"x": 0.2, "c": "b"}]
    >>> past_proposers(history.ask(configs, ["local", "pareto"]), {"c": "b"})
    ['pareto']
    """
    proposers = [t.proposer for t in history.within(fixed) if t.state != "withdrawn"]
    return [None if p is None else on_behalf_of(p) for p in proposers]


def on_behalf_of(proposer: str) -> str:
    """Whose share a trial uses up.

    Examples
    --------
    >>> on_behalf_of("replicate"), on_behalf_of("local")
    ('improve', 'local')
    """
    return ON_BEHALF_OF.get(proposer, proposer)


def waiting_proposers(history: History, fixed: Mapping[str, Any]) -> Counter[str]:
    """How many pending trials of the same context each proposer has."""
    pending = [t for t in history.within(fixed) if t.state == "pending"]
    return Counter(t.proposer for t in pending if t.proposer)
