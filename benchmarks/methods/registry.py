"""All methods by name: what to call them, and which process holds them.

HEBO with other settings is a method too: ``warpfront@shares.local=0`` or, of the paper's preset,
``warpfront-paper@acquisition=ei,robustness=none``. Ablations and experiments are made of these.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.methods import environments
from benchmarks.workers.environment import Environment
from benchmarks.workers.worker import Worker
from warpfront import Settings
from warpfront.errors import SettingsError


@dataclass(frozen=True)
class Method:
    """An optimiser and how to start the process that holds it.

    Parameters
    ----------
    name
        As on the command line and in the records.
    label
        As in tables and pictures.
    module
        The adapter, with its arguments.
    environment
        Where its package is installed; None for our own.
    package
        Where the adapter lies.
    """

    name: str
    label: str
    module: tuple[str, ...]
    environment: Environment | None = None
    package: str = "benchmarks.methods.adapters"

    def ensure(self) -> None:
        """Make the environment if there is none yet.

        Raises
        ------
        EnvironmentUnavailableError
            When it cannot be made here.
        """
        if self.environment is not None:
            environments.ensure(self.environment)

    def start(self, time_limit: float, log: Path | None = None) -> Worker:
        """Start a process for this method; its environment must be there."""
        python = sys.executable if self.environment is None else self.environment.python
        adapter, *arguments = self.module
        module = (f"{self.package}.{adapter}", *arguments)
        return Worker(self.name, python, module, time_limit, log)


_OLD = environments.CLASSICS
_FIRST = environments.WARPFRONT_0_1

METHODS = MappingProxyType(
    {
        method.name: method
        for method in (
            Method("warpfront", "warpfront", ("warpfront", "default")),
            Method("warpfront-paper", "warpfront (paper)", ("warpfront", "paper")),
            Method("warpfront-optuna", "warpfront in Optuna", ("optuna_sampler", "hebo")),
            Method(
                "warpfront-0.1",
                "warpfront 0.1",
                ("warpfront_0_1", "default", _FIRST.revision),
                _FIRST,
            ),
            Method("random", "random search", ("warpfront", "random")),
            Method("turbo", "TuRBO", ("warpfront", "turbo")),
            Method("turbo+", "TuRBO+", ("warpfront", "turbo+")),
            Method(
                "turbo-0.1",
                "TuRBO of warpfront 0.1",
                ("warpfront_0_1", "turbo", _FIRST.revision),
                _FIRST,
            ),
            Method("hebo", "HEBO 0.3.6", ("public_hebo",), environments.HEBO),
            Method("skopt", "SkOpt", ("scikit_optimize", "gp"), _OLD),
            Method("skopt-ei", "SkOpt (EI)", ("scikit_optimize", "gp-ei"), _OLD),
            Method("skopt-pi", "SkOpt (PI)", ("scikit_optimize", "gp-pi"), _OLD),
            Method("skopt-lcb", "SkOpt (LCB)", ("scikit_optimize", "gp-lcb"), _OLD),
            Method("skopt-gbrt", "SkOpt (GBRT)", ("scikit_optimize", "gbrt"), _OLD),
            Method("pysot", "pySOT", ("pysot",), _OLD),
            Method("hyperopt", "HyperOpt", ("hyperopt_tpe",), _OLD),
            Method("opentuner", "OpenTuner", ("opentuner_bandit",), _OLD),
            Method("nevergrad", "Nevergrad (1+1)", ("nevergrad_one_plus_one",), _OLD),
            Method("bohb", "BOHB-BB", ("bohb", "random"), _OLD),
            Method(
                "bohb-independent",
                "BOHB-BB (independent maxima)",
                ("bohb", "independent"),
                _OLD,
            ),
            Method("dragonfly", "Dragonfly-BB", ("dragonfly",), _OLD),
            Method("optuna-tpe", "Optuna TPE", ("optuna_sampler", "tpe"), environments.OPTUNA),
            Method("optuna-gp", "Optuna GP", ("optuna_sampler", "gp"), environments.OPTUNA),
            Method(
                "optuna-cma", "Optuna CMA-ES", ("optuna_sampler", "cma"), environments.OPTUNA_CMA
            ),
            Method("smac", "SMAC3", ("smac3",), environments.SMAC),
            Method("ax", "Ax", ("ax_client",), environments.AX),
        )
    }
)
"""Every method that can be run, by name, in the order of the tables."""


ASYNCHRONOUS = tuple(
    name for name, method in METHODS.items() if method.module[0] in ("warpfront", "warpfront_0_1")
)
"""Those that may be asked again before they were told, and told in any order."""

PRESETS: Mapping[str, Settings] = MappingProxyType(
    {"warpfront": Settings(), "warpfront-paper": Settings.paper()}
)
"""The methods that take other settings, and their own."""


def find(name: str) -> Method:
    """The method of this name.

    Raises
    ------
    KeyError
        If there is none, or if its settings make no sense.

    Examples
    --------
    >>> find("pysot").label
    'pySOT'
    >>> find("warpfront@input_warp=false").label
    'warpfront, input_warp=false'
    """
    base, at, changes = name.partition("@")
    if base not in METHODS:
        raise KeyError(f"{base!r} is no method; use one of {', '.join(METHODS)}")
    method = METHODS[base]
    if not at:
        return method
    if base not in PRESETS:
        raise KeyError(f"{name!r}: only {' and '.join(PRESETS)} take other settings")
    try:
        changed(PRESETS[base], changes)
    except (SettingsError, TypeError) as error:
        raise KeyError(f"{name!r}: {error}") from None
    label = f"{method.label}, {changes.replace(',', ', ')}"
    return Method(name, label, (*method.module, changes))


def changed(preset: Settings, changes: str) -> Settings:
    """A preset with other settings, written as ``name=value,name=value``.

    A value is JSON, or several texts joined by ``+``, or else one text. ``shares.pareto=0`` changes
    one entry of a mapping.

    Examples
    --------
    >>> settings = changed(Settings(), "input_warp=false,models=warped+additive,shares.pareto=0")
    >>> settings.input_warp, settings.models, settings.shares["pareto"]
    (False, ('warped', 'additive'), 0.0)
    """
    for change in changes.split(","):
        name, equals, text = change.partition("=")
        name, dot, entry = name.partition(".")
        if not (name and equals and text and bool(dot) == bool(entry)):
            raise SettingsError(f"{change!r}: write a change as name=value")
        value = _read(text)
        if dot:
            whole = getattr(preset, name, None)
            if not isinstance(whole, Mapping):
                raise SettingsError(f"{change!r}: {name!r} is not a setting with entries")
            value = {**whole, entry: value}
        preset = replace(preset, **{name: value})
    return preset


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text.split("+") if "+" in text else text


def in_order(names: Iterable[str]) -> list[str]:
    """Names of methods in the order of the tables, each once, other settings after their preset.

    Examples
    --------
    >>> in_order(["random", "warpfront@initial=8", "warpfront", "random"])
    ['warpfront', 'warpfront@initial=8', 'random']
    """
    place = {name: i for i, name in enumerate(METHODS)}
    known = {name for name in names if base_of(name) in METHODS}
    return sorted(known, key=lambda name: (place[base_of(name)], name))


def base_of(name: str) -> str:
    """The method that a variant with other settings is one of; any other method itself.

    Examples
    --------
    >>> base_of("warpfront@initial=8"), base_of("pysot")
    ('warpfront', 'pysot')
    """
    return name.partition("@")[0]
