"""One evaluation of a (model, data set) pair: five fits for the loss, one more for the held-out.

The loss is the mean over the five folds of the 80 %. The held-out loss is that of a model fitted
on the whole 80 % and scored on the other 20 %. Both metrics of a pair come from the same fits.

Failures are values, not exceptions: a fit that raises, and a loss that is not finite, give an
`Evaluation` whose loss is ``math.inf`` and whose ``failure`` says why. A configuration outside the
search space is a mistake of the caller and raises `warpfront.WarpfrontError`.
"""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.tasks import models
from benchmarks.tasks.data import FOLDS, Dataset
from benchmarks.tasks.metrics import METRICS
from benchmarks.tasks.spaces import search_space

Array = NDArray[Any]


@dataclass(frozen=True)
class Evaluation:
    """What came out of one evaluation.

    Parameters
    ----------
    loss
        Smaller is better; ``math.inf`` if the evaluation failed.
    failure
        Why it failed; None if it did not.
    fold_losses
        The losses that ``loss`` is the mean of; empty if it failed.

    Examples
    --------
    >>> Evaluation(math.inf, failure="ValueError: no").failed
    True
    """

    loss: float
    failure: str | None = None
    fold_losses: tuple[float, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there is no loss."""
        return self.failure is not None


def random_state_of(seed: int, fit: int) -> int:
    """The random state of fit 0, ..., 4 (the folds) or 5 (the held-out) of an evaluation's seed.

    Every fit has a stream of its own, as in Bayesmark, where none had a seed.

    Examples
    --------
    >>> random_state_of(0, 0) == random_state_of(0, 1)
    False
    """
    return int(np.random.SeedSequence([operator.index(seed), fit]).generate_state(1)[0])


def cross_validate(
    model: str, data: Dataset, config: Mapping[str, Any], seed: int, metrics: tuple[str, ...]
) -> dict[str, Evaluation]:
    """Cross-validated losses by metric, from one fit a fold.

    Parameters
    ----------
    model, data
        The pair.
    config
        A configuration of the pair's search space.
    seed
        For the model's own randomness, at least 0. The same seed gives the same losses; the folds
        do not depend on it.
    metrics
        Which losses to compute.

    Examples
    --------
    >>> from benchmarks.tasks.data import load
    >>> pair = cross_validate("kNN", load("iris"), {"n_neighbors": 3, "p": 2}, 0, ("acc", "nll"))
    >>> pair["acc"].loss
    -0.925
    """
    return _evaluate(model, data, config, seed, metrics, held_out=False)


def held_out(
    model: str, data: Dataset, config: Mapping[str, Any], seed: int, metrics: tuple[str, ...]
) -> dict[str, Evaluation]:
    """Losses by metric on the 20 % that no optimiser sees, from one fit on the 80 %."""
    return _evaluate(model, data, config, seed, metrics, held_out=True)


def _evaluate(
    model: str,
    data: Dataset,
    config: Mapping[str, Any],
    seed: int,
    metrics: tuple[str, ...],
    *,
    held_out: bool,
) -> dict[str, Evaluation]:
    valid = search_space(model, data.kind).validate(config)
    losses: dict[str, list[float]] = {metric: [] for metric in metrics}
    failures: dict[str, str] = {}
    with _tolerant():
        for fit, (X, y, X_score, y_score) in _parts(data, held_out=held_out):
            estimator = models.build(model, data, valid, random_state_of(seed, fit))
            try:
                estimator.fit(X, y)
            except Exception as error:
                failures = dict.fromkeys(metrics, _text(error))
            for metric in [name for name in metrics if name not in failures]:
                try:
                    losses[metric].append(_loss(estimator, metric, X_score, y_score))
                except Exception as error:
                    failures[metric] = _text(error)
            if len(failures) == len(metrics):
                break
    return {
        metric: Evaluation(math.inf, failures[metric])
        if metric in failures
        else Evaluation(float(np.mean(losses[metric])), fold_losses=tuple(losses[metric]))
        for metric in metrics
    }


def _parts(
    data: Dataset, *, held_out: bool
) -> Iterator[tuple[int, tuple[Array, Array, Array, Array]]]:
    """Number of the fit, and (X, y) to fit on with (X, y) to score on."""
    if held_out:
        yield FOLDS, (data.X, data.y, data.X_held_out, data.y_held_out)
        return
    for fold, (fit_on, score_on) in enumerate(data.folds):
        yield fold, (data.X[fit_on], data.y[fit_on], data.X[score_on], data.y[score_on])


def _loss(estimator: Any, metric: str, X: Array, y: Array) -> float:
    prediction = getattr(estimator, METRICS[metric].looks_at)(X)
    loss = METRICS[metric].loss(y, prediction)
    if not math.isfinite(loss):
        raise FloatingPointError(f"the loss is {loss}")
    return loss


def _text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


@contextmanager
def _tolerant() -> Iterator[None]:
    """A search tries odd settings: their warnings are expected, only their losses count."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
