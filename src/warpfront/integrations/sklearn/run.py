"""The loop of a search: suggest a batch, have it evaluated, tell its scores."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from warpfront.failure import Failure
from warpfront.goals import Measured
from warpfront.integrations.sklearn.candidates import Candidates
from warpfront.integrations.sklearn.metrics import goals_of, metrics_in, metrics_of, outcome_of
from warpfront.integrations.sklearn.progress import Progress
from warpfront.integrations.sklearn.record import Record, all_fits_failed
from warpfront.integrations.sklearn.splits import SameSplits
from warpfront.optimizers.design import FEWEST_INITIAL
from warpfront.optimizers.hebo import HEBO
from warpfront.settings import Settings
from warpfront.space import Space

DEFAULT = Settings(replicate=False)
"""A second evaluation of a candidate on the same splits would tell nothing new."""

Results = dict[str, Any]


def run(
    *,
    search: Any,
    evaluate: Callable[..., Results],
    candidates: Candidates,
    record: Record,
    sizes: tuple[int, int],
    seed: int,
    progress: Progress,
) -> tuple[HEBO, Results]:
    """Evaluate candidates until the budget is spent.

    Parameters
    ----------
    search
        The search, for its parameters.
    evaluate
        Evaluates a list of candidates, and gives the results of all so far.
    candidates
        What may be tried.
    record
        Is told of all batches.
    sizes
        The number of candidates, and how many are suggested at a time.
    seed
        Of the optimiser.
    progress
        Is told of all batches, too.

    Raises
    ------
    ValueError
        If all fits of all candidates fail, as in the other searches of scikit-learn.
    """
    n_iter, size = sizes
    settings = DEFAULT if search.settings is None else search.settings
    metrics, folds = metrics_of(search.scoring, search.refit), search.n_splits_
    optimizer = HEBO(candidates.space, seed, settings, goals=goals_of(metrics))
    splits = SameSplits(search._checked_cv_orig)
    results: Results = {}
    while (done := len(optimizer.history)) < n_iter:
        ahead = max(size, first_size(candidates.space, settings) - done)
        asked = optimizer.ask(min(ahead, n_iter - done))
        batch = [candidates.params(config) for config in asked]
        error: ValueError | None = None
        began = time.perf_counter()
        with progress.batch(len(batch)) as context:
            try:
                results = evaluate(batch, splits, **context)
            except ValueError as raised:
                if not all_fits_failed(raised):
                    raise
                error = raised
        record.add(batch, error, time.perf_counter() - began)
        if error is not None:
            optimizer.tell(asked, [failed(error, search.error_score, metrics)] * len(asked))
            continue
        if (found := metrics_in(results, search.refit)) != metrics:
            metrics = found  # a scoring function has said how its scores are called
            optimizer = renamed(optimizer, metrics, len(asked), search.error_score)
        rows = range(len(results["params"]) - len(batch), len(results["params"]))
        optimizer.tell(
            asked, [outcome_of(results, row, metrics, folds, search.fold_noise) for row in rows]
        )
    if not record.has_scores:
        raise record.error
    return optimizer, results


def first_size(space: Space, settings: Settings) -> int:
    """The size of the initial design, which does not wait for scores.

    Examples
    --------
    >>> from warpfront import Real
    >>> first_size(Space(x=Real(0, 1)), Settings())
    8
    """
    return settings.initial or max(FEWEST_INITIAL, 1 + len(space))


def failed(error: ValueError, error_score: Any, metrics: Sequence[str]) -> Any:
    """What the optimiser is told of a candidate without any fit that succeeded."""
    if math.isfinite(error_score):
        return {name: Measured(float(error_score)) for name in metrics}
    return Failure(str(error).strip().splitlines()[-1])


def renamed(optimizer: HEBO, metrics: Sequence[str], pending: int, error_score: Any) -> HEBO:
    """The same optimiser, of other scores, while nothing but failures was told.

    The last ``pending`` trials are left out: their scores are told next.
    """
    other = HEBO(optimizer.space, optimizer.seed, optimizer.settings, goals=goals_of(metrics))
    trials = optimizer.history.trials
    for trial in trials[: len(trials) - pending]:
        other.tell(trial.config, failed(ValueError(trial.reason), error_score, metrics))
    return other
