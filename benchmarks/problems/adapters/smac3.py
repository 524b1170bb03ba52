"""SMAC3's facade for hyperparameters, with conditions as ConfigSpace has them.

One objective and no bounds: SMAC3 knows no bounds on outcomes.
"""

from __future__ import annotations

import logging
import math
import random
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.methods.adapters.smac3 import TRIES, describe, first, fix_hashes
from benchmarks.problems.served import Configuration, Outcomes, Run, main


class SMAC3:
    """A run of SMAC3, asked for one trial after another until the batch is full.

    A failure is a crash at the cost of the worst loss so far.
    """

    def __init__(self, run: Run) -> None:
        config_space, smac = import_module("ConfigSpace"), import_module("smac")
        facade = import_module("smac.facade.old").HyperparameterOptimizationRFRFacade
        self._runhistory = import_module("smac.runhistory")
        exceptions = import_module("smac.main.exceptions")
        self._exhausted = (StopIteration, exceptions.ConfigurationSpaceExhaustedException)
        self._space = config_space.ConfigurationSpace(seed=run.seed)
        made = {p.name: describe(config_space, p) for p in run.parameters}
        self._space.add(list(made.values()))
        by_name = {p.name: p for p in run.parameters}
        for parameter in run.parameters:
            conditions = [
                config_space.InCondition(
                    made[parameter.name],
                    made[parent],
                    [_told(by_name[parent], value) for value in allowed],
                )
                for parent, allowed in parameter.when.items()
            ]
            if len(conditions) > 1:
                self._space.add(config_space.AndConjunction(*conditions))
            elif conditions:
                self._space.add(conditions[0])
        # It writes a description of itself here, which nothing reads.
        with TemporaryDirectory() as folder:
            scenario = smac.Scenario(
                self._space,
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
        random.seed(run.seed)
        self._run = run
        self._worst = -math.inf
        self._asked: list[Any] = []

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        self._asked = [self._next_trial() for _ in range(n)]
        return [
            self._read(self._space.sample_configuration() if trial is None else trial.config)
            for trial in self._asked
        ]

    def tell(self, configs: Sequence[Configuration], outcomes: Sequence[Outcomes | None]) -> None:
        status = self._runhistory.StatusType
        losses = [None if o is None else self._run.minimised(o)[0] for o in outcomes]
        self._worst = max([self._worst, *(loss for loss in losses if loss is not None)])
        for trial, loss in zip(self._asked, losses, strict=True):
            if trial is None:
                continue
            cost = (self._worst if math.isfinite(self._worst) else 0.0) if loss is None else loss
            value = self._runhistory.TrialValue(
                cost=cost, status=status.CRASHED if loss is None else status.SUCCESS
            )
            self._facade.tell(trial, value, save=False)

    def _next_trial(self) -> Any:
        """The next trial; None when SMAC finds nothing new."""
        try:
            return self._facade.ask()
        except self._exhausted:
            return None

    def _read(self, config: Mapping[str, Any]) -> Configuration:
        """The active values."""
        active = dict(config)
        return {
            p.name: p.read(active[p.name], on_unit=p.scale == "logit")
            for p in self._run.parameters
            if p.name in active
        }


def _told(parameter: Any, value: Any) -> Any:
    """A value as SMAC knows it: choices by their numbers."""
    return value if parameter.is_number else parameter.choices.index(value)


if __name__ == "__main__":
    fix_hashes()
    main(SMAC3, ("smac", "pyrfr", "ConfigSpace", "numpy", "scipy"))
