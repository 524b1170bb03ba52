"""Repeated evaluations: which there are, and which configurations are worth more."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from warpfront.dataset import Dataset
from warpfront.diagnostics.penalties import least_penalty
from warpfront.errors import ConfigurationError, ObservationError
from warpfront.history import History
from warpfront.settings import Settings
from warpfront.space import Configuration, Space
from warpfront.space.encoding import row_keys
from warpfront.trial import Trial


@dataclass(frozen=True)
class Group:
    """Repeated evaluations of one configuration.

    Attributes
    ----------
    config
        The configuration.
    losses
        The values of the objective as they were measured, also where it is maximised; nan for an
        evaluation that failed.

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
    warpfront.errors.ConfigurationError: repeats: ({'x': 0.5}, [1.0, 2.0]) is not a Group; give ...
    """
    groups = list(repeats) if isinstance(repeats, Iterable) else [repeats]
    for group in groups:
        if not isinstance(group, Group):
            raise ConfigurationError(
                f"repeats: {group!r} is not a Group; give a list of warpfront.diagnostics.Group, "
                "each of a configuration and its losses"
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
    name = history.problem.objective.name
    told = [t for t in history.evaluated if t.state == "failed" or t.outcomes.get(name) is not None]
    found: dict[bytes, list[Trial]] = {}
    for key, trial in zip(keys_of(history.space, [t.config for t in told]), told, strict=True):
        found.setdefault(key, []).append(trial)
    return [
        Group(trials[0].config, tuple(_value(t, name) for t in trials))
        for trials in found.values()
        if len(trials) >= least
    ]


def _value(trial: Trial, name: str) -> float:
    value = trial.outcomes.get(name)
    return math.nan if value is None else value


def without_penalties(groups: Sequence[Group], data: Dataset, settings: Settings) -> list[Group]:
    """The groups in which values that the models take for failures are nan.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> told = [(None, {"x": x / 8}, x if x < 5 else 1e6) for x in range(8)]
    >>> data = Dataset.of(History(Space(x=Real(0, 1))).tell(told))
    >>> without_penalties([Group({"x": 0.5}, (4.0, 1e6))], data, Settings())
    [Group(config={'x': 0.5}, losses=(4.0, nan))]
    """
    least, sign = least_penalty(data, settings), data.problem.objective.sign
    return [
        Group(g.config, tuple(math.nan if sign * v >= least else v for v in g.losses))
        for g in groups
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
    objective = history.problem.objective
    least = least_penalty(Dataset.of(history), Settings())
    measured = ((objective.sign * _value(t, objective.name), t) for t in history.completed)
    # A penalty is no less than the least, and NaN is not less than anything.
    levels = [(loss, t.number, t) for loss, t in measured if loss < least]
    ranked = [trial for *_, trial in sorted(levels, key=lambda level: level[:2])]
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
