"""A task: a search space and a loss to minimise over it.

`Objective` is what a runner needs to know, and `KnownTruth` one whose noiseless value is known;
`Task` is one of the 108 of the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from benchmarks.tasks import evaluation
from benchmarks.tasks.data import KINDS, load
from benchmarks.tasks.evaluation import Evaluation
from benchmarks.tasks.metrics import METRICS, metrics_of
from benchmarks.tasks.spaces import MODELS, Kind, search_space
from warpfront import Space

_SEEDLESS_REGRESSORS = ("SVM", "kNN", "lasso", "linear")

DETERMINISTIC: frozenset[tuple[str, Kind, str]] = frozenset(
    {(model, "regression", metric) for model in _SEEDLESS_REGRESSORS for metric in ("mae", "mse")}
    | {
        (model, "classification", metric)
        for model in ("kNN", "linear")
        for metric in ("acc", "nll")
    }
    | {("SVM", "classification", "acc")}
)
"""(model, kind, metric) whose loss does not depend on the seed: 36 of the 108 tasks.

The support vector classifier has random probabilities (it calibrates them on random folds of its
own) but not random labels.
"""


class Objective(Protocol):
    """What a runner needs: a name, a space, and losses that the seed makes repeatable."""

    @property
    def name(self) -> str:
        """Unique among all objectives."""

    @property
    def space(self) -> Space:
        """What may be tried."""

    @property
    def deterministic(self) -> bool:
        """Whether the loss is a function of the configuration alone."""

    def evaluate(self, config: Mapping[str, Any], seed: int) -> Evaluation:
        """The loss that an optimiser sees."""

    def held_out(self, config: Mapping[str, Any], seed: int) -> Evaluation:
        """The loss that no optimiser sees."""


class KnownTruth(Objective, Protocol):
    """An objective of which the noiseless value is known, and its minimum."""

    @property
    def minimum(self) -> float:
        """The smallest value of the truth."""

    def truth(self, config: Mapping[str, Any]) -> float:
        """The noiseless value."""


@dataclass(frozen=True)
class Task:
    """One of the 108: a model on a data set, judged by a metric.

    Parameters
    ----------
    model, data, metric
        Bayesmark's names.

    Examples
    --------
    >>> task = Task("DT", "digits", "nll")
    >>> task.name, len(task.space), task.deterministic
    ('DT_digits_nll', 6, False)
    >>> Task("kNN", "wine", "acc").evaluate({"n_neighbors": 5, "p": 1}, seed=0).failed
    False
    """

    model: str
    data: str
    metric: str

    def __post_init__(self) -> None:
        for value, known, what in (
            (self.model, MODELS, "model"),
            (self.data, KINDS, "data set"),
            (self.metric, METRICS, "metric"),
        ):
            if value not in known:
                raise ValueError(f"{value!r} is no {what}; use one of {', '.join(known)}")
        if METRICS[self.metric].kind != self.kind:
            raise ValueError(
                f"{self.metric!r} is no metric for {self.data}, which is {self.kind}; "
                f"use one of {', '.join(metrics_of(self.kind))}"
            )

    @property
    def name(self) -> str:
        """Bayesmark's name: model, data set and metric."""
        return f"{self.model}_{self.data}_{self.metric}"

    @property
    def kind(self) -> Kind:
        """Classification or regression."""
        return KINDS[self.data]

    @property
    def space(self) -> Space:
        """The search space of the paper's tables."""
        return search_space(self.model, self.kind)

    @property
    def deterministic(self) -> bool:
        """Whether the loss is a function of the configuration alone."""
        return (self.model, self.kind, self.metric) in DETERMINISTIC

    def evaluate(self, config: Mapping[str, Any], seed: int) -> Evaluation:
        """Cross-validated loss on the 80 %.

        Parameters
        ----------
        config
            A configuration of the space.
        seed
            For the model's own randomness. Bayesmark's noise is fresh in every evaluation: give
            every evaluation of a run a seed of its own, derived from the run's.
        """
        pair = evaluation.cross_validate(
            self.model, load(self.data), config, seed, metrics=(self.metric,)
        )
        return pair[self.metric]

    def held_out(self, config: Mapping[str, Any], seed: int) -> Evaluation:
        """Loss on the other 20 % of a model fitted on the 80 %; never shown to an optimiser."""
        pair = evaluation.held_out(
            self.model, load(self.data), config, seed, metrics=(self.metric,)
        )
        return pair[self.metric]


def evaluate_pair(
    model: str, data: str, config: Mapping[str, Any], seed: int
) -> dict[str, Evaluation]:
    """Evaluate both metrics of a (model, data set) pair on one set of fits.

    Every loss is bitwise that of the :meth:`Task.evaluate` of its metric.

    Examples
    --------
    >>> list(evaluate_pair("kNN", "wine", {"n_neighbors": 5, "p": 1}, seed=0))
    ['acc', 'nll']
    """
    return evaluation.cross_validate(model, load(data), config, seed, metrics_of(KINDS[data]))
