"""Spaces as plain JSON data, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from warpfront.errors import SpaceError
from warpfront.space.parameters import Parameter, parameter_from_dict

if TYPE_CHECKING:
    from warpfront.space.constraints import Constraint


def describe(
    parameters: Mapping[str, Parameter], constraints: Sequence[Constraint]
) -> dict[str, Any]:
    """Parameters by name; with constraints, both under keys of their own.

    Examples
    --------
    >>> from warpfront import Boolean
    >>> describe({"deep": Boolean()}, [])
    {'deep': {'type': 'boolean'}}
    """
    described = {name: parameter.to_dict() for name, parameter in parameters.items()}
    if not constraints:
        return described
    from warpfront.space.constraints import TextConstraint  # slow to import, so not before

    for one in constraints:
        if not isinstance(one, TextConstraint):
            raise SpaceError(
                f"constraint {one.text} is a Python function, which cannot be saved; write it as "
                "a text, such as 'a + b <= 1'"
            )
    return {"parameters": described, "constraints": [one.text for one in constraints]}


def read(data: Any) -> tuple[dict[str, Parameter], list[str]]:
    """The parameters and the texts of the constraints that were described.

    Examples
    --------
    >>> from warpfront import Real
    >>> data = {"parameters": {"x": Real(0, 1).to_dict()}, "constraints": ["x < 0.5"]}
    >>> read(data)[1]
    ['x < 0.5']
    """
    if not isinstance(data, Mapping):
        raise SpaceError(f"{data!r} is not a space; give a mapping from names to parameters")
    texts: list[str] = []
    # A parameter of the name "constraints" is described by a mapping, not by a list.
    if set(data) == {"parameters", "constraints"} and isinstance(data["constraints"], list):
        texts, data = data["constraints"], data["parameters"]
        if not isinstance(data, Mapping):
            raise SpaceError(f"parameters = {data!r}: give a mapping from names to parameters")
        if not all(isinstance(text, str) for text in texts):
            raise SpaceError(f"constraints = {texts!r}: give a list of texts")
    parameters = {}
    for name, description in data.items():
        try:
            parameters[name] = parameter_from_dict(description)
        except SpaceError as error:
            raise SpaceError(f"parameter {name!r}: {error}") from None
    return parameters, texts
