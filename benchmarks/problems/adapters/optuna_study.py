"""Optuna's samplers with their own defaults: ``... tpe``, ``gp`` or ``nsga2``.

Several objectives are several directions. Bounds are told by ``set_constraint``. Conditions are
Optuna's own way: a trial suggests what is active, one parameter after the other.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.methods.adapters.optuna_sampler import distribution_of, value_of
from benchmarks.problems.served import Configuration, Outcomes, Run, main

SAMPLERS = {"tpe": "TPESampler", "gp": "GPSampler", "nsga2": "NSGAIISampler"}
"""The class, by the name on the command line."""


class OptunaStudy:
    """A run of one of :data:`SAMPLERS`; failures are trials that failed."""

    def __init__(self, run: Run, sampler: str) -> None:
        optuna = import_module("optuna")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        chosen = getattr(optuna.samplers, SAMPLERS[sampler])(seed=run.seed)
        self._run = run
        self._failed = optuna.trial.TrialState.FAIL
        self._distributions = {
            p.name: distribution_of(optuna.distributions, p) for p in run.parameters
        }
        self._study = optuna.create_study(
            sampler=chosen, directions=["minimize"] * len(run.objectives)
        )
        self._asked: list[Any] = []

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        if any(parameter.when for parameter in self._run.parameters):
            self._asked = [self._study.ask() for _ in range(n)]
        else:  # samplers of relations between parameters see all of them from the start
            self._asked = [self._study.ask(self._distributions) for _ in range(n)]
        return [self._read(trial) for trial in self._asked]

    def tell(self, configs: Sequence[Configuration], outcomes: Sequence[Outcomes | None]) -> None:
        for trial, measured in zip(self._asked, outcomes, strict=True):
            if measured is None:
                self._study.tell(trial, state=self._failed)
                continue
            violations = self._run.violations(measured)
            for goal, violation in zip(self._run.bounds, violations, strict=True):
                trial.set_constraint(goal["name"], violation)
            self._study.tell(trial, self._run.minimised(measured))

    def _read(self, trial: Any) -> Configuration:
        values: Configuration = {}
        for parameter in self._run.parameters:
            if parameter.is_active(values):
                name = parameter.name
                proposed = _suggest(trial, name, self._distributions[name])
                values[name] = value_of(parameter, proposed)
        return values


def _suggest(trial: Any, name: str, distribution: Any) -> Any:
    """The value of a parameter in a trial, which the sampler may have chosen already."""
    if hasattr(distribution, "choices"):
        return trial.suggest_categorical(name, distribution.choices)
    suggest = trial.suggest_int if isinstance(distribution.low, int) else trial.suggest_float
    return suggest(name, distribution.low, distribution.high, log=distribution.log)


if __name__ == "__main__":
    needs = ("torch",) if sys.argv[1] == "gp" else ()
    main(lambda run: OptunaStudy(run, sys.argv[1]), ("optuna", *needs, "numpy", "scipy"))
