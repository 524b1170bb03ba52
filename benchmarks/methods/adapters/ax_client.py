"""Ax's client with its default strategy: the centre, Sobol points, then BoTorch's GP."""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.methods.adapter import AT_THE_END, Configuration, Run, main
from benchmarks.methods.parameters import Parameter

LOSS = "loss"
"""What the objective is called."""


class AxClient:
    """A run of Ax.

    Logarithms, integers, ordinals and categories are Ax's own; a logit parameter is its place on
    the logit line. A failure is an abandoned trial: Ax keeps away from where it was, whereas it
    may propose the point of a failed one again.
    """

    recommends = AT_THE_END  # it fits its model anew, and draws random numbers for that

    def __init__(self, run: Run) -> None:
        api = import_module("ax.api.client")
        self._exhausted = import_module("ax.exceptions.core").SearchSpaceExhausted
        import_module("ax.utils.common.logger").set_stderr_log_level(logging.ERROR)
        # Not the client's own seed: it would begin every batch with the same random numbers.
        random.seed(run.seed)
        import_module("numpy").random.seed(run.seed)
        import_module("torch").manual_seed(run.seed)
        configs = import_module("ax.api.configs")
        self._parameters = run.parameters
        self._client = api.Client()
        self._client.configure_experiment([describe(configs, p) for p in run.parameters])
        self._client.configure_optimization(objective=f"-{LOSS}")
        self._client.configure_generation_strategy(
            initialization_random_seed=run.seed,
            # The default is five points, and no more before some are told: less than a batch.
            allow_exceeding_initialization_budget=True,
        )
        self._rng = random.Random(run.seed)  # noqa: S311
        self._asked: list[int | None] = []
        self._has_loss = False

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        try:
            trials = self._client.get_next_trials(n)
        except self._exhausted:
            trials = {}
        missing = n - len(trials)
        self._asked = [*trials, *[None] * missing]
        return [self._read(trial) for trial in trials.values()] + [
            self._draw() for _ in range(missing)
        ]

    def tell(self, configs: Sequence[Configuration], losses: Sequence[float | None]) -> None:
        for trial, loss in zip(self._asked, losses, strict=True):
            if trial is None:
                continue
            if loss is None:
                self._client.mark_trial_abandoned(trial)
            else:
                self._client.complete_trial(trial, raw_data={LOSS: loss})
                self._has_loss = True

    def recommend(self) -> Mapping[str, Any] | None:
        if not self._has_loss:
            return None
        # The best by the model where there is one, else the best that was observed.
        parameters, *_ = self._client.get_best_parameterization(use_model_predictions=True)
        return self._read(parameters)

    def _read(self, trial: Mapping[str, Any]) -> Configuration:
        return {p.name: p.read(trial[p.name], on_unit=p.scale == "logit") for p in self._parameters}

    def _draw(self) -> Configuration:
        """Any configuration: all that is left when Ax finds none that is new."""
        return {p.name: p.from_unit(self._rng.random()) for p in self._parameters}


def describe(configs: Any, parameter: Parameter) -> Any:
    """A parameter in Ax's words; choices by their numbers."""
    name = parameter.name
    if not parameter.is_number:
        return configs.ChoiceParameterConfig(
            name=name,
            values=list(range(len(parameter.choices))),
            parameter_type="int",
            is_ordered=parameter.kind == "ordinal",
        )
    if parameter.scale == "logit":
        return configs.RangeParameterConfig(name=name, bounds=(0.0, 1.0), parameter_type="float")
    return configs.RangeParameterConfig(
        name=name,
        bounds=(parameter.low, parameter.high),
        parameter_type="int" if parameter.kind == "integer" else "float",
        scaling=parameter.scale,
    )


if __name__ == "__main__":
    main(AxClient, ("ax-platform", "botorch", "gpytorch", "torch", "numpy", "scipy"))
