"""Trial: one evaluation, as an immutable fact."""

from __future__ import annotations

import copy
from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field
from typing import Any, Literal

from warpfront.notebook import card, config_rows, value_text

State = Literal["pending", "completed", "failed", "withdrawn"]


class ReadOnlyDict(dict[str, Any]):
    """A dict, for JSON and for ``**``, whose items cannot be changed.

    Lists and dicts among the values are handed out as copies.

    Examples
    --------
    >>> ReadOnlyDict(x=1)["x"] = 2
    Traceback (most recent call last):
    TypeError: the facts of a trial cannot be changed; copy them with dict(...)
    >>> config = ReadOnlyDict(layers=[64])
    >>> config["layers"].append(32)
    >>> config
    {'layers': [64]}
    """

    def __getitem__(self, name: str) -> Any:
        value = super().__getitem__(name)
        return copy.deepcopy(value) if isinstance(value, (list, dict)) else value

    def __iter__(self) -> Iterator[str]:
        # Where a subclass has an iterator of its own, dict(...) and ** read the values by [].
        return super().__iter__()

    def get(self, name: str, default: Any = None) -> Any:
        return dict(self).get(name, default)

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        return dict(self).items()

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        return dict(self).values()

    def copy(self) -> dict[str, Any]:
        return dict(self)

    def __or__(self, other: Any) -> Any:
        return dict(self) | other

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("the facts of a trial cannot be changed; copy them with dict(...)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return ReadOnlyDict, (dict(self),)


@dataclass(frozen=True)
class Trial:
    """One evaluation: asked for, and perhaps answered.

    Attributes
    ----------
    number
        Its place in the history, from 0; of a trial in a study, its number there.
    config
        The configuration, read-only.
    state
        ``"pending"``, ``"completed"``, ``"failed"``, or ``"withdrawn"``: never to be evaluated.
    outcomes
        What was measured, by name and in the order of the goals, as it was told; None for what was
        not measured. Empty unless the trial is completed. Read-only.
    noise
        The standard deviations of the outcomes whose noise was measured. Read-only.
    reason
        Why a failed trial failed, else None.
    proposer
        Who proposed the configuration, such as ``"improve"``; None if it was not asked for.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(0, 1)), seed=0)
    >>> optimizer.tell({"x": 0.25}, 1.5)
    >>> print(optimizer.best)
    trial 0: 1.5 at {'x': 0.25}
    """

    number: int
    config: Mapping[str, Any]
    state: State = "pending"
    outcomes: Mapping[str, float | None] = field(default_factory=dict)
    noise: Mapping[str, float] = field(default_factory=dict)
    reason: str | None = None
    proposer: str | None = None

    def __post_init__(self) -> None:
        # A deep copy: a list among the values must not change when the user's does.
        object.__setattr__(self, "config", ReadOnlyDict(copy.deepcopy(dict(self.config))))
        object.__setattr__(self, "outcomes", ReadOnlyDict(self.outcomes))
        object.__setattr__(self, "noise", ReadOnlyDict(self.noise))

    @property
    def value(self) -> float | None:
        """The outcome of the objective, the first of several; None if it was not measured."""
        return next(iter(self.outcomes.values()), None)

    def __hash__(self) -> int:
        return hash((self.number, self.state, self.value))

    def __str__(self) -> str:
        outcome: Any = self.state
        if self.outcomes:
            outcome = self.value if len(self.outcomes) == 1 else dict(self.outcomes)
        because = "" if self.reason is None else f" ({self.reason})"
        return f"trial {self.number}: {outcome}{because} at {dict(self.config)}"

    def __reduce__(self) -> tuple[Any, ...]:
        facts = (dict(self.outcomes), dict(self.noise), self.reason, self.proposer)
        return Trial, (self.number, dict(self.config), self.state, *facts)

    def _repr_html_(self) -> str:
        notes = [f"{name} {value_text(value)}" for name, value in self.outcomes.items()]
        notes = notes or [self.state if self.reason is None else f"{self.state} · {self.reason}"]
        return card(f"Trial {self.number}", notes, config_rows(self.config))

    def to_dict(self) -> dict[str, Any]:
        """Describe the trial as plain JSON data."""
        return {
            "number": self.number,
            "config": dict(self.config),
            "state": self.state,
            "outcomes": dict(self.outcomes),
            "noise": dict(self.noise),
            "reason": self.reason,
            "proposer": self.proposer,
        }
