"""A search space of Optuna beside the same space of warpfront, and configurations there and back.

Glossary
--------
value
    what Optuna shows: the parameters of a trial.
number
    how Optuna stores a value: a number itself, or the index of a choice.
configuration
    what the model sees. In a :class:`warpfront.Space` that was given it is one of that space; where
    only distributions are known, a choice stands there as its number, so that any type is fine.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.integrations.optuna.conditional import Inferred
from warpfront.integrations.optuna.space import (
    distributions_of,
    parameter_of,
    told_apart,
    value_of,
)
from warpfront.space import Categorical, Configuration, Ordinal, Parameter, Space


class Translation:
    """A search space of Optuna beside the same space of warpfront.

    Parameters
    ----------
    distributions
        The distributions by name; constants among them are left out, and kept for ``complete``.
    own
        Parameters that stand for some of them, constants included.
    space
        A space of these parameters, if it is given, with its conditions and constraints.

    Examples
    --------
    >>> from optuna.distributions import IntDistribution
    >>> choices = CategoricalDistribution([None, "a"])
    >>> translation = Translation({"c": choices, "n": IntDistribution(1, 9)})
    >>> translation.config({"c": "a", "n": 3})
    {'c': 1, 'n': 3}
    >>> translation.values({"c": 1, "n": 3})
    {'c': 'a', 'n': 3}
    """

    def __init__(
        self,
        distributions: Mapping[str, BaseDistribution],
        own: Mapping[str, Parameter] | None = None,
        space: Space | None = None,
    ) -> None:
        self.everything = dict(distributions)
        self.constants: Configuration = {}
        self.parameters: dict[str, Parameter] = {}
        self._space = space
        for name, distribution in distributions.items():
            try:
                parameter = (own or {}).get(name) or parameter_of(distribution)
            except SpaceError as error:
                raise SpaceError(f"parameter {name!r}: {error}") from None
            if parameter.levels != 1 or name in (own or {}):
                self.parameters[name] = parameter
            else:
                number = parameter.decode(parameter.positions()[0])
                self.constants[name] = value_of(distribution, number)
        self.distributions = {name: distributions[name] for name in self.parameters}
        self._choices = {
            name: told_apart(distribution)
            for name, distribution in self.distributions.items()
            if isinstance(distribution, CategoricalDistribution)
        }

    @classmethod
    def of(cls, space: Space) -> Translation:
        """A space of warpfront, which says more than Optuna can, beside Optuna's.

        Examples
        --------
        >>> from warpfront import Boolean, Integer, Space
        >>> space = Space(deep=Boolean(), layers=Integer(1, 9, when={"deep": True}))
        >>> Translation.of(space).config({"deep": False, "layers": 3})
        {'deep': False}
        """
        return cls(distributions_of(space), {name: space[name] for name in space}, space)

    @classmethod
    def inferred(cls, found: Inferred) -> Translation:
        """What the trials of a study have shown, with the conditions of its parameters."""
        return cls(found.distributions, found.parameters())

    def __eq__(self, other: object) -> bool:
        # In order: it is the order of the columns of a model.
        return (
            isinstance(other, Translation)
            and list(self.distributions.items()) == list(other.distributions.items())
            and self.parameters == other.parameters
            and self._space == other._space
        )

    @cached_property
    def space(self) -> Space:
        """The space of the configurations; it needs a parameter."""
        return Space(self.parameters) if self._space is None else self._space

    @property
    def is_plain(self) -> bool:
        """Whether all parameters are always active, and no constraint is known."""
        if self._space is None:
            return all(parameter.when is None for parameter in self.parameters.values())
        return self._space.is_plain

    def config(self, values: Mapping[str, Any]) -> Configuration:
        """What values say of a configuration; those that lie outside the space are left out.

        Constants need no value.
        """
        numbers = {}
        for name, distribution in self.distributions.items():
            if name in values:
                try:
                    numbers[name] = distribution.to_internal_repr(values[name])
                except (TypeError, ValueError):  # no such choice, or no number
                    continue
        return self.inside(numbers)

    def inside(self, numbers: Mapping[str, Any]) -> Configuration:
        """What stored numbers say of a configuration, in the order of the space.

        Those that lie outside, or belong to inactive parameters, are left out.
        """
        config: Configuration = {}
        for name, parameter in self.parameters.items():
            if name in numbers:
                try:
                    config[name] = parameter.canonical(self._shown(name, numbers[name]))
                except (ConfigurationError, ValueError):
                    continue
        return self._with_constants(config)

    def _with_constants(self, config: Configuration) -> Configuration:
        """With the only value of each active parameter that has one, without inactive ones."""
        constant = [name for name, p in self.parameters.items() if p.levels == 1]
        if constant:
            states = self._states(config)
            for name in constant:
                if states[name]:
                    parameter = self.parameters[name]
                    config[name] = parameter.decode(parameter.positions()[0])
            config = {name: config[name] for name in self.parameters if name in config}
        return config if self.is_plain else self.space.conditions.active_part(config)

    def _states(self, config: Mapping[str, Any]) -> Mapping[str, bool | None]:
        """Whether each parameter is active; None: it is not known yet."""
        if self.is_plain:
            return dict.fromkeys(self.parameters, True)
        return self.space.conditions.states(config)

    def is_whole(self, config: Mapping[str, Any]) -> bool:
        """Whether every parameter that is active has a value.

        Examples
        --------
        >>> from warpfront import Boolean, Integer, Space
        >>> space = Space(deep=Boolean(), layers=Integer(1, 9, when={"deep": True}))
        >>> Translation.of(space).is_whole({"deep": False})
        True
        """
        if len(config) == len(self.parameters):
            return True
        return all(state is False or name in config for name, state in self._states(config).items())

    def is_inactive(self, name: str, config: Mapping[str, Any]) -> bool:
        """Whether a parameter has no place in a configuration."""
        return name in self.parameters and self._states(config)[name] is False

    def _shown(self, name: str, number: Any) -> Any:
        """What stands in a configuration for a stored number."""
        parameter = self.parameters[name]
        if not isinstance(parameter, (Categorical, Ordinal)):
            return number
        return parameter.choices[self._choices[name].index(number)]

    def numbers(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """A configuration as Optuna stores it: the inverse of :meth:`inside`.

        Examples
        --------
        >>> from warpfront import Categorical, Space
        >>> Translation.of(Space(layers=Categorical([[64], [64, 32]]))).numbers({"layers": [64]})
        {'layers': 0}
        """
        numbers = dict(config)
        for name, choices in self._choices.items():
            if name in config:
                parameter = self.parameters[name]
                position = parameter.encode([config[name]])
                numbers[name] = choices[int(parameter.level_of(position)[0])]
        return numbers

    def neutral(self, name: str) -> Any:
        """A value, as the objective sees it, of a parameter that is inactive."""
        parameter = self.parameters[name]
        return self.values({name: parameter.decode(parameter.neutral)})[name]

    def values(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a configuration, as the objective sees them."""
        numbers = self.numbers(config)
        return {name: value_of(self.distributions[name], n) for name, n in numbers.items()}

    def same(self, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
        """Whether two configurations are the same: in Python, the choices 1 and True are equal."""
        return one == other and self.numbers(one) == self.numbers(other)

    def complete(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a whole configuration, constants included, in the order of the space."""
        values = self.values(config) | self.constants
        return {name: values[name] for name in self.everything if name in values}
