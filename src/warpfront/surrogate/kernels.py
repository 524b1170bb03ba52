"""Kernels: sums of terms over warped inputs.

A term knows its covariance, its diagonal, and its gradients with respect to its own parameters and
to the inputs. A new term is a new file with one class; nothing else changes.

Glossary
--------
X : (n, d)
    encoded configurations (see warpfront.space.encoding).
U : (n, dn)
    their numeric columns after the input warp, in [0, 1].
C : (n, dc)
    their category codes.
p : (k,)
    logarithms of the hyper-parameters of one term.
theta : (p,)
    all hyper-parameters: noise, warp (log a, then log b), then those of each term.
G : (n, n)
    the derivative of a scalar by a covariance matrix; only its lower triangle is valid.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from warpfront.surrogate.priors import Block, PriorTable
from warpfront.surrogate.warping import (
    inner_log,
    kumaraswamy,
    kumaraswamy_with_gradient,
    kumaraswamy_with_slope,
)

Floats = NDArray[np.float64]

BLOCK_ROWS = 128
"""A large symmetric covariance is computed in blocks of so many rows, from the diagonal down."""


class Codes:
    """Category codes C (n, dc), and in which of them two configurations differ."""

    def __init__(self, C: Floats) -> None:
        self.C = C

    def __getitem__(self, rows: slice) -> Codes:
        return Codes(self.C[rows])

    @cached_property
    def among_themselves(self) -> list[Floats]:
        """For each category 1 where two rows differ, else 0, (n, n)."""
        return [c[:, None] != c for c in self.C.T]

    def differences(self, other: Codes) -> list[NDArray[np.bool_]]:
        """For each category where a row of these differs from one of the others, (n, m)."""
        if other is self:
            return self.among_themselves  # type: ignore[return-value]
        return [a[:, None] != b for a, b in zip(self.C.T, other.C.T, strict=True)]


@dataclass(frozen=True, eq=False)
class Points:
    """Inputs as terms see them: warped numbers U (n, dn) and category codes."""

    U: Floats
    codes: Codes
    _kept: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.U)

    def __getitem__(self, rows: slice) -> Points:
        return Points(self.U[rows], self.codes[rows])

    @cached_property
    def centred(self) -> Floats:
        """The numbers in [-1, 1]."""
        return 2.0 * self.U - 1.0

    def keep(self, key: Any, compute: Callable[[], Floats]) -> Floats:
        """What a term works out for these inputs alone, kept for the next time."""
        if key not in self._kept:
            self._kept[key] = compute()
        return self._kept[key]  # type: ignore[no-any-return]


class Workspace:
    """Arrays that are used again: large ones that live for one call cost more than arithmetic."""

    def __init__(self) -> None:
        self._arrays: dict[str, Floats] = {}

    def array(self, name: str, shape: tuple[int, ...]) -> Floats:
        """An array of this shape with any content."""
        if name not in self._arrays or self._arrays[name].shape != shape:
            self._arrays[name] = np.empty(shape)
        return self._arrays[name]


class Sensitivity:
    """The derivative G of a scalar with respect to a covariance matrix, (n, n)."""

    def __init__(self, G: Floats) -> None:
        self.G = G  # C-ordered, lower triangle
        self.diagonal = G.ravel()[:: len(G) + 1].copy()
        self._weights = G * _lower_weights(len(G))

    def dot(self, K: Floats) -> float:
        """The sum of G ∘ K over all entries, for a symmetric K whose lower triangle is valid."""
        return float(np.vdot(self._weights, K))

    def symmetric_product(self, B: Floats, scale: float = 1.0) -> Floats:
        """G B, (n, k)."""
        return symmetric_product(self.G, B, scale)


@lru_cache(maxsize=4)
def _lower_weights(n: int) -> Floats:
    """2 below the diagonal, 1 on it and 0 above, (n, n)."""
    return np.tril(np.full((n, n), 2.0), -1) + np.eye(n)


def symmetric_product(A: Floats, B: Floats, scale: float = 1.0) -> Floats:
    """Scale times A B, of a symmetric C-ordered A (n, n) whose lower triangle is valid."""
    return np.asarray(blas.dsymm(scale, A.T, B, lower=0))


Pullback = Callable[[Sensitivity], tuple[Floats, Floats]]
"""From G to the derivatives with respect to p (k,) and U (n, dn)."""


class Term(Protocol):
    """One summand of a kernel."""

    def blocks(self, numeric: int, categories: int) -> list[Block]:
        """The hyper-parameters over so many numeric columns and categories."""

    def covariance(self, p: Floats, A: Points, B: Points) -> Floats:
        """Covariance between two sets of inputs, (n, m)."""

    def diagonal(self, p: Floats, A: Points) -> Floats:
        """Variance at each input, (n,)."""

    def add_to(self, K: Floats, p: Floats, A: Points, room: Workspace) -> Pullback:
        """Add the covariance of inputs with themselves to K (n, n); return the way back."""

    def slope(self, p: Floats, x: Points, B: Points) -> tuple[Floats, Floats]:
        """Covariance of B and one input, (m,), and its derivatives with respect to x.U, (m, dn)."""

    def diagonal_slope(self, p: Floats, x: Points) -> Floats:
        """Derivative of the variance at x with respect to x.U (1, dn), (dn,)."""

    def largest_variance(self, p: Floats, numeric: int, categories: int) -> float:
        """The greatest variance anywhere in the unit cube."""


@dataclass(frozen=True)
class Columns:
    """Which columns of an encoded configuration a kernel uses."""

    numeric: NDArray[np.intp]
    categories: NDArray[np.intp]

    @classmethod
    def of(cls, used: NDArray[np.bool_], is_category: NDArray[np.bool_]) -> Columns:
        """From masks over all columns, (d,) each."""
        return cls(np.flatnonzero(used & ~is_category), np.flatnonzero(used & is_category))

    @property
    def d(self) -> int:
        """How many there are."""
        return len(self.numeric) + len(self.categories)


class Kernel:
    """A sum of terms over warped inputs, and the noise.

    Parameters
    ----------
    terms
        The summands, one at least.
    columns
        The columns of a configuration that are used.
    noise
        The hyper-parameter of the noise variance.
    warp
        The hyper-parameters a and b of the input warp; None: no warp.

    Examples
    --------
    >>> from warpfront.surrogate.matern import Matern
    >>> from warpfront.surrogate.priors import LogNormal
    >>> columns = Columns.of(np.array([True]), np.array([False]))
    >>> noise = Block(1, LogNormal(-6.0, 2.0), (1e-6, 10.0))
    >>> kernel = Kernel((Matern("matern32"),), columns, noise)
    >>> points = kernel.points(kernel.priors.start, np.array([[0.2], [0.4]]))
    >>> kernel.covariance(kernel.priors.start, points, points).shape
    (2, 2)
    """

    NOISE = 0

    def __init__(
        self, terms: Sequence[Term], columns: Columns, noise: Block, warp: Block | None = None
    ) -> None:
        self.terms, self.columns, self.warp = tuple(terms), columns, warp
        numeric, categories = len(columns.numeric), len(columns.categories)
        blocks = [noise]
        if warp is not None:
            blocks += [Block(numeric, warp.prior, warp.bounds)] * 2
        self._warp_a = slice(1, 1 + (numeric if warp else 0))
        self._warp_b = slice(self._warp_a.stop, self._warp_a.stop + (numeric if warp else 0))
        #: where the hyper-parameters of each term are in theta
        self.parts: list[slice] = []
        at = self._warp_b.stop
        for term in self.terms:
            own = term.blocks(numeric, categories)
            size = sum(block.size for block in own)
            self.parts.append(slice(at, at + size))
            blocks += own
            at += size
        #: priors, bounds and the start of theta
        self.priors = PriorTable(blocks)

    @property
    def size(self) -> int:
        """Length of theta."""
        return self.priors.size

    def warp_of(self, theta: Floats) -> tuple[Floats, Floats]:
        """The a and b of the input warp, (dn,) each; ones where there is none."""
        if self.warp is None:
            ones = np.ones(len(self.columns.numeric))
            return ones, ones
        return np.exp(theta[self._warp_a]), np.exp(theta[self._warp_b])

    def noise(self, theta: Floats) -> float:
        """The variance of the noise."""
        return float(np.exp(theta[self.NOISE]))

    def points(self, theta: Floats, X: Floats) -> Points:
        """Encoded configurations X (n, d) as terms see them."""
        U, codes = X[:, self.columns.numeric], Codes(X[:, self.columns.categories])
        if self.warp is not None:
            a, b = self.warp_of(theta)
            U = kumaraswamy(U, a, b)
        return Points(U, codes)

    def covariance(self, theta: Floats, A: Points, B: Points) -> Floats:
        """Prior covariance of the latent function between two sets of inputs, (n, m)."""
        return self._sum([t.covariance(p, A, B) for t, p in self._with(theta)])

    def lower_covariance(self, theta: Floats, A: Points) -> Floats:
        """Covariance of inputs with themselves, (n, n), Fortran-ordered, from the diagonal down."""
        n = len(A)
        K = np.zeros((n, n), order="F")
        for start in range(0, n, BLOCK_ROWS):
            rows = slice(start, min(start + BLOCK_ROWS, n))
            K.T[rows, start:] = self.covariance(theta, A[rows], A[slice(start, n)])
        return K

    def diagonal(self, theta: Floats, A: Points) -> Floats:
        """Prior variance of the latent function at each input, (n,)."""
        return self._sum([t.diagonal(p, A) for t, p in self._with(theta)])

    def largest_variance(self, theta: Floats) -> float:
        """The greatest prior variance of the latent function anywhere."""
        sizes = len(self.columns.numeric), len(self.columns.categories)
        return sum(t.largest_variance(p, *sizes) for t, p in self._with(theta))

    def slopes(self, theta: Floats, x: Floats, B: Points) -> tuple[Floats, Floats, Floats]:
        """Covariance of B and one configuration x (d,), (m,), and derivatives along its numbers.

        Those of the covariance, (m, dn), and of the prior variance at x, (dn,).
        """
        U, codes = x[None, self.columns.numeric], Codes(x[None, self.columns.categories])
        slope = np.ones_like(U)
        if self.warp is not None:
            U, slope = kumaraswamy_with_slope(U, *self.warp_of(theta))
        here = Points(U, codes)
        both = [term.slope(p, here, B) for term, p in self._with(theta)]
        k, J = self._sum([k for k, _ in both]), self._sum([J for _, J in both])
        variance = self._sum([t.diagonal_slope(p, here) for t, p in self._with(theta)])
        return k, J * slope, variance * slope[0]

    def _with(self, theta: Floats) -> list[tuple[Term, Floats]]:
        return [(term, theta[part]) for term, part in zip(self.terms, self.parts, strict=True)]

    @staticmethod
    def _sum(values: list[Floats]) -> Floats:
        total = values[0]
        for value in values[1:]:
            total += value
        return total


class TrainingInputs:
    """The inputs of a fit: what does not depend on theta is worked out once.

    Parameters
    ----------
    kernel
        The kernel that is fitted.
    X
        Encoded configurations, (n, d).
    """

    def __init__(self, kernel: Kernel, X: Floats) -> None:
        self._kernel = kernel
        # Points last in memory, so that loops over (n, dn) arrays are long.
        self._N = np.asfortranarray(X[:, kernel.columns.numeric])
        self._log_N = inner_log(self._N) if kernel.warp else self._N
        self._codes = Codes(X[:, kernel.columns.categories])
        self._K = np.empty((len(X), len(X)))
        self._rooms = [Workspace() for _ in kernel.terms]

    def covariance(self, theta: Floats) -> tuple[Floats, Callable[[Sensitivity], Floats]]:
        """K (n, n) without noise, C-ordered, lower triangle, and the way from G to the gradient."""
        kernel, U = self._kernel, self._N
        if kernel.warp is not None:
            a, b = kernel.warp_of(theta)
            U, da, db = kumaraswamy_with_gradient(self._log_N, a, b)
        A, K = Points(U, self._codes), self._K
        K.fill(0.0)
        ways_back = [
            term.add_to(K, theta[part], A, room)
            for term, part, room in zip(kernel.terms, kernel.parts, self._rooms, strict=True)
        ]

        def pull_back(G: Sensitivity) -> Floats:
            gradient = np.zeros_like(theta)
            dU = np.zeros_like(U)
            for part, way_back in zip(kernel.parts, ways_back, strict=True):
                gradient[part], own = way_back(G)
                dU += own
            if kernel.warp is not None:
                gradient[kernel._warp_a] = np.einsum("ij,ij->j", dU, da)
                gradient[kernel._warp_b] = np.einsum("ij,ij->j", dU, db)
            return gradient

        return K, pull_back
