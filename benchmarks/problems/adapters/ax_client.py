"""Ax's client with its default strategy: several objectives and bounds on outcomes."""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from benchmarks.methods.adapters.ax_client import describe
from benchmarks.problems.served import SIGNS, Configuration, Outcomes, Run, main


class AxClient:
    """A run of Ax; a failure is an abandoned trial.

    Ax is told outcomes as they are, and for each objective whether it is to be small or large. A
    configuration is drawn at random where Ax finds none that is new.
    """

    def __init__(self, run: Run) -> None:
        api = import_module("ax.api.client")
        self._exhausted = import_module("ax.exceptions.core").SearchSpaceExhausted
        import_module("ax.utils.common.logger").set_stderr_log_level(logging.ERROR)
        # Not the client's own seed: it would begin every batch with the same random numbers.
        random.seed(run.seed)
        import_module("numpy").random.seed(run.seed)
        import_module("torch").manual_seed(run.seed)
        configs = import_module("ax.api.configs")
        self._run = run
        self._client = api.Client()
        self._client.configure_experiment([describe(configs, p) for p in run.parameters])
        self._client.configure_optimization(
            objective=", ".join(map(_objective, run.objectives)),
            outcome_constraints=[_constraint(goal) for goal in run.bounds],
        )
        self._client.configure_generation_strategy(
            initialization_random_seed=run.seed,
            # The default is five points, and no more before some are told: less than a batch.
            allow_exceeding_initialization_budget=True,
        )
        self._rng = random.Random(run.seed)  # noqa: S311
        self._asked: list[int | None] = []

    def ask(self, n: int) -> Sequence[Mapping[str, Any]]:
        try:
            trials = self._client.get_next_trials(n)
        except self._exhausted:
            trials = {}
        missing = n - len(trials)
        self._asked = [*trials, *[None] * missing]
        drawn = [
            {p.name: p.from_unit(self._rng.random()) for p in self._run.parameters}
            for _ in range(missing)
        ]
        return [*map(self._read, trials.values()), *drawn]

    def tell(self, configs: Sequence[Configuration], outcomes: Sequence[Outcomes | None]) -> None:
        for trial, measured in zip(self._asked, outcomes, strict=True):
            if trial is None:
                continue
            if measured is None:
                self._client.mark_trial_abandoned(trial)
            else:
                self._client.complete_trial(trial, raw_data=dict(measured))

    def _read(self, trial: Mapping[str, Any]) -> Configuration:
        parameters = self._run.parameters
        return {p.name: p.read(trial[p.name], on_unit=p.scale == "logit") for p in parameters}


def _objective(goal: Mapping[str, Any]) -> str:
    return f"-{goal['name']}" if SIGNS[goal["goal"]] > 0.0 else str(goal["name"])


def _constraint(goal: Mapping[str, Any]) -> str:
    return f"{goal['name']} {'<=' if SIGNS[goal['goal']] > 0.0 else '>='} {goal['bound']}"


if __name__ == "__main__":
    main(AxClient, ("ax-platform", "botorch", "gpytorch", "torch", "numpy", "scipy"))
