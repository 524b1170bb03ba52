"""What the paper prints: its tables as data, by our names of tasks and methods.

Two of them are files beside this one: ``heteroscedasticity.csv`` holds the six tables of the
appendix "Statistical Hypothesis Tests for Heteroscedasticity", ``best_optimisers.csv`` what the
108 captions of the appendix "Task-Level Results Breakdown" name as the best on each task.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

HEBO = "hebo"
"""The paper's HEBO, whichever implementation stands for it."""

LEVENE_CLAIM, FLIGNER_CLAIM = 72, 73
"""Of 108 tasks with p < 0.05 (section 3, "Statistical Hypothesis Testing")."""

GP_FIT = MappingProxyType({"output transform": (70, 58, 38, 25), "input warp": (106, 79, 2, 0)})
"""Better, significantly better, worse, significantly worse, of 108 tasks (table "stat")."""

BEST_COUNTS = MappingProxyType(
    {
        HEBO: 71,
        "turbo": 14,
        "pysot": 7,
        "skopt": 5,
        "nevergrad": 4,
        "bohb": 3,
        "opentuner": 2,
        "hyperopt": 1,
        "turbo+": 1,
    }
)
"""Tasks on which each was best (table "tasksSummary")."""

SEQUENTIAL_ORDER = "HEBO best; Dragonfly-BB and BOHB-BB below the others"
"""All that the text says of the figure "singlebatch", whose numbers are not printed."""

IMPORTANCE = ("output warp", "ensemble", "input warp", "robustness")
"""The order in which the paper ranks the components, most important first (section 5.3)."""


@dataclass(frozen=True)
class SummaryRow:
    """A line of the table "summary-perf-compare"."""

    mean: float
    std: float
    median: float
    centiles: tuple[float, float, float, float]  # 40, 30, 20, 5


SUMMARY = MappingProxyType(
    {
        HEBO: SummaryRow(100.12, 8.70, 100.01, (100.00, 99.88, 98.64, 85.71)),
        "pysot": SummaryRow(98.18, 9.03, 100.00, (99.81, 98.60, 95.36, 80.00)),
        "turbo": SummaryRow(97.95, 10.80, 100.00, (99.88, 98.75, 95.26, 78.63)),
        "hyperopt": SummaryRow(96.37, 8.79, 99.31, (98.16, 95.94, 92.38, 78.52)),
        "skopt": SummaryRow(96.18, 11.51, 99.78, (98.66, 96.73, 91.62, 74.77)),
        "turbo+": SummaryRow(95.29, 10.93, 98.97, (97.60, 95.27, 90.92, 74.77)),
        "opentuner": SummaryRow(94.32, 14.18, 98.44, (96.93, 93.84, 89.97, 68.96)),
        "nevergrad": SummaryRow(93.20, 17.52, 99.65, (97.84, 94.57, 88.28, 55.34)),
        "bohb": SummaryRow(92.03, 11.16, 96.02, (93.55, 90.14, 85.71, 67.82)),
        "random": SummaryRow(92.00, 11.71, 96.18, (93.55, 90.05, 85.16, 69.55)),
    }
)
"""16 rounds of 8, 108 tasks, 20 seeds."""

IMPLEMENTATIONS = ("warpfront-paper", "warpfront", "warpfront-0.1", "hebo")
"""What stands for the paper's HEBO: its method, our default now and in 0.1, the public package."""


@dataclass(frozen=True)
class SpreadTest:
    """The two tests on one task, as printed."""

    fligner: float
    fligner_p: float
    levene: float
    levene_p: float


@cache
def spread_tests() -> Mapping[str, SpreadTest]:
    """The tests of all 108 tasks.

    Examples
    --------
    >>> spread_tests()["linear_diabetes_mae"].levene
    5.714
    """
    return MappingProxyType(
        {
            row["task"]: SpreadTest(
                *(float(row[name]) for name in ("fligner", "fligner_p", "levene", "levene_p"))
            )
            for row in _rows("heteroscedasticity.csv")
        }
    )


@cache
def best_optimisers() -> Mapping[str, str]:
    """The method with the highest mean score on each of the 108 tasks.

    Examples
    --------
    >>> best_optimisers()["MLP-adam_boston_mae"]
    'turbo'
    """
    return MappingProxyType({row["task"]: row["method"] for row in _rows("best_optimisers.csv")})


def _rows(name: str) -> list[dict[str, str]]:
    with (Path(__file__).parent / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
