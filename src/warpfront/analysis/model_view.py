"""What figures need of the fitted model: slices, surfaces, warps, importance.

Glossary
--------
X : (n, d)
    encoded configurations (see warpfront.space.encoding).
values : (n,)
    the outcome of these, as the user measured it, of all completed trials.
observed
    these trials.
failures : (k, d)
    encoded configurations of failed trials.
best : (d,)
    the encoded best configuration, through which slices and surfaces go.
sign
    1 where the outcome is minimised or bounded from above, else -1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from warpfront.analysis.centre import centre
from warpfront.analysis.importance import Importance, sobol_indices
from warpfront.dataset import Dataset
from warpfront.goals import Bound
from warpfront.history import History
from warpfront.settings import Settings
from warpfront.space import Parameter
from warpfront.space.encoding import row_keys
from warpfront.surrogate.model import Model, parts
from warpfront.surrogate.models import Models, fit_models
from warpfront.surrogate.warping import kumaraswamy
from warpfront.trial import Trial

Floats = NDArray[np.float64]

LEAST = 3
"""So many completed trials a model needs before it is worth a look."""
INTERVAL = (0.05, 0.95)
"""Quantiles at the ends of the band in a slice."""
POINTS = 129
"""Points of a slice of a continuous parameter."""


@dataclass(frozen=True)
class Slice:
    """The model along one parameter, all others as in the best configuration.

    Attributes
    ----------
    positions
        Encoded values of the parameter, (m,).
    low, median, high
        Median and interval of the user's value without its noise, (m,).
    """

    positions: Floats
    low: Floats
    median: Floats
    high: Floats


def why_no_model(history: History, outcome: str | None = None) -> str | None:
    """What is missing for a model of an outcome that is worth a look; None if nothing is.

    Without an outcome it is that of the objective, the first of several.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> why_no_model(History(Space(x=Real(0, 1))))
    'A model needs at least 3 completed trials; there are 0.'
    """
    name = outcome or history.problem.objective.name
    values = [trial.outcomes[name] for trial in measured(history, name)]
    if len(values) < LEAST:
        return f"A model needs at least {LEAST} completed trials; there are {len(values)}."
    if len(set(values)) == 1:
        return "All completed trials have the same value: there is nothing to learn from them."
    if not np.any(history.space.encoding.levels > 1):
        return "All parameters are constants: there is nothing to model."
    return None


def grid(parameter: Parameter, points: int = POINTS) -> Floats:
    """Positions along a parameter: all levels if they are few, else evenly spread ones.

    Examples
    --------
    >>> from warpfront import Integer, Real
    >>> grid(Integer(1, 4)), len(grid(Real(0, 1))), len(grid(Integer(1, 10_000), 50))
    (array([0.125, 0.375, 0.625, 0.875]), 129, 50)
    """
    levels = parameter.levels
    if levels is not None and (levels <= points or parameter.is_category):
        return parameter.positions()
    return np.unique(parameter.snap(np.linspace(0.0, 1.0, points)))


def plane(row: Floats, i: int, x: Floats, j: int, y: Floats) -> Floats:
    """Encoded configurations (k m, d) that differ from a row in columns i and j only.

    Column i runs through x (m,) first, for each value of y (k,) of column j.

    Examples
    --------
    >>> plane(np.array([0.5, 0.5]), 0, np.array([0.0, 1.0]), 1, np.array([0.2]))
    array([[0. , 0.2],
           [1. , 0.2]])
    """
    X = np.tile(row, (len(x) * len(y), 1))
    X[:, i], X[:, j] = np.tile(x, len(y)), np.repeat(y, len(x))
    return X


def measured(history: History, outcome: str | None = None) -> list[Trial]:
    """The completed trials of which an outcome was measured; None: the objective, or the first.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> history = History(Space(x=Real(0, 1))).tell([(None, {"x": 0.5}, 1.0)])
    >>> len(measured(history))
    1
    """
    name = outcome or history.problem.objective.name
    return [t for t in history.completed if t.outcomes.get(name) is not None]


class ModelView:
    """The fitted model of one outcome, in the user's units.

    Parameters
    ----------
    history, settings, seed
        What the model is fitted to, and how.
    outcome
        Its name; None: the objective, the first of several.
    models
        The fitted models of the history, if they are at hand.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> history = History(Space(x=Real(0, 1), y=Real(0, 1)))
    >>> points = [{"x": i / 7, "y": i * 3 % 8 / 7} for i in range(8)]
    >>> history = history.tell([(None, c, (c["x"] - 0.4) ** 2) for c in points])
    >>> view = ModelView(history, Settings(), seed=0)
    >>> view.order
    [0, 1]
    >>> view.slice(0).median.shape
    (129,)
    """

    def __init__(
        self,
        history: History,
        settings: Settings,
        seed: int,
        outcome: str | None = None,
        models: Models | None = None,
    ) -> None:
        data = Dataset.of(history)
        if models is None:
            with np.errstate(under="ignore"):
                models = fit_models(data, settings, seed)
        self.models = models
        self.goal = history.problem.goal(outcome or history.problem.objective.name)
        self.model = _model_of(models, self.goal.name)
        self.sign = self.goal.sign
        self.space = history.space
        learned = models.data  # penalties are among its failures
        known = set(row_keys(learned.X))
        trials = measured(history, self.goal.name)
        keys = row_keys(history.encode(trials))
        self.observed = [t for t, key in zip(trials, keys, strict=True) if key in known]
        self.X = history.encode(self.observed)
        self.values = np.array([t.outcomes[self.goal.name] for t in self.observed], dtype=float)
        self.failures = learned.failed
        self.penalties = len(learned.failed) - len(data.failed)
        chosen = centre(history)
        self.best = history.encode([chosen])[0]
        value = chosen.outcomes.get(self.goal.name)
        self.best_value = float("nan") if value is None else float(value)
        self.active = self.space.encoding.active(self.X)
        feasible = {trial.number for trial in history.feasible}
        self._slices: dict[int, Slice] = {}  # several figures and tables show them
        self._feasible = np.array([t.number in feasible for t in self.observed], dtype=bool)
        with np.errstate(under="ignore"):
            self.importance = self._importance(seed)

    @property
    def is_bound(self) -> bool:
        """Whether the outcome is bounded, and not an objective."""
        return isinstance(self.goal, Bound)

    def _importance(self, seed: int) -> Importance:
        """Sobol' indices of the model's mean, on the scale on which it is fitted."""
        model, encoding = self.model, self.space.encoding

        def mean(U: Floats) -> Floats:
            return np.concatenate([model.gp.mean(part) for part in parts(encoding.from_unit(U))])

        return sobol_indices(mean, len(self.space), np.random.default_rng(seed), model.columns)

    @cached_property
    def order(self) -> list[int]:
        """The parameters that are not constants, the most important first."""
        ranked = np.argsort(-self.importance.total, kind="stable").tolist()
        return [j for j in ranked if self.model.columns[j]]

    @cached_property
    def explained(self) -> float:
        """The share of the variance that is predicted of observations left out one by one (R²).

        On the scale on which the model is fitted.
        """
        gp = self.model.gp
        mean, _ = gp.leave_one_out
        spread = float(np.square(gp.t - gp.t.mean()).sum())
        return 1.0 - float(np.square(gp.t - mean).sum()) / spread if spread > 0.0 else 0.0

    def through(self, *columns: int) -> tuple[Floats, float]:
        """The configuration through which a slice along some parameters goes, and its outcome.

        The best one; where a parameter is inactive in it, the best of those in which it is active.
        """
        if self.space.encoding.active(self.best[None])[0, list(columns)].all():
            return self.best, self.best_value
        rows = np.flatnonzero(self.active[:, list(columns)].all(axis=1))
        if len(rows) == 0:
            return self.best, self.best_value
        order = np.lexsort((self.sign * self.values[rows], ~self._feasible[rows]))
        return self.X[rows[order[0]]], float(self.values[rows[order[0]]])

    def slice(self, j: int) -> Slice:
        """The model along parameter j."""
        if j not in self._slices:
            self._slices[j] = self._slice(j)
        return self._slices[j]

    def _slice(self, j: int) -> Slice:
        positions = grid(self.space.encoding.parameters[j])
        X = np.tile(self.through(j)[0], (len(positions), 1))
        X[:, j] = positions
        low, median, high = self.sign * self.model.quantiles_at(X, [INTERVAL[0], 0.5, INTERVAL[1]])
        return Slice(positions, np.minimum(low, high), median, np.maximum(low, high))

    def surface(self, i: int, j: int, points: int) -> tuple[Floats, Floats, Floats]:
        """Positions along parameters i (m,) and j (k,), and the median over both, (k, m)."""
        parameters = self.space.encoding.parameters
        x, y = grid(parameters[i], points), grid(parameters[j], points)
        X = plane(self.through(i, j)[0], i, x, j, y)
        median = np.concatenate([self.model.median_at(part) for part in parts(X)])
        return x, y, self.sign * median.reshape(len(y), len(x))

    @property
    def held_out(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Each outcome, and what is predicted of it from the others: low, median, high; (n,) each.

        With the noise of an evaluation. Repeats of a configuration are one outcome, their mean.
        """
        gp = self.model.gp
        mean, variance = gp.leave_one_out
        reach = np.sqrt(variance) * ndtri(INTERVAL[1])
        observed, low, median, high = (
            self.sign * self.model.outcomes_of(t) for t in (gp.t, mean - reach, mean, mean + reach)
        )
        return observed, np.minimum(low, high), median, np.maximum(low, high)

    @cached_property
    def warps(self) -> dict[int, tuple[float, float]]:
        """The input warp (a, b) of each warped parameter, by its column."""
        gp = self.model.gp
        if gp.kernel.warp is None:
            return {}
        a, b = (values.tolist() for values in gp.kernel.warp_of(gp.theta))
        columns = gp.kernel.columns.numeric.tolist()
        return dict(zip(columns, zip(a, b, strict=True), strict=True))


def _model_of(models: Models, outcome: str) -> Model:
    """The best ranked model of an objective, or the model of a bounded outcome."""
    found = [ranked[0] for ranked in models.objectives]
    found += [constraint.model for constraint in models.constraints]
    return next(model for model in found if model.goal.name == outcome)


def warp_curve(a: float, b: float, points: int = POINTS) -> tuple[Floats, Floats]:
    """Positions from 0 to 1, and where the warp moves them.

    Examples
    --------
    >>> x, warped = warp_curve(1.0, 1.0)
    >>> bool(np.allclose(x, warped))
    True
    """
    x = np.linspace(0.0, 1.0, points)
    return x, kumaraswamy(x[:, None], np.array([a]), np.array([b]))[:, 0]
