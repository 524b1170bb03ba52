"""OpenTuner's default: a bandit over differential evolution, two mutations and Nelder-Mead."""

from __future__ import annotations

import itertools
import logging
import math
import random
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, main
from benchmarks.methods.parameters import Parameter

IN_MEMORY = "sqlite://"
"""The database of results; nothing is left behind."""

PATIENCE = 10
"""Generations of nothing but repeats after which a batch is filled up at random."""


class OpenTuner:
    """A run of OpenTuner, driven through its manager for external programs."""

    def __init__(self, run: Run) -> None:
        opentuner = import_module("opentuner")
        _make_quiet()
        _make_repeatable()
        random.seed(run.seed)
        import_module("numpy").random.seed(run.seed)
        self._manipulator = opentuner.ConfigurationManipulator()
        for parameter in run.parameters:
            self._manipulator.add_parameter(_dimension(parameter))
        options = ["--database", IN_MEMORY, "--parallelism", str(run.batch), "--no-dups"]
        arguments = opentuner.default_argparser().parse_args(options)
        interface = import_module("opentuner.measurement.interface").DefaultMeasurementInterface(
            args=arguments, manipulator=self._manipulator
        )
        self._manager = import_module("opentuner.api").TuningRunManager(interface, arguments)
        self._result_class = opentuner.Result
        self._parameters = run.parameters
        self._pending: list[Any] = []

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        self._pending = []
        repeats = 0
        while len(self._pending) < n and repeats < PATIENCE:
            desired = self._manager.get_next_desired_result()
            if desired is None:
                repeats += 1
            else:
                self._pending.append(desired)
        points = [desired.configuration.data for desired in self._pending]
        points += [self._manipulator.random() for _ in range(n - len(points))]
        return [
            {p.name: p.read(point[p.name], on_unit=_on_unit(p)) for p in self._parameters}
            for point in points
        ]

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        # Shorter than the losses when the batch was filled up at random.
        for desired, loss in zip(self._pending, losses, strict=False):
            if loss is None:
                result = self._result_class(state="ERROR", time=math.inf)
            else:
                result = self._result_class(state="OK", time=loss)
            self._manager.report_result(desired, result)


def _make_quiet() -> None:
    """Keep it from writing a log file into the working directory."""
    tuning: Any = import_module("opentuner.tuningrunmain")
    tuning.init_logging = lambda: None
    logging.getLogger("opentuner").setLevel(logging.ERROR)


def _make_repeatable() -> None:
    """Order the sets of its differential evolution by age, not by address in memory."""
    member = import_module("opentuner.search.differentialevolution").PopulationMember
    member.ages = itertools.count()  # anew for each run
    member.__hash__ = _age


def _age(member: Any) -> int:
    if not hasattr(member, "age"):
        member.age = next(member.ages)
    age: int = member.age
    return age


def _dimension(parameter: Parameter) -> Any:
    manipulator = import_module("opentuner.search.manipulator")
    name, last = parameter.name, len(parameter.choices) - 1
    if parameter.is_number and not _on_unit(parameter):
        return manipulator.IntegerParameter(name, parameter.low, parameter.high)
    if parameter.is_number:  # its own log scale is log(1 + x - low), straight for small ranges
        return manipulator.FloatParameter(name, 0.0, 1.0)
    if parameter.kind == "categorical":
        return manipulator.EnumParameter(name, range(last + 1))
    return manipulator.IntegerParameter(name, 0, last)


def _on_unit(parameter: Parameter) -> bool:
    """Whether a number is given to the package by its place in [0, 1]."""
    return parameter.kind != "integer" or parameter.scale != "linear"


if __name__ == "__main__":
    main(OpenTuner, ("opentuner", "SQLAlchemy", "numpy"))
