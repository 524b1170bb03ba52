"""Settings: what a user might change of the method, as plain data.

Options of single components stand beside the components; these are the choices between them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, get_args

from warpfront.checks import real_number, whole_number
from warpfront.errors import ConfigurationError, SettingsError

OutputWarp = Literal["power", "robust", "none"]
ModelName = Literal["warped", "additive", "quadratic", "quadratic-robust", "paper"]
Acquisition = Literal["ensemble", "lcb", "ei", "pi", "qucb", "qei", "qpi", "hedge"]
Robustness = Literal["noise", "monte-carlo", "none"]
ProposerName = Literal["improve", "local", "wide", "pareto", "explore"]

DEFAULT_SHARES: dict[str, float] = {"improve": 1.0, "local": 1.0, "pareto": 1.0, "wide": 1.0}


@dataclass(frozen=True)
class Settings:
    """What the optimiser does at each step.

    Attributes
    ----------
    models
        The candidate models of each outcome; they are ranked by how well they predict left out
        observations. ``"warped"``: Matérn-3/2 with input warp and outcome transform;
        ``"additive"``: a sum of functions of one parameter each, besides; ``"quadratic"`` and
        ``"quadratic-robust"``: Matérn-5/2 with a quadratic trend; ``"paper"``: the paper's.
    output_warp
        The outcome transform of those models that have one. ``"power"``: Box-Cox or Yeo-Johnson, as
        in the paper; ``"robust"``: outliers on the bad side are cut first, then whichever of the
        two is likelier, and losses that stand for failures count as failures; ``"none"``:
        standardised only. None: what each model prefers.
    input_warp
        Whether the Kumaraswamy warp is fitted to each numeric parameter, in those models that have
        one.
    shares
        Who proposes which share of the trials. ``"improve"``: the greatest expected improvement of
        each model in turn; ``"local"`` and ``"wide"``: Thompson sampling in small and wide steps
        from the best points; ``"pareto"``: the Pareto front of the paper's acquisition ensemble;
        ``"explore"``: anywhere.
    replicate
        Whether a leader is measured again where that is worth more than a new configuration.
    acquisition
        What ``"pareto"`` searches: ``"ensemble"``, the Pareto front of LCB, log-EI and log-PI;
        ``"lcb"``, ``"ei"`` or ``"pi"`` alone, one point after another, each with the model
        conditioned on the earlier ones; ``"qucb"``, ``"qei"`` or ``"qpi"``, the paper's
        acquisitions of a joint batch; or ``"hedge"``, GP-Hedge: one of ``"lcb"``, ``"ei"`` and
        ``"pi"`` for each trial, drawn by how well their earlier trials did.
    robustness
        ``"noise"``: fresh noise on every evaluation of the acquisitions. ``"monte-carlo"``: the
        expectation over perturbed hyper-parameters. ``"none"``.
    rho, delta
        If rho is given, the noise is added to the acquisitions with the standard deviation that
        the theorem derives from accuracy rho and confidence delta. Without it, sqrt(2) times the
        model's noise is added to the posterior mean, as the authors' released code does.
    population, generations
        Size and length of the NSGA-II run.
    seeded
        The share of its first population that is drawn around the best points.
    initial
        How many quasi-random configurations come first; None: one more than there are parameters,
        and eight at least.

    Examples
    --------
    >>> Settings(input_warp=False).input_warp
    False
    >>> Settings.paper().models
    ('paper',)
    >>> Settings.from_dict(Settings.paper().to_dict()) == Settings.paper()
    True
    """

    models: tuple[str, ...] = ("warped", "additive", "quadratic", "quadratic-robust")
    output_warp: OutputWarp | None = None
    input_warp: bool = True
    shares: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_SHARES))
    replicate: bool = True
    acquisition: Acquisition = "ensemble"
    robustness: Robustness = "noise"
    rho: float | None = None
    delta: float = 0.05
    population: int = 60
    generations: int = 15
    seeded: float = 0.5
    initial: int | None = None

    if not TYPE_CHECKING:  # type checkers know the fields

        def __new__(cls, *args: Any, **kwargs: Any) -> Settings:
            known = [one.name for one in fields(cls)]
            for name in kwargs:
                if name not in known:
                    close = get_close_matches(name, known, 1)
                    meant = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(known)}"
                    raise SettingsError(f"Settings has no {name!r}; {meant}")
            return super().__new__(cls)

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", _names("models", self.models, ModelName))
        object.__setattr__(self, "shares", _shares(self.shares))
        for name, allowed in _CHOICES.items():
            _check_choice(name, getattr(self, name), allowed)
        for name in ("input_warp", "replicate"):
            if not isinstance(getattr(self, name), bool):
                raise SettingsError(f"{name}={getattr(self, name)!r}: must be True or False")
        for name, least in (("population", 4), ("generations", 0), ("initial", 1)):
            if name == "initial" and self.initial is None:
                continue
            try:
                number = whole_number(name, getattr(self, name), least)
            except ConfigurationError as error:
                raise SettingsError(str(error)) from None
            object.__setattr__(self, name, number)
        for name, (low, high, where) in _INTERVALS.items():
            value = getattr(self, name)
            if name == "rho" and value is None:
                continue
            if not low <= real_number(value) <= high:
                raise SettingsError(f"{name}={value!r}: must lie {where}")
            object.__setattr__(self, name, real_number(value))
        if self.rho is not None and self.robustness != "noise":
            raise SettingsError(
                f"rho={self.rho!r}: says how much noise to add, which robustness="
                f"{self.robustness!r} does not; choose robustness='noise', or leave it out"
            )

    def __hash__(self) -> int:
        return hash((self.models, tuple(self.shares.items()), self.acquisition, self.robustness))

    @classmethod
    def paper(cls, **changes: Any) -> Settings:
        """The paper's method, as the winning submission ran it; keywords change parts of it.

        Examples
        --------
        >>> Settings.paper(acquisition="ei").acquisition
        'ei'
        """
        preset = cls(
            models=("paper",),
            shares={"pareto": 1.0},
            replicate=False,
            population=100,
            generations=100,
            seeded=0.0,
        )
        return replace(preset, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Describe the settings as plain JSON data."""
        return {**asdict(self), "models": list(self.models), "shares": dict(self.shares)}

    @classmethod
    def from_dict(cls, data: Any) -> Settings:
        """Read what :meth:`to_dict` wrote."""
        if not isinstance(data, dict):
            raise SettingsError(f"{data!r}: settings must be a mapping of names to values")
        unknown = sorted(set(data) - {one.name for one in fields(cls)})
        if unknown:
            raise SettingsError(f"setting {unknown[0]!r} is unknown to this version of warpfront")
        return cls(**data)


