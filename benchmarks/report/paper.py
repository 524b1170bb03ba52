"""What the paper prints: mean score over its 108 tasks, 16 rounds of 8, 20 seeds."""

from __future__ import annotations

from types import MappingProxyType

from benchmarks.records import Design

DESIGN = Design(8, 16)
"""Of the table."""

PERCENTILES = (40, 30, 20, 5)
"""The percentiles that the table prints beside the median."""

MEAN_SCORES = MappingProxyType(
    {
        "warpfront": 100.12,
        "warpfront-paper": 100.12,
        "hebo": 100.12,
        "pysot": 98.18,
        "turbo": 97.95,
        "hyperopt": 96.37,
        "skopt": 96.18,
        "turbo+": 95.29,
        "opentuner": 94.32,
        "nevergrad": 93.20,
        "bohb": 92.03,
        "random": 92.00,
    }
)
"""By our names; HEBO's number stands beside every implementation of HEBO."""
