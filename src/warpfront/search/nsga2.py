"""NSGA-II for mixed variables, vectorised over the population.

Deb, Pratap, Agarwal and Meyarivan, "A Fast and Elitist Multiobjective Genetic Algorithm:
NSGA-II", 2002. Numbers are crossed by simulated binary crossover and mutated polynomially; on a
grid they are moved by at least about one level; categories are exchanged and redrawn.

Glossary
--------
X : (n, d)
    encoded candidates; F : (n, k) their objectives, all minimised.
rank : (n,)
    0 for points that no other dominates, 1 for those that only rank 0 dominates, and so on.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.search.domain import Domain
from warpfront.search.untried import untried
from warpfront.space.encoding import row_keys

Floats = NDArray[np.float64]
Objectives = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Operators:
    """How children are bred.

    Attributes
    ----------
    crossover_probability, crossover_index, mutation_index
        As in the paper on NSGA-II; greater indices keep children nearer to their parents.
    grid_step
        Mutations on a grid have at least this standard deviation, and at least one level.
    surplus
        So many times more children are bred than are needed, to make up for dropped copies.
    """

    crossover_probability: float = 0.9
    crossover_index: float = 15.0
    mutation_index: float = 20.0
    grid_step: float = 0.1
    surplus: float = 1.1


OPERATORS = Operators()


def nsga2(
    objectives: Objectives,
    domain: Domain,
    initial: Floats,
    generations: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats]:
    """Evolve a population; return it with its objectives, the best ranks first.

    Parameters
    ----------
    objectives
        Maps candidates (m, d) to objectives (m, k); may be noisy.
    domain
        Where candidates may move.
    initial
        The first population, (n, d); its size is kept.
    generations
        How many times the population is renewed.
    rng
        Source of randomness.
    """
    size = len(initial)
    X, F = initial, objectives(initial)
    X, F, crowding = _survive(X, F, size)
    for _ in range(generations):
        children = _offspring(X, F, crowding, domain, math.ceil(OPERATORS.surplus * size), rng)
        children = children[untried(children, set(row_keys(X)))][:size]  # no copies
        if len(children) == 0:
            continue
        X = np.vstack([X, children])
        F = np.vstack([F, objectives(children)])
        X, F, crowding = _survive(X, F, size)
    return X, F


def pareto_mask(F: Floats) -> NDArray[np.bool_]:
    """Which rows of F (n, k) no other row dominates.

    Examples
    --------
    >>> pareto_mask(np.array([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0]]))
    array([ True,  True, False])
    """
    return np.asarray(non_dominated_ranks(F, 1) == 0)


def non_dominated_ranks(F: Floats, needed: int) -> NDArray[Any]:
    """Ranks of rows, at least until ``needed`` rows have one; the rest share the next rank."""
    n = len(F)
    no_worse = np.ones((n, n), dtype=bool)  # [i, j]: i is no worse than j in every objective
    for objective in np.ascontiguousarray(F.T):
        no_worse &= objective[:, None] <= objective
    # Floats, for which sums are one product: counts are exact.
    dominates = (no_worse > no_worse.T).astype(np.float32)
    count = np.ones(n, dtype=np.float32) @ dominates  # by how many each row is dominated
    rank = np.full(n, -1)
    level, ranked = 0, 0
    while ranked < needed:
        front = count == 0.0
        size = int(np.count_nonzero(front))
        if size == 0:  # cannot happen with a partial order; NaN would break it
            break
        rank[front] = level
        ranked += size
        level += 1
        if ranked < needed:
            count -= front.astype(np.float32) @ dominates
            count[front] = -1.0  # done
    rank[rank < 0] = level
    return rank


def crowding_distances(F: Floats, rank: NDArray[Any]) -> Floats:
    """Crowding distance of each row within its rank; infinite at the ends of each objective.

    Examples
    --------
    >>> F = np.array([[0.0, 3.0], [1.0, 1.0], [3.0, 0.0]])
    >>> crowding_distances(F, np.zeros(3, dtype=int))
    array([inf,  2., inf])
    """
    n, k = F.shape
    first, last = np.ones(n, dtype=bool), np.ones(n, dtype=bool)
    ranks = np.sort(rank)
    first[1:] = last[:-1] = ranks[1:] != ranks[:-1]
    starts, ends = np.flatnonzero(first), np.flatnonzero(last)  # of the ranks
    order = np.lexsort((F.T, np.broadcast_to(rank, (k, n))))  # (k, n): a row for each objective
    place = order + n * np.arange(k)[:, None]  # the same in an array without rows
    f = F.T.ravel()[place]
    gap = np.full((k, n), np.inf)
    with np.errstate(invalid="ignore", over="ignore"):  # infinite and denormal objectives
        spread = f[:, ends] - f[:, starts]
        gap[:, 1:-1] = f[:, 2:] - f[:, :-2]
        gap /= np.repeat(np.where(spread > 0.0, spread, 1.0), ends - starts + 1, axis=1)
    gap[:, starts] = gap[:, ends] = np.inf
    gap[np.isnan(gap)] = 0.0
    distances = np.empty((k, n))
    distances.ravel()[place] = gap
    return np.asarray(distances.sum(axis=0))


def _survive(X: Floats, F: Floats, size: int) -> tuple[Floats, Floats, Floats]:
    """Keep the best ``size`` rows by rank, then by crowding distance."""
    rank = non_dominated_ranks(F, size)
    crowding = crowding_distances(F, rank)
    keep = np.lexsort((-crowding, rank))[:size]
    return X[keep], F[keep], crowding[keep]


def _offspring(
    X: Floats,
    F: Floats,
    crowding: Floats,
    domain: Domain,
    size: int,
    rng: np.random.Generator,
) -> Floats:
    """Binary tournaments, crossover and mutation: ``size`` children or one more."""
    pairs = (size + 1) // 2
    parents = X[_tournaments(F, crowding, 2 * pairs, rng)]
    children = _cross(parents[:pairs], parents[pairs:], domain, rng)
    return domain.pull(mutate(children, domain, rng), parents)


def _tournaments(
    F: Floats, crowding: Floats, winners: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Indices of the winners of binary tournaments, by dominance, then by crowding distance.

    By dominance as in the authors' own code, not by rank: a dominated point that its opponent
    does not dominate has a chance, without which the front of ZDT2 collapses into one end. Rows
    take part as nearly equally often as the numbers allow.
    """
    n = len(F)
    rounds = -(-2 * winners // n)
    contenders = np.concatenate([rng.permutation(n) for _ in range(rounds)])[: 2 * winners]
    a, b = contenders.reshape(winners, 2).T
    no_worse, no_better = (F[a] <= F[b]).all(axis=1), (F[a] >= F[b]).all(axis=1)
    comparable = no_worse != no_better
    return np.asarray(np.where(np.where(comparable, no_worse, crowding[a] >= crowding[b]), a, b))


def _cross(A: Floats, B: Floats, domain: Domain, rng: np.random.Generator) -> Floats:
    """Simulated binary crossover of numbers, exchange of categories."""
    pairs, d = A.shape
    mating = (rng.random((pairs, 1)) < OPERATORS.crossover_probability) & (
        rng.random((pairs, d)) < 0.5
    )
    mating &= domain.free
    u, exchange = rng.random((2, pairs, d))
    first, second = np.where(mating, B, A), np.where(mating, A, B)
    numeric = mating & ~domain.encoding.is_category & (np.abs(A - B) > 1e-14)
    low, high = np.minimum(A, B)[numeric], np.maximum(A, B)[numeric]
    u, swap, gap = u[numeric], exchange[numeric] < 0.5, high - low
    below = 0.5 * (low + high - _spread(1.0 + 2.0 * low / gap, u) * gap)
    above = 0.5 * (low + high + _spread(1.0 + 2.0 * (1.0 - high) / gap, u) * gap)
    below, above = np.clip(below, 0.0, 1.0), np.clip(above, 0.0, 1.0)
    first[numeric], second[numeric] = np.where(swap, above, below), np.where(swap, below, above)
    return np.vstack([first, second])


def _spread(beta: Floats, u: Floats) -> Floats:
    """The spread factor of bounded simulated binary crossover."""
    power = 1.0 / (OPERATORS.crossover_index + 1.0)
    alpha = 2.0 - beta ** -(OPERATORS.crossover_index + 1.0)
    return np.asarray(
        np.where(u <= 1.0 / alpha, u * alpha, 1.0 / np.maximum(2.0 - u * alpha, 1e-300)) ** power
    )


def mutate(X: Floats, domain: Domain, rng: np.random.Generator) -> Floats:
    """Change about one free column of each row; numbers are not snapped to their grids."""
    n, d = X.shape
    encoding = domain.encoding
    probability = 1.0 / max(1, int(domain.free.sum()))
    chosen = (rng.random((n, d)) < probability) & domain.free
    u = rng.random((n, d))
    moved = X.copy()
    moved[chosen] = np.clip(X[chosen] + _polynomial_step(X[chosen], u[chosen]), 0.0, 1.0)
    on_grid = np.isfinite(encoding.levels) & ~encoding.is_category
    if on_grid.any():
        step = np.maximum(OPERATORS.grid_step, 1.0 / encoding.levels[on_grid])
        jump = X[:, on_grid] + step * rng.standard_normal((n, int(on_grid.sum())))
        moved[:, on_grid] = np.clip(jump, 0.0, 1.0)
    if encoding.is_category.any():
        levels = encoding.levels[encoding.is_category]
        moved[:, encoding.is_category] = np.floor(u[:, encoding.is_category] * levels)
    return np.where(chosen, moved, X)


def _polynomial_step(X: Floats, u: Floats) -> Floats:
    """The step of bounded polynomial mutation in the unit cube."""
    power = 1.0 / (OPERATORS.mutation_index + 1.0)
    exponent = OPERATORS.mutation_index + 1.0
    x = np.clip(X, 0.0, 1.0)
    down = (2.0 * u + (1.0 - 2.0 * u) * (1.0 - x) ** exponent) ** power - 1.0
    up = 1.0 - (2.0 * (1.0 - u) + (2.0 * u - 1.0) * x**exponent) ** power
    return np.asarray(np.where(u < 0.5, down, up))
