"""The search space of a study that says none: what its trials have in common."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from operator import ne

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial


def common(
    trials: Sequence[FrozenTrial], running: FrozenTrial | None = None
) -> dict[str, BaseDistribution]:
    """The parameters that all trials have, by name, each with its latest distribution.

    A range that has changed more than once seems to depend on other parameters, as that of
    ``suggest_int("m", 1, n)`` does: of such a one it is the range that holds all of them. What the
    running trial, if any, has suggested already comes last.
    """
    own = {} if running is None else running.distributions
    return {
        name: latest([*found, own[name]] if name in own else found)
        for name, found in _shared(trials).items()
    }


def hull(trials: Sequence[FrozenTrial]) -> dict[str, BaseDistribution]:
    """The parameters that all trials have; of numbers, with the range that holds all of theirs.

    Where the kinds of two distributions differ, the latest counts.
    """
    return {name: around(found) for name, found in _shared(trials).items()}


def _shared(trials: Sequence[FrozenTrial]) -> dict[str, list[BaseDistribution]]:
    """The distributions of each parameter that all trials have, in the order of the trials."""
    if not trials:
        return {}
    names = set(trials[0].distributions).intersection(*(t.distributions for t in trials))
    return {name: [t.distributions[name] for t in trials] for name in sorted(names)}


def latest(found: Sequence[BaseDistribution]) -> BaseDistribution:
    """The last distribution, unless they have changed more than once: then that around all."""
    if isinstance(found[-1], CategoricalDistribution):  # choices cannot change
        return found[-1]
    told = [vars(d) for d in found]  # what their own ==, a slow one, compares
    return around(found) if sum(map(ne, told, told[1:])) > 1 else found[-1]


def around(found: Sequence[BaseDistribution]) -> BaseDistribution:
    """The last distribution, of numbers with the range that holds all of those of its kind."""
    latest = found[-1]
    if not isinstance(latest, (FloatDistribution, IntDistribution)):
        return latest
    alike = [d for d in found if type(d) is type(latest) and d.log == latest.log]
    low, high = min(d.low for d in alike), max(d.high for d in alike)
    step = latest.step if all(_same_grid(d, latest) for d in alike) else None
    if isinstance(latest, IntDistribution):
        return IntDistribution(int(low), int(high), latest.log, int(step or 1))
    return FloatDistribution(low, high, latest.log, step)


def _same_grid(
    one: FloatDistribution | IntDistribution, other: FloatDistribution | IntDistribution
) -> bool:
    if one.step != other.step or other.step is None:
        return False
    return (Decimal(str(one.low)) - Decimal(str(other.low))) % Decimal(str(other.step)) == 0
