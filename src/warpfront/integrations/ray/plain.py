"""Values as JSON and back, with tuples as tuples: Ray's configurations have many of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from warpfront.space.values import native


class NotPlainError(ValueError):
    """A value that JSON cannot hold, such as a function."""


def to_json(value: Any, other: Callable[[Any], Any] | None = None) -> Any:
    """Describe a value by JSON data.

    Parameters
    ----------
    value
        None, a truth value, a number, a text, or a list, a tuple or a dict of such.
    other
        Gives JSON data for anything else, or raises :class:`NotPlainError`.

    Examples
    --------
    >>> to_json({"layers": (64, 32)})
    {'dict': {'layers': {'tuple': [64, 32]}}}
    """
    value = native(value)
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in (list, tuple):
        return {type(value).__name__: [to_json(one, other) for one in value]}
    if type(value) is dict and all(type(key) is str for key in value):
        return {"dict": {key: to_json(one, other) for key, one in value.items()}}
    if other is None:
        raise NotPlainError(f"{value!r} cannot be written as JSON")
    return other(value)


def from_json(data: Any, others: Callable[[str, Any], Any] | None = None) -> Any:
    """Read what :func:`to_json` gave.

    Examples
    --------
    >>> from_json({"dict": {"layers": {"tuple": [64, 32]}}})
    {'layers': (64, 32)}
    """
    if not isinstance(data, dict):
        return data
    ((kind, inner),) = data.items()
    if kind == "list":
        return [from_json(one, others) for one in inner]
    if kind == "tuple":
        return tuple(from_json(one, others) for one in inner)
    if kind == "dict":
        return {key: from_json(one, others) for key, one in inner.items()}
    if others is None:
        raise ValueError(f"{kind!r} is not a kind of value")
    return others(kind, inner)
