"""Distributions of Optuna as parameters of warpfront, and values there and back.

Glossary
--------
value
    what the user's objective sees.
internal
    how Optuna stores it, one number: the value itself, or the index of a choice. This is what a
    parameter of warpfront holds, so that choices of any type are fine.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space import Categorical, Configuration, Integer, Parameter, Real, Space
from warpfront.space.scales import ScaleName


def parameter_of(distribution: BaseDistribution) -> Parameter:
    """The parameter that holds the internal numbers of a distribution.

    Examples
    --------
    >>> parameter_of(IntDistribution(1, 9, step=2))
    Integer(low=1, high=9, scale='linear', step=2)
    >>> parameter_of(CategoricalDistribution(["adam", None, "adam"]))
    Categorical([0, 1])
    """
    if isinstance(distribution, CategoricalDistribution):
        # Optuna finds a value by its first equal: of the choices 1, True and 1.0 only one counts.
        internal = map(distribution.to_internal_repr, distribution.choices)
        return Categorical([i for i, found in enumerate(internal) if i == found])
    if not isinstance(distribution, (FloatDistribution, IntDistribution)):
        raise SpaceError(
            f"{distribution!r} is unknown; use a float, int or categorical distribution"
        )
    scale: ScaleName = "log" if distribution.log else "linear"
    try:
        if isinstance(distribution, IntDistribution):
            return Integer(distribution.low, distribution.high, scale, distribution.step)
        return Real(distribution.low, distribution.high, scale, distribution.step)
    except SpaceError:  # a grid too fine for floats is as good as continuous
        return Real(distribution.low, distribution.high, scale)


def value_of(distribution: BaseDistribution, number: Any) -> Any:
    """The value of an internal number, as the objective sees it.

    Examples
    --------
    >>> value_of(CategoricalDistribution(["adam", None]), 0)
    'adam'
    """
    if isinstance(distribution, IntDistribution):  # a Real may stand for one of too many levels
        low, step = distribution.low, distribution.step
        nearest = low + step * round((number - low) / step)
        return min(max(nearest, low), distribution.high)
    return distribution.to_external_repr(number)


class Translation:
    """A search space of Optuna beside the same space of warpfront.

    Parameters
    ----------
    distributions
        The distributions by name; constants among them are left out.

    Examples
    --------
    >>> choices = CategoricalDistribution([None, "a"])
    >>> translation = Translation({"c": choices, "n": IntDistribution(1, 9)})
    >>> translation.internal({"c": "a", "n": 3})
    {'c': 1, 'n': 3}
    >>> translation.values({"c": 1, "n": 3})
    {'c': 'a', 'n': 3}
    """

    def __init__(self, distributions: Mapping[str, BaseDistribution]) -> None:
        parameters = {}
        for name, distribution in distributions.items():
            try:
                parameters[name] = parameter_of(distribution)
            except SpaceError as error:
                raise SpaceError(f"parameter {name!r}: {error}") from None
        self.parameters = {name: p for name, p in parameters.items() if p.levels != 1}
        self.distributions = {name: distributions[name] for name in self.parameters}

    @cached_property
    def space(self) -> Space:
        """The space of the internal numbers; it needs a parameter that is no constant."""
        return Space(self.parameters)

    def internal(self, values: Mapping[str, Any]) -> Configuration:
        """The internal numbers of those values that lie in the space; others are left out."""
        numbers = {}
        for name, distribution in self.distributions.items():
            if name in values:
                try:
                    numbers[name] = distribution.to_internal_repr(values[name])
                except (TypeError, ValueError):  # no such choice, or no number
                    continue
        return self.inside(numbers)

    def inside(self, numbers: Mapping[str, Any]) -> Configuration:
        """Those internal numbers that lie in the space, in its order."""
        config: Configuration = {}
        for name, parameter in self.parameters.items():
            if name in numbers:
                try:
                    config[name] = parameter.canonical(numbers[name])
                except ConfigurationError:
                    continue
        return config

    def values(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """The values of internal numbers, as the objective sees them."""
        return {name: value_of(self.distributions[name], n) for name, n in config.items()}
