"""scikit-optimize with batches by constant liar: ``python -m ... gp``, or another of MODELS."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.methods.adapter import Configuration, Run, WorstSoFar, main
from benchmarks.methods.adapters import old_names
from benchmarks.methods.parameters import Parameter

MODELS = {
    "gp": {"base_estimator": "GP", "acq_func": "gp_hedge"},
    "gp-ei": {"base_estimator": "GP", "acq_func": "EI"},
    "gp-pi": {"base_estimator": "GP", "acq_func": "PI"},
    "gp-lcb": {"base_estimator": "GP", "acq_func": "LCB"},
    "gbrt": {"base_estimator": "GBRT", "acq_func": "EI"},
}
"""By the name on the command line. GP-Hedge is its default; EI, PI and LCB are its arms."""

INITIAL_POINTS = 5
"""As in Bayesmark."""

LARGEST = 1e100
"""Larger losses are told as this one: the Gaussian process squares them."""


class SkOpt:
    """A run of skopt's ``Optimizer`` with one of :data:`MODELS`."""

    def __init__(self, run: Run, model: str) -> None:
        old_names.mark_quantile_regressor()
        skopt = import_module("skopt")
        # Tiny spaces are soon exhausted, and it says so at every point.
        warnings.filterwarnings("ignore", "The objective has been evaluated at")
        self._optimizer = skopt.Optimizer(
            [_dimension(skopt.space, parameter) for parameter in run.parameters],
            n_initial_points=INITIAL_POINTS,
            random_state=run.seed,
            **MODELS[model],
        )
        self._parameters = run.parameters
        self._pending: list[list[Any]] = []
        self._worst = WorstSoFar()

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        self._pending = self._optimizer.ask(n, strategy="cl_min")
        return [
            {p.name: _value(p, place) for p, place in zip(self._parameters, point, strict=True)}
            for point in self._pending
        ]

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        told = [min(loss, LARGEST) for loss in self._worst.replace(losses)]
        self._optimizer.tell(self._pending, told)


def _dimension(space: Any, parameter: Parameter) -> Any:
    name = parameter.name
    if parameter.kind == "integer" and parameter.scale != "logit":
        prior = "uniform" if parameter.scale == "linear" else "log-uniform"
        return space.Integer(int(parameter.low), int(parameter.high), prior=prior, name=name)
    if parameter.is_number:
        return space.Real(0.0, 1.0, name=name)
    if parameter.kind == "ordinal":
        return space.Integer(0, len(parameter.choices) - 1, name=name)
    return space.Categorical(parameter.choices, name=name)


def _value(parameter: Parameter, place: Any) -> Any:
    if parameter.kind == "integer" and parameter.scale != "logit":
        return parameter.legal(place)
    if parameter.is_number:
        return parameter.from_unit(place)
    if parameter.kind == "ordinal":
        return parameter.choices[place]
    return parameter.choices[parameter.choices.index(place)]  # a plain bool, not NumPy's


if __name__ == "__main__":
    main(lambda run: SkOpt(run, sys.argv[1]), ("scikit-optimize", "scikit-learn", "numpy", "scipy"))
