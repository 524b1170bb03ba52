"""Choice: what parameters of listed values have in common."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space.condition import Condition
from warpfront.space.parameter import Parameter
from warpfront.space.values import (
    LEVELS,
    has_text_keys,
    is_deep,
    is_finite,
    is_number,
    json_text,
    native,
)

Floats = NDArray[np.float64]


class Choice(Parameter):
    """One of a list of JSON values.

    Examples
    --------
    >>> from warpfront import Categorical, Ordinal
    >>> isinstance(Categorical(["a"]), Choice), isinstance(Ordinal([1, 2]), Choice)
    (True, True)
    """

    def __init__(
        self,
        choices: Sequence[Any],
        *,
        likely: Any = None,
        when: Mapping[str, Any] | None = None,
    ) -> None:
        self._codes = self._read(choices)
        self._values = tuple(map(json.loads, self._codes))
        self.when = None if when is None else Condition.of(when)
        self._likely = None if likely is None else self._read_likely(likely)

    @classmethod
    def _read(cls, choices: Any) -> dict[str, int]:
        """Codes by the texts of the choices."""
        name = cls.__name__
        if isinstance(choices, str) or not isinstance(choices, (Sequence, np.ndarray)):
            meant = f"; did you mean {name}([{choices!r}])?" if isinstance(choices, str) else ""
            raise SpaceError(f"{name}({choices!r}): give a list of values{meant}")
        codes: dict[str, int] = {}
        for choice in choices:
            if is_deep(choice):
                raise SpaceError(f"{name}: a choice is nested more than {LEVELS} levels deep")
            try:
                text = json_text(choice)
            except (TypeError, ValueError):
                raise SpaceError(
                    f"{name}: the choice {choice!r} is not a JSON value; use None, booleans, "
                    "finite numbers, texts, lists or dicts (and map names to objects yourself)"
                ) from None
            if not has_text_keys(choice):
                raise SpaceError(
                    f"{name}: the choice {choice!r} has a key that is not a text; write it as one"
                )
            if text in codes:
                raise SpaceError(f"{name}: the choice {choice!r} is given twice; remove one")
            codes[text] = len(codes)
        if not codes:
            raise SpaceError(f"{name}([]): at least one value is needed")
        return codes

    def _read_likely(self, likely: Any) -> tuple[int, ...]:
        """Codes of the likely choices; a list is a list of choices."""
        given = likely if isinstance(likely, (list, tuple, np.ndarray)) else [likely]
        codes = []
        for value in given:
            code = self.code_of(value)
            if code is None:
                hint = ""
                if self.code_of(likely) is not None:
                    hint = f"; to mean the list itself, write likely=[{likely!r}]"
                raise SpaceError(f"{type(self).__name__}: likely: {self._unknown(value)}{hint}")
            codes.append(code)
        if not codes:
            raise SpaceError(
                f"{type(self).__name__}: likely=[]: name at least one choice, or leave it out"
            )
        return tuple(sorted(set(codes)))

    @property
    def choices(self) -> tuple[Any, ...]:
        """The values, in order; copies, so that lists among them can be changed at will."""
        return copy.deepcopy(self._values)

    @property
    def texts(self) -> tuple[str, ...]:
        """The values as JSON texts: equal choices have equal ones."""
        return tuple(self._codes)

    @property
    def likely_codes(self) -> tuple[int, ...] | None:
        """Codes of the choices that the user believes to be good, or None."""
        return self._likely

    @property
    def likely(self) -> list[Any] | None:
        """The choices that the user believes to be good, or None."""
        return None if self._likely is None else [self._value(code) for code in self._likely]

    def _value(self, code: int) -> Any:
        value = self._values[code]
        return copy.deepcopy(value) if isinstance(value, (list, dict)) else value

    def decode_all(self, positions: Floats) -> list[Any]:
        return [self._value(code) for code in self.level_of(positions).astype(int).tolist()]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self._values)!r}{self._extras()})"

    def _identity(self) -> tuple[Any, ...]:
        # By their texts: 1 == True in Python, but they are different choices.
        return self.kind, tuple(self._codes), self._likely, self.when

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    @property
    def levels(self) -> int:
        return len(self._values)

    @property
    def is_number(self) -> bool:
        return all(is_number(value) and is_finite(value) for value in self._values)

    @cached_property
    def _numbers(self) -> Floats:
        return np.array(self._values, dtype=float)

    def numbers(self, positions: Floats) -> Floats:
        return np.asarray(self._numbers[self.level_of(positions).astype(int)])

    def code_of(self, value: Any) -> int | None:
        """Code of a value. 32.0 finds 32 and the other way round: spreadsheets mix them up."""
        value = native(value)
        candidates = [value]
        if isinstance(value, float) and value.is_integer():
            candidates.append(int(value))
        elif isinstance(value, int) and is_finite(value):
            candidates.append(float(value))
        for candidate in candidates:
            try:
                code = self._codes.get(json_text(candidate))
            except (TypeError, ValueError):
                return None
            if code is not None:
                return code
        return None

    def _encode_codes(self, values: Sequence[Any] | Floats) -> Floats:
        codes = [self.code_of(value) for value in values]
        if None in codes:
            raise self._unknown(values[codes.index(None)])
        return np.array(codes, dtype=float)

    def _unknown(self, value: Any) -> ConfigurationError:
        shown = ", ".join(map(repr, self._values[:8])) + (", ..." if self.levels > 8 else "")
        return ConfigurationError(f"{value!r} is not among the choices {shown}")

    def canonical(self, value: Any) -> Any:
        code = self.code_of(value)
        if code is None:
            raise self._unknown(value)
        return self._value(code)

    def to_dict(self) -> dict[str, Any]:
        return {"type": self.kind, "choices": list(self.choices), **self._extra_data()}

    def _extra_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {}
        if self._likely is not None:
            data["likely"] = self.likely
        if self.when is not None:
            data["when"] = Condition.of(self.when).to_dict()
        return data