def settings_or_default(settings: Settings | None) -> Settings:
    """Return the settings, or the default ones for None; anything else is an error.

    Examples
    --------
    >>> settings_or_default({"population": 1})
    Traceback (most recent call last):
    warpfront.errors.SettingsError: settings={'population': 1}: must be a warpfront.Settings
    """
    if settings is not None and not isinstance(settings, Settings):
        raise SettingsError(f"settings={settings!r}: must be a warpfront.Settings")
    return settings or Settings()


def _check_choice(name: str, value: object, allowed: Sequence[object]) -> None:
    if not any(value is a or (isinstance(value, str) and value == a) for a in allowed):
        choices = ", ".join(map(repr, allowed))
        raise SettingsError(f"{name}={value!r}: must be one of {choices}")


def _names(field_name: str, given: Any, allowed: Any) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else ()
    names = tuple(given) if isinstance(given, (list, tuple)) else names
    if not names:
        raise SettingsError(f"{field_name}={given!r}: name at least one")
    for name in names:
        _check_choice(field_name, name, get_args(allowed))
    if len(set(names)) < len(names):
        raise SettingsError(f"{field_name}={given!r}: a name is given twice")
    return names


def _shares(given: Any) -> Mapping[str, float]:
    if not isinstance(given, Mapping) or not given:
        raise SettingsError(f"shares={given!r}: must map names of proposers to their shares")
    shares = {}
    for name, share in given.items():
        _check_choice("shares", name, get_args(ProposerName))
        if not 0.0 <= real_number(share) < math.inf:
            raise SettingsError(f"shares={given!r}: {name!r} must have a share of at least 0")
        shares[name] = real_number(share)
    if not any(shares.values()):
        raise SettingsError(f"shares={given!r}: at least one must be above 0")
    # In one order: settings that are equal give the same suggestions.
    order = (*DEFAULT_SHARES, *get_args(ProposerName))
    return {name: shares[name] for name in sorted(shares, key=order.index)}


_CHOICES: dict[str, tuple[object, ...]] = {
    "output_warp": (*get_args(OutputWarp), None),
    "acquisition": get_args(Acquisition),
    "robustness": get_args(Robustness),
}
_TINY, _BELOW_ONE = math.ulp(0.0), 1.0 - math.ulp(0.5)
_INTERVALS = {
    "rho": (_TINY, _BELOW_ONE, "between 0 and 1, both excluded"),
    "delta": (_TINY, _BELOW_ONE, "between 0 and 1, both excluded"),
    "seeded": (0.0, 1.0, "in [0, 1]"),
}
