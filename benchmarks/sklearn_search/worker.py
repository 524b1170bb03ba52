"""One search for each line of the input: ``python -m benchmarks.sklearn_search.worker``.

A line is a JSON list: task, method, seed, number of candidates. The answer is a JSON object.
"""

from __future__ import annotations

import json
import math
import sys
import time
import warnings
from collections.abc import Mapping
from typing import Any

from scipy import stats
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import HalvingRandomSearchCV, KFold, RandomizedSearchCV

from benchmarks.sklearn_search.tasks import (
    FOLDS,
    TASKS,
    Choices,
    Dimension,
    Log,
    Task,
    Uniform,
    Whole,
)

FACTOR = 3
"""By which halving divides the number of candidates from one round to the next."""


def distributions(space: Mapping[str, Dimension]) -> dict[str, Any]:
    """A space as scikit-learn's searches take it."""
    return {name: _distribution(one) for name, one in space.items()}


def _distribution(one: Dimension) -> Any:
    if isinstance(one, Log):
        return stats.loguniform(one.low, one.high)
    if isinstance(one, Uniform):
        return stats.uniform(one.low, one.high - one.low)
    if isinstance(one, Whole):
        return stats.randint(one.low, one.high + 1)
    return list(one.values)


def _skopt_dimensions(space: Mapping[str, Dimension]) -> dict[str, Any]:
    from skopt.space import Categorical, Integer, Real

    def read(one: Dimension) -> Any:
        if isinstance(one, Choices):
            return Categorical(list(one.values))
        if isinstance(one, Whole):
            return Integer(one.low, one.high)
        return Real(one.low, one.high, prior="log-uniform" if isinstance(one, Log) else "uniform")

    return {name: read(one) for name, one in space.items()}


def halving_candidates(n_iter: int) -> int:
    """With how many candidates halving begins to make as many fits as ``n_iter`` candidates.

    Examples
    --------
    >>> halving_candidates(50)  # 33, 11, 4 and 2
    33
    """
    return max(first for first in range(1, n_iter + 1) if _all_rounds(first) <= n_iter)


def _all_rounds(first: int) -> int:
    """The candidates of all rounds together."""
    total, left = 0, first
    for _ in range(1 + int(math.log(first, FACTOR) + 1e-9)):
        total += left
        left = math.ceil(left / FACTOR)
    return total


def make_search(task: Task, method: str, seed: int, n_iter: int) -> Any:
    """The search of a method, with the budget of ``n_iter`` candidates."""
    cv = KFold(FOLDS, shuffle=True, random_state=seed)
    given = {"cv": cv, "random_state": seed}
    if method == "random":
        return RandomizedSearchCV(task.estimator, distributions(task.space), n_iter=n_iter, **given)
    if method == "halving":
        return HalvingRandomSearchCV(
            task.estimator,
            distributions(task.space),
            factor=FACTOR,
            n_candidates=halving_candidates(n_iter),
            min_resources="exhaust",
            **given,
        )
    if method == "skopt":
        from skopt import BayesSearchCV

        return BayesSearchCV(task.estimator, _skopt_dimensions(task.space), n_iter=n_iter, **given)
    from warpfront.integrations.sklearn import HEBOSearchCV

    noise = {"warpfront": False, "warpfront-fold-noise": True}[method]
    return HEBOSearchCV(
        task.estimator, distributions(task.space), n_iter=n_iter, fold_noise=noise, **given
    )


def run(name: str, method: str, seed: int, n_iter: int) -> dict[str, Any]:
    """Make one search, and score what it found on data that it has not seen."""
    task = TASKS[name]
    X, X_held, y, y_held = task.data(seed)
    search = make_search(task, method, seed, n_iter)
    began = time.perf_counter()
    search.fit(X, y)
    elapsed = time.perf_counter() - began
    results = search.cv_results_
    fits = len(results["params"]) * FOLDS
    in_fits = float(FOLDS * (results["mean_fit_time"] + results["mean_score_time"]).sum())
    return {
        "task": name,
        "method": method,
        "seed": seed,
        "cv_score": float(search.best_score_),
        "held_out": float(search.score(X_held, y_held)),
        "fits": fits,
        "overhead": (elapsed - in_fits - search.refit_time_) / len(results["params"]),
    }


def main() -> None:
    """Answer until the input ends."""
    warnings.simplefilter("ignore")  # of estimators that do not converge, by the thousand
    for line in sys.stdin:
        print(json.dumps(run(*json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
