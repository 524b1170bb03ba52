"""History: the facts of one optimisation, completed, failed and pending trials.

A :class:`History` never changes; recording something gives a new one. Trials that were asked for
may be told in any order: they keep their numbers. Those that were told without being asked for are
numbered as they come.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import (
    ConfigurationError,
    NotEnoughDataError,
    ObservationError,
    StateError,
)
from warpfront.goals import Goals
from warpfront.outcomes import Outcome, read_outcome
from warpfront.problem import Problem
from warpfront.space import Space
from warpfront.space.encoding import row_keys
from warpfront.trial import State, Trial

Floats = NDArray[np.float64]


def _first(waiting: Mapping[int, bytes], key: bytes) -> int | None:
    return next((number for number, other in waiting.items() if other == key), None)


@dataclass(frozen=True)
class History:
    """The trials of one optimisation.

    Parameters
    ----------
    problem
        What is searched, and what for; a space alone has one objective, to be minimised.
    trials
        In order of number.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> history = History(Space(x=Real(0, 1))).ask([{"x": 0.5}])
    >>> [trial.state for trial in history.trials]
    ['pending']
    >>> history.tell([(0, {"x": 0.5}, 2.0)]).best.value
    2.0
    """

    problem: Problem
    trials: tuple[Trial, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.problem, Problem):
            object.__setattr__(self, "problem", Problem(self.problem))

    def __len__(self) -> int:
        return len(self.trials)

    def __reduce__(self) -> tuple[Any, ...]:
        return History, (self.problem, self.trials)  # without what was worked out before

    @property
    def space(self) -> Space:
        """What may be tried."""
        return self.problem.space

    @property
    def goals(self) -> Goals:
        """What is measured and wanted."""
        return self.problem.goals

    def ask(
        self, configs: Sequence[Mapping[str, Any]], proposers: Sequence[str | None] | None = None
    ) -> History:
        """Record configurations whose evaluation begins, and who proposed them."""
        proposers = [None] * len(configs) if proposers is None else proposers
        new = tuple(
            Trial(i, config, proposer=proposer)
            for i, config, proposer in zip(
                range(self._next_number, self._next_number + len(configs)),
                configs,
                proposers,
                strict=True,
            )
        )
        return replace(self, trials=self.trials + new)

    def tell(self, told: Sequence[tuple[int | None, Mapping[str, Any], Any]]) -> History:
        """Record outcomes: ``(number or None, configuration, outcome)`` each, all or none of them.

        An outcome completes the pending trial of its number; without one, the first pending
        trial of the same configuration; and where there is none, it is a new trial.
        """
        read: list[tuple[int | None, Mapping[str, Any], Outcome]] = []
        for i, (number, config, given) in enumerate(told):
            try:
                outcome = read_outcome(self.problem, given)
                read.append((number, self.space.validate(config), outcome))
            except (ConfigurationError, ObservationError) as error:
                where = f"at index {i}: " if len(told) > 1 else ""
                raise type(error)(f"{where}{error}") from None
        trials, new = list(self.trials), count(self._next_number)
        places = {trial.number: place for place, trial in enumerate(trials)}
        waiting = self._waiting()
        keys = row_keys(self.space.encoding.encode([config for _, config, _ in read]))
        for key, (number, config, outcome) in zip(keys, read, strict=True):
            if number not in waiting:
                number = _first(waiting, key)
            if number is None:
                trials.append(_answered(Trial(next(new), config), outcome))
            else:
                trial = trials[places[number]]
                trials[places[number]] = _answered(replace(trial, config=config), outcome)
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
        keys = row_keys(self.encode(pending))
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

    def within(self, fixed: Mapping[str, Any]) -> tuple[Trial, ...]:
        """The trials that have these values, in order of number.

        Examples
        --------
        >>> from warpfront import Categorical, Real, Space
        >>> history = History(Space(x=Real(0, 1), c=Categorical(["a", "b"])))
        >>> history = history.ask([{"x": 0.1, "c": "a"}, {"x": 0.2, "c": "b"}])
        >>> [trial.number for trial in history.within({"c": "b"})]
        [1]
        """
        return tuple(
            t for t in self.trials if all(t.config.get(k) == value for k, value in fixed.items())
        )

    @cached_property
    def completed(self) -> tuple[Trial, ...]:
        """The trials of which something was measured."""
        return self.of_state("completed")

    @cached_property
    def evaluated(self) -> tuple[Trial, ...]:
        """The trials that have an outcome, completed or failed."""
        return tuple(t for t in self.trials if t.state in ("completed", "failed"))

    @property
    def told(self) -> int:
        """How many trials have an outcome."""
        return len(self.evaluated)

    def is_feasible(self, trial: Trial) -> bool:
        """Whether a trial is completed and within the bounds of the goals."""
        return trial.state == "completed" and self.problem.is_feasible(trial.outcomes)

    @cached_property
    def feasible(self) -> tuple[Trial, ...]:
        """The completed trials within the bounds whose objectives were all measured."""
        names = [objective.name for objective in self.problem.objectives]
        return tuple(
            t
            for t in self.completed
            if self.is_feasible(t) and all(t.outcomes.get(name) is not None for name in names)
        )

    @property
    def best(self) -> Trial:
        """The feasible trial of the best observed objective; the earliest of several.

        Raises
        ------
        NotEnoughDataError
            If no trial is completed, or none is feasible.
        """
        objectives = self.problem.objectives
        if len(objectives) > 1:
            raise ConfigurationError(
                f"there are {len(objectives)} objectives and so no best trial; use the front"
            )
        candidates = self._feasible_or_raise()
        sign, name = objectives[0].sign, objectives[0].name
        return min(candidates, key=lambda t: (sign * cast("float", t.outcomes[name]), t.number))

    @property
    def front(self) -> tuple[Trial, ...]:
        """The feasible trials that no other one dominates, in order of number.

        Examples
        --------
        >>> from warpfront import Maximize, Minimize, Real, Space
        >>> history = History(Problem(Space(x=Real(0, 1)), (Maximize("a"), Minimize("b"))))
        >>> told = [(0.1, 1.0, 1.0), (0.2, 2.0, 2.0), (0.3, 1.5, 3.0)]
        >>> history = history.tell([(None, {"x": x}, {"a": a, "b": b}) for x, a, b in told])
        >>> [trial.config["x"] for trial in history.front]
        [0.1, 0.2]
        """
        candidates = self._feasible_or_raise()
        F = np.array([self._objectives_of(trial) for trial in candidates])  # minimised
        no_worse = (F[:, None] <= F).all(axis=2)
        dominates = no_worse & ~no_worse.T
        return tuple(t for t, by in zip(candidates, dominates.T, strict=True) if not by.any())

    def _objectives_of(self, trial: Trial) -> list[float]:
        """All objectives of a trial, in the sign in which they are minimised."""
        return [o.sign * cast("float", trial.outcomes[o.name]) for o in self.problem.objectives]

    def _feasible_or_raise(self) -> tuple[Trial, ...]:
        if self.feasible:
            return self.feasible
        if not self.completed:
            failed = self.of_state("failed")
            why = f" (the last failure: {failed[-1].reason})" if failed else ""
            raise NotEnoughDataError(
                f"no evaluation has completed yet; tell at least one finite value first{why}"
            )
        bounds = ", ".join(map(repr, self.problem.bounds)) or "all objectives measured"
        raise NotEnoughDataError(f"no trial is feasible yet ({bounds}); go on searching")

    @property
    def best_so_far(self) -> Floats:
        """The best feasible objective after each trial, (n,); infinitely bad before the first."""
        objective, feasible = self.problem.objective, set(self.feasible)
        values = [
            objective.sign * cast("float", t.value) if t in feasible else np.inf
            for t in self.trials
        ]
        return objective.sign * np.minimum.accumulate(np.array(values, dtype=float))

    def encode(self, trials: Sequence[Trial]) -> Floats:
        """Encoded configurations of trials, (n, d)."""
        # By dict.items, which gives lists as they are: nobody changes them on the way.
        plain = [dict(dict.items(cast("dict[str, Any]", t.config))) for t in trials]
        return self.space.encoding.encode(plain)

    def to_list(self) -> list[dict[str, Any]]:
        """Describe the trials as plain JSON data."""
        return [t.to_dict() for t in self.trials]

    @classmethod
    def from_list(cls, problem: Problem | Space, data: Any) -> History:
        """Read what :meth:`to_list` wrote of an optimiser's trials, numbered 0, 1, 2 and so on.

        Those of a study may have gaps in their numbers, which is an error here.
        """
        empty = cls(problem)  # type: ignore[arg-type]  # a space is made a problem
        if not isinstance(data, list):
            raise StateError(f"the trials cannot be read: {data!r} is not a list")
        trials = []
        for i, item in enumerate(data):
            try:
                trials.append(_trial_from_dict(empty.problem, i, item))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise StateError(f"trial {i} cannot be read: {error}") from error
        return replace(empty, trials=tuple(trials))


def _answered(trial: Trial, outcome: Outcome) -> Trial:
    if outcome.reason is not None:
        return replace(trial, state="failed", reason=outcome.reason)
    return replace(trial, state="completed", outcomes=outcome.values, noise=outcome.noise)


def _trial_from_dict(problem: Problem, number: int, item: Any) -> Trial:
    if "value" in item:  # as version 0.1 wrote it
        value = item["value"]
        item = {**item, "outcomes": {} if value is None else {problem.names[0]: value}}
    state, reason, proposer = item["state"], item["reason"], item.get("proposer")
    if item["number"] != number or state not in get_args(State):
        raise ValueError(f"number {item['number']!r}, state {state!r}")
    if not (isinstance(reason, str) if state == "failed" else reason is None):
        raise ValueError(f"a {state} trial cannot have the reason {reason!r}")
    if not (proposer is None or isinstance(proposer, str)):
        raise ValueError(f"the proposer {proposer!r} is not a text")
    trial = Trial(number, problem.space.validate(item["config"]), state, proposer=proposer)
    outcomes = dict(item["outcomes"])
    if state != "completed":
        if outcomes:
            raise ValueError(f"a {state} trial cannot have the outcomes {outcomes!r}")
        return replace(trial, reason=reason)
    read = read_outcome(problem, outcomes)
    if read.reason is not None:
        raise ValueError(f"a completed trial cannot have the outcomes {outcomes!r}")
    noise = {name: float(std) for name, std in dict(item.get("noise", {})).items()}
    if any(name not in outcomes or not 0.0 <= std < np.inf for name, std in noise.items()):
        raise ValueError(f"the noise {noise!r} is not one of standard deviations")
    return replace(trial, outcomes=read.values, noise=noise)
