"""What ``when=`` says: for which values of other parameters a parameter is active."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from warpfront.errors import SpaceError
from warpfront.space.values import json_text


class Condition(Mapping[str, Any]):
    """What ``when=`` said: immutable, with an order-independent identity.

    Examples
    --------
    >>> condition = Condition({"booster": ["tree", "dart"], "deep": True})
    >>> condition
    {'booster': ['tree', 'dart'], 'deep': True}
    >>> condition.values_of("deep")
    [True]
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        if not isinstance(given, Mapping) or not given:
            raise SpaceError(
                f"when={given!r}: give the parent and its value, such as when={{'booster': 'tree'}}"
            )
        texts: dict[str, tuple[str, ...]] = {}
        for name, value in given.items():
            values = value if isinstance(value, (list, tuple, np.ndarray, range)) else [value]
            if not isinstance(name, str):
                raise SpaceError(f"when={given!r}: the parent {name!r} must be a parameter's name")
            if not len(values):
                raise SpaceError(f"when={given!r}: name at least one value of {name!r}")
            try:
                texts[name] = tuple(dict.fromkeys(map(json_text, values)))
            except (TypeError, ValueError):
                raise SpaceError(
                    f"when={given!r}: the values of {name!r} must be JSON values, in a list if "
                    "there are several"
                ) from None
        self._texts = texts

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Condition:
        """The condition itself if it is one already."""
        return given if isinstance(given, cls) else cls(given)

    def values_of(self, name: str) -> list[Any]:
        """The values of one parent, as a list."""
        return [json.loads(text) for text in self._texts[name]]

    def __getitem__(self, name: str) -> Any:
        values = self.values_of(name)
        return values if len(values) > 1 or isinstance(values[0], list) else values[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        try:
            return self._sets() == Condition.of(other)._sets()
        except SpaceError:
            return False

    def __hash__(self) -> int:
        return hash(frozenset(self._sets().items()))

    def _sets(self) -> dict[str, frozenset[str]]:
        return {name: frozenset(texts) for name, texts in self._texts.items()}

    def __repr__(self) -> str:
        return repr(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """The condition as plain JSON data."""
        return {name: self[name] for name in self}
