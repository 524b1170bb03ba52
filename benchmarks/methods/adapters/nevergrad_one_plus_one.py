"""Nevergrad's (1+1) evolution strategy, told of the batch as its number of workers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, main
from benchmarks.methods.parameters import Parameter


class OnePlusOne:
    """A run of ``OnePlusOne``."""

    def __init__(self, run: Run) -> None:
        ng = import_module("nevergrad")
        # It warns of every failure it is told of.
        warnings.simplefilter("ignore", ng.errors.LossTooLargeWarning)
        space = ng.p.Dict(**{p.name: _dimension(ng.p, p) for p in run.parameters})
        space.random_state = import_module("numpy").random.RandomState(run.seed)
        self._optimizer = ng.optimizers.OnePlusOne(
            space, budget=run.batch * run.rounds, num_workers=run.batch
        )
        self._parameters = run.parameters
        self._pending: list[Any] = []

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        self._pending = [self._optimizer.ask() for _ in range(n)]
        return [
            {p.name: _value(p, candidate.value[p.name]) for p in self._parameters}
            for candidate in self._pending
        ]

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        for candidate, loss in zip(self._pending, losses, strict=True):
            self._optimizer.tell(candidate, math.inf if loss is None else loss)


def _dimension(p: Any, parameter: Parameter) -> Any:
    if parameter.is_number:
        return p.Scalar(lower=0.0, upper=1.0)
    if parameter.kind == "ordinal":
        return p.TransitionChoice(parameter.choices)
    return p.Choice(parameter.choices)


def _value(parameter: Parameter, value: Any) -> Any:
    return parameter.from_unit(value) if parameter.is_number else value


if __name__ == "__main__":
    main(OnePlusOne, ("nevergrad", "numpy"))
