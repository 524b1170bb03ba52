"""Models: the fitted models of a step, of all outcomes and of failures.

Glossary
--------
X : (m, d)
    encoded configurations.
penalty : (m,)
    minus the log-probability that a configuration is feasible: within the bounds of the goals, and
    evaluated without a failure. It is added to what is minimised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from warpfront.dataset import Dataset
from warpfront.goals import Bound
from warpfront.settings import Settings
from warpfront.streams import stream
from warpfront.surrogate.failures import penalties_as_failures
from warpfront.surrogate.model import Model
from warpfront.surrogate.options import CANDIDATES, ModelOptions
from warpfront.surrogate.selection import RankedModels
from warpfront.surrogate.viability import Viability

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Constraint:
    """A bound on an outcome, and the model of the outcome.

    Attributes
    ----------
    model
        Of the outcome.
    bound
        The bound among its targets.
    """

    model: Model
    bound: float

    def log_probability(self, X: Floats) -> Floats:
        """Logarithm of the probability that the bound holds at X (m, d), (m,)."""
        mean, variance = self.model.gp.predict(X)
        return np.asarray(log_ndtr((self.bound - mean) / np.sqrt(variance)))


@dataclass(frozen=True, eq=False)
class Models:
    """The models of a step.

    Attributes
    ----------
    data
        What they were fitted to, penalties among the failures.
    objectives
        The ranked models of each objective.
    constraints
        Of each bound of the goals.
    viability
        How likely evaluations succeed; None if none has failed.
    """

    data: Dataset
    objectives: tuple[RankedModels, ...]
    constraints: tuple[Constraint, ...] = ()
    viability: Viability | None = None

    @property
    def model(self) -> Model:
        """The best ranked model of the objective, the first of several."""
        return self.objectives[0][0]

    @property
    def is_constrained(self) -> bool:
        """Whether anything tells good configurations from bad ones but the objectives."""
        return bool(self.constraints) or self.viability is not None

    def penalty(self, X: Floats) -> Floats:
        """Minus the log-probability that X (m, d) are feasible, (m,)."""
        total = np.zeros(len(X))
        for constraint in self.constraints:
            total -= constraint.log_probability(X)
        if self.viability is not None:
            total -= self.viability.log_probability(X)
        return total


def fit_models(data: Dataset, settings: Settings, seed: int) -> Models:
    """Fit all models: a pure function of its arguments.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> from warpfront.history import History
    >>> told = [(None, {"x": x}, x**2) for x in np.linspace(0, 1, 8)]
    >>> data = Dataset.of(History(Space(x=Real(0, 1))).tell(told))
    >>> fit_models(data, Settings(), seed=0).model.goal.name
    'value'
    """
    candidates = candidate_models(settings)
    if any(options.output_warp == "robust" for options in candidates):
        data = penalties_as_failures(data)
    objectives, constraints = [], []
    for goal, observed in zip(data.problem.goals, data.outcomes, strict=True):
        rng = stream(seed, data.told, f"fit {goal.name}")
        if not isinstance(goal, Bound):
            objectives.append(RankedModels(data, observed, candidates, rng))
        elif len(observed):
            model = RankedModels(data, observed, candidates[:1], rng)[0]
            bound = model.transform.uncut(np.array([goal.sign * goal.bound]))
            constraints.append(Constraint(model, float(bound[0])))
    return Models(data, tuple(objectives), tuple(constraints), Viability.fit(data))


def candidate_models(settings: Settings) -> Sequence[ModelOptions]:
    """The models that settings name, with the transforms that they ask for.

    Examples
    --------
    >>> [options.output_warp for options in candidate_models(Settings(output_warp="power"))]
    ['power', 'none', 'none', 'power']
    """
    candidates = []
    for name in settings.models:
        options = CANDIDATES[name]
        if settings.output_warp is not None and options.output_warp != "none":
            options = replace(options, output_warp=settings.output_warp)
        if not settings.input_warp:
            options = replace(options, input_warp=False)
        candidates.append(options)
    return candidates
