"""Hypervolume and its expected improvement, for two and more objectives.

Glossary
--------
F : (n, k)
    points in objective space, all minimised.
reference : (k,)
    what a point must be better than in every objective to count.
cells : (c, 2, k)
    disjoint boxes, lower and upper corners, that fill the part of the objective space below the
    reference that no point of a front dominates. Lower corners may be minus infinity.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float64]

REFERENCE_MARGIN = 0.1
"""An inferred reference lies so far beyond the worst values of the front, as a share of its range
(the rule of BoTorch's infer_reference_point)."""


def non_dominated(F: Floats) -> NDArray[np.bool_]:
    """Which rows of F (n, k) no other row dominates; of equal rows the first.

    Examples
    --------
    >>> non_dominated(np.array([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]]))
    array([ True,  True, False, False])
    """
    no_worse = (F[:, None] <= F).all(axis=2)  # [i, j]: i is no worse than j everywhere
    equal = no_worse & no_worse.T
    beats = (no_worse & ~equal) | np.triu(equal, 1)
    return np.asarray(~beats.any(axis=0))


def infer_reference(F: Floats) -> Floats:
    """A reference a little beyond the worst values of the front of F (n, k), (k,).

    No better than the median of all points: the ends of a front that is still short are worth
    finding.

    Examples
    --------
    >>> infer_reference(np.array([[0.0, 1.0], [1.0, 0.0], [9.0, 9.0]]))
    array([1.1, 1.1])
    """
    front = F[non_dominated(F)]
    low, high = front.min(axis=0), front.max(axis=0)
    return np.asarray(np.maximum(high + REFERENCE_MARGIN * (high - low), np.median(F, axis=0)))


def hypervolume(F: Floats, reference: Floats) -> float:
    """The volume that points F (n, k) dominate, down from the reference.

    Examples
    --------
    >>> hypervolume(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([3.0, 3.0]))
    3.0
    """
    F = F[(reference > F).all(axis=1)]
    if len(F) == 0:
        return 0.0
    ideal = F.min(axis=0)
    cells = free_cells(F, reference)
    sides = cells[:, 1] - np.maximum(cells[:, 0], ideal)
    free = np.prod(np.maximum(sides, 0.0), axis=1).sum()
    return float(np.prod(reference - ideal) - free)


def free_cells(F: Floats, reference: Floats) -> Floats:
    """Cells of what no row of F (n, k) dominates, by slices along one objective after the other.

    Examples
    --------
    >>> free_cells(np.array([[1.0]]), np.array([3.0])).tolist()
    [[[-inf], [1.0]]]
    >>> len(free_cells(np.array([[1.0, 2.0], [2.0, 1.0]]), np.array([3.0, 3.0])))
    3
    """
    F = F[(reference > F).all(axis=1)]
    F = F[non_dominated(F)] if len(F) else F
    k = len(reference)
    if k == 1:
        top = float(F.min()) if len(F) else float(reference[0])
        return np.array([[[-math.inf], [top]]])
    order = np.argsort(F[:, -1], kind="stable")
    F = F[order]
    parts, low = [], -math.inf
    for i in range(len(F) + 1):
        high = float(F[i, -1]) if i < len(F) else float(reference[-1])
        if high > low:  # within this slice the points before i are in force
            inner = free_cells(F[:i, :-1], reference[:-1])
            cells = np.empty((len(inner), 2, k))
            cells[:, :, :-1] = inner
            cells[:, 0, -1], cells[:, 1, -1] = low, high
            parts.append(cells)
            low = high
    return np.concatenate(parts)


def expected_improvement(mean: Floats, std: Floats, cells: Floats) -> Floats:
    """The expected growth of the hypervolume by points of independent normal objectives, (m,).

    Parameters
    ----------
    mean, std
        Of the objectives at each point, (m, k).
    cells
        What no point of the front dominates, (c, 2, k).

    Examples
    --------
    >>> cells = free_cells(np.array([[1.0, 1.0]]), np.array([2.0, 2.0]))
    >>> tiny = np.full((1, 2), 1e-9)
    >>> expected_improvement(np.array([[0.0, 0.0]]), tiny, cells).round(6)
    array([3.])
    """
    product = np.ones((len(mean), len(cells)))
    for j in range(mean.shape[1]):
        m, s = mean[:, j, None], std[:, j, None]
        product *= _below(cells[:, 1, j], m, s) - _below(cells[:, 0, j], m, s)
    return np.asarray(np.maximum(product, 0.0).sum(axis=1))


def _below(a: Floats, mean: Floats, std: Floats) -> Floats:
    """The expected value of max(0, a - y) for normal y, (m, c)."""
    z = np.maximum((a - mean) / std, -1e3)
    density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    return np.asarray(std * (z * ndtr(z) + density))


def improvement(F: Floats, cells: Floats) -> Floats:
    """The growth of the hypervolume by each row of F (m, k) alone, (m,).

    Examples
    --------
    >>> cells = free_cells(np.array([[1.0, 1.0]]), np.array([2.0, 2.0]))
    >>> improvement(np.array([[0.0, 0.0], [1.5, 1.5]]), cells)
    array([3., 0.])
    """
    sides = cells[None, :, 1] - np.maximum(cells[None, :, 0], F[:, None, :])
    return np.asarray(np.prod(np.maximum(sides, 0.0), axis=2).sum(axis=1))


def scalarised_improvement(
    samples: Floats, front: Floats, reference: Floats, weights: Floats
) -> Floats:
    """The expected growth of the hypervolume by random scalarisations, for many objectives, (m,).

    The hypervolume is the mean over random directions of how far the front reaches along each
    (Zhang and Golovin, "Random Hypervolume Scalarizations for Provable Multi-Objective Black Box
    Optimization", 2020); exact cells grow too many with the number of objectives.

    Parameters
    ----------
    samples
        Samples of the objectives, (s, m, k).
    front
        The front, (n, k).
    reference
        What counts, (k,).
    weights
        Directions of positive entries and norm 1, (w, k).
    """

    def reach(F: Floats) -> Floats:
        lengths = (np.maximum(reference - F, 0.0)[..., None, :] / weights).min(axis=-1)
        return np.asarray(lengths ** len(reference))

    best = reach(front).max(axis=0) if len(front) else np.zeros(len(weights))
    return np.asarray(np.maximum(reach(samples) - best, 0.0).mean(axis=(0, 2)))
