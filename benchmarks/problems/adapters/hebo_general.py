"""GeneralBO of the public package HEBO 0.3.6: several objectives and bounds, with its defaults."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.methods.adapters.public_hebo import describe
from benchmarks.problems.served import Configuration, Outcomes, Run, main


class GeneralBO:
    """A run of GeneralBO: a bound is an outcome that must be at most 0. Failures are left out."""

    def __init__(self, run: Run) -> None:
        np, torch = import_module("numpy"), import_module("torch")
        space = import_module("hebo.design_space.design_space").DesignSpace()
        general = import_module("hebo.optimizers.general")
        # It draws from the global generators.
        random.seed(run.seed)
        np.random.seed(run.seed)
        torch.manual_seed(run.seed)
        self._run = run
        self._optimizer = general.GeneralBO(
            space.parse([describe(parameter) for parameter in run.parameters]),
            num_obj=len(run.objectives),
            num_constr=len(run.bounds),
        )
        self._asked: Any = None

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        self._asked = self._optimizer.suggest(n_suggestions=n)
        return [
            {p.name: p.read(row[p.name], on_unit=p.scale == "logit") for p in self._run.parameters}
            for row in self._asked.to_dict("records")
        ]

    def tell(self, configs: Sequence[Configuration], outcomes: Sequence[Outcomes | None]) -> None:
        np = import_module("numpy")
        known = [i for i, measured in enumerate(outcomes) if measured is not None]
        values = [
            [*self._run.minimised(measured), *self._run.violations(measured)]
            for measured in outcomes
            if measured is not None
        ]
        if known:
            self._optimizer.observe(self._asked.iloc[known], np.array(values, dtype=float))


if __name__ == "__main__":
    main(GeneralBO, ("HEBO", "torch", "gpytorch", "pymoo", "numpy"))
