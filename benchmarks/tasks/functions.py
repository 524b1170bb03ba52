"""All functions that carry their truth, by name."""

from __future__ import annotations

from types import MappingProxyType

from benchmarks.tasks.synthetic import SYNTHETIC
from benchmarks.tasks.unseen_functions import UNSEEN_FUNCTIONS

FUNCTIONS = MappingProxyType({**SYNTHETIC, **UNSEEN_FUNCTIONS})
