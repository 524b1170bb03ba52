"""Distributions of Optuna and parameters of warpfront, and values there and back.

Glossary
--------
value
    what Optuna shows: the parameters of a trial.
internal
    how Optuna stores it, one number: the value itself, or the index of a choice. This is what a
    parameter of a :class:`Translation` holds, so that choices of any type are fine.
configuration
    what a :class:`warpfront.Space` holds. It differs from the values where Optuna cannot store a
    choice, such as a list: there the value is its JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cached_property
from operator import ne
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space import Categorical, Configuration, Integer, Ordinal, Parameter, Real, Space
from warpfront.space.scales import ScaleName

FINE = 1e6
"""A grid value further from zero, in steps, may not be on the grid to Optuna, which rounds."""


def distributions_of(space: Space) -> dict[str, BaseDistribution]:
    """The distributions under which Optuna stores the parameters of a space, by name.

    Each is the nearest that Optuna has: it knows no logit scale, no order of choices, and no step
    that is very fine or on a log scale. Choices that it cannot store (lists, dicts) or tell apart
    (1 and True) stand there as their JSON texts; :func:`configuration_of` turns the parameters of
    a trial back.

    Examples
    --------
    >>> from warpfront import Boolean, Real, Space
    >>> distributions_of(Space(share=Real(0.01, 0.99, scale="logit"), deep=Boolean()))["deep"]
    CategoricalDistribution(choices=(False, True))
    """
    _check_supported(space)
    return {name: distribution_of(space[name]) for name in space}


def _check_supported(space: Space) -> None:
    """Raise where a space says what would be ignored here."""
    unknown = {
        "constraints": bool(space.constraints),
        "conditions (when=...)": bool(space.conditions),
        "beliefs (likely=...)": any(space[name].likely is not None for name in space),
    }
    found = [what for what, there in unknown.items() if there]
    if found:
        raise SpaceError(
            f"the space has {' and '.join(found)}, which Optuna studies, and the commands that "
            "store their trials in one, do not support yet; use minimize or ask and tell, or "
            "leave them out"
        )


def configuration_of(space: Space, values: Mapping[str, Any]) -> Configuration:
    """The configuration of a space that the parameters of a trial stand for.

    Examples
    --------
    >>> space = Space(layers=Categorical([[64], [64, 32]]))
    >>> distributions_of(space)
    {'layers': CategoricalDistribution(choices=('[64]', '[64, 32]'))}
    >>> configuration_of(space, {"layers": "[64, 32]"})
    {'layers': [64, 32]}
    """
    config = dict(values)
    for name in space:
        parameter = space[name]
        if isinstance(parameter, (Categorical, Ordinal)) and name in values:
            stored = choices_of(parameter)
            if stored != parameter.choices and values[name] in stored:
                config[name] = parameter.choices[stored.index(values[name])]
    return space.validate(config)


def values_of(space: Space, config: Mapping[str, Any]) -> dict[str, Any]:
    """A configuration as Optuna stores it: the inverse of :func:`configuration_of`.

    Examples
    --------
    >>> values_of(Space(layers=Categorical([[64], [64, 32]])), {"layers": [64, 32]})
    {'layers': '[64, 32]'}
    """
    values = dict(config)
    for name, value in config.items():
        parameter = space[name]
        if isinstance(parameter, (Categorical, Ordinal)):
            texts = [json.dumps(choice, sort_keys=True) for choice in parameter.choices]
            values[name] = choices_of(parameter)[texts.index(json.dumps(value, sort_keys=True))]
    return values


def distribution_of(parameter: Parameter) -> BaseDistribution:
    """The nearest distribution that Optuna has for a parameter."""
    if isinstance(parameter, (Categorical, Ordinal)):
        return CategoricalDistribution(choices_of(parameter))
    if isinstance(parameter, Integer):
        log = parameter.scale == "log"
        return IntDistribution(parameter.low, parameter.high, log, 1 if log else parameter.step)
    if isinstance(parameter, Real):
        log, step = parameter.scale == "log", parameter.step
        low, high = Decimal(str(parameter.low)), Decimal(str(parameter.high))
        if step is not None and (
            log
            or (high - low) % Decimal(str(step))  # such as 1/3: Optuna cuts off the last level
            or max(abs(parameter.low), abs(parameter.high)) / step > FINE
        ):
            step = None
        return FloatDistribution(parameter.low, parameter.high, log, step)
    raise SpaceError(f"{parameter!r} has no distribution of Optuna; use one of the five kinds")


def choices_of(parameter: Categorical | Ordinal) -> tuple[Any, ...]:
    """The choices as Optuna stores them: themselves, or all of them as JSON texts."""
    choices = parameter.choices
    plain = all(choice is None or isinstance(choice, (int, float, str)) for choice in choices)
    if plain and len(set(choices)) == len(choices):
        return choices
    return tuple(json.dumps(choice, sort_keys=True) for choice in choices)


def internal_of(parameter: Parameter) -> Parameter:
    """The parameter of the internal numbers of a parameter, with the same positions."""
    if isinstance(parameter, Ordinal):
        return Ordinal(range(parameter.levels))
    if isinstance(parameter, Categorical):
        return Categorical(range(parameter.levels))
    return parameter


def shown_of(distribution: BaseDistribution) -> Parameter:
    """The parameter that shows the values of a distribution; odd choices as their Python texts.

    Examples
    --------
    >>> shown_of(CategoricalDistribution(["adam", None]))
    Categorical(['adam', None])
    >>> shown_of(CategoricalDistribution(["adam", float("nan")]))
    Categorical(["'adam'", 'nan'])
    """
    if not isinstance(distribution, CategoricalDistribution):
        return parameter_of(distribution)
    choices = [distribution.choices[i] for i in _told_apart(distribution)]
    with suppress(SpaceError):
        return Categorical(choices)
    texts = [repr(choice) for choice in choices]
    if len(set(texts)) < len(texts):
        texts = [f"{i}: {text}" for i, text in enumerate(texts)]
    return Categorical(texts)


def show(space: Space, translation: Translation, config: Mapping[str, Any]) -> Configuration:
    """Internal numbers as a configuration of the space that shows them."""
    shown = {}
    for name, number in config.items():
        parameter, internal = space[name], translation.parameters[name]
        if isinstance(parameter, (Categorical, Ordinal)):
            number = parameter.decode(float(internal.encode([number])[0]))
        shown[name] = number
    return shown


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
        return Categorical(_told_apart(distribution))
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


def _told_apart(distribution: CategoricalDistribution) -> list[int]:
    """Indices of the choices that Optuna finds: the first of equal ones, such as 1 and True."""
    internal = map(distribution.to_internal_repr, distribution.choices)
    return [i for i, found in enumerate(internal) if i == found]


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
        The distributions by name; constants among them are left out, and kept for ``complete``.
    own
        Parameters of internal numbers that stand for some of them, constants included.

    Examples
    --------
    >>> choices = CategoricalDistribution([None, "a"])
    >>> translation = Translation({"c": choices, "n": IntDistribution(1, 9)})
    >>> translation.internal({"c": "a", "n": 3})
    {'c': 1, 'n': 3}
    >>> translation.values({"c": 1, "n": 3})
    {'c': 'a', 'n': 3}
    """

    def __init__(
        self,
        distributions: Mapping[str, BaseDistribution],
        own: Mapping[str, Parameter] | None = None,
    ) -> None:
        self.everything = dict(distributions)
        self.constants: Configuration = {}
        self.parameters: dict[str, Parameter] = {}
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

    @classmethod
    def of(cls, space: Space) -> Translation:
        """A space of warpfront, whose scales and orders Optuna does not know, beside Optuna's."""
        return cls(distributions_of(space), {name: internal_of(space[name]) for name in space})

    def __eq__(self, other: object) -> bool:
        # In order: it is the order of the columns of a model.
        return (
            isinstance(other, Translation)
            and list(self.distributions.items()) == list(other.distributions.items())
            and self.parameters == other.parameters
        )

    @cached_property
    def space(self) -> Space:
        """The space of the internal numbers; it needs a parameter."""
        return Space(self.parameters)

    def internal(self, values: Mapping[str, Any]) -> Configuration:
        """The internal numbers of those values that lie in the space; others are left out.

        Constants need no value.
        """
        numbers = {}
        for name, distribution in self.distributions.items():
            parameter = self.parameters[name]
            if name in values:
                try:
                    numbers[name] = distribution.to_internal_repr(values[name])
                except (TypeError, ValueError):  # no such choice, or no number
                    continue
            elif parameter.levels == 1:
                numbers[name] = parameter.decode(parameter.positions()[0])
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

    def complete(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a whole configuration, constants included, in the order of the space."""
        values = self.values(config) | self.constants
        return {name: values[name] for name in self.everything}


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
        name: _latest([*found, own[name]] if name in own else found)
        for name, found in _shared(trials).items()
    }


def hull(trials: Sequence[FrozenTrial]) -> dict[str, BaseDistribution]:
    """The parameters that all trials have; of numbers, with the range that holds all of theirs.

    Where the kinds of two distributions differ, the latest counts.
    """
    return {name: _around(found) for name, found in _shared(trials).items()}


def _shared(trials: Sequence[FrozenTrial]) -> dict[str, list[BaseDistribution]]:
    """The distributions of each parameter that all trials have, in the order of the trials."""
    if not trials:
        return {}
    names = set(trials[0].distributions).intersection(*(t.distributions for t in trials))
    return {name: [t.distributions[name] for t in trials] for name in sorted(names)}


def _latest(found: Sequence[BaseDistribution]) -> BaseDistribution:
    """The last distribution, unless they have changed more than once: then that around all."""
    if isinstance(found[-1], CategoricalDistribution):  # choices cannot change
        return found[-1]
    told = [vars(d) for d in found]  # what their own ==, a slow one, compares
    return _around(found) if sum(map(ne, told, told[1:])) > 1 else found[-1]


def _around(found: Sequence[BaseDistribution]) -> BaseDistribution:
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
