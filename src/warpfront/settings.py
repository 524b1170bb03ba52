"""Settings: every component of the method, switchable, as plain data."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import Any, Literal, get_args, get_type_hints

from warpfront.checks import real_number, whole_number
from warpfront.errors import ConfigurationError, SettingsError

OutputWarp = Literal["power", "robust", "none"]
Smoothness = Literal["matern32", "matern52"]
LengthscalePrior = Literal["flat", "fixed", "dimension"]
NoisePrior = Literal["paper", "wide"]
WarpPrior = Literal["paper", "dimension"]
Acquisition = Literal["ensemble", "lcb", "ei", "pi"]
Robustness = Literal["noise", "monte-carlo", "none"]
BatchRule = Literal["paper", "slots"]


@cache  # a third of a millisecond, several times for each suggestion
def _type_hints() -> dict[str, Any]:
    return get_type_hints(Settings)


@dataclass(frozen=True)
class Settings:
    """What the optimiser does at each step.

    Attributes
    ----------
    output_warp
        ``"power"``: Box-Cox or Yeo-Johnson, as in the paper. ``"robust"``: outliers on the bad
        side are cut first, then whichever of the two fits better, with bounded powers; a far
        worst loss that several trials share, a penalty, counts as a failure, and failures that
        do not depend on the parameters are left out.
        ``"none"``: standardised only.
    input_warp
        Whether the Kumaraswamy warp is fitted to each numeric parameter.
    warp_prior
        How far the warp may bend: ``"paper"``, the same for any number of parameters, or
        ``"dimension"``, less and less where there are more than nine numeric ones.
    smoothness
        The Matérn kernel: ``"matern32"`` or ``"matern52"``.
    linear_kernel
        Whether a linear kernel is added to the Matérn.
    additive_kernel
        Whether a sum of kernels of one parameter each is added to the Matérn.
    second_opinion
        Whether a second model, with an additive kernel and the losses as they are, is fitted from
        48 trials on. Trials rest on the likelier of the two, and every other eight on the second
        wherever it explains the losses about as well. Where there is little noise, the most
        promising point of the model that they do not rest on is one of eight trials, unless that
        is an excursion (with the acquisition ``"ensemble"`` and the rule ``"slots"``).
    lengthscale_prior
        ``"flat"`` (paper), ``"fixed"``, or ``"dimension"`` (grows with the number of parameters).
    noise_prior
        ``"paper"``: about 1 % of the variance. ``"wide"``: learned from almost nothing to all.
    starts, iterations, tolerance
        Fresh starts of the hyper-parameter fit, most L-BFGS iterations from each, and the gain,
        as a share of the log-posterior, below which they end. Where a second opinion is heard,
        both models have one start each.
    race
        Whether the starts compete on few points first and only the winner goes on with all.
    acquisition
        ``"ensemble"``: the Pareto front of LCB, log-EI and log-PI; ``"lcb"``, ``"ei"`` or
        ``"pi"``: one of them alone.
    robustness
        ``"noise"``: fresh noise on every evaluation. ``"monte-carlo"``: the expectation over
        perturbed hyper-parameters. ``"none"``.
    rho, delta
        If rho is given, the noise is added to the acquisitions with the standard deviation that
        the theorem derives from accuracy rho and confidence delta. Without it, sqrt(2) times the
        model's noise is added to the posterior mean, as the authors' released code does.
    perturbation, samples
        For ``"monte-carlo"``: standard deviation of the perturbation of the (logarithmic)
        hyper-parameters, and the number of perturbed models.
    population, generations
        Size and length of the NSGA-II run.
    seeded
        The share of the first population drawn around the best points instead of everywhere.
    batch_rule
        ``"paper"``: random points of the front, and for more than two at a time the most
        uncertain and the most promising one. ``"slots"``: the same mix, but tied to the number
        of the trial, so that eight batches of one are composed as one batch of eight, and
        explore no more: the weight of exploration grows with rounds of eight at least.
    polish
        Whether, where there is hardly any noise, the most promising trial of eight is sought at
        the very bottom of the posterior mean, by following its slope from the most promising
        points of the front and of those observed; and that of the second model at the bottom of
        its own.
    neighbours
        Whether up to three of eight trials are sought beside the best points instead of on the
        front: by Thompson sampling, or where there is little noise by a spline through the losses,
        and then from 64 trials on a fourth in the place of the most uncertain one, and two more
        while the model cannot tell the best of the good losses.
    excursions
        Whether some trials leave the points that the model favours: two of eight once the best
        loss has not fallen for a while, up to five on a plateau, and six while the model cannot
        predict one loss from the others.
    initial
        How many quasi-random points come first; None: one more than there are parameters, and
        with the rule ``"slots"`` the first eight trials at least, but none once all that there
        is has been tried.

    Examples
    --------
    >>> Settings(input_warp=False).input_warp
    False
    >>> Settings.paper().generations
    100
    >>> Settings.from_dict(Settings.paper().to_dict()) == Settings.paper()
    True
    """

    output_warp: OutputWarp = "robust"
    input_warp: bool = True
    warp_prior: WarpPrior = "dimension"
    smoothness: Smoothness = "matern32"
    linear_kernel: bool = False
    additive_kernel: bool = False
    second_opinion: bool = True
    lengthscale_prior: LengthscalePrior = "dimension"
    noise_prior: NoisePrior = "wide"
    starts: int = 2
    iterations: int = 50
    tolerance: float = 1e-5
    race: bool = True
    acquisition: Acquisition = "ensemble"
    robustness: Robustness = "noise"
    rho: float | None = None
    delta: float = 0.05
    perturbation: float = 0.1
    samples: int = 8
    population: int = 100
    generations: int = 30
    seeded: float = 0.5
    batch_rule: BatchRule = "slots"
    polish: bool = True
    neighbours: bool = True
    excursions: bool = True
    initial: int | None = None

    def __post_init__(self) -> None:
        hints = _type_hints()
        for field in fields(self):
            value, allowed = getattr(self, field.name), get_args(hints[field.name])
            if allowed and isinstance(allowed[0], str) and value not in allowed:
                raise SettingsError(
                    f"{field.name}={value!r}: must be one of {', '.join(map(repr, allowed))}"
                )
            if hints[field.name] is bool and not isinstance(value, bool):
                raise SettingsError(f"{field.name}={value!r}: must be True or False")
        for name, least in _WHOLE_NUMBERS.items():
            value = getattr(self, name)
            if name == "initial" and value is None:
                continue
            try:
                object.__setattr__(self, name, whole_number(name, value, least))
            except ConfigurationError as error:
                raise SettingsError(str(error)) from None
        for name, (low, high, where) in _INTERVALS.items():
            value = getattr(self, name)
            if name == "rho" and value is None:
                continue
            number = real_number(value)
            if not low <= number <= high:
                raise SettingsError(f"{name}={value!r}: must lie {where}")
            object.__setattr__(self, name, number)
        if self.rho is not None and self.robustness != "noise":
            raise SettingsError(
                f"rho={self.rho!r}: says how much noise to add, which robustness="
                f"{self.robustness!r} does not; choose robustness='noise', or leave it out"
            )

    @classmethod
    def paper(cls, **changes: Any) -> Settings:
        """The paper's method, as the winning submission ran it; keywords change parts of it.

        Examples
        --------
        >>> Settings.paper(acquisition="ei").acquisition
        'ei'
        """
        preset = cls(
            output_warp="power",
            warp_prior="paper",
            linear_kernel=True,
            second_opinion=False,
            lengthscale_prior="flat",
            noise_prior="paper",
            starts=10,
            iterations=200,
            tolerance=2.2e-9,  # SciPy's own
            race=False,
            generations=100,
            seeded=0.0,
            batch_rule="paper",
            polish=False,
            neighbours=False,
            excursions=False,
        )
        return replace(preset, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Describe the settings as plain JSON data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Any) -> Settings:
        """Read what :meth:`to_dict` wrote."""
        if not isinstance(data, dict):
            raise SettingsError(f"{data!r}: settings must be a mapping of names to values")
        unknown = sorted(set(data) - {field.name for field in fields(cls)})
        if unknown:
            raise SettingsError(f"setting {unknown[0]!r} is unknown to this version of warpfront")
        return cls(**data)


def settings_or_default(settings: Settings | None) -> Settings:
    """Return the settings, or the default ones for None; anything else is an error.

    Examples
    --------
    >>> settings_or_default({"starts": 1})
    Traceback (most recent call last):
    warpfront.errors.SettingsError: settings={'starts': 1}: must be a warpfront.Settings
    """
    if settings is not None and not isinstance(settings, Settings):
        raise SettingsError(f"settings={settings!r}: must be a warpfront.Settings")
    return settings or Settings()


_WHOLE_NUMBERS = {
    "starts": 1,
    "iterations": 1,
    "samples": 1,
    "population": 4,
    "generations": 0,
    "initial": 1,
}
_TINY, _BELOW_ONE = math.ulp(0.0), 1.0 - math.ulp(0.5)
_INTERVALS = {
    "tolerance": (0.0, 1.0, "in [0, 1]"),
    "rho": (_TINY, _BELOW_ONE, "between 0 and 1, both excluded"),
    "delta": (_TINY, _BELOW_ONE, "between 0 and 1, both excluded"),
    "perturbation": (0.0, 10.0, "in [0, 10]"),
    "seeded": (0.0, 1.0, "in [0, 1]"),
}
