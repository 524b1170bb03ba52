"""Random streams: one for each component and step, so that none depends on what others draw."""

from __future__ import annotations

import zlib

import numpy as np


def stream(seed: int, number: int, component: str) -> np.random.Generator:
    """The random numbers of one component at the step of one trial.

    Examples
    --------
    >>> a, b = (stream(0, 8, name).random() for name in ("pareto", "local"))
    >>> a == b, a == stream(0, 8, "pareto").random()
    (False, True)
    """
    key = (number, zlib.crc32(component.encode()))
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
