"""HyperOpt's tree of Parzen estimators, asked for one point at a time."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, main
from benchmarks.methods.parameters import Parameter


class HyperOpt:
    """A run of ``tpe.suggest`` with its default settings."""

    def __init__(self, run: Run) -> None:
        hyperopt = import_module("hyperopt")
        self._suggest = hyperopt.tpe.suggest
        self._base = import_module("hyperopt.base")
        space = {parameter.name: _dimension(hyperopt.hp, parameter) for parameter in run.parameters}
        self._domain = self._base.Domain(None, space)
        self._trials = self._base.Trials()
        self._random = random.Random(run.seed)  # noqa: S311
        self._parameters = run.parameters
        self._pending: list[Any] = []

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        self._pending = [self._ask_one() for _ in range(n)]
        return [self._configuration(trial["misc"]["vals"]) for trial in self._pending]

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        for trial, loss in zip(self._pending, losses, strict=True):
            trial["state"] = self._base.JOB_STATE_DONE
            if loss is None:
                trial["result"] = {"status": self._base.STATUS_FAIL}
            else:
                trial["result"] = {"status": self._base.STATUS_OK, "loss": loss}
        self._trials.refresh()

    def _ask_one(self) -> Any:
        """A trial that the next one of the batch already counts among the bad ones."""
        ids = self._trials.new_trial_ids(1)
        seed = self._random.getrandbits(31)
        trials = self._suggest(ids, self._domain, self._trials, seed, verbose=False)
        self._trials.insert_trial_docs(trials)
        self._trials.refresh()
        return self._trials.trials[-1]

    def _configuration(self, values: Mapping[str, Sequence[Any]]) -> Configuration:
        return {p.name: _value(p, values[p.name][0]) for p in self._parameters}


def _dimension(hp: Any, parameter: Parameter) -> Any:
    name, low, high = parameter.name, parameter.low, parameter.high
    if parameter.kind == "integer" and parameter.scale != "logit":
        # Half a step wider, or the first and the last would come half as often.
        if parameter.scale == "log":
            return hp.qloguniform(name, math.log(low - 0.5), math.log(high + 0.5), 1)
        return hp.quniform(name, low - 0.5, high + 0.5, 1)
    if parameter.is_number:
        return hp.uniform(name, 0.0, 1.0)
    if parameter.kind == "ordinal":
        return hp.quniform(name, -0.5, len(parameter.choices) - 0.5, 1)
    return hp.choice(name, parameter.choices)


def _value(parameter: Parameter, value: float) -> Any:
    if parameter.kind == "integer" and parameter.scale != "logit":
        return parameter.legal(value)
    if parameter.is_number:
        return parameter.from_unit(value)
    return parameter.choices[min(max(int(value), 0), len(parameter.choices) - 1)]


if __name__ == "__main__":
    main(HyperOpt, ("hyperopt", "numpy", "scipy"))
