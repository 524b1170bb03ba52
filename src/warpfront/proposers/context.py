"""Context: what every proposer is given, and nothing else.

Glossary
--------
X : (m, d)
    encoded configurations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from warpfront.acquisition.hypervolume import infer_reference, non_dominated
from warpfront.acquisition.improvement import BelowThreshold, BeyondFront, Improvement
from warpfront.dataset import Dataset
from warpfront.search.domain import Domain
from warpfront.search.untried import untried
from warpfront.settings import Settings
from warpfront.space.encoding import row_keys
from warpfront.surrogate.gp import GaussianProcess
from warpfront.surrogate.models import Models

Floats = NDArray[np.float64]

ELITE = 5
"""So many of the best configurations are starting points."""
BELIEF_TRIALS = 10.0
"""After so many trials a belief of the user weighs as much as its density (Hvarfner et al., "piBO:
Augmenting Acquisition Functions with User Beliefs", 2022, for a budget of 100)."""


@dataclass(frozen=True, eq=False)
class Context:
    """What is known when configurations are chosen.

    Attributes
    ----------
    data
        The facts.
    models
        The models.
    domain
        Where configurations may lie.
    pending
        Those being evaluated, those chosen for the same batch included, (p, d).
    tried
        Keys of configurations that need not be proposed again.
    in_flight
        How many trials run at a time.
    settings
        The choices of the user.
    waiting
        How many pending trials each proposer has.
    """

    data: Dataset
    models: Models
    domain: Domain
    pending: Floats
    tried: Set[bytes]
    in_flight: int
    settings: Settings
    waiting: Mapping[str, int] = field(default_factory=dict)

    def surrogate(self, rank: int = 0, objective: int = 0) -> GaussianProcess:
        """A model of an objective by its rank, conditioned on the pending configurations."""
        key = rank, objective
        if key not in self._surrogates:
            gp = self.models.objectives[objective][rank].gp
            self._surrogates[key] = gp.condition_on(self.pending)
        return self._surrogates[key]

    @cached_property
    def _surrogates(self) -> dict[tuple[int, int], GaussianProcess]:
        return {}

    @cached_property
    def penalty(self) -> Callable[[Floats], Floats] | None:
        """What is added to all that is minimised, (m,) of X (m, d), if anything is.

        Minus the log-probability of feasibility, and minus the logarithm of what the user believes,
        whose weight falls with the number of trials, and where good outcomes do not agree with it.
        """
        space = self.data.problem.space
        if not space.has_beliefs:
            return self.models.penalty if self.models.is_constrained else None
        weight = BELIEF_TRIALS / max(1, self.data.told) * self._agreement
        return lambda X: self.models.penalty(X) - weight * space.log_belief(X)

    @cached_property
    def _agreement(self) -> float:
        """How likely the user believed the best observed configurations to be, from 0 to 1.

        The geometric mean of the prior densities of the parameters, at the best observed
        configuration: a belief that the outcomes contradict counts little (not in piBO).
        """
        space, model = self.data.problem.space, self.models.model
        if len(self.models.objectives) > 1:
            rows = self._feasible_rows if self.has_feasible else self.data.X
            rows = rows[non_dominated(self.predicted(rows)[0])]
        else:
            rows = self.data.X[model.observed.rows]
            value = model.observed.mean_of(model.transform(model.observed.y))
            value = value + self.models.penalty(rows)
            rows = rows[value == value.min()]
        believed = sum(space[name].likely is not None for name in space)
        return float(np.exp(space.log_belief(rows).max() / believed))

    def improvement(self, rank: int = 0) -> Improvement:
        """What may be gained beyond what is known, by the models of a rank."""
        if len(self.models.objectives) == 1:
            gp = self.surrogate(rank)
            tau = float(gp.mean(self.elite[:1])[0]) if self.has_feasible else np.inf
            return BelowThreshold(tau)
        F = self.predicted(np.vstack([self._feasible_rows, self.pending]), rank)[0]
        return BeyondFront(F, self._reference(F))

    def _reference(self, F: Floats) -> Floats:
        """Up to where hypervolume counts, among the targets, (k,)."""
        inferred = infer_reference(F) if len(F) else np.zeros(len(self.models.objectives))
        given = [ranked[0].reference for ranked in self.models.objectives]
        return np.array([g if g is not None else r for g, r in zip(given, inferred, strict=True)])

    def predicted(self, X: Floats, rank: int = 0) -> tuple[Floats, Floats]:
        """Mean and standard deviation of all objectives at X (m, d), (m, k) each."""
        moments = [
            self.surrogate(min(rank, len(ranked) - 1), j).predict(X)
            for j, ranked in enumerate(self.models.objectives)
        ]
        mean, variance = np.array(moments).transpose(1, 2, 0)
        return mean, np.sqrt(variance)

    @cached_property
    def has_feasible(self) -> bool:
        """Whether a configuration that was measured is within the bounds of the goals."""
        return bool(self.data.feasible[self.models.model.observed.rows].any())

    @cached_property
    def _feasible_rows(self) -> Floats:
        """Configurations that were measured and are within the bounds, (n, d)."""
        return np.asarray(self.data.X[self.data.feasible])

    @cached_property
    def best(self) -> Floats:
        """The best observed configurations, (k, d): all that share the best target, or the front.

        Where parameters are held at values that others did not have, they are those of the best
        prediction once they have moved: what was good in another context may be bad in this one.
        """
        if len(self.models.objectives) > 1:
            rows = self._within(self._feasible_rows if self.has_feasible else self.data.X)
            return np.asarray(rows[non_dominated(self.predicted(rows)[0])])
        rows, value = self._ranked_rows
        return np.asarray(rows[value == value[0]])

    @cached_property
    def elite(self) -> Floats:
        """A few of the best observed configurations, the best first, (k, d)."""
        if len(self.models.objectives) > 1:
            spread = np.linspace(0, len(self.best) - 1, min(ELITE, len(self.best)))
            return np.asarray(self.best[spread.astype(int)])
        return self._ranked_rows[0][:ELITE]

    @cached_property
    def _ranked_rows(self) -> tuple[Floats, Floats]:
        """Observed configurations, moved into the domain, by their values, the best first."""
        model = self.models.model
        rows = self.data.X[model.observed.rows]
        moved = self._within(rows)
        if np.array_equal(rows, moved):
            value = model.observed.mean_of(model.transform(model.observed.y))
        else:
            rows, value = moved, model.gp.mean(moved)
        if self.penalty is not None:
            value = value + self.penalty(rows)
        order = np.argsort(value, kind="stable")
        return rows[order], value[order]

    def _within(self, rows: Floats) -> Floats:
        """Rows (n, d) moved into the domain, distinct and feasible there as far as any is."""
        moved = self.domain.repair(rows.copy())
        if np.array_equal(rows, moved) and self.domain.feasible(rows).all():
            return rows
        moved = moved[untried(moved, set())]
        inside = self.domain.feasible(moved)
        return moved[inside] if inside.any() else self.domain.sequence(ELITE, seed=0)

    def fresh(self, X: Floats) -> Floats:
        """The distinct rows of X (m, d) that were not tried."""
        return np.asarray(X[untried(X, self.tried)])

    def after(self, X: Floats, proposer: str) -> Context:
        """The context once a proposer has chosen X (k, d)."""
        if len(X) == 0:
            return self
        waiting = {**self.waiting, proposer: self.waiting.get(proposer, 0) + len(X)}
        after = replace(
            self,
            pending=np.vstack([self.pending, X]),
            tried=self.tried | set(row_keys(X)),
            waiting=waiting,
        )
        for key, gp in self._surrogates.items():
            gp.release()
            after._surrogates[key] = gp.condition_on(X)
        for name in ("elite", "best", "has_feasible", "_agreement"):  # they do not change
            if name in self.__dict__:
                after.__dict__[name] = self.__dict__[name]
        return after


class Proposer(Protocol):
    """One way to choose configurations."""

    def __call__(self, context: Context, n: int, rng: np.random.Generator) -> Floats:
        """At most n new configurations (k, d), distinct and untried."""
