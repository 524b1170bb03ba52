"""Acquisition conflict: whether EI, PI and UCB want the same, over two parameters.

Paper, "No Clear Winner": the optimum of one acquisition can be a poor point of another. Here all
are maximised; UCB is minus the lower confidence bound of the minimised outcome.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from warpfront.acquisition.ensemble import Ensemble
from warpfront.analysis.model_view import grid, plane
from warpfront.diagnostics.correlation import rank_correlation
from warpfront.diagnostics.measured import incumbent
from warpfront.errors import ConfigurationError
from warpfront.settings import Settings
from warpfront.space import Configuration, Space
from warpfront.surrogate.model import Model, parts

Floats = NDArray[np.float64]

POINTS = 41
"""Points of the grid along each continuous parameter."""
TOP = 0.05
"""Acquisitions conflict where the optimum of one is not within this best share of another."""


@dataclass(frozen=True)
class Conflict:
    """EI, PI and UCB of a model over a grid of two parameters.

    Attributes
    ----------
    parameters
        The names of the two.
    x, y
        Their encoded values along the grid, (m,) and (k,).
    values
        log EI, log PI and UCB at each point of the grid, (k, m), by the names of the acquisitions.
    optima
        Row and column of the best point of each.
    configs
        The configuration there: all other parameters as in the best observed one.
    correlations
        Spearman's rank correlation of each two over the grid; nan where one does not vary.
    places
        For (one, other): the share of the grid that ``other`` holds better than the best point
        of ``one``.
    """

    parameters: tuple[str, str]
    x: Floats
    y: Floats
    values: Mapping[str, Floats]
    optima: Mapping[str, tuple[int, int]]
    configs: Mapping[str, Configuration]
    correlations: Mapping[tuple[str, str], float]
    places: Mapping[tuple[str, str], float]

    @property
    def is_conflicting(self) -> bool:
        """Whether the best point of one is not among the best 5 % of another."""
        return max(self.places.values()) > TOP


def why_no_pair(space: Space, names: object) -> str | None:
    """Why acquisitions cannot be compared over these parameters; None if they are.

    Examples
    --------
    >>> from warpfront import Real
    >>> why_no_pair(Space(x=Real(0, 1), y=Real(0, 1)), ("x", "z"))
    "'z' is not in the space"
    """
    if not isinstance(names, (tuple, list)) or len(names) != 2:
        return "must be two names"
    for name in names:
        if name not in space.names:
            return f"{name!r} is not in the space"
        if space[name].levels == 1:
            return f"{name!r} is a constant"
    return f"{names[0]!r} is given twice" if names[0] == names[1] else None


def check_pair(space: Space, names: object) -> None:
    """Raise if acquisitions cannot be compared over these parameters.

    Examples
    --------
    >>> from warpfront import Real
    >>> check_pair(Space(x=Real(0, 1), y=Real(0, 1)), "xy")
    Traceback (most recent call last):
    warpfront.errors.ConfigurationError: parameters='xy': must be two names; choose two of x, y
    """
    wrong = why_no_pair(space, names)
    if wrong is not None:
        raise ConfigurationError(
            f"parameters={names!r}: {wrong}; choose two of {', '.join(space.names)}"
        )


def acquisition_conflict(
    model: Model, first: str, second: str, *, told: int, points: int = POINTS
) -> Conflict:
    """Compute the acquisitions over two parameters and compare what they want.

    Parameters
    ----------
    model
        The fitted model.
    first, second
        The two parameters; all others are as in the best observed configuration.
    told
        How many trials have an outcome, which the weight of the exploration in UCB grows with.
    points
        Points of the grid along a continuous parameter.

    Examples
    --------
    >>> from warpfront import HEBO, Real, Space
    >>> optimizer = HEBO(Space(x=Real(-2, 2), y=Real(-2, 2)), seed=0)
    >>> batch = optimizer.ask(12)
    >>> optimizer.tell(batch, [c["x"] ** 2 + (c["y"] - 1) ** 2 for c in batch])
    >>> found = acquisition_conflict(optimizer.model, "x", "y", told=12)
    >>> sorted(found.optima), found.values["EI"].shape
    (['EI', 'PI', 'UCB'], (41, 41))
    """
    names = model.space.names
    check_pair(model.space, (first, second))
    i, j = names.index(first), names.index(second)
    encoding = model.space.encoding
    x, y = grid(encoding.parameters[i], points), grid(encoding.parameters[j], points)
    best = incumbent(model)
    X = plane(best, i, x, j, y)
    ensemble = Ensemble.build(
        model.gp,
        best,
        Settings(acquisition="ensemble", robustness="none"),
        n=told,
        q=1,
        rng=np.random.default_rng(0),  # without noise nothing is drawn
    )
    # By parts, for of two large categories there are millions of pairs.
    ucb, ei, pi = -np.vstack([ensemble(part) for part in parts(X)]).T
    flat = {"EI": ei, "PI": pi, "UCB": ucb}
    optima = {name: int(np.argmax(values)) for name, values in flat.items()}
    return Conflict(
        parameters=(first, second),
        x=x,
        y=y,
        values={name: values.reshape(len(y), len(x)) for name, values in flat.items()},
        optima={name: divmod(row, len(x)) for name, row in optima.items()},
        configs={name: encoding.decode(X[[row]])[0] for name, row in optima.items()},
        correlations={
            (one, other): rank_correlation(flat[one], flat[other])[0]
            for one, other in combinations(flat, 2)
        },
        places={
            (one, other): float(np.mean(flat[other] > flat[other][optima[one]]))
            for one, other in permutations(flat, 2)
        },
    )
