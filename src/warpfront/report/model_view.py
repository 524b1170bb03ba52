"""What the pictures need from the fitted model: slices, surfaces, warps, importance.

Glossary
--------
X : (n, d)
    encoded configurations (see warpfront.space.encoding).
values : (n,)
    the user's values of these, of all completed trials.
failures : (k, d)
    encoded configurations of failed trials.
best : (d,)
    the encoded best configuration, through which slices and surfaces go.
sign
    1, or -1 where the user's values are minus the losses.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from warpfront.history import History
from warpfront.report.importance import Importance, sobol_indices
from warpfront.settings import Settings
from warpfront.space import Parameter
from warpfront.surrogate.failures import learned_from, penalties_as_failures
from warpfront.surrogate.model import Model, parts
from warpfront.surrogate.warping import kumaraswamy

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


def why_no_model(history: History) -> str | None:
    """What is missing for a model that is worth a look; None if nothing is.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> why_no_model(History(Space(x=Real(0, 1))))
    'A model needs at least 3 completed trials; there are 0.'
    """
    completed = history.completed
    if len(completed) < LEAST:
        return f"A model needs at least {LEAST} completed trials; there are {len(completed)}."
    if len({trial.value for trial in completed}) == 1:
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


class ModelView:
    """A fitted model as the report looks at it, in the user's units.

    Parameters
    ----------
    history, settings, seed
        What the model is fitted to, and how.
    maximize
        Whether the user's values are minus the losses.

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
        self, history: History, settings: Settings, seed: int, maximize: bool = False
    ) -> None:
        with np.errstate(under="ignore"):
            self.model = Model.fit(learned_from(history, settings), settings, seed)
        self.sign = -1.0 if maximize else 1.0
        self.space = history.space
        known = penalties_as_failures(history, settings)
        completed = known.completed
        self.X = self.space.encoding.encode([trial.config for trial in completed])
        self.values = self.sign * np.array([trial.value for trial in completed])
        self.failures = known.failures
        self.penalties = len(known.failures) - len(history.failures)
        self.left_out = len(known.failures) - len(self.model.history.failures)
        row = completed.index(history.best)
        self.best, self.best_value = self.X[row], self.values[row]
        with np.errstate(under="ignore"):
            self.importance = self._importance(seed)

    def _importance(self, seed: int) -> Importance:
        """Sobol' indices of the model's mean, on the scale on which it is fitted."""
        model, encoding = self.model, self.space.encoding

        def mean(U: Floats) -> Floats:
            X = encoding.from_unit(U)[:, model.columns]
            return np.concatenate([model.gp.mean(part) for part in parts(X)])

        return sobol_indices(mean, len(self.space), np.random.default_rng(seed), model.columns)

    @cached_property
    def order(self) -> list[int]:
        """The parameters that are no constants, the most important first."""
        ranked = np.argsort(-self.importance.total, kind="stable").tolist()
        return [j for j in ranked if self.model.columns[j]]

    @cached_property
    def explained(self) -> float:
        """The share of the variance that is predicted of trials left out one by one (R²).

        On the scale on which the model is fitted; failed trials, unless they are left
        out, count with their worst target.
        """
        gp = self.model.gp
        return gp.explained(len(gp.y))

    def slice(self, j: int) -> Slice:
        """The model along parameter j."""
        positions = grid(self.space.encoding.parameters[j])
        X = np.tile(self.best, (len(positions), 1))
        X[:, j] = positions
        low, median, high = self.sign * self.model.quantiles_at(X, [INTERVAL[0], 0.5, INTERVAL[1]])
        return Slice(positions, np.minimum(low, high), median, np.maximum(low, high))

    def surface(self, i: int, j: int, points: int) -> tuple[Floats, Floats, Floats]:
        """Positions along parameters i (m,) and j (k,), and the median over both, (k, m)."""
        parameters = self.space.encoding.parameters
        x, y = grid(parameters[i], points), grid(parameters[j], points)
        X = plane(self.best, i, x, j, y)
        median = np.concatenate([self.model.median_at(part) for part in parts(X)])
        return x, y, self.sign * median.reshape(len(y), len(x))

    @cached_property
    def warps(self) -> dict[int, tuple[float, float]]:
        """The input warp (a, b) of each warped parameter, by its column."""
        form, theta = self.model.gp.form, self.model.gp.theta
        if not form.warped:
            return {}
        numeric = np.flatnonzero(self.model.columns & ~self.space.encoding.is_category)
        a, b = np.exp(theta[form.warp_a]).tolist(), np.exp(theta[form.warp_b]).tolist()
        return dict(zip(numeric.tolist(), zip(a, b, strict=True), strict=True))


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
