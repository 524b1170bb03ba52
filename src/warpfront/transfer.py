"""Transfer: the trials of one space in another one that has changed.

Ranges may be wider or narrower, parameters may be added or removed. What fits is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from warpfront.errors import ConfigurationError
from warpfront.history import History
from warpfront.problem import Problem
from warpfront.space import Space
from warpfront.trial import Trial


@dataclass(frozen=True)
class LeftOut:
    """A trial that does not fit a changed space, and why.

    Attributes
    ----------
    trial
        As it was before.
    reason
        Which value does not fit.
    """

    trial: Trial
    reason: str


def transfer(
    history: History, space: Space, defaults: Mapping[str, Any] | None = None
) -> tuple[History, tuple[LeftOut, ...]]:
    """The trials that fit another space, numbered anew, and those that do not.

    Parameters
    ----------
    history
        What is known.
    space
        The changed space. Values of parameters that it does not have are dropped.
    defaults
        The values that added parameters had in all trials so far.

    Examples
    --------
    >>> from warpfront import Integer, Real, Space
    >>> history = History(Space(x=Real(0, 1))).tell([(None, {"x": x}, x) for x in (0.1, 0.9)])
    >>> kept, left_out = transfer(history, Space(x=Real(0, 0.5), n=Integer(1, 9)), {"n": 3})
    >>> [dict(trial.config) for trial in kept.trials], left_out[0].trial.number
    ([{'x': 0.1, 'n': 3}], 1)
    """
    defaults = dict(defaults or {})
    unknown = [name for name in defaults if name not in space.names]
    if unknown:
        raise ConfigurationError(
            f"defaults: parameter {unknown[0]!r} is not in the new space; it has "
            f"{', '.join(space.names)}"
        )
    space.validate(defaults, partial=True)
    added = [name for name in space.names if name not in history.space.names]
    missing = [name for name in added if name not in defaults and space[name].when is None]
    if missing and len(history):
        raise ConfigurationError(
            f"parameter {missing[0]!r} is new: say which value it had so far, "
            f"defaults={{{missing[0]!r}: ...}}"
        )
    kept: list[Trial] = []
    left_out: list[LeftOut] = []
    for trial in history.trials:
        values = {**defaults, **trial.config}
        config = {name: values[name] for name in space.names if name in values}
        try:
            config = space.validate(space.conditions.active_part(config))
        except ConfigurationError as error:
            left_out.append(LeftOut(trial, str(error)))
        else:
            kept.append(replace(trial, number=len(kept), config=config))
    return History(Problem(space, history.goals), tuple(kept)), tuple(left_out)
