"""One parameter of a search, and how the values that other packages want are had from it.

Suggestions hold JSON values only. Where another package takes other values, a :class:`Source` has
the function that turns a suggested value into the one to set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from warpfront.space import Categorical, Ordinal
from warpfront.space.parameter import Parameter
from warpfront.space.values import is_finite, json_text


@dataclass(frozen=True)
class Source:
    """A parameter, and how its values are read.

    Attributes
    ----------
    parameter
        What the optimiser sees.
    decode
        Gives the value to set for a suggested one; None: it is the same.
    objects
        The listed values, if the optimiser sees their indices.
    """

    parameter: Parameter
    decode: Callable[[Any], Any] | None = None
    objects: tuple[Any, ...] | None = None


def read_list(values: list[Any]) -> Source:
    """Read a list of values to choose from; numbers in order are an ordinal parameter.

    Examples
    --------
    >>> read_list([16, 32, 64]).parameter
    Ordinal([16, 32, 64])
    >>> source = read_list([(64,), (64, 64)])
    >>> source.parameter, source.decode(1)
    (Categorical([0, 1]), (64, 64))
    """
    if all(map(is_finite, values)):
        if all(a < b for a, b in pairwise(values)):
            return Source(Ordinal(values))
        if all(a > b for a, b in pairwise(values)):
            return Source(Ordinal(values[::-1]))
    if all(isinstance(value, (str, bool)) or is_finite(value) for value in values):
        return Source(Categorical(list({json_text(value): value for value in values}.values())))
    return Source(Categorical(list(range(len(values)))), values.__getitem__, tuple(values))
