"""HEBO 0.3.6, the public package, with its own defaults.

Its default model is a GPyTorch one without the paper's input warping, and its Sobol points stop
after 1 + d of them; both are its authors' choices.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, main
from benchmarks.methods.parameters import Parameter


class PublicHEBO:
    """A run of HEBO: logarithms, integers, booleans and categories are its own types.

    A logit parameter is its place on the logit line, an ordinal the number of its choice.
    """

    def __init__(self, run: Run) -> None:
        np, torch = import_module("numpy"), import_module("torch")
        space = import_module("hebo.design_space.design_space").DesignSpace()
        optimizers = import_module("hebo.optimizers.hebo")
        # HEBO draws from the global generators; only its Sobol points take a seed.
        random.seed(run.seed)
        np.random.seed(run.seed)
        torch.manual_seed(run.seed)
        self._parameters = run.parameters
        self._optimizer = optimizers.HEBO(
            space.parse([describe(parameter) for parameter in run.parameters]),
            scramble_seed=run.seed,
        )
        self._asked: Any = None

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        self._asked = self._optimizer.suggest(n_suggestions=n)
        return [
            {p.name: p.read(row[p.name], on_unit=p.scale == "logit") for p in self._parameters}
            for row in self._asked.to_dict("records")
        ]

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        np = import_module("numpy")
        # HEBO drops what is not finite.
        values = [np.inf if loss is None else loss for loss in losses]
        # The batch as HEBO proposed it: a round trip through our values would cost it digits,
        # by which it knows duplicates.
        self._optimizer.observe(self._asked, np.array(values, dtype=float).reshape(-1, 1))


def describe(parameter: Parameter) -> dict[str, Any]:
    """A parameter in HEBO's words."""
    name = {"name": parameter.name}
    bounds = {"lb": parameter.low, "ub": parameter.high}
    if parameter.kind == "boolean":
        return {**name, "type": "bool"}
    if parameter.kind == "categorical":
        return {**name, "type": "cat", "categories": list(range(len(parameter.choices)))}
    if parameter.kind == "ordinal":
        return {**name, "type": "int", "lb": 0, "ub": len(parameter.choices) - 1}
    if parameter.scale == "logit":
        return {**name, "type": "num", "lb": 0.0, "ub": 1.0}
    if parameter.kind == "integer":
        return {**name, **bounds, "type": "pow_int" if parameter.scale == "log" else "int"}
    return {**name, **bounds, "type": "pow" if parameter.scale == "log" else "num"}


if __name__ == "__main__":
    main(PublicHEBO, ("HEBO", "torch", "gpytorch", "pymoo", "numpy"))
