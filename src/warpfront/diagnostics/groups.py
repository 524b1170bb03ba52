"""Repeated evaluations: which there are, and which configurations are worth more."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warpfront.errors import ConfigurationError, ObservationError
from warpfront.history import History, Trial
from warpfront.settings import Settings
from warpfront.space import Configuration, Space
from warpfront.space.encoding import row_keys
from warpfront.surrogate.failures import penalties_as_failures


@dataclass(frozen=True)
class Group:
    """Repeated evaluations of one configuration.

    Attributes
    ----------
    config
        The configuration.
    losses
        The losses; nan for an evaluation that failed.

    Examples
    --------
    >>> Group({"x": 0.5}, (1.0, 1.2, 0.9)).losses
    (1.0, 1.2, 0.9)
    """

    config: Mapping[str, Any]
    losses: tuple[float, ...]

    def __post_init__(self) -> None:
        try:
            losses = np.asarray(self.losses, dtype=float).ravel()  # lists and arrays are as good
        except (TypeError, ValueError, OverflowError):
            raise ObservationError(
                f"losses={self.losses!r}: must be numbers; give a list of floats, with math.nan "
                "for an evaluation that failed"
            ) from None
        object.__setattr__(self, "losses", tuple(losses.tolist()))


def as_groups(repeats: Any) -> list[Group]:
    """A list of the groups in a sequence; one group is as good, anything else is an error.

    Examples
    --------
    >>> as_groups([({"x": 0.5}, [1.0, 2.0])])
    Traceback (most recent call last):
    warpfront.errors.ConfigurationError: repeats: ({'x': 0.5}, [1.0, 2.0]) is no Group; give ...
    """
    groups = list(repeats) if isinstance(repeats, Iterable) else [repeats]
    for group in groups:
        if not isinstance(group, Group):
            raise ConfigurationError(
                f"repeats: {group!r} is no Group; give a list of warpfront.diagnostics.Group, each "
                "of a configuration and its losses"
            )
    return groups


def repeated(history: History, least: int = 2) -> list[Group]:
    """The configurations of a history that have at least so many outcomes, in order of number.

    Examples
    --------
    >>> from warpfront import Integer, Space
    >>> told = [(None, {"n": n}, float(i)) for i, n in enumerate([1, 2, 1, 1])]
    >>> repeated(History(Space(n=Integer(1, 3))).tell(told))
    [Group(config={'n': 1}, losses=(0.0, 2.0, 3.0))]
    """
    told = history.outcomes
    found: dict[bytes, list[Trial]] = {}
    for key, trial in zip(keys_of(history.space, [t.config for t in told]), told, strict=True):
        found.setdefault(key, []).append(trial)
    return [
        Group(trials[0].config, tuple(math.nan if t.value is None else t.value for t in trials))
        for trials in found.values()
        if len(trials) >= least
    ]


def merged(space: Space, *lists: Sequence[Group]) -> list[Group]:
    """All groups, those of one configuration joined; one outside the space is an error.

    Examples
    --------
    >>> from warpfront import Integer, Space
    >>> groups = [Group({"n": 1}, (2.0,))], [Group({"n": 1}, (3.0,)), Group({"n": 2}, (4.0,))]
    >>> [group.losses for group in merged(Space(n=Integer(1, 3)), *groups)]
    [(2.0, 3.0), (4.0,)]
    """
    groups = [Group(space.validate(g.config), g.losses) for some in lists for g in some]
    found: dict[bytes, Group] = {}
    for key, group in zip(keys_of(space, [g.config for g in groups]), groups, strict=True):
        before = found.get(key, Group(group.config, ()))
        found[key] = Group(before.config, before.losses + group.losses)
    return list(found.values())


def worth_repeating(
    history: History, count: int, known: Sequence[Mapping[str, Any]] = (), seed: int = 0
) -> list[Configuration]:
    """Choose configurations whose repeats show how the spread depends on the level.

    Those that are known to be repeated already come first. The others are completed trials of
    evenly spread ranks, from the best to the worst, without penalties, which say nothing of noise;
    where there are too few, quasi-random configurations fill up, as far as the space has any.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> told = [(None, {"x": x / 10}, x) for x in range(10)]
    >>> history = History(Space(x=Real(0, 1))).tell(told)
    >>> [config["x"] for config in worth_repeating(history, 4)]
    [0.0, 0.3, 0.6, 0.9]
    """
    space = history.space
    chosen = dict(zip(keys_of(space, known), map(dict, known), strict=True))
    completed = penalties_as_failures(history, Settings()).completed
    ranked = sorted(completed, key=lambda t: (t.value, t.number))
    fresh = dict(zip(keys_of(space, [t.config for t in ranked]), ranked, strict=True))
    # First the ranks, then what is known: a choice of which a part was begun stays the same.
    others = [key for key in _spaced(list(fresh), count) if key not in chosen]
    configs = [dict(fresh[key].config) for key in _spaced(others, count - len(chosen))]
    configs += space.sample(4 * count, seed=seed)
    for key, config in zip(keys_of(space, configs), configs, strict=True):
        chosen.setdefault(key, config)
    return list(chosen.values())[:count]


def _spaced(ranked: Sequence[bytes], count: int) -> list[bytes]:
    """So many of the ranked, or all: the first, the last, and what lies evenly in between."""
    room = max(0, min(count, len(ranked)))
    return [ranked[i] for i in np.linspace(0, len(ranked) - 1, room).round().astype(int)]


def keys_of(space: Space, configs: Sequence[Mapping[str, Any]]) -> list[bytes]:
    """One hashable key for each configuration; equal ones have equal keys."""
    return row_keys(space.encoding.encode(configs)) if configs else []
