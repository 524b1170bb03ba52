"""BOHB's model without its bandit: HpBandSter's kernel densities at one budget.

The paper tried two ways to fill a batch of q (section 5). ``independent``: q maximisations of the
ratio of densities, each from random points. ``random``: one maximisation and q - 1 random points,
which did better; the paper's results under BOHB-BB are of this one.
"""

from __future__ import annotations

import sys
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

    def __init__(self, run: Run, fill: str = "random") -> None:
        import_module("numpy").random.seed(run.seed)
        self._space = import_module("ConfigSpace").ConfigurationSpace(seed=run.seed)
        self._space.add([_dimension(parameter) for parameter in run.parameters])
        generator = import_module("hpbandster.optimizers.config_generators.bohb").BOHB
        # One in three of its points is random. In a batch the paper has none of these: either the
        # other points see to that, or each point is a maximisation.
        share = {} if run.batch == 1 else {"random_fraction": 0.0}
        self._generator = generator(self._space, **share)
        self._models = run.batch if fill == "independent" else 1
        self._parameters = run.parameters
        self._pending: list[Mapping[str, Any]] = []

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        models = min(n, self._models)
        # A maximisation draws its starting points afresh, and the model is not told in between.
        maxima = [self._generator.get_config(BUDGET)[0] for _ in range(models)]
        others = [self._space.sample_configuration() for _ in range(n - models)]
        self._pending = [*maxima, *map(dict, others)]
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
    fill = sys.argv[1] if len(sys.argv) > 1 else "random"
    main(
        lambda run: BOHB(run, fill), ("hpbandster", "ConfigSpace", "statsmodels", "numpy", "scipy")
    )
