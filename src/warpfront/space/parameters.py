"""The five kinds of parameter, and how they are read from plain data."""

from __future__ import annotations

from typing import Any

from warpfront.errors import SpaceError
from warpfront.space.choices import Boolean, Categorical, Ordinal
from warpfront.space.integer import Integer
from warpfront.space.parameter import Parameter
from warpfront.space.real import Real
from warpfront.space.values import native

__all__ = [
    "Boolean",
    "Categorical",
    "Integer",
    "Ordinal",
    "Parameter",
    "Real",
    "native",
    "parameter_from_dict",
]

_KINDS: dict[str, tuple[type[Parameter], tuple[str, ...], tuple[str, ...]]] = {
    # type: (class, what it must have, what it may have)
    "real": (Real, ("low", "high"), ("scale", "step", "likely", "when")),
    "integer": (Integer, ("low", "high"), ("scale", "step", "likely", "when")),
    "categorical": (Categorical, ("choices",), ("likely", "when")),
    "ordinal": (Ordinal, ("choices",), ("likely", "when")),
    "boolean": (Boolean, (), ("likely", "when")),
}


def parameter_from_dict(data: Any) -> Parameter:
    """Build a parameter from what :meth:`Parameter.to_dict` gave.

    Examples
    --------
    >>> parameter_from_dict({"type": "integer", "low": 1, "high": 9})
    Integer(low=1, high=9, scale='linear', step=1)
    """
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise SpaceError(f"{data!r} is not a parameter; 'type' must be one of {', '.join(_KINDS)}")
    cls, required, optional = _KINDS[kind]
    arguments = {key: value for key, value in data.items() if key != "type"}
    for key in arguments:
        if key not in required + optional:
            has = ", ".join(required + optional)
            raise SpaceError(f"a parameter of type {kind!r} has no {key!r}; it has {has}")
    missing = [key for key in required if key not in arguments]
    if missing:
        raise SpaceError(f"{data!r}: {', '.join(missing)} missing")
    parameter: Parameter = cls(**arguments)
    return parameter
