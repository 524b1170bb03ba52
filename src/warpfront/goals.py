"""Goals: what is measured of a configuration, and what is wanted of it.

Users measure in their own sign and units; inside, everything is minimised. The sign flips in this
module only, by :attr:`Goal.sign`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from warpfront.checks import real_number
from warpfront.errors import ConfigurationError

DEFAULT_NAME = "value"
"""What an outcome is called if nothing else was said."""


class Goal:
    """What is wanted of an outcome: an :class:`Objective` or a :class:`Bound`."""

    name: str
    sign: ClassVar[float] = 1.0
    kind: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Describe the goal as plain JSON data."""
        raise NotImplementedError


@dataclass(frozen=True)
class Objective(Goal):
    """An outcome that is to be as small, or as large, as possible.

    Use :class:`Minimize` or :class:`Maximize`.

    Attributes
    ----------
    name
        Of the outcome.
    reference
        With several objectives: what an outcome must be better than to count at all; None: inferred
        from the front.
    """

    name: str = DEFAULT_NAME
    reference: float | None = None
    kind: ClassVar[str] = "minimize"

    def __post_init__(self) -> None:
        kind = type(self).__name__
        _check_name(kind, self.name)
        if self.reference is not None:
            reference = real_number(self.reference)
            if not math.isfinite(reference):
                raise ConfigurationError(
                    f"{kind}({self.name!r}): the reference {self.reference!r} must be a finite "
                    "number, or None"
                )
            object.__setattr__(self, "reference", reference)

    def to_dict(self) -> dict[str, Any]:
        """Describe the goal as plain JSON data."""
        given = {} if self.reference is None else {"reference": self.reference}
        return {"name": self.name, "goal": self.kind, **given}


@dataclass(frozen=True)
class Minimize(Objective):
    """An outcome that is to be as small as possible.

    Examples
    --------
    >>> from warpfront import HEBO, Minimize, Real, Space
    >>> HEBO(Space(x=Real(0, 1)), goals=[Minimize("loss")], seed=0).goals
    (Minimize(name='loss', reference=None),)
    """


@dataclass(frozen=True)
class Maximize(Objective):
    """An outcome that is to be as large as possible.

    Examples
    --------
    >>> from warpfront import HEBO, Maximize, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), goals=[Maximize("accuracy")], seed=0)
    >>> optimizer.tell([{"x": 0.2}, {"x": 0.8}], [0.7, 0.9])
    >>> optimizer.best.value
    0.9
    """

    sign: ClassVar[float] = -1.0
    kind: ClassVar[str] = "maximize"


@dataclass(frozen=True)
class Bound(Goal):
    """An outcome that must stay on one side of a bound. Use :class:`AtMost` or :class:`AtLeast`."""

    name: str
    bound: float
    kind: ClassVar[str] = "at_most"

    def __post_init__(self) -> None:
        _check_name(type(self).__name__, self.name)
        bound = real_number(self.bound)
        if not math.isfinite(bound):
            raise ConfigurationError(
                f"{type(self).__name__}({self.name!r}): the bound {self.bound!r} must be a finite "
                "number"
            )
        object.__setattr__(self, "bound", bound)

    def holds(self, outcome: float) -> bool:
        """Whether a measured outcome is within the bound.

        Examples
        --------
        >>> AtMost("memory", 512).holds(512.0), AtLeast("recall", 0.9).holds(0.8)
        (True, False)
        """
        return self.sign * outcome <= self.sign * self.bound

    def to_dict(self) -> dict[str, Any]:
        """Describe the goal as plain JSON data."""
        return {"name": self.name, "goal": self.kind, "bound": self.bound}


@dataclass(frozen=True)
class AtMost(Bound):
    """An outcome that must not exceed a bound.

    Examples
    --------
    >>> from warpfront import HEBO, AtMost, Minimize, Real, Space
    >>> goals = [Minimize("loss"), AtMost("memory", 512)]
    >>> optimizer = HEBO(Space(x=Real(0, 1)), goals=goals, seed=0)
    >>> optimizer.tell({"x": 0.2}, {"loss": 0.1, "memory": 900.0})
    >>> optimizer.tell({"x": 0.8}, {"loss": 0.3, "memory": 300.0})
    >>> optimizer.best.value
    0.3
    """


