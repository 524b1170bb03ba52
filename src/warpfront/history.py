"""What is known: completed, failed and pending trials, as immutable facts.

A :class:`History` never changes; recording something gives a new one. Trials that were asked for
may be told in any order: they keep their numbers, and the arrays that the surrogate sees are
sorted. Those that were told without being asked for are numbered as they come.
"""

from __future__ import annotations

import copy
import math
import numbers
from collections.abc import (
    Callable,
    Collection,
    ItemsView,
    Iterator,
    Mapping,
    Sequence,
    ValuesView,
)
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import count
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import (
    ConfigurationError,
    NotEnoughDataError,
    ObservationError,
    StateError,
)
from warpfront.space import Space
from warpfront.space.encoding import row_keys

Floats = NDArray[np.float64]
State = Literal["pending", "completed", "failed", "withdrawn"]


class ReadOnlyDict(dict[str, Any]):
    """A dict, for JSON and for ``**``, whose items cannot be changed.

    Lists and dicts among the values are handed out as copies.

    Examples
    --------
    >>> ReadOnlyDict(x=1)["x"] = 2
    Traceback (most recent call last):
    TypeError: a trial's configuration cannot be changed; copy it with dict(...)
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
        raise TypeError("a trial's configuration cannot be changed; copy it with dict(...)")

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
    value
        The loss of a completed trial, else None.
    reason
        Why a failed trial failed, else None.

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
    value: float | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        # A deep copy: a list among the values must not change when the user's does.
        object.__setattr__(self, "config", ReadOnlyDict(copy.deepcopy(dict(self.config))))

    def __hash__(self) -> int:
        return hash((self.number, self.state, self.value))

    def __str__(self) -> str:
        outcome = self.state if self.value is None else self.value
        because = "" if self.reason is None else f" ({self.reason})"
        return f"trial {self.number}: {outcome}{because} at {dict(self.config)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Trial, (self.number, dict(self.config), self.state, self.value, self.reason)

    def to_dict(self) -> dict[str, Any]:
        """Describe the trial as plain JSON data."""
        return {
            "number": self.number,
            "config": dict(self.config),
            "state": self.state,
            "value": self.value,
            "reason": self.reason,
        }


def _shown(text: Callable[[object], str], value: object) -> str:
    """The text of a user's object, which may fail at saying what it is."""
    try:
        return text(value)
    except Exception as error:
        return f"(its text cannot be read: {type(error).__name__})"


def read_value(value: Any) -> tuple[float | None, str | None]:
    """Sort an observed value into ``(loss, None)`` or ``(None, reason of the failure)``.

    Numbers of any kind are losses. NaN, infinities, None, masked values and exceptions are
    failures.

    Examples
    --------
    >>> read_value(3)
    (3.0, None)
    >>> read_value(float("nan"))
    (None, 'the loss was nan')
    >>> read_value(ZeroDivisionError("division by zero"))
    (None, 'ZeroDivisionError: division by zero')
    """
    if value is None:
        return None, "no loss was given"
    if isinstance(value, BaseException):
        return None, f"{type(value).__name__}: {_shown(str, value)}"
    if isinstance(value, np.ma.MaskedArray) and value.size == 1 and np.ma.is_masked(value):
        return None, "the loss was masked"
    item = getattr(value, "item", None)  # NumPy scalars and arrays, and tensors, of one element
    if callable(item):
        with suppress(Exception):
            value = item()
    if not isinstance(value, (numbers.Real, Decimal)):
        raise ObservationError(
            f"the value {_shown(repr, value)} is not a number; tell a float, "
            "or math.nan (or the exception) for an evaluation that failed"
        )
    try:
        loss = float(value)
    except OverflowError:  # a whole number of more than 300 digits
        return None, "the loss was beyond the range of a float"
    except ValueError:  # a signalling NaN of the decimal module
        return None, f"the loss was {_shown(str, value)}"
    if not math.isfinite(loss):
        return None, f"the loss was {loss}"
    return loss, None


