"""All tasks of which the truth is known at every configuration, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from benchmarks.tasks.functions import FUNCTIONS
from benchmarks.tasks.public import PUBLIC
from benchmarks.tasks.task import KnownTruth

WITH_TRUTH: Mapping[str, KnownTruth] = MappingProxyType({**FUNCTIONS, **PUBLIC})
