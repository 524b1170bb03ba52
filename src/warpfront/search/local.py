"""Local search over mixed variables: random steps that shrink, single changes, gradients.

Knows functions, not models. Real variables are moved by random steps that shrink from round to
round, and finally along a gradient; of a discrete variable every value is tried.

Glossary
--------
X : (n, d)
    encoded candidates; f : (n,) their values, to be minimised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from warpfront.search.domain import Domain
from warpfront.search.moves import single_changes, steps
from warpfront.search.untried import untried

Floats = NDArray[np.float64]
Objective = Callable[[Floats], Floats]
Slope = Callable[[Floats], tuple[float, Floats]]
"""Value and gradient (d,) at one point (d,)."""


@dataclass(frozen=True)
class LocalSearch:
    """How long the search is.

    Attributes
    ----------
    rounds, children, kept
        How many rounds, how many new candidates in each, and how many of the best have children.
    first_step, shrinkage
        Standard deviation of the steps of the first round, in the unit cube, and by what factor it
        shrinks from round to round.
    descents, alternations, iterations
        From how many of the best points the gradient is followed, how often that takes turns with
        single changes of discrete variables, and for how many iterations of L-BFGS.
    most_levels
        Of a discrete variable with more values, so many are tried at a time.
    """

    rounds: int = 10
    children: int = 100
    kept: int = 8
    first_step: float = 0.3
    shrinkage: float = 0.6
    descents: int = 1
    alternations: int = 3
    iterations: int = 25
    most_levels: int = 32


DECIMALS = 6
"""Of the coordinates that a descent finds, so that the last bits, in which BLAS libraries differ,
seldom show."""


def minimise(
    objective: Objective,
    domain: Domain,
    starts: Floats,
    rng: np.random.Generator,
    slope: Slope | None = None,
    options: LocalSearch | None = None,
) -> tuple[Floats, Floats]:
    """Search from starts (m, d); return distinct candidates and their values, the best first.

    Examples
    --------
    >>> from warpfront import Integer, Real, Space
    >>> domain = Domain.of(Space(x=Real(0, 1), n=Integer(0, 10)), {})
    >>> bowl = lambda X: np.square(X - 0.31).sum(axis=1)
    >>> rng = np.random.default_rng(0)
    >>> X, f = minimise(bowl, domain, domain.uniform(20, rng), rng)
    >>> domain.decode(X[:1].round(2))
    [{'x': 0.31, 'n': 3}]
    """
    options = LocalSearch() if options is None else options
    X, f = _best_first(starts, objective(starts))
    for r in range(options.rounds):
        size = options.first_step * options.shrinkage**r
        centres = X[: options.kept][rng.integers(0, min(options.kept, len(X)), options.children)]
        children = np.vstack(
            [
                steps(centres, size, domain, rng),
                single_changes(X[0], domain, options.most_levels, rng),
            ]
        )
        X, f = _best_first(np.vstack([X, children]), np.concatenate([f, objective(children)]))
        X, f = X[: options.children], f[: options.children]
    if slope is None or not (domain.free & domain.continuous).any():
        return X, f
    ends = np.array(
        [_alternate(x, objective, domain, slope, options, rng) for x in X[: options.descents]]
    )
    return _best_first(np.vstack([ends, X]), np.concatenate([objective(ends), f]))


def _alternate(
    x: Floats,
    objective: Objective,
    domain: Domain,
    slope: Slope,
    options: LocalSearch,
    rng: np.random.Generator,
) -> Floats:
    """Follow the gradient and try single changes, in turns, until neither helps."""
    value = np.inf
    for _ in range(options.alternations):
        end = domain.pull(descend(x, slope, domain, options.iterations)[None, :], x[None, :])
        changed = single_changes(end[0], domain, options.most_levels, rng)
        rows = np.vstack([x[None, :], end, changed])
        f = objective(rows)
        best = int(np.argmin(f))
        if not f[best] < value:
            break
        x, value = rows[best], float(f[best])
        if len(changed) == 0:
            break
    return x


def descend(x: Floats, slope: Slope, domain: Domain, iterations: int) -> Floats:
    """Where the gradient along the real variables leads from a point (d,).

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> domain = Domain.of(Space(x=Real(0, 1)), {})
    >>> bowl = lambda x: (float((x[0] - 0.3) ** 2), 2.0 * (x - 0.3))
    >>> descend(np.array([0.9]), bowl, domain, 20)
    array([0.3])
    """
    from scipy.optimize import minimize as scipy_minimize  # slow to import, so not before

    moving = np.flatnonzero(domain.free & domain.continuous)

    def along(values: Floats) -> tuple[float, Floats]:
        point = x.copy()
        point[moving] = values
        value, gradient = slope(point)
        return value, gradient[moving]

    result = scipy_minimize(
        along,
        x[moving],
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, 1.0)] * len(moving),
        options={"maxiter": iterations, "ftol": 1e-9, "gtol": 1e-6},
    )
    end: Floats = x.copy()
    if np.all(np.isfinite(result.x)):
        end[moving] = np.round(result.x, DECIMALS)
    return end


def _best_first(X: Floats, f: Floats) -> tuple[Floats, Floats]:
    order = np.argsort(f, kind="stable")
    order = order[untried(X[order], set())]
    return X[order], f[order]
