"""Random steps in mixed spaces: numbers move, grid values by a level at least, categories jump."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from warpfront.search.domain import Domain

Floats = NDArray[np.float64]


def steps(
    centres: Floats, size: float | Floats, domain: Domain, rng: np.random.Generator
) -> Floats:
    """Copies of points (n, d) of which one to all coordinates take a step, (n, d).

    Steps out of the domain end at its border, if the points are inside.

    Parameters
    ----------
    centres
        Where to begin.
    size
        Standard deviation of the steps in the unit cube, of all or of each point, (n, 1).
    domain
        Where to stay.
    rng
        Source of randomness.

    Examples
    --------
    >>> from warpfront import Integer, Real, Space
    >>> domain = Domain.of(Space(x=Real(0, 1), n=Integer(0, 10)), {"n": 5})
    >>> moved = steps(np.full((3, 2), 0.5), 0.1, domain, np.random.default_rng(0))
    >>> moved[:, 1]
    array([0.5, 0.5, 0.5])
    """
    encoding, n = domain.encoding, len(centres)
    free = max(1, int(domain.free.sum()))
    moved = rng.random(centres.shape) < rng.uniform(1.0 / free, 1.0, (n, 1))
    level = np.where(
        np.isfinite(encoding.levels), 1.0 / np.maximum(encoding.levels - 1.0, 1.0), 0.0
    )
    scale = np.maximum(size, level)
    numbers = np.clip(centres + scale * rng.standard_normal(centres.shape), 0.0, 1.0)
    redrawn = encoding.from_unit(rng.random(centres.shape))
    candidates = np.where(encoding.is_category, redrawn, numbers)
    return domain.pull(np.where(moved, candidates, centres), centres)


def single_changes(x: Floats, domain: Domain, most: int, rng: np.random.Generator) -> Floats:
    """Feasible copies of a point (d,) with each value of one discrete variable, (n, d).

    All values of a variable, or, of one with more than ``most``, random ones and the nearest.

    Examples
    --------
    >>> from warpfront import Integer, Real, Space
    >>> domain = Domain.of(Space(x=Real(0, 1), n=Integer(0, 2)), {})
    >>> single_changes(np.array([0.3, 0.5]), domain, 32, np.random.default_rng(0))
    array([[0.3       , 0.16666667],
           [0.3       , 0.5       ],
           [0.3       , 0.83333333]])
    """
    encoding, parts = domain.encoding, [x[:0, None].reshape(0, len(x))]
    for j in np.flatnonzero(domain.free & np.isfinite(encoding.levels)):
        parameter, levels = encoding.parameters[j], encoding.levels[j]
        if levels <= most:
            positions = parameter.positions()
        else:
            drawn = rng.random(most)
            if not encoding.is_category[j]:
                near = x[j] + np.arange(-(most // 8), most // 8 + 1) / (levels - 1.0)
                drawn[: len(near)] = np.clip(near, 0.0, 1.0)
            positions = parameter.snap(drawn)
        rows = np.repeat(x[None, :], len(positions), axis=0)
        rows[:, j] = positions
        parts.append(rows)
    rows = domain.repair(np.vstack(parts))
    return rows[domain.feasible(rows)]
