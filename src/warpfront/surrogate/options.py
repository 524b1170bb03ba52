"""The candidate models of an outcome: options, and the presets with their reasons."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from warpfront.surrogate.additive import Additive
from warpfront.surrogate.gp import FitOptions
from warpfront.surrogate.kernels import Columns, Kernel, Term
from warpfront.surrogate.matern import Matern
from warpfront.surrogate.priors import Block, LogNormal
from warpfront.surrogate.transforms import OutputWarp
from warpfront.surrogate.trends import Linear, Quadratic

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NOISE_BOUNDS, WARP_BOUNDS = (1e-6, 1e1), (1e-1, 1e1)
PAPER_NOISE = LogNormal(-4.63, 0.5)
"""Noise variance about 1 % of that of the targets (the winning submission)."""
WIDE_NOISE = LogNormal(-6.0, 2.0)
"""From nothing to all: measured better than the paper's (docs/experiments.md)."""
WARP = LogNormal(0.0, 0.75)
"""a and b of the input warp: centred on no warp (the winning submission)."""
WARPED_FREELY = 9
"""With more numbers the prior of their warps is narrower, as a warp for each fits chance."""


@dataclass(frozen=True)
class ModelOptions:
    """What one candidate model is made of.

    Attributes
    ----------
    name
        As in ``Settings(models=...)``.
    terms
        The kernel is their sum.
    output_warp
        See :func:`warpfront.surrogate.transforms.fit_transform`.
    input_warp
        Whether the Kumaraswamy warp is fitted to each numeric parameter.
    narrowing_warp
        Whether its prior is narrower where there are many parameters.
    noise
        The prior of the noise variance.
    fit
        How hyper-parameters are fitted.
    """

    name: str
    terms: tuple[Term, ...]
    output_warp: OutputWarp = "robust"
    input_warp: bool = True
    narrowing_warp: bool = True
    noise: LogNormal = WIDE_NOISE
    fit: FitOptions = field(default_factory=FitOptions)

    def kernel(self, used: NDArray[np.bool_], is_category: NDArray[np.bool_]) -> Kernel:
        """The kernel over the columns (d,) that are used."""
        columns = Columns.of(used, is_category)
        warp = None
        if self.input_warp:
            d = len(columns.numeric)
            narrower = min(1.0, WARPED_FREELY / max(d, 1)) if self.narrowing_warp else 1.0
            warp = Block(d, replace(WARP, scale=WARP.scale * narrower), WARP_BOUNDS)
        return Kernel(self.terms, columns, Block(1, self.noise, NOISE_BOUNDS), warp)


CANDIDATES = {
    options.name: options
    for options in (
        # Losses bent until they look normal, inputs until they look stationary: the paper's idea.
        ModelOptions("warped", (Matern(),)),
        # Effects that add up do so on the scale on which they were measured.
        ModelOptions("additive", (Matern(), Additive()), output_warp="none", input_warp=False),
        # A basin: smooth, with a quadratic trend, on the measured scale or with outliers cut.
        ModelOptions(
            "quadratic", (Matern("matern52"), Quadratic()), output_warp="none", input_warp=False
        ),
        ModelOptions("quadratic-robust", (Matern("matern52"), Quadratic()), input_warp=False),
        # The winning submission's, whole.
        ModelOptions(
            "paper",
            (Matern(lengthscales="flat"), Linear()),
            output_warp="power",
            narrowing_warp=False,
            noise=PAPER_NOISE,
            fit=FitOptions(starts=10, iterations=200, tolerance=2.2e-9),
        ),
    )
}
"""The models that ``Settings(models=...)`` can name."""
