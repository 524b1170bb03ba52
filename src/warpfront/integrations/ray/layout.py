"""Ray's nested configurations, and our flat ones: ``{"a": {"b": 1}}`` is ``{"a/b": 1}``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from ray.tune.search.sample import Domain
from ray.tune.search.variant_generator import parse_spec_vars

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.integrations.ray.domains import read_domain
from warpfront.integrations.ray.plain import NotPlainError, from_json, to_json
from warpfront.integrations.source import Source
from warpfront.space import Configuration, Space
from warpfront.space.parameter import Parameter
from warpfront.space.values import native

Place = tuple[Any, ...]
"""The keys, and indices of lists, that lead to a value in a nested configuration."""


@dataclass(frozen=True)
class Layout:
    """A space, and where its parameters stand in Ray's configurations.

    Attributes
    ----------
    space
        What the optimiser sees.
    places
        Where each parameter stands.
    sources
        How values are read, where they are not what the optimiser sees.
    template
        The configuration that was given, with domains in it.

    Examples
    --------
    >>> from ray import tune
    >>> layout = Layout.of({"net": {"width": tune.choice([(8,), (8, 8)])}, "data": "x.csv"})
    >>> layout.space
    Space({'net/width': Categorical([0, 1])})
    >>> layout.nested({"net/width": 1})
    {'net': {'width': (8, 8)}, 'data': 'x.csv'}
    >>> layout.flat({"net": {"width": (8,)}})
    {'net/width': 0}
    """

    space: Space
    places: Mapping[str, Place]
    sources: Mapping[str, Source] = field(default_factory=dict)
    template: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Any) -> Layout:
        """Read a configuration with domains in it, or a space of ours."""
        if isinstance(given, Space):
            return cls(given, {name: (name,) for name in given})
        if not isinstance(given, Mapping):
            raise SpaceError(
                f"space={given!r}: give a dict with domains such as tune.uniform(0, 1), or a "
                "warpfront.Space"
            )
        _, domains, grids = parse_spec_vars(dict(given))
        if grids:
            raise SpaceError(
                f"parameter {_name(grids[0][0])!r}: a grid search lists what to try; give "
                "tune.choice(...) to have it chosen"
            )
        found = dict(domains) | _parameters(given)
        places = {_name(place): place for place in found}
        if len(places) < len(found):
            raise SpaceError("two parameters have the same name once their keys are joined by '/'")
        sources = {_name(place): read_domain(_name(place), one) for place, one in found.items()}
        space = Space({name: source.parameter for name, source in sources.items()})
        return cls(space, places, sources, given)

    def nested(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """A suggestion as the trainable gets it, with the constants that were given."""
        values = {
            self.places[name]: self._decoded(name, value)
            for name, value in config.items()
            if name in self.places
        }
        if self.template:
            return dict(_filled(self.template, (), values))
        result: dict[str, Any] = {}
        for place, value in values.items():
            _put(result, place, value)
        return result

    def flat(self, nested: Mapping[str, Any]) -> Configuration:
        """A configuration, perhaps a part of one, as the optimiser takes it.

        Keys may be nested or joined by ``/``. Constants are left out.
        """
        known = {place[0] for place in self.places.values()} | set(self.template)
        for key in nested:
            if key not in known and key not in self.places:
                raise ConfigurationError(
                    f"the space has no {key!r}; it has {', '.join(map(repr, self.places))}"
                )
        config = {}
        for name, place in self.places.items():
            is_there, value = _look_up(nested, place)
            if not is_there and name in nested:
                is_there, value = True, nested[name]
            if is_there:
                config[name] = self._encoded(name, value)
        return self.space.validate(config, partial=True)

    def to_json(self) -> dict[str, Any] | None:
        """Describe it by JSON data; None if values of it are objects that JSON cannot hold.

        Constants that stand by themselves are left out if they are: Ray has them, too.

        Examples
        --------
        >>> from ray import tune
        >>> layout = Layout.of({"net": [tune.uniform(0, 1), tune.choice([(8,), (8, 8)])]})
        >>> copy = Layout.from_json(layout.space, layout.to_json())
        >>> copy.nested({"net/0": 0.5, "net/1": 1})
        {'net': [0.5, (8, 8)]}
        """
        names = {place: name for name, place in self.places.items()}
        objects, template = {}, {}
        try:
            for name, source in self.sources.items():
                if source.objects is not None:
                    objects[name] = [to_json(value) for value in source.objects]
            for key, value in self.template.items():
                if _has_parameters((key,), names) or _is_plain(value):
                    template[key] = to_json(_marked(value, (key,), names), _Mark.to_json)
        except NotPlainError:
            return None
        places = {name: list(place) for name, place in self.places.items()}
        return {"places": places, "objects": objects, "template": template}

    @classmethod
    def from_json(cls, space: Space, data: Any) -> Layout | None:
        """Read what :meth:`to_json` gave."""
        if data is None:
            return None
        sources = {name: Source(space[name]) for name in space}
        for name, items in data["objects"].items():
            objects = tuple(map(from_json, items))
            sources[name] = Source(space[name], objects.__getitem__, objects)
        template = {
            key: from_json(value, lambda kind, name: space[name])
            for key, value in data["template"].items()
        }
        places = {name: tuple(data["places"][name]) for name in space}
        return cls(space, places, sources, template)

    def _decoded(self, name: str, value: Any) -> Any:
        source = self.sources.get(name)
        return value if source is None or source.decode is None else source.decode(value)

    def _encoded(self, name: str, value: Any) -> Any:
        source = self.sources.get(name)
        if source is None or source.objects is None:
            return native(value)
        for index, other in enumerate(source.objects):
            if other is value or (type(other) is type(value) and bool(other == value)):
                return index
        raise ConfigurationError(f"parameter {name!r}: {value!r} is not one of its choices")


def has_domains(config: Any) -> bool:
    """Whether there is anything to search in a configuration.

    Examples
    --------
    >>> from warpfront import Real
    >>> has_domains({"data": "x.csv"}), has_domains({"n": {"x": Real(0, 1)}})
    (False, True)
    """
    if not isinstance(config, Mapping):
        return False
    _, domains, grids = parse_spec_vars(dict(config))
    return bool(domains or grids or _parameters(config))


@dataclass(frozen=True)
class _Mark:
    """Stands for a parameter in a template."""

    name: str

    @staticmethod
    def to_json(value: Any) -> dict[str, str]:
        if isinstance(value, _Mark):
            return {"parameter": value.name}
        raise NotPlainError(f"{value!r} cannot be written as JSON")


def _marked(node: Any, place: Place, names: Mapping[Place, str]) -> Any:
    if place in names:
        return _Mark(names[place])
    if isinstance(node, Mapping):
        return {key: _marked(value, (*place, key), names) for key, value in node.items()}
    if isinstance(node, (list, tuple)):
        return type(node)(_marked(value, (*place, i), names) for i, value in enumerate(node))
    return node


def _has_parameters(place: Place, places: Collection[Place]) -> bool:
    return any(one[: len(place)] == place for one in places)


def _is_plain(value: Any) -> bool:
    try:
        to_json(value)
    except NotPlainError:
        return False
    return True


def _name(place: Place) -> str:
    return "/".join(map(str, place))


def _parameters(given: Any, place: Place = ()) -> dict[Place, Parameter]:
    """Parameters of ours in a nested configuration; Ray looks for its own domains only."""
    if isinstance(given, Parameter):
        return {place: given}
    found: dict[Place, Parameter] = {}
    if isinstance(given, Mapping):
        for key, value in given.items():
            found |= _parameters(value, (*place, key))
    return found


def _filled(node: Any, place: Place, values: Mapping[Place, Any]) -> Any:
    """A copy of a configuration with values in the place of domains; an inactive one is left out.

    What has no domain in it is the same object as before.
    """
    if isinstance(node, Mapping):
        return {
            key: _filled(value, (*place, key), values)
            for key, value in node.items()
            if not _is_inactive(value, (*place, key), values)
        }
    if isinstance(node, (list, tuple)) and _has_parameters(place, values):
        return type(node)(_filled(value, (*place, i), values) for i, value in enumerate(node))
    return values.get(place, node)


def _is_inactive(node: Any, place: Place, values: Mapping[Place, Any]) -> bool:
    return isinstance(node, (Domain, Parameter)) and place not in values


def _put(config: dict[str, Any], place: Place, value: Any) -> None:
    for key in place[:-1]:
        config = config.setdefault(key, {})
    config[place[-1]] = value


def _look_up(nested: Any, place: Place) -> tuple[bool, Any]:
    for key in place:
        try:
            nested = nested[key]
        except (KeyError, IndexError, TypeError):
            return False, None
    return True, nested
