"""All methods by name: what to call them, and which process holds them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from benchmarks.methods import environments
from benchmarks.workers.environment import Environment
from benchmarks.workers.worker import Worker


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
        The adapter under `benchmarks.methods.adapters`, with its arguments.
    environment
        Where its package is installed; None for our own.
    """

    name: str
    label: str
    module: tuple[str, ...]
    environment: Environment | None = None

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
        module = (f"benchmarks.methods.adapters.{adapter}", *arguments)
        return Worker(self.name, python, module, time_limit, log)


_OLD = environments.CLASSICS

METHODS = MappingProxyType(
    {
        method.name: method
        for method in (
            Method("warpfront", "warpfront", ("warpfront", "default")),
            Method("warpfront-paper", "warpfront (paper)", ("warpfront", "paper")),
            Method("random", "random search", ("warpfront", "random")),
            Method("turbo", "TuRBO", ("warpfront", "turbo")),
            Method("turbo+", "TuRBO+", ("warpfront", "turbo+")),
            Method("hebo", "HEBO 0.3.6", ("public_hebo",), environments.HEBO),
            Method("skopt", "SkOpt", ("scikit_optimize", "gp"), _OLD),
            Method("skopt-gbrt", "SkOpt (GBRT)", ("scikit_optimize", "gbrt"), _OLD),
            Method("pysot", "pySOT", ("pysot",), _OLD),
            Method("hyperopt", "HyperOpt", ("hyperopt_tpe",), _OLD),
            Method("opentuner", "OpenTuner", ("opentuner_bandit",), _OLD),
            Method("nevergrad", "Nevergrad (1+1)", ("nevergrad_one_plus_one",), _OLD),
            Method("bohb", "BOHB-BB", ("bohb",), _OLD),
            Method("dragonfly", "Dragonfly-BB", ("dragonfly",), _OLD),
            Method("optuna-tpe", "Optuna TPE", ("optuna_sampler", "tpe"), environments.OPTUNA),
            Method("optuna-gp", "Optuna GP", ("optuna_sampler", "gp"), environments.OPTUNA),
            Method("smac", "SMAC3", ("smac3",), environments.SMAC),
            Method("ax", "Ax", ("ax_client",), environments.AX),
        )
    }
)
"""Every method that can be run, by name, in the order of the tables."""


def find(name: str) -> Method:
    """The method of this name.

    Examples
    --------
    >>> find("pysot").label
    'pySOT'
    """
    if name not in METHODS:
        raise KeyError(f"{name!r} is no method; use one of {', '.join(METHODS)}")
    return METHODS[name]


def in_order(names: Iterable[str]) -> list[str]:
    """Names of methods in the order of the tables, each once.

    Examples
    --------
    >>> in_order(["random", "warpfront", "random"])
    ['warpfront', 'random']
    """
    chosen = set(names)
    return [name for name in METHODS if name in chosen]
