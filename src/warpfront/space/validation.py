"""What is checked of the parameters of a space, and of a configuration of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space.arguments import not_a_parameter
from warpfront.space.conditions import Conditions
from warpfront.space.parameter import Parameter


def merge(given: Any, named: Mapping[str, Any], constraints: Any = None) -> dict[str, Parameter]:
    """The parameters of a mapping and of keyword arguments together.

    Examples
    --------
    >>> from warpfront import Real
    >>> merge({"learning rate": Real(0, 1)}, {"x": 3})
    Traceback (most recent call last):
    ...
    warpfront.errors.SpaceError: parameter 'x': ...
    """
    if not isinstance(given, (Mapping, type(None))):
        raise SpaceError(f"{given!r} is not a mapping from names to parameters")
    if isinstance(constraints, Parameter):
        raise SpaceError(
            "constraints=... is for constraints; give a parameter of this name in a dict: "
            "Space({'constraints': ...})"
        )
    both = sorted(set(given or {}) & set(named))
    if both:
        raise SpaceError(f"parameter {both[0]!r} is given twice; remove one")
    merged: dict[str, Parameter] = {**(given or {}), **named}
    if not merged:
        raise SpaceError("the space has no parameter; give one, such as x=Real(0, 1)")
    for name, parameter in merged.items():
        if not isinstance(name, str) or not name:
            raise SpaceError(f"parameter name {name!r}: must be a text that is not empty")
        if not isinstance(parameter, Parameter):
            raise SpaceError(f"parameter {name!r}: {not_a_parameter(parameter)}")
    return merged


def validate(
    configuration: object,
    parameters: Mapping[str, Parameter],
    conditions: Conditions,
    *,
    partial: bool,
) -> dict[str, Any]:
    """A configuration with native values, in the order of the parameters.

    Examples
    --------
    >>> from warpfront import Real
    >>> parameters = {"x": Real(0, 1)}
    >>> validate({"x": 1}, parameters, Conditions(parameters), partial=False)
    {'x': 1.0}
    """
    names = ", ".join(parameters)
    if not isinstance(configuration, Mapping):
        raise ConfigurationError(
            f"{configuration!r} is not a configuration; give a dict of {names}"
        )
    unknown = [name for name in configuration if name not in parameters]
    if unknown:
        raise ConfigurationError(f"parameter {unknown[0]!r} is unknown; the space has {names}")
    valid: dict[str, Any] = {}
    for name, parameter in parameters.items():
        if name in configuration:
            try:
                valid[name] = parameter.canonical(configuration[name])
            except ConfigurationError as error:
                raise ConfigurationError(f"parameter {name!r}: {error}") from None
        elif not partial and parameter.when is None:
            raise ConfigurationError(f"parameter {name!r} is missing; give it a value")
    if conditions:
        _check_active(valid, conditions, partial)
    return valid


def _check_active(values: Mapping[str, Any], conditions: Conditions, partial: bool) -> None:
    for name, active in conditions.states(dict(values)).items():
        if active is False and name in values:
            raise ConfigurationError(
                f"parameter {name!r} is inactive here: it is active when "
                f"{conditions.reason(name)}; leave it out"
            )
        if active and name not in values and not partial:
            raise ConfigurationError(
                f"parameter {name!r} is missing; it is active when "
                f"{conditions.reason(name)}; give it a value"
            )
