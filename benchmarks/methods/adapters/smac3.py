"""SMAC3's facade for hyperparameters: a random forest, expected improvement and local search.

The forest is the compiled one, `pyrfr`, which the package still offers beside its new default,
scikit-learn's: on our mixed test function it gets nearer to the minimum, in half the time.
"""

from __future__ import annotations

import logging
import os
import random
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, WorstSoFar, main
from benchmarks.methods.parameters import Parameter

TRIES = 1000
"""How often SMAC looks for a configuration that is new before it gives up.

Its default, 16, gives up on a space of a hundred points when a quarter of them are left.
"""


class SMAC3:
    """A run of SMAC3, asked for one trial after another until the batch is full.

    Logarithms, integers, ordinals and categories are ConfigSpace's own; a logit parameter is its
    place on the logit line. A failure is a crash, at the cost of the worst loss so far: the model
    takes crashes in, so they need a finite cost.
    """

    def __init__(self, run: Run) -> None:
        config_space, smac = import_module("ConfigSpace"), import_module("smac")
        facade = import_module("smac.facade.old").HyperparameterOptimizationRFRFacade
        self._runhistory = import_module("smac.runhistory")
        # What SMAC raises, beside StopIteration, when it finds no configuration that is new.
        exceptions = import_module("smac.main.exceptions")
        self._exhausted = (StopIteration, exceptions.ConfigurationSpaceExhaustedException)
        space = config_space.ConfigurationSpace(seed=run.seed)
        space.add([describe(config_space, parameter) for parameter in run.parameters])
        # It writes a description of itself here, which nothing reads.
        with TemporaryDirectory() as folder:
            scenario = smac.Scenario(
                space,
                output_directory=Path(folder),
                # Or it would spend evaluations on repeats of its best.
                deterministic=True,
                n_trials=run.batch * run.rounds,
                seed=run.seed,
            )
            self._facade = facade(
                scenario,
                initial_design=facade.get_initial_design(
                    scenario, n_configs=first(len(run.parameters), run.batch, run.rounds)
                ),
                config_selector=facade.get_config_selector(
                    scenario, retrain_after=run.batch, retries=TRIES
                ),
                logging_level=logging.ERROR,
                overwrite=True,
            )
        self._parameters = run.parameters
        self._rng = random.Random(run.seed)  # noqa: S311
        self._worst = WorstSoFar()
        self._asked: list[Any] = []

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        self._asked = [self._next_trial() for _ in range(n)]
        return [self._draw() if trial is None else self._read(trial) for trial in self._asked]

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        costs = self._worst.replace(losses)
        status = self._runhistory.StatusType
        for trial, loss, cost in zip(self._asked, losses, costs, strict=True):
            if trial is not None:
                value = self._runhistory.TrialValue(
                    cost=cost, status=status.CRASHED if loss is None else status.SUCCESS
                )
                self._facade.tell(trial, value, save=False)

    def recommend(self) -> Mapping[str, Any] | None:
        incumbent = self._facade.intensifier.get_incumbent()
        return None if incumbent is None else self._configuration(incumbent)

    def _next_trial(self) -> Any:
        """The next trial; None when SMAC finds nothing new, which in a small space is the end."""
        try:
            return self._facade.ask()
        except self._exhausted:
            return None

    def _read(self, trial: Any) -> Configuration:
        return self._configuration(trial.config)

    def _configuration(self, config: Mapping[str, Any]) -> Configuration:
        return {
            p.name: p.read(config[p.name], on_unit=p.scale == "logit") for p in self._parameters
        }

    def _draw(self) -> Configuration:
        """Any configuration: all that is left when SMAC has had enough."""
        return {p.name: p.from_unit(self._rng.random()) for p in self._parameters}


def first(parameters: int, batch: int, rounds: int) -> int:
    """How many points are drawn before the first model: whole batches.

    SMAC's own rule is ten for each parameter, up to a quarter of all, and a new model after every
    eighth configuration. Its models must come where batches begin: elsewhere a part of a batch
    would be chosen by the model before.
    """
    rule = min(10 * parameters, batch * rounds // 4)
    return max(rule // batch, 1) * batch


def describe(config_space: Any, parameter: Parameter) -> Any:
    """A parameter in ConfigSpace's words; choices by their numbers."""
    name, numbers = parameter.name, list(range(len(parameter.choices)))
    if parameter.kind == "ordinal":
        return config_space.OrdinalHyperparameter(name, numbers)
    if not parameter.is_number:
        return config_space.CategoricalHyperparameter(name, numbers)
    if parameter.scale == "logit":
        return config_space.UniformFloatHyperparameter(name, 0.0, 1.0)
    kind = "Integer" if parameter.kind == "integer" else "Float"
    return getattr(config_space, f"Uniform{kind}Hyperparameter")(
        name, parameter.low, parameter.high, log=parameter.scale == "log"
    )


def fix_hashes() -> None:
    """Start this process again with hashes that are the same in every process.

    SMAC begins its local searches at the members of a set of configurations, in the set's order,
    which follows the hashes of strings; Python draws those anew for each process.
    """
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(  # noqa: S606
            sys.executable, sys.orig_argv, {**os.environ, "PYTHONHASHSEED": "0"}
        )


if __name__ == "__main__":
    fix_hashes()
    main(SMAC3, ("smac", "pyrfr", "ConfigSpace", "numpy", "scipy"))
