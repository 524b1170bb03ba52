"""The output transform: make the losses look Gaussian before the GP sees them.

Paper, "Output Transformation for Heteroscedasticity": Box-Cox when every loss is positive, else
Yeo-Johnson, its parameter refitted by maximum likelihood before every GP fit. The Jacobian of
the Box-Cox likelihood is the correct one, with log y (the paper prints log T(y)).

Glossary
--------
y : (n,)
    losses as observed.
z : (n,)
    losses shifted and scaled (and, if robust, with the worst ones cut).
t : (n,)
    the power transform of z.
zeta
    the parameter of the power transform (the paper's symbol).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from warpfront.settings import OutputWarp

Floats = NDArray[np.float64]
Method = Literal["box-cox", "yeo-johnson", "linear"]

ZETA_RANGES: dict[OutputWarp, dict[Method, tuple[float, float]]] = {
    "power": {"box-cox": (-50.0, 50.0), "yeo-johnson": (-50.0, 50.0)},
    "robust": {"box-cox": (-5.0, 5.0), "yeo-johnson": (0.0, 2.0)},
}
"""Where the parameter is sought. The paper's has no bound, and 50 is as good as none; few
observations would bend a transform of such powers around every one of them. Yeo-Johnson's goes
from one logarithm to the other: beyond them the transform has an end, at which all losses far
from the median are the same, and the GP is sure of regions about which little is known."""
COLLAPSED = 1e-8
"""A transform whose spread is below this share of its size has lost the data to rounding. It is
also the scale of losses that are all the same, which have none of their own."""
ROUNDED = 4.0 * float(np.finfo(float).eps)
"""Losses whose spread is below this share of their size are the same but for their last digits.
Far smaller than the above: of 1e10 + x, too, the digits of x that are left are to be learned."""
CUT_AT_SPREADS, CUT_AT_MOST = 5.0, 0.2
"""The robust transform cuts losses that are more than this many robust spreads too bad, but no
more than this share of all: once most losses lie on a plateau the spread is next to nothing.
Where half of them are equal there is none, and the gain of the best over these is taken for it."""
MAD_TO_SIGMA = 1.4826
"""Median absolute deviation to standard deviation, for a normal distribution."""


def box_cox(z: Floats, zeta: Floats | float) -> Floats:
    """(z^ζ - 1) / ζ for positive z, and log z at ζ = 0; broadcasts.

    Examples
    --------
    >>> box_cox(np.array([1.0, 4.0]), 0.5)
    array([0., 2.])
    """
    zeta, log_z = np.asarray(zeta, dtype=float), np.log(z)
    safe = np.where(zeta == 0.0, 1.0, zeta)
    return np.asarray(np.where(zeta == 0.0, log_z, np.expm1(safe * log_z) / safe))


def yeo_johnson(z: Floats, zeta: Floats | float) -> Floats:
    """Box-Cox of z + 1 with ζ for z >= 0, and minus that of 1 - z with 2 - ζ for z < 0.

    Examples
    --------
    >>> yeo_johnson(np.array([-3.0, 0.0, 3.0]), 1.0)
    array([-3.,  0.,  3.])
    """
    above = z >= 0.0
    t = box_cox(1.0 + np.abs(z), np.where(above, zeta, 2.0 - zeta))
    return np.asarray(np.where(above, t, -t))


def box_cox_likelihood(z: Floats, zeta: Floats) -> Floats:
    """Profile log-likelihood of each ζ (k,) given positive z (n,)."""
    return _profile(box_cox(z, zeta[:, None]), (zeta - 1.0) * np.log(z).sum())


def yeo_johnson_likelihood(z: Floats, zeta: Floats) -> Floats:
    """Profile log-likelihood of each ζ (k,) given z (n,)."""
    jacobian = (np.sign(z) * np.log1p(np.abs(z))).sum()
    return _profile(yeo_johnson(z, zeta[:, None]), (zeta - 1.0) * jacobian)


def _profile(t: Floats, log_jacobian: Floats) -> Floats:
    value = -0.5 * t.shape[1] * np.log(t.var(axis=1)) + log_jacobian
    return np.asarray(np.where(np.isfinite(value), value, -np.inf))


def fit_zeta(
    z: Floats, likelihood: Callable[[Floats, Floats], Floats], low: float, high: float
) -> tuple[float, float]:
    """The ζ in [low, high] of the greatest profile likelihood, and that likelihood.

    Found by zooming into ever finer grids.

    Examples
    --------
    >>> zeta, _ = fit_zeta(np.exp([-1.2, -0.3, 0.1, 0.2, 1.2]), box_cox_likelihood, -5.0, 5.0)
    >>> round(zeta, 1)
    0.0
    """
    centre, half, best = 0.5 * (low + high), 0.5 * (high - low), -math.inf
    with np.errstate(all="ignore"):
        while half > 1e-7:
            grid = np.clip(np.linspace(centre - half, centre + half, 31), low, high)
            values = likelihood(z, grid)
            centre, best = float(grid[np.argmax(values)]), float(values.max())
            half /= 10.0
    return centre, best


@dataclass(frozen=True)
class OutputTransform:
    """A fitted, increasing map from losses to standardised, Gaussian-looking targets.

    Examples
    --------
    >>> transform = OutputTransform.fit(np.array([1.0, 10.0, 100.0]), "power")
    >>> transform.method
    'box-cox'
    >>> np.round(transform(np.array([1.0, 10.0, 100.0])), 3)
    array([-1.225,  0.   ,  1.225])
    >>> np.round(transform.inverse(np.array([0.0])), 3)
    array([10.])
    """

    method: Method
    zeta: float
    shift: float  # z = (min(y, cut) / unit - shift) / scale
    scale: float
    unit: float
    cut: float
    mean: float  # target = (t - mean) / std
    std: float

    @classmethod
    def fit(cls, y: Floats, warp: OutputWarp) -> OutputTransform:
        """Fit the transform to losses (n,), n >= 1; never fails on finite losses.

        ``"power"`` is the paper's; ``"robust"`` first cuts outliers on the bad side and scales
        by robust statistics; ``"none"`` only standardises.
        """
        cut = _worst_kept(y) if warp == "robust" else math.inf
        y = np.minimum(y, cut)
        unit = float(np.abs(y).max()) or 1.0  # losses of 1e300 must not overflow their variance
        y = y / unit
        std = float(y.std())
        if std <= ROUNDED * float(np.abs(y).max()):
            return cls("linear", 1.0, float(y.mean()), COLLAPSED, unit, cut, 0.0, 1.0)
        candidates: list[tuple[Method, float, float]] = []  # method, shift, scale
        if warp != "none" and y.min() > 0.0:
            # The scale cannot change the targets, only their rounding: around 1 it is least.
            candidates.append(("box-cox", 0.0, float(np.exp(np.log(y).mean()))))
        if warp == "power":
            candidates.append(("yeo-johnson", 0.0, std))
        elif warp == "robust":
            low, median, high = (float(q) for q in np.quantile(y, [0.25, 0.5, 0.75]))
            scale = high - low if high - low > np.finfo(float).tiny else std
            candidates.append(("yeo-johnson", median, scale))
        fits = []
        for method, shift, scale in candidates:
            z = (y - shift) / scale
            zeta, likelihood = fit_zeta(z, _LIKELIHOODS[method], *ZETA_RANGES[warp][method])
            fitted = cls._standardised(method, zeta, z, shift, scale, unit, cut)
            if fitted is not None:
                # With the Jacobian of the scaling: likelihoods of y, not of different z.
                fits.append((likelihood - len(y) * math.log(scale), fitted))
        if not fits:
            return cls("linear", 1.0, float(y.mean()), std, unit, cut, 0.0, 1.0)
        # The paper's: Box-Cox if it can be. The robust one: whichever fits better, as Box-Cox can
        # do little for losses such as 1000.1, 1000.2, 1003.
        return fits[0][1] if warp == "power" else max(fits, key=lambda fit: fit[0])[1]

    @classmethod
    def _standardised(
        cls,
        method: Method,
        zeta: float,
        z: Floats,
        shift: float,
        scale: float,
        unit: float,
        cut: float,
    ) -> OutputTransform | None:
        """The transform of one method and ζ, or None where its result has collapsed."""
        with np.errstate(all="ignore"):
            t = _POWERS[method](z, zeta)
            mean, std = float(t.mean()), float(t.std())
        if not math.isfinite(std) or std <= COLLAPSED * float(np.abs(t).max()):
            return None
        return cls(method, zeta, shift, scale, unit, cut, mean, std)

    def __call__(self, y: Floats) -> Floats:
        """Targets of losses."""
        z = (np.minimum(y, self.cut) / self.unit - self.shift) / self.scale
        if self.method == "box-cox":
            z = np.maximum(z, np.finfo(float).tiny)
        return (_POWERS[self.method](z, self.zeta) - self.mean) / self.std

    def inverse(self, targets: Floats) -> Floats:
        """Losses of targets; where no loss has that target, the nearest end of the range."""
        t = targets * self.std + self.mean
        with np.errstate(over="ignore"):
            y = (_INVERSES[self.method](t, self.zeta) * self.scale + self.shift) * self.unit
        return np.clip(y, -np.finfo(float).max, np.finfo(float).max)

    @property
    def uncut(self) -> OutputTransform:
        """The same transform without its cut, so that every loss has a target of its own.

        Examples
        --------
        >>> transform = OutputTransform.fit(np.array([1.0, 2.0, 3.0, 4.0, 900.0]), "robust")
        >>> transform(np.array([90.0])) < transform.uncut(np.array([90.0]))
        array([ True])
        """
        return replace(self, cut=math.inf)

    def log_slope(self, y: Floats) -> Floats:
        """Logarithm of d target / d loss at losses (n,); -inf where they are cut.

        Examples
        --------
        >>> transform = OutputTransform.fit(np.array([1.0, 10.0, 100.0]), "power")
        >>> slope = np.diff(transform(np.array([9.999, 10.001]))) / 0.002
        >>> bool(np.isclose(np.exp(transform.log_slope(np.array([10.0]))), slope)[0])
        True
        """
        z = (np.minimum(y, self.cut) / self.unit - self.shift) / self.scale
        if self.method == "box-cox":
            power = np.log(np.maximum(z, np.finfo(float).tiny))
        elif self.method == "yeo-johnson":
            power = np.sign(z) * np.log1p(np.abs(z))
        else:
            power = np.zeros_like(z)
        constant = sum(map(math.log, (self.scale, self.unit, self.std)))
        return np.where(y > self.cut, -np.inf, (self.zeta - 1.0) * power - constant)

    @property
    def ends(self) -> tuple[float, float]:
        """Between which targets those of all losses lie, as if none were cut.

        Examples
        --------
        >>> OutputTransform.fit(np.array([1.0, 2.0, 3.0]), "none").ends
        (-inf, inf)
        """
        low, high = -math.inf, math.inf
        if self.method == "box-cox" and self.zeta > 0.0:
            low = -1.0 / self.zeta
        elif self.method == "yeo-johnson" and self.zeta > 2.0:
            low = 1.0 / (2.0 - self.zeta)
        elif self.method != "linear" and self.zeta < 0.0:
            high = -1.0 / self.zeta
        return (low - self.mean) / self.std, (high - self.mean) / self.std


def _worst_kept(y: Floats) -> float:
    """The loss at which the robust transform cuts; infinite where there is nothing to go by."""
    half = 0.5 * y  # so that differences of losses of both signs cannot overflow
    median = float(np.median(half))
    spread = MAD_TO_SIGMA * float(np.median(np.abs(half - median)))
    if spread == 0.0:
        # Half of all are equal: what is told apart is how far the best are below these.
        spread = median - float(half.min())
        if spread <= COLLAPSED * abs(median):
            return math.inf
    kept = float(np.quantile(half, 1.0 - CUT_AT_MOST, method="inverted_cdf"))
    return 2.0 * max(median + CUT_AT_SPREADS * spread, kept)


def _inverse_box_cox(t: Floats, zeta: float) -> Floats:
    if zeta == 0.0:
        return np.asarray(np.exp(t))
    # Beyond the end of the range (1 + ζt <= 0) the nearest attainable loss is 0 or infinity.
    x = zeta * t
    end = np.log(np.maximum(1.0 + x, np.finfo(float).tiny))
    return np.asarray(np.exp(np.where(x > -0.5, np.log1p(np.maximum(x, -0.5)), end) / zeta))


def _inverse_yeo_johnson(t: Floats, zeta: float) -> Floats:
    upper = _inverse_box_cox(np.maximum(t, 0.0), zeta) - 1.0
    lower = 1.0 - _inverse_box_cox(np.maximum(-t, 0.0), 2.0 - zeta)
    return np.asarray(np.where(t >= 0.0, upper, lower))


def _linear(z: Floats, _: Floats | float) -> Floats:
    return z


_LIKELIHOODS = {"box-cox": box_cox_likelihood, "yeo-johnson": yeo_johnson_likelihood}
_POWERS = {"box-cox": box_cox, "yeo-johnson": yeo_johnson, "linear": _linear}
_INVERSES = {"box-cox": _inverse_box_cox, "yeo-johnson": _inverse_yeo_johnson, "linear": _linear}
