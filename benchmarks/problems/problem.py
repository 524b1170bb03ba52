"""A problem: what may be tried, what is wanted, and the truth by which runs are judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from warpfront import Space
from warpfront.goals import Bound, Goals, Objective

Floats = NDArray[np.float64]
Configuration = Mapping[str, Any]
Outcomes = Mapping[str, float]

Part = Literal["tuning", "confirmation"]
PARTS: tuple[Part, ...] = ("tuning", "confirmation")
"""Defaults may be chosen on the one half of a family, and are confirmed on the other."""

Family = Literal["constrained", "several", "conditional"]


@dataclass(frozen=True, eq=False)
class Problem:
    """A problem without noise.

    Parameters
    ----------
    name
        Unique among all problems.
    part
        Whether it may be looked at when defaults are chosen.
    space
        What may be tried.
    goals
        What is wanted of the outcomes, objectives first.
    function
        The outcomes of a configuration by name; numbers that are not finite are failures.
    optimum
        With one objective: its best value within the bounds, in the sign of the goal.
    typical
        With one objective: the median of its values at random configurations within the bounds.
    optimiser
        A configuration at which the optimum is attained; None if there is none to name.
    reference, ideal
        With several objectives, all minimised: the point beyond which nothing counts, and the
        hypervolume of the whole front. No method is told the reference.
    """

    name: str
    part: Part
    space: Space
    goals: Goals
    function: Callable[[Configuration], Outcomes]
    optimum: float | None = None
    typical: float | None = None
    optimiser: Configuration | None = None
    reference: tuple[float, ...] = ()
    ideal: float | None = None

    @property
    def family(self) -> Family:
        """By what it has: conditions, several objectives, or else bounds."""
        if any("when" in entry for entry in self.space.to_dict().values()):
            return "conditional"
        return "several" if len(self.objectives) > 1 else "constrained"

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """What is minimised or maximised."""
        return tuple(goal for goal in self.goals if isinstance(goal, Objective))

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """What must be kept."""
        return tuple(goal for goal in self.goals if isinstance(goal, Bound))

    def evaluate(self, config: Configuration) -> Outcomes | None:
        """All outcomes of a configuration of the space, or None if one of them is not finite."""
        outcomes = {name: float(value) for name, value in self.function(config).items()}
        return outcomes if all(map(math.isfinite, outcomes.values())) else None

    def is_feasible(self, outcomes: Outcomes | None) -> bool:
        """Whether an evaluation succeeded and kept all bounds."""
        return outcomes is not None and all(goal.holds(outcomes[goal.name]) for goal in self.bounds)

    def minimised(self, outcomes: Outcomes) -> list[float]:
        """The objectives with the sign at which smaller is better."""
        return [goal.sign * outcomes[goal.name] for goal in self.objectives]


def vector(config: Configuration) -> Floats:
    """The values of a configuration of numbers, in its order."""
    return np.array(list(config.values()), dtype=float)


def by_name(problems: Sequence[Problem]) -> dict[str, Problem]:
    """Problems by their names.

    Raises
    ------
    ValueError
        If two have the same name.
    """
    found = {problem.name: problem for problem in problems}
    if len(found) < len(problems):
        raise ValueError("two problems have the same name")
    return found
