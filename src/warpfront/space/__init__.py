"""What may be tried: parameters, spaces, and their encoding as numbers."""

from __future__ import annotations

from warpfront.space.encoding import Encoding
from warpfront.space.parameters import Boolean, Categorical, Integer, Ordinal, Parameter, Real
from warpfront.space.space import Configuration, Space

__all__ = [
    "Boolean",
    "Categorical",
    "Configuration",
    "Encoding",
    "Integer",
    "Ordinal",
    "Parameter",
    "Real",
    "Space",
]
