"""BOHB's model without its bandit: HpBandSter's kernel densities at one budget.

A batch is one point of the model and random ones, as the paper has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, main
from benchmarks.methods.parameters import Parameter

BUDGET = 1.0
"""The only one: there is no cheaper evaluation."""


class BOHB:
    """A run of BOHB's configuration generator with its default settings."""

    def __init__(self, run: Run) -> None:
        import_module("numpy").random.seed(run.seed)
        self._space = import_module("ConfigSpace").ConfigurationSpace(seed=run.seed)
        self._space.add([_dimension(parameter) for parameter in run.parameters])
        generator = import_module("hpbandster.optimizers.config_generators.bohb").BOHB
        # One in three of its points is random; in a batch the other points see to that.
        share = {} if run.batch == 1 else {"random_fraction": 0.0}
        self._generator = generator(self._space, **share)
        self._parameters = run.parameters
        self._pending: list[Mapping[str, Any]] = []

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        model, _ = self._generator.get_config(BUDGET)
        others = [self._space.sample_configuration() for _ in range(n - 1)]
        self._pending = [model, *map(dict, others)]
        return [
            {p.name: p.read(point[p.name], on_unit=_on_unit(p)) for p in self._parameters}
            for point in self._pending
        ]

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        for i, (point, loss) in enumerate(zip(self._pending, losses, strict=True), start=1):
            result = None if loss is None else {"loss": loss}
            arguments = {"budget": BUDGET, "config": point}
            job = SimpleNamespace(result=result, kwargs=arguments, exception=None)
            self._generator.new_result(job, update_model=i == len(losses))


def _dimension(parameter: Parameter) -> Any:
    cs = import_module("ConfigSpace")
    name, last = parameter.name, len(parameter.choices) - 1
    if parameter.is_number and not _on_unit(parameter):
        low, high = int(parameter.low), int(parameter.high)
        return cs.UniformIntegerHyperparameter(name, low, high, log=parameter.scale == "log")
    if parameter.is_number:
        return cs.UniformFloatHyperparameter(name, 0.0, 1.0)
    if parameter.kind == "ordinal":  # it takes no ordinals
        return cs.UniformIntegerHyperparameter(name, 0, last)
    return cs.CategoricalHyperparameter(name, list(range(last + 1)))


def _on_unit(parameter: Parameter) -> bool:
    """Whether a number is given to the package by its place in [0, 1]."""
    return parameter.kind != "integer" or parameter.scale == "logit"


if __name__ == "__main__":
    main(BOHB, ("hpbandster", "ConfigSpace", "statsmodels", "numpy", "scipy"))
