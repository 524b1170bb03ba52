"""From suggestions to the parameters that are set: the space of a search.

A parameter of one estimator among several need not have a condition: it is active where the
estimator that was chosen has a parameter of that name.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from warpfront.errors import SpaceError
from warpfront.integrations.sklearn.distributions import read_source
from warpfront.integrations.source import Source
from warpfront.space import Space
from warpfront.space.condition import Condition
from warpfront.space.parameter import Parameter
from warpfront.space.parameters import parameter_from_dict
from warpfront.space.values import json_text

Params = dict[str, Any]
"""Parameters to set, by name."""


@dataclass(frozen=True)
class Candidates:
    """A space, and the parameters that its configurations stand for.

    Examples
    --------
    >>> from sklearn.linear_model import Lasso
    >>> from sklearn.svm import SVR
    >>> models = [SVR(), Lasso()]
    >>> candidates = Candidates.of({"model": models, "model__C": [0.1, 1, 10]})
    >>> candidates.space["model__C"]
    Ordinal([0.1, 1, 10], when={'model': 0})
    >>> candidates.params({"model": 0, "model__C": 10})
    {'model': SVR(), 'model__C': 10}
    """

    space: Space
    sources: Mapping[str, Source]

    @classmethod
    def of(cls, given: Any) -> Candidates:
        """Read a space, or a dict of parameters, distributions and lists."""
        if isinstance(given, Space):
            # Copies, since parameters remember what they have computed: a fit leaves alone what
            # the user gave, to the last bit.
            return cls(copy.deepcopy(given), {})
        if not isinstance(given, Mapping):
            raise SpaceError(
                f"{given!r} is not a space; give a Space, or one dict from names to parameters, "
                "distributions or lists"
            )
        sources = {name: read_source(name, one) for name, one in given.items()}
        space = Space({name: _with_conditions(name, sources) for name in sources})
        return cls(space, sources)

    def params(self, config: Mapping[str, Any]) -> Params:
        """The parameters to set for a configuration; those that are inactive are left alone."""
        return {name: self._value(name, value) for name, value in config.items()}

    def _value(self, name: str, value: Any) -> Any:
        source = self.sources.get(name)
        return value if source is None or source.decode is None else source.decode(value)


def _with_conditions(name: str, sources: Mapping[str, Source]) -> Parameter:
    """A parameter with its conditions, in which listed objects are told by their indices."""
    parameter = sources[name].parameter
    when: dict[str, Any] = {}
    if parameter.when is not None:
        condition = Condition.of(parameter.when)
        when = {parent: condition.values_of(parent) for parent in condition}
    for parent, values in when.items():
        objects = sources[parent].objects if parent in sources else None
        if objects is not None:
            when[parent] = sorted({_index(name, parent, value, objects) for value in values})
    owner = _owner(name, sources)
    if owner is not None and owner not in when:
        objects = sources[owner].objects or ()
        inner = name[len(owner) + 2 :]
        having = [i for i, one in enumerate(objects) if _has(one, inner)]
        if 0 < len(having) < len(objects):
            when[owner] = having
    if not when:
        return parameter
    return parameter_from_dict({**parameter.to_dict(), "when": when})


def _owner(name: str, sources: Mapping[str, Source]) -> str | None:
    """The list of objects, the innermost one, of which ``name`` is a parameter."""
    parts = name.split("__")
    prefixes: Iterable[str] = ("__".join(parts[:k]) for k in range(len(parts) - 1, 0, -1))
    return next((p for p in prefixes if p in sources and sources[p].objects is not None), None)


def _has(one: Any, inner: str) -> bool:
    # A class has get_params, too, but no instance to call it on.
    return (
        hasattr(one, "get_params") and not isinstance(one, type) and inner in one.get_params(True)
    )


def _index(name: str, parent: str, value: Any, objects: tuple[Any, ...]) -> int:
    wanted = json_text(value)
    for i, one in enumerate(objects):
        try:
            if json_text(one) == wanted:
                return i
        except (TypeError, ValueError):
            continue  # it cannot be the value of a condition
    raise SpaceError(
        f"parameter {name!r}: when={{{parent!r}: {value!r}}}: {value!r} is not in the list of "
        f"{parent!r}"
    )
