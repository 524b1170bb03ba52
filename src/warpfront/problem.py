"""Problem: where to search, and what for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from warpfront.errors import ConfigurationError
from warpfront.goals import Bound, Goal, Goals, Objective, read_goals
from warpfront.space import Space


@dataclass(frozen=True)
class Problem:
    """A space and the goals.

    Attributes
    ----------
    space
        What may be tried.
    goals
        What is measured and wanted; objectives come before bounds.

    Examples
    --------
    >>> from warpfront import AtMost, Maximize, Real, Space
    >>> problem = Problem(Space(x=Real(0, 1)), (AtMost("memory", 512), Maximize("accuracy")))
    >>> problem.names
    ('accuracy', 'memory')
    """

    space: Space
    goals: Goals = ()

    def __post_init__(self) -> None:
        if not isinstance(self.space, Space):
            raise ConfigurationError(f"{self.space!r} is not a Space; wrap it: Space({{...}})")
        object.__setattr__(self, "goals", read_goals(self.goals or None))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all outcomes."""
        return tuple(goal.name for goal in self.goals)

    @cached_property
    def objectives(self) -> tuple[Objective, ...]:
        """What is to be minimised or maximised."""
        return tuple(goal for goal in self.goals if isinstance(goal, Objective))

    @cached_property
    def bounds(self) -> tuple[Bound, ...]:
        """What must stay within a bound."""
        return tuple(goal for goal in self.goals if isinstance(goal, Bound))

    @property
    def objective(self) -> Objective:
        """The only objective, or the first of several."""
        return self.objectives[0]

    def goal(self, name: str) -> Goal:
        """The goal of an outcome."""
        return self.goals[self.names.index(name)]

    def is_feasible(self, outcomes: Mapping[str, float | None]) -> bool:
        """Whether all bounds hold; an outcome that was not measured does not.

        Examples
        --------
        >>> from warpfront import AtMost, Minimize, Real, Space
        >>> problem = Problem(Space(x=Real(0, 1)), (Minimize("loss"), AtMost("memory", 512)))
        >>> problem.is_feasible({"loss": 0.1, "memory": 600.0})
        False
        """
        measured = ((bound, outcomes.get(bound.name)) for bound in self.bounds)
        return all(value is not None and bound.holds(value) for bound, value in measured)
