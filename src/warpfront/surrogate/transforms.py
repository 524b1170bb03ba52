"""Outcome transforms: make the outcomes look Gaussian before the GP sees them.

A transform is a chain of small increasing steps. Paper, "Output Transformation for
Heteroscedasticity": Box-Cox when every outcome is positive, else Yeo-Johnson, its parameter
refitted by maximum likelihood before every GP fit. The Jacobian of the Box-Cox likelihood is the
correct one, with log y (the paper prints log T(y)).

Glossary
--------
y : (n,)
    outcomes as measured, to be minimised.
z : (n,)
    outcomes shifted and scaled (and, if robust, with the worst ones cut).
t : (n,)
    targets: about standard normal.
zeta
    the parameter of a power transform (the paper's symbol).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
OutputWarp = Literal["power", "robust", "none"]

COLLAPSED = 1e-8
"""A transform whose spread is below this share of its size has lost the data to rounding. It is
also the scale of outcomes that are all the same, which have none of their own."""
ROUNDED = 4.0 * float(np.finfo(float).eps)
"""Outcomes whose spread is below this share of their size are the same but for their last digits.
Far smaller than the above: of 1e10 + x, too, the digits of x that are left are to be learned."""
CUT_AT_SPREADS, CUT_AT_MOST = 5.0, 0.2
"""Outliers are cut at so many robust spreads, but no more than this share of all: once most
outcomes lie on a plateau the spread is next to nothing."""
MAD_TO_SIGMA = 1.4826
"""Median absolute deviation to standard deviation, for a normal distribution."""
TINY = float(np.finfo(float).tiny)


class Step(Protocol):
    """An increasing map of numbers, fitted before."""

    def __call__(self, y: Floats) -> Floats:
        """Map."""

    def inverse(self, t: Floats) -> Floats:
        """Map back; what has no origin goes to the nearest end of the range."""

    def log_slope(self, y: Floats) -> Floats:
        """Logarithm of the derivative at y."""


@dataclass(frozen=True)
class Cut:
    """Everything worse than ``at`` counts as ``at``.

    Examples
    --------
    >>> Cut(2.0)(np.array([1.0, 3.0]))
    array([1., 2.])
    """

    at: float

    @classmethod
    def fit(cls, y: Floats) -> Cut:
        """Cut outliers on the bad side, as seen from the median in robust spreads.

        Where half of all are equal there is no spread; then it is how far the best are below.
        """
        half = 0.5 * y  # so that differences of outcomes of both signs cannot overflow
        median = float(np.median(half))
        spread = MAD_TO_SIGMA * float(np.median(np.abs(half - median)))
        if spread == 0.0:
            spread = median - float(half.min())
            if spread <= COLLAPSED * abs(median):
                return cls(math.inf)
        kept = float(np.quantile(half, 1.0 - CUT_AT_MOST, method="inverted_cdf"))
        return cls(2.0 * max(median + CUT_AT_SPREADS * spread, kept))

    def __call__(self, y: Floats) -> Floats:
        """See :class:`Step`."""
        return np.minimum(y, self.at)

    def inverse(self, t: Floats) -> Floats:
        """See :class:`Step`."""
        return t

    def log_slope(self, y: Floats) -> Floats:
        """See :class:`Step`."""
        return np.where(y > self.at, -np.inf, 0.0)


@dataclass(frozen=True)
class Standardise:
    """Subtract a centre, divide by a scale.

    Examples
    --------
    >>> Standardise.fit(np.array([1.0, 3.0]))(np.array([1.0, 3.0]))
    array([-1.,  1.])
    """

    centre: float
    scale: float

    @classmethod
    def fit(cls, y: Floats) -> Standardise:
        """By mean and standard deviation."""
        return cls(float(y.mean()), float(y.std()))

    def __call__(self, y: Floats) -> Floats:
        """See :class:`Step`."""
        return (y - self.centre) / self.scale

    def inverse(self, t: Floats) -> Floats:
        """See :class:`Step`."""
        with np.errstate(over="ignore"):
            y = t * self.scale + self.centre
        return np.clip(y, -np.finfo(float).max, np.finfo(float).max)

    def log_slope(self, y: Floats) -> Floats:
        """See :class:`Step`."""
        return np.full_like(y, -math.log(self.scale))


@dataclass(frozen=True)
class BoxCox:
    """(z^ζ - 1) / ζ for positive z, and log z at ζ = 0.

    Examples
    --------
    >>> BoxCox(0.5)(np.array([1.0, 4.0]))
    array([0., 2.])
    """

    zeta: float

    def __call__(self, y: Floats) -> Floats:
        """See :class:`Step`."""
        return box_cox(np.maximum(y, TINY), self.zeta)

    def inverse(self, t: Floats) -> Floats:
        """See :class:`Step`."""
        return _inverse_box_cox(t, self.zeta)

    def log_slope(self, y: Floats) -> Floats:
        """See :class:`Step`."""
        return (self.zeta - 1.0) * np.log(np.maximum(y, TINY))

    @property
    def ends(self) -> tuple[float, float]:
        """Between which values all results lie."""
        if self.zeta == 0.0:
            return -math.inf, math.inf
        end = -1.0 / self.zeta
        return (end, math.inf) if self.zeta > 0.0 else (-math.inf, end)


@dataclass(frozen=True)
class YeoJohnson:
    """Box-Cox of z + 1 with ζ for z >= 0, and minus that of 1 - z with 2 - ζ for z < 0.

    Examples
    --------
    >>> YeoJohnson(1.0)(np.array([-3.0, 0.0, 3.0]))
    array([-3.,  0.,  3.])
    """

    zeta: float

    def __call__(self, y: Floats) -> Floats:
        """See :class:`Step`."""
        return yeo_johnson(y, self.zeta)

    def inverse(self, t: Floats) -> Floats:
        """See :class:`Step`."""
        upper = _inverse_box_cox(np.maximum(t, 0.0), self.zeta) - 1.0
        lower = 1.0 - _inverse_box_cox(np.maximum(-t, 0.0), 2.0 - self.zeta)
        return np.asarray(np.where(t >= 0.0, upper, lower))

    def log_slope(self, y: Floats) -> Floats:
        """See :class:`Step`."""
        return (self.zeta - 1.0) * np.sign(y) * np.log1p(np.abs(y))

    @property
    def ends(self) -> tuple[float, float]:
        """Between which values all results lie."""
        low = 1.0 / (2.0 - self.zeta) if self.zeta > 2.0 else -math.inf
        return low, -1.0 / self.zeta if self.zeta < 0.0 else math.inf


Power = BoxCox | YeoJohnson


@dataclass(frozen=True)
class Transform:
    """A chain of fitted steps from outcomes to targets.

    Examples
    --------
    >>> y = np.array([1.0, 10.0, 100.0])
    >>> transform = fit_transform(y, "power")
    >>> transform.power
    BoxCox(zeta=0.0)
    >>> np.round(transform(y), 3)
    array([-1.225,  0.   ,  1.225])
    >>> np.round(transform.inverse(np.array([0.0])), 3)
    array([10.])
    """

    steps: tuple[Step, ...]

    def __call__(self, y: Floats) -> Floats:
        """Targets of outcomes."""
        for step in self.steps:
            y = step(y)
        return y

    def inverse(self, t: Floats) -> Floats:
        """Outcomes of targets; where none has that target, the nearest end of the range."""
        for step in reversed(self.steps):
            t = step.inverse(t)
        return t

    def log_slope(self, y: Floats) -> Floats:
        """Logarithm of d target / d outcome at outcomes (n,); -inf where they are cut.

        Examples
        --------
        >>> transform = fit_transform(np.array([1.0, 10.0, 100.0]), "power")
        >>> slope = np.diff(transform(np.array([9.999, 10.001]))) / 0.002
        >>> bool(np.isclose(np.exp(transform.log_slope(np.array([10.0]))), slope)[0])
        True
        """
        total = np.zeros_like(y)
        for step in self.steps:
            total += step.log_slope(y)
            y = step(y)
        return total

    @property
    def power(self) -> Power | None:
        """The power step, if there is one."""
        return next((step for step in self.steps if isinstance(step, Power)), None)

    @property
    def cut(self) -> float:
        """The outcome beyond which all count the same; infinite if none is cut."""
        return next((step.at for step in self.steps if isinstance(step, Cut)), math.inf)

    @property
    def uncut(self) -> Transform:
        """The same without its cut, so that every outcome has a target of its own.

        Examples
        --------
        >>> transform = fit_transform(np.array([1.0, 2.0, 3.0, 4.0, 900.0]), "robust")
        >>> transform(np.array([90.0])) < transform.uncut(np.array([90.0]))
        array([ True])
        """
        return Transform(tuple(step for step in self.steps if not isinstance(step, Cut)))

    @property
    def ends(self) -> tuple[float, float]:
        """Between which targets those of all outcomes lie, as if none were cut.

        Examples
        --------
        >>> fit_transform(np.array([1.0, 2.0, 3.0]), "none").ends
        (-inf, inf)
        """
        if self.power is None:
            return -math.inf, math.inf
        ends = np.array(self.power.ends)
        for step in self.steps[self.steps.index(self.power) + 1 :]:
            ends = step(ends)
        return float(ends[0]), float(ends[1])


ZETA_RANGES: dict[OutputWarp, tuple[tuple[float, float], tuple[float, float]]] = {
    "power": ((-50.0, 50.0), (-50.0, 50.0)),
    "robust": ((-5.0, 5.0), (0.0, 2.0)),
}
"""Where ζ of Box-Cox and of Yeo-Johnson is sought. The paper's has no bound, and 50 is as good as
none; few observations would bend a transform of such powers around every one of them.
Yeo-Johnson's goes from one logarithm to the other: beyond them the transform has an end, at which
all outcomes far from the median are the same, and the GP is overconfident about regions of which
little is known."""


def fit_transform(y: Floats, warp: OutputWarp) -> Transform:
    """Fit a transform to outcomes (n,), n >= 1; never fails on finite ones.

    Parameters
    ----------
    y
        What was measured.
    warp
        ``"power"``: the paper's. ``"robust"``: outliers on the bad side are cut and robust
        statistics scale; of Box-Cox and Yeo-Johnson the likelier is taken, within bounds.
        ``"none"``: standardised only.
    """
    steps: list[Step] = []
    if warp == "robust":
        cut = Cut.fit(y)
        if cut.at < math.inf:
            steps.append(cut)
            y = cut(y)
    unit = float(np.abs(y).max()) or 1.0  # outcomes of 1e300 must not overflow their variance
    steps.append(Standardise(0.0, unit))
    y = y / unit
    if float(y.std()) <= ROUNDED * float(np.abs(y).max()):
        return Transform((*steps, Standardise(float(y.mean()), COLLAPSED)))
    fits = [] if warp == "none" else _power_fits(y, warp)
    if not fits:
        return Transform((*steps, Standardise.fit(y)))
    # The paper's: Box-Cox if it can be. The robust one: whichever is likelier, as Box-Cox can
    # do little for outcomes such as 1000.1, 1000.2, 1003.
    best = fits[0] if warp == "power" else max(fits, key=lambda fit: fit[0])
    return Transform((*steps, *best[1]))


def _power_fits(y: Floats, warp: OutputWarp) -> list[tuple[float, tuple[Step, ...]]]:
    """The log-likelihood and the steps of each power transform that does not collapse."""
    candidates: list[tuple[type[Power], Standardise, Likelihood, tuple[float, float]]] = []
    box_cox_range, yeo_johnson_range = ZETA_RANGES[warp]
    if y.min() > 0.0:
        # The scale cannot change the targets, only their rounding: around 1 it is least.
        scale = Standardise(0.0, float(np.exp(np.log(y).mean())))
        candidates.append((BoxCox, scale, box_cox_likelihood, box_cox_range))
    if warp == "power":
        scale = Standardise(0.0, float(y.std()))
    else:
        low, median, high = (float(q) for q in np.quantile(y, [0.25, 0.5, 0.75]))
        scale = Standardise(median, high - low if high - low > TINY else float(y.std()))
    candidates.append((YeoJohnson, scale, yeo_johnson_likelihood, yeo_johnson_range))
    fits: list[tuple[float, tuple[Step, ...]]] = []
    for kind, scale, likelihood, (low, high) in candidates:
        z = scale(y)
        zeta, value = fit_zeta(z, likelihood, low, high)
        power = kind(zeta)
        with np.errstate(all="ignore"):
            t = power(z)
            last = Standardise.fit(t)
        if math.isfinite(last.scale) and last.scale > COLLAPSED * float(np.abs(t).max()):
            # With the Jacobian of the scaling: likelihoods of y, not of different z.
            fits.append((value - len(y) * math.log(scale.scale), (scale, power, last)))
    return fits


def box_cox(z: Floats, zeta: Floats | float) -> Floats:
    """(z^ζ - 1) / ζ for positive z, and log z at ζ = 0; broadcasts."""
    zeta, log_z = np.asarray(zeta, dtype=float), np.log(z)
    safe = np.where(zeta == 0.0, 1.0, zeta)
    # A bound may lie far beyond all that was observed: its target ends at 1e154, not at infinity.
    exponent = np.minimum(safe * log_z, -0.5 * math.log(TINY))
    return np.asarray(np.where(zeta == 0.0, log_z, np.expm1(exponent) / safe))


def yeo_johnson(z: Floats, zeta: Floats | float) -> Floats:
    """Box-Cox of z + 1 with ζ for z >= 0, and minus that of 1 - z with 2 - ζ for z < 0."""
    above = z >= 0.0
    t = box_cox(1.0 + np.abs(z), np.where(above, zeta, 2.0 - zeta))
    return np.asarray(np.where(above, t, -t))


Likelihood = Callable[[Floats, Floats], Floats]


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


def fit_zeta(z: Floats, likelihood: Likelihood, low: float, high: float) -> tuple[float, float]:
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


def _inverse_box_cox(t: Floats, zeta: float) -> Floats:
    with np.errstate(over="ignore"):
        if zeta == 0.0:
            return np.asarray(np.exp(t))
        # Beyond the end of the range (1 + ζt <= 0) the nearest attainable value is 0 or infinity.
        x = zeta * t
        end = np.log(np.maximum(1.0 + x, TINY))
        return np.asarray(np.exp(np.where(x > -0.5, np.log1p(np.maximum(x, -0.5)), end) / zeta))
