"""The optimisers that are compared on problems, and which families each can do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from benchmarks.methods import environments
from benchmarks.methods.registry import Method, base_of, changed
from benchmarks.problems.problem import Family
from warpfront import Settings
from warpfront.errors import SettingsError

FAMILIES: tuple[Family, ...] = ("constrained", "several", "conditional")
ADAPTERS = "benchmarks.problems.adapters"

_OPTUNA = environments.OPTUNA

METHODS = MappingProxyType(
    {
        method.name: method
        for method in (
            Method("warpfront", "warpfront", ("warpfront", "default"), package=ADAPTERS),
            Method("random", "random search", ("warpfront", "random"), package=ADAPTERS),
            Method("optuna-tpe", "Optuna TPE", ("optuna_study", "tpe"), _OPTUNA, ADAPTERS),
            Method("optuna-gp", "Optuna GP", ("optuna_study", "gp"), _OPTUNA, ADAPTERS),
            Method("optuna-nsga2", "Optuna NSGA-II", ("optuna_study", "nsga2"), _OPTUNA, ADAPTERS),
            Method("hebo", "HEBO GeneralBO", ("hebo_general",), environments.HEBO, ADAPTERS),
            Method("ax", "Ax", ("ax_client",), environments.AX, ADAPTERS),
            Method("smac", "SMAC3", ("smac3",), environments.SMAC, ADAPTERS),
        )
    }
)
"""Every method by name, in the order of the tables."""

NOT_CONDITIONAL = ("hebo", "ax")
"""Packages whose interface for batches has no conditions."""
ONLY_CONDITIONAL = ("smac",)
"""It knows neither outcome constraints nor, in this interface, several objectives."""


def can_do(method: str, family: Family) -> bool:
    """Whether a method has what the problems of a family need.

    Examples
    --------
    >>> can_do("warpfront", "several"), can_do("smac", "several")
    (True, False)
    """
    base = base_of(method)
    if family == "conditional":
        return base not in NOT_CONDITIONAL
    return base not in ONLY_CONDITIONAL


def find(name: str) -> Method:
    """The method of this name, with other settings if they follow after an ``@``.

    Raises
    ------
    KeyError
        If there is none, or if its settings make no sense.

    Examples
    --------
    >>> find("warpfront@input_warp=false").module
    ('warpfront', 'default', 'input_warp=false')
    """
    base, at, changes = name.partition("@")
    if base not in METHODS:
        raise KeyError(f"{base!r} is not a method; use one of {', '.join(METHODS)}")
    method = METHODS[base]
    if not at:
        return method
    if base != "warpfront":
        raise KeyError(f"{name!r}: only warpfront takes other settings")
    try:
        changed(Settings(), changes)
    except (SettingsError, TypeError) as error:
        raise KeyError(f"{name!r}: {error}") from None
    label = f"{method.label}, {changes.replace(',', ', ')}"
    return replace(method, name=name, label=label, module=(*method.module, changes))


def label_of(name: str) -> str:
    """What to call a method in tables."""
    try:
        return find(name).label
    except KeyError:  # an archived run of a method that is gone
        return name


def in_order(names: Iterable[str]) -> list[str]:
    """Names in the order of the tables, each once, other settings after their method.

    Examples
    --------
    >>> in_order(["random", "warpfront@initial=8", "warpfront"])
    ['warpfront', 'warpfront@initial=8', 'random']
    """
    place = {name: i for i, name in enumerate(METHODS)}
    return sorted(set(names), key=lambda name: (place.get(base_of(name), len(place)), name))