def _first(waiting: Mapping[int, bytes], key: bytes) -> int | None:
    return next((number for number, other in waiting.items() if other == key), None)


def _read_only(array: Floats) -> Floats:
    array.setflags(write=False)
    return array


@dataclass(frozen=True)
class History:
    """The trials of one optimisation over one space.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> history = History(Space(x=Real(0, 1))).ask([{"x": 0.5}])
    >>> [trial.state for trial in history.trials]
    ['pending']
    >>> history.tell([(0, {"x": 0.5}, 2.0)]).best.value
    2.0
    """

    space: Space
    trials: tuple[Trial, ...] = ()

    def __len__(self) -> int:
        return len(self.trials)

    def __reduce__(self) -> tuple[Any, ...]:
        return History, (self.space, self.trials)  # the arrays of a copy would be writable

    def ask(self, configs: Sequence[Mapping[str, Any]]) -> History:
        """Record configurations whose evaluation begins."""
        new = tuple(Trial(i, config) for i, config in enumerate(configs, self._next_number))
        return replace(self, trials=self.trials + new)

    def tell(self, outcomes: Sequence[tuple[int | None, Mapping[str, Any], Any]]) -> History:
        """Record outcomes: ``(number or None, configuration, value)`` each, all or none of them.

        An outcome completes the pending trial of its number; without one, the first pending
        trial of the same configuration; and where there is none, it is a new trial.
        """
        read = []
        for i, (number, config, value) in enumerate(outcomes):
            try:
                read.append((number, self.space.validate(config), *read_value(value)))
            except (ConfigurationError, ObservationError) as error:
                where = f"at index {i}: " if len(outcomes) > 1 else ""
                raise type(error)(f"{where}{error}") from None
        trials, new = list(self.trials), count(self._next_number)
        places = {trial.number: place for place, trial in enumerate(trials)}
        waiting = self._waiting()
        keys = row_keys(self.space.encoding.encode([config for _, config, *_ in read]))
        for key, (number, config, loss, reason) in zip(keys, read, strict=True):
            state: State = "failed" if loss is None else "completed"
            if number not in waiting:
                number = _first(waiting, key)
            if number is None:
                trials.append(Trial(next(new), config, state, loss, reason))
            else:
                trials[places[number]] = Trial(number, config, state, loss, reason)
                waiting.pop(number)
        return replace(self, trials=tuple(trials))

    @property
    def _next_number(self) -> int:
        # Not the length: the trials of a study may have gaps in their numbers.
        return 1 + max((trial.number for trial in self.trials), default=-1)

    def _waiting(self) -> dict[int, bytes]:
        """Keys of the pending configurations, by number.

        Configurations are compared as encoded: in Python, the choices 1 and True are equal.
        """
        pending = self.of_state("pending")
        keys = row_keys(self._encode(pending))
        return dict(zip((t.number for t in pending), keys, strict=True))

    def numbers_of(self, configs: Sequence[Mapping[str, Any]]) -> list[int]:
        """The numbers of the first pending trials of these configurations, each of another trial.

        Raises
        ------
        ConfigurationError
            Naming a configuration of which no trial is pending.

        Examples
        --------
        >>> from warpfront import Real, Space
        >>> history = History(Space(x=Real(0, 1))).ask([{"x": 0.5}, {"x": 0.7}, {"x": 0.5}])
        >>> history.numbers_of([{"x": 0.5}, {"x": 0.5}])
        [0, 2]
        """
        waiting, numbers = self._waiting(), []
        valid = [self.space.validate(config) for config in configs]
        for config, key in zip(valid, row_keys(self.space.encoding.encode(valid)), strict=True):
            number = _first(waiting, key)
            if number is None:
                raise ConfigurationError(f"no trial of {config!r} is pending; give a suggestion")
            waiting.pop(number)
            numbers.append(number)
        return numbers

    def withdraw(self, numbers: Collection[int | None]) -> History:
        """Record that pending trials will not be evaluated; others are left as they are."""
        trials = tuple(
            replace(t, state="withdrawn") if t.number in numbers and t.state == "pending" else t
            for t in self.trials
        )
        return replace(self, trials=trials)

    def of_state(self, state: State) -> tuple[Trial, ...]:
        """The trials in one state, in order of number."""
        return tuple(t for t in self.trials if t.state == state)

    @cached_property
    def completed(self) -> tuple[Trial, ...]:
        """The trials that have a loss."""
        return self.of_state("completed")

    @cached_property
    def outcomes(self) -> tuple[Trial, ...]:
        """The trials that have an outcome, completed or failed."""
        return tuple(t for t in self.trials if t.state in ("completed", "failed"))

    @property
    def told(self) -> int:
        """How many trials have an outcome."""
        return len(self.outcomes)

    @property
    def best(self) -> Trial:
        """The completed trial of the smallest loss; the earliest of several."""
        if not self.completed:
            failed = self.of_state("failed")
            why = f" (the last failure: {failed[-1].reason})" if failed else ""
            raise NotEnoughDataError(
                f"no evaluation has completed yet; tell at least one finite loss first{why}"
            )
        return min(self.completed, key=lambda t: (t.value, t.number))

    @property
    def best_so_far(self) -> Floats:
        """The smallest loss after each trial, (n,); infinite before the first success."""
        losses = [np.inf if t.value is None else t.value for t in self.trials]
        return np.asarray(np.minimum.accumulate(np.array(losses, dtype=float)))

    def _encode(self, trials: Sequence[Trial]) -> Floats:
        # By dict.items, which gives lists as they are: nobody changes them on the way.
        plain = [dict(dict.items(cast("dict[str, Any]", t.config))) for t in trials]
        return self.space.encoding.encode(plain)

    @cached_property
    def observations(self) -> tuple[Floats, Floats]:
        """Encoded configurations (n, d) and losses (n,) of completed trials, sorted; read-only."""
        X = self._encode(self.completed)
        y = np.array([t.value for t in self.completed], dtype=float)
        order = np.lexsort((*X.T, y))
        return _read_only(X[order]), _read_only(y[order])

    def _sorted(self, state: State) -> Floats:
        X = self._encode(self.of_state(state))
        return _read_only(X[np.lexsort(X.T)])

    @cached_property
    def failures(self) -> Floats:
        """Encoded configurations of failed trials, sorted; read-only."""
        return self._sorted("failed")

    @cached_property
    def pending(self) -> Floats:
        """Encoded configurations of pending trials, sorted; read-only."""
        return self._sorted("pending")

    def to_list(self) -> list[dict[str, Any]]:
        """Describe the trials as plain JSON data."""
        return [t.to_dict() for t in self.trials]

    @classmethod
    def from_list(cls, space: Space, data: Any) -> History:
        """Read what :meth:`to_list` wrote of an optimiser's trials, numbered 0, 1, 2 and so on.

        Those of a study may have gaps in their numbers, which is an error here.
        """
        if not isinstance(data, list):
            raise StateError(f"the trials cannot be read: {data!r} is no list")
        trials = []
        for i, item in enumerate(data):
            try:
                state, value, reason = item["state"], item["value"], item["reason"]
                if item["number"] != i or state not in get_args(State):
                    raise ValueError(f"number {item['number']!r}, state {state!r}")
                if (state == "completed") != (read_value(value)[0] is not None):
                    raise ValueError(f"a {state} trial cannot have the value {value!r}")
                if not (isinstance(reason, str) if state == "failed" else reason is None):
                    raise ValueError(f"a {state} trial cannot have the reason {reason!r}")
                value = float(value) if state == "completed" else None
                trials.append(Trial(i, space.validate(item["config"]), state, value, reason))
            except (KeyError, TypeError, ValueError) as error:
                raise StateError(f"trial {i} cannot be read: {error}") from error
        return cls(space, tuple(trials))
