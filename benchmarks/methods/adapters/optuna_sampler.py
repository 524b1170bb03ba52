"""Optuna's samplers with their own defaults, and ours: ``... tpe``, ``gp``, ``cma`` or ``hebo``."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, main
from benchmarks.methods.parameters import Parameter

SAMPLERS = {
    "tpe": ("optuna.samplers", "TPESampler"),
    "gp": ("optuna.samplers", "GPSampler"),
    "cma": ("optuna.samplers", "CmaEsSampler"),
    "hebo": ("warpfront.integrations.optuna", "HEBOSampler"),
}
"""Module and class, by the name on the command line.

All know the trials that still run, so that a batch is one ask after another: TPE holds them for
bad ones (its constant liar), the GP has a batch acquisition, ours counts them as predicted, and
CMA-ES takes them for a part of its generation, which a batch may exceed. Categories it leaves to
random search.
"""


class OptunaSampler:
    """A run of one of :data:`SAMPLERS`; failures are trials that failed, which it leaves out.

    Logarithms, integers, booleans and categories are Optuna's own. A logit parameter is its place
    on the logit line, an ordinal the number of its choice.
    """

    def __init__(self, run: Run, sampler: str) -> None:
        optuna = import_module("optuna")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        # The samplers draw from generators of their own.
        module, name = SAMPLERS[sampler]
        chosen = getattr(import_module(module), name)(seed=run.seed)
        self._failed = optuna.trial.TrialState.FAIL
        self._parameters = run.parameters
        self._distributions = {
            p.name: distribution_of(optuna.distributions, p) for p in run.parameters
        }
        self._study = optuna.create_study(sampler=chosen)
        self._asked: list[Any] = []

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        self._asked = [self._study.ask(self._distributions) for _ in range(n)]
        return [
            {p.name: value_of(p, trial.params[p.name]) for p in self._parameters}
            for trial in self._asked
        ]

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        for trial, loss in zip(self._asked, losses, strict=True):
            if loss is None:
                self._study.tell(trial, state=self._failed)
            else:
                self._study.tell(trial, loss)


def distribution_of(distributions: Any, parameter: Parameter) -> Any:
    """A parameter in Optuna's words."""
    if parameter.kind in ("boolean", "categorical"):
        return distributions.CategoricalDistribution(parameter.choices)
    if parameter.kind == "ordinal":
        return distributions.IntDistribution(0, len(parameter.choices) - 1)
    if parameter.scale == "logit":
        return distributions.FloatDistribution(0.0, 1.0)
    kind = "IntDistribution" if parameter.kind == "integer" else "FloatDistribution"
    return getattr(distributions, kind)(parameter.low, parameter.high, log=parameter.scale == "log")


def value_of(parameter: Parameter, proposed: Any) -> Any:
    """One of Optuna's values as a value of the space."""
    if parameter.kind in ("boolean", "categorical"):
        return proposed
    if parameter.kind == "ordinal":
        return parameter.choices[proposed]
    return parameter.from_unit(proposed) if parameter.scale == "logit" else proposed


if __name__ == "__main__":
    needs = {"gp": ("torch",), "cma": ("cmaes",)}.get(sys.argv[1], ())
    main(lambda run: OptunaSampler(run, sys.argv[1]), ("optuna", *needs, "numpy", "scipy"))