@dataclass(frozen=True)
class AtLeast(Bound):
    """An outcome that must not fall below a bound.

    Examples
    --------
    >>> from warpfront import AtLeast
    >>> AtLeast("recall", 0.9).holds(0.95)
    True
    """

    sign: ClassVar[float] = -1.0
    kind: ClassVar[str] = "at_least"


Goals = tuple[Goal, ...]

_KINDS: dict[str, type[Any]] = {g.kind: g for g in (Minimize, Maximize, AtMost, AtLeast)}


def read_goals(given: Goal | Iterable[Goal] | None) -> Goals:
    """Check goals and put the objectives first; None is one objective, to be minimised.

    Examples
    --------
    >>> read_goals(None)
    (Minimize(name='value', reference=None),)
    >>> read_goals([AtMost("memory", 512), Minimize("loss")])[0].name
    'loss'
    >>> read_goals([AtMost("memory", 512)])
    Traceback (most recent call last):
    warpfront.errors.ConfigurationError: goals: nothing is to be minimised or maximised; ...
    """
    if given is None:
        return (Minimize(),)
    if isinstance(given, (Objective, Bound)):
        given = [given]
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise ConfigurationError(f"goals={given!r}: {_REMEDY}")
    goals = tuple(given)
    for goal in goals:
        if not isinstance(goal, (Minimize, Maximize, AtMost, AtLeast)):
            raise ConfigurationError(f"goals: {goal!r} is not a goal; {_REMEDY}")
    names = [goal.name for goal in goals]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConfigurationError(f"goals: outcome {twice[0]!r} is named twice; give it one goal")
    objectives = tuple(g for g in goals if isinstance(g, Objective))
    if not objectives:
        raise ConfigurationError(
            "goals: nothing is to be minimised or maximised; add Minimize(name) or Maximize(name)"
        )
    return objectives + tuple(g for g in goals if isinstance(g, Bound))


_REMEDY = "give a list such as [Minimize('loss'), AtMost('memory', 512)]"


def goals_from_list(data: Any) -> Goals:
    """Read goals from what their ``to_dict`` gave.

    Examples
    --------
    >>> goals_from_list([{"name": "loss", "goal": "minimize"}])
    (Minimize(name='loss', reference=None),)
    """
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise ConfigurationError(f"goals: {data!r} is not a list of goals")
    goals = []
    for item in data:
        kind = item.get("goal") if isinstance(item, Mapping) else None
        if kind not in _KINDS:
            raise ConfigurationError(
                f"goals: {item!r} is not a goal; it needs 'goal', one of {', '.join(_KINDS)}"
            )
        rest = {key: value for key, value in item.items() if key != "goal"}
        try:
            goals.append(_KINDS[kind](**rest))
        except TypeError:
            raise ConfigurationError(f"goals: {item!r} does not fit the goal {kind!r}") from None
    return read_goals(goals)


def _check_name(kind: str, name: object) -> None:
    if not isinstance(name, str) or not name:
        raise ConfigurationError(
            f"{kind}({name!r}): the first argument must be the name of an outcome, such as 'loss'"
        )


@dataclass(frozen=True)
class Measured:
    """A measured outcome with the standard deviation of its noise, if that is known.

    Parameters
    ----------
    value
        The outcome.
    std
        The standard deviation of its noise, such as the standard error of a mean; None: unknown,
        to be learned.

    Examples
    --------
    >>> from warpfront import HEBO, Measured, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> optimizer.tell({"x": 0.5}, Measured(0.31, std=0.02))
    >>> optimizer.best.noise
    {'value': 0.02}
    """

    value: Any
    std: float | None = None

    def __post_init__(self) -> None:
        if self.std is None:
            return
        std = real_number(self.std)
        if not 0.0 <= std < math.inf:
            raise ConfigurationError(
                f"Measured(std={self.std!r}): must be a finite number of at least 0, or None"
            )
        object.__setattr__(self, "std", std)
