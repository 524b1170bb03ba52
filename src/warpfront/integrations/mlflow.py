"""Trials as runs of MLflow: ``minimize(..., callbacks=[MLflowCallback("tuning")])``."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

from warpfront.errors import ConfigurationError
from warpfront.extras import require
from warpfront.integrations.tracking import Facts, best_facts
from warpfront.result import Result
from warpfront.trial import Trial

LONGEST_PARAM = 500
"""Characters of a parameter that every version and store of MLflow takes."""
LONGEST_TAG = 5000
FORBIDDEN = re.compile(r"[^\w\-. /]")
"""What MLflow does not take in the names of parameters and metrics."""


class MLflowCallback:
    """Logs a run of :func:`warpfront.minimize` to MLflow.

    There is a parent run with the best value so far as a curve and, at the end, the best
    configuration; and a child run for each trial, with its parameters, outcomes and duration. The
    child of a failed trial has the status FAILED and the tag ``reason``.

    Parameters
    ----------
    experiment
        The name of the experiment, which is made if it does not exist; None: that of the active
        run, or ``"warpfront"``.
    tracking_uri
        Where MLflow keeps runs; None: where it does by default, or by ``MLFLOW_TRACKING_URI``.
    run_name
        Of the parent run.
    tags
        Of the parent run and its children.
    run_id
        An existing parent run to go on with, such as that of a run whose checkpoint is resumed.
        Without it, the run that is active (``with mlflow.start_run():``) is the parent and stays
        open, and if there is none, one is made.

    Examples
    --------
    >>> from warpfront import Real, Space, minimize
    >>> callback = MLflowCallback("tuning", run_name="first")  # doctest: +SKIP
    >>> result = minimize(
    ...     lambda c: c["x"] ** 2, Space(x=Real(-1, 1)), 8, callbacks=[callback]
    ... )  # doctest: +SKIP
    """

    def __init__(
        self,
        experiment: str | None = None,
        *,
        tracking_uri: str | None = None,
        run_name: str | None = None,
        tags: Mapping[str, str] | None = None,
        run_id: str | None = None,
    ) -> None:
        self._mlflow = require("mlflow", "mlflow", "MLflowCallback needs MLflow")
        self._client = self._mlflow.MlflowClient(tracking_uri=tracking_uri)
        self._experiment, self._run_name = experiment, run_name
        self._tags = {} if tags is None else dict(tags)
        self._run_id = run_id
        self._is_ours = run_id is not None
        self._experiment_id: str | None = None

    @property
    def run_id(self) -> str | None:
        """The parent run; None before the first outcome."""
        return self._run_id

    def __call__(self, result: Result, trial: Trial) -> None:
        """Log a trial."""
        facts = Facts.of(result, trial)
        parent, experiment = self._parent()
        now = int(time.time() * 1000)
        child = self._client.create_run(
            experiment,
            start_time=now - int(1000 * facts.metrics.get("seconds", 0.0)),
            run_name=f"trial {trial.number}",
            tags=self._tags | {"mlflow.parentRunId": parent} | self._tags_of(trial),
        )
        self._log(child.info.run_id, facts.metrics, facts.step, facts.params)
        status = "FINISHED" if trial.reason is None else "FAILED"
        self._client.set_terminated(child.info.run_id, status, end_time=now)
        self._log(parent, facts.progress, facts.step)

    def finish(self, result: Result) -> None:
        """Log the best configuration, and end the parent run if it is not the user's own."""
        parent, _ = self._parent()
        self._client.set_tag(parent, "stopped", result.stopped)
        for name, value in best_facts(result.history).items():
            self._client.set_tag(parent, _name(name), str(value)[:LONGEST_TAG])
        if self._is_ours:
            status = {"error": "FAILED", "interrupt": "KILLED"}.get(result.stopped, "FINISHED")
            self._client.set_terminated(parent, status)

    def _parent(self) -> tuple[str, str]:
        """The parent run and its experiment."""
        if self._run_id is not None and self._experiment_id is not None:
            return self._run_id, self._experiment_id
        active = self._mlflow.active_run()
        if self._run_id is not None:
            run = self._client.get_run(self._run_id)
        elif active is not None and self._experiment is None:
            run = active
        else:
            run = self._client.create_run(
                self._experiment_of(self._experiment or "warpfront"),
                run_name=self._run_name,
                tags=self._tags,
            )
            self._is_ours = True
        self._run_id, self._experiment_id = run.info.run_id, run.info.experiment_id
        return str(run.info.run_id), str(run.info.experiment_id)

    def _experiment_of(self, name: str) -> str:
        found = self._client.get_experiment_by_name(name)
        if found is None:
            return str(self._client.create_experiment(name))
        if found.lifecycle_stage == "deleted":
            raise ConfigurationError(
                f"experiment={name!r}: it was deleted; restore it in MLflow, or use another name"
            )
        return str(found.experiment_id)

    @staticmethod
    def _tags_of(trial: Trial) -> dict[str, str]:
        tags = {"trial": str(trial.number), "proposer": trial.proposer, "reason": trial.reason}
        return {name: text[:LONGEST_TAG] for name, text in tags.items() if text is not None}

    def _log(
        self,
        run_id: str,
        metrics: Mapping[str, float],
        step: int,
        params: Mapping[str, Any] | None = None,
    ) -> None:
        from mlflow.entities import Metric, Param

        now = int(time.time() * 1000)
        self._client.log_batch(
            run_id,
            metrics=[Metric(_name(name), value, now, step) for name, value in metrics.items()],
            params=[Param(_name(n), str(v)[:LONGEST_PARAM]) for n, v in (params or {}).items()],
        )


def _name(name: str) -> str:
    return FORBIDDEN.sub("_", name)
