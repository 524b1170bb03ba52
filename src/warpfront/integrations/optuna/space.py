"""Distributions of Optuna and parameters of warpfront, and values there and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import BaseTrial

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space import Categorical, Configuration, Integer, Ordinal, Parameter, Real, Space
from warpfront.space.parameters import parameter_from_dict
from warpfront.space.scales import ScaleName

FINE = 1e6
"""A grid value further from zero, in steps, may not be on the grid to Optuna, which rounds."""


def distributions_of(
    space: Space, config: Mapping[str, Any] | None = None
) -> dict[str, BaseDistribution]:
    """The distributions under which Optuna stores the parameters of a space, by name.

    Parameters
    ----------
    space
        The space, with any conditions, constraints and beliefs.
    config
        A configuration, or its values: only its parameters, as ``optuna.create_trial`` needs them
        where others are inactive. None: all.

    Notes
    -----
    Each is the nearest that Optuna has: it knows no logit scale, no order of choices, and no step
    that is very fine or on a log scale. Choices that it cannot store (lists, dicts) or tell apart
    (1 and True) stand there as their JSON texts; :func:`configuration_of` turns the parameters of
    a trial back.

    Examples
    --------
    >>> from warpfront import Boolean, Real, Space
    >>> distributions_of(Space(share=Real(0.01, 0.99, scale="logit"), deep=Boolean()))["deep"]
    CategoricalDistribution(choices=(False, True))
    >>> space = Space(deep=Boolean(), layers=Integer(1, 9, when={"deep": True}))
    >>> list(distributions_of(space, {"deep": False}))
    ['deep']
    """
    names = space if config is None else config
    return {name: distribution_of(space[name]) for name in names}


def configuration_of(space: Space, values: Mapping[str, Any]) -> Configuration:
    """The configuration of a space that the parameters of a trial stand for.

    Parameters that are inactive there are left out.

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
    return space.validate(space.conditions.active_part(config))


def is_settled(space: Space, values: Mapping[str, Any]) -> bool:
    """Whether the parameters of a trial have all values that a configuration needs.

    Examples
    --------
    >>> from warpfront import Boolean
    >>> space = Space(deep=Boolean(), layers=Integer(1, 9, when={"deep": True}))
    >>> is_settled(space, {"deep": False}), is_settled(space, {"deep": True})
    (True, False)
    """
    try:
        configuration_of(space, values)
    except ConfigurationError:
        return False
    return True


def suggest_configuration(trial: BaseTrial, space: Space) -> Configuration:
    """Ask a trial for a configuration of a space: for its active parameters, and no others.

    Examples
    --------
    >>> import optuna
    >>> from warpfront import Boolean
    >>> from warpfront.integrations.optuna import HEBOSampler
    >>> space = Space(deep=Boolean(), layers=Integer(1, 9, when={"deep": True}))
    >>> study = optuna.create_study(sampler=HEBOSampler(seed=0, search_space=space))
    >>> def objective(trial):
    ...     config = suggest_configuration(trial, space)
    ...     return config["layers"] if config["deep"] else 5.0
    >>> study.optimize(objective, n_trials=4)
    >>> all(("layers" in trial.params) == trial.params["deep"] for trial in study.trials)
    True
    """
    conditional = [space.names[j] for j in space.conditions.order]
    config: Configuration = {}
    for name in [*(n for n in space if n not in conditional), *conditional]:
        parameter = space[name]
        if space.conditions and space.conditions.states(config)[name] is False:
            continue
        value = _suggest(trial, name, distribution_of(parameter))
        if isinstance(parameter, (Categorical, Ordinal)):
            value = parameter.choices[choices_of(parameter).index(value)]
        config |= space.validate({name: value}, partial=True)
    return space.validate(config)


def _suggest(trial: BaseTrial, name: str, distribution: BaseDistribution) -> Any:
    if isinstance(distribution, CategoricalDistribution):
        return trial.suggest_categorical(name, distribution.choices)
    if isinstance(distribution, IntDistribution):
        low, high, log = distribution.low, distribution.high, distribution.log
        return trial.suggest_int(name, low, high, step=distribution.step, log=log)
    if isinstance(distribution, FloatDistribution):
        least, most, step = distribution.low, distribution.high, distribution.step
        return trial.suggest_float(name, least, most, step=step, log=distribution.log)
    raise SpaceError(f"parameter {name!r}: {distribution!r} is not a float, int or categorical one")


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


def unconditional(parameter: Parameter) -> Parameter:
    """The parameter without its condition.

    Examples
    --------
    >>> unconditional(Integer(1, 9, when={"deep": True}))
    Integer(low=1, high=9, scale='linear', step=1)
    """
    if parameter.when is None:
        return parameter
    return parameter_from_dict({k: v for k, v in parameter.to_dict().items() if k != "when"})


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
    choices = [distribution.choices[i] for i in told_apart(distribution)]
    with suppress(SpaceError):
        return Categorical(choices)
    texts = [repr(choice) for choice in choices]
    if len(set(texts)) < len(texts):
        texts = [f"{i}: {text}" for i, text in enumerate(texts)]
    return Categorical(texts)


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
        return Categorical(told_apart(distribution))
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


def told_apart(distribution: CategoricalDistribution) -> list[int]:
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
