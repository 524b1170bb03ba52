"""Which scores are optimised, and what the optimiser is told of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from warpfront.goals import Maximize, Measured

ONLY = "score"
"""What scikit-learn calls the score if there is only one."""


def metrics_of(scoring: Any, refit: bool | str | Callable[..., Any]) -> list[str]:
    """The names of the scores to optimise, as far as they are known before the first fit.

    Examples
    --------
    >>> metrics_of("accuracy", True), metrics_of(["accuracy", "roc_auc"], "roc_auc")
    (['score'], ['roc_auc'])
    >>> metrics_of({"a": "accuracy", "b": "roc_auc"}, False)
    ['a', 'b']
    """
    if scoring is None or isinstance(scoring, str) or callable(scoring):
        return [ONLY]
    return _chosen(list(dict.fromkeys(scoring)), refit)


def metrics_in(results: Mapping[str, Any], refit: bool | str | Callable[..., Any]) -> list[str]:
    """The names of the scores to optimise, once there are results.

    Examples
    --------
    >>> metrics_in({"mean_test_a": [], "mean_test_b": [], "std_test_a": []}, "b")
    ['b']
    """
    start = "mean_test_"
    return _chosen([key[len(start) :] for key in results if key.startswith(start)], refit)


def _chosen(names: list[str], refit: bool | str | Callable[..., Any]) -> list[str]:
    return [refit] if isinstance(refit, str) and refit in names else names


def goals_of(metrics: Sequence[str]) -> list[Maximize]:
    """What is wanted of scores: as in all of scikit-learn, greater is better."""
    return [Maximize(name) for name in metrics]


def outcome_of(
    results: Mapping[str, Any], row: int, metrics: Sequence[str], folds: int, noise: bool
) -> dict[str, Measured]:
    """What the optimiser is told of one candidate.

    Examples
    --------
    >>> results = {"mean_test_score": [0.8], "std_test_score": [0.1]}
    >>> outcome_of(results, 0, ["score"], 5, noise=True)
    {'score': Measured(value=0.8, std=0.05)}
    """
    outcome = {}
    for name in metrics:
        mean, spread = float(results[f"mean_test_{name}"][row]), results[f"std_test_{name}"][row]
        # scikit-learn divides the sum of squares by the number of folds, not by one less.
        error = float(spread) / math.sqrt(folds - 1) if folds > 1 else math.nan
        known = noise and np.isfinite(error)
        outcome[name] = Measured(mean, std=error if known else None)
    return outcome
