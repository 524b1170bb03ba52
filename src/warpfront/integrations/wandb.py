"""Trials in Weights & Biases: ``minimize(..., callbacks=[WandbCallback(project="tuning")])``."""

from __future__ import annotations

import secrets
from typing import Any

from warpfront.extras import require
from warpfront.integrations.tracking import Facts, best_facts
from warpfront.result import Result
from warpfront.trial import Trial


class WandbCallback:
    """Logs a run of :func:`warpfront.minimize` to Weights & Biases.

    By default there is one run, with a step for each trial: its parameters (``param/...``), its
    outcomes, its duration and the best value so far, over ``evaluation``; at the end a table of all
    trials, and the best configuration in the summary.

    Parameters
    ----------
    each_trial
        Whether each trial is a run of its own instead, with its parameters as ``config`` and all in
        one group: what sweeps do, and what parallel coordinates and importance panels want. A
        failed trial is a failed run.
    **init
        Arguments of ``wandb.init``, such as ``project="tuning"``, ``mode="offline"`` or, to go on
        with a run whose checkpoint is resumed, ``id=..., resume="allow"``. Without any, a run that
        is active is used, and stays open.

    Examples
    --------
    >>> from warpfront import Real, Space, minimize
    >>> callback = WandbCallback(project="tuning", mode="offline")
    >>> result = minimize(
    ...     lambda c: c["x"] ** 2, Space(x=Real(-1, 1)), 8, callbacks=[callback]
    ... )  # doctest: +SKIP
    """

    def __init__(self, *, each_trial: bool = False, **init: Any) -> None:
        self._wandb = require("wandb", "wandb", "WandbCallback needs Weights & Biases")
        self._each_trial, self._init = each_trial, init
        self._run: Any = None
        self._is_ours = False
        self._rows: list[dict[str, Any]] = []
        if each_trial:
            self._init = {"group": f"warpfront-{secrets.token_hex(4)}", **init}

    def __call__(self, result: Result, trial: Trial) -> None:
        """Log a trial."""
        facts = Facts.of(result, trial)
        if self._each_trial:
            self._log_run(trial, facts)
            return
        params = {f"param/{name}": value for name, value in facts.params.items()}
        row = {"trial": trial.number, **params, **facts.metrics}
        self._rows.append({**row, "state": trial.state, "reason": trial.reason})
        # No `step=`: the run may be the user's, with steps of its own.
        self._open().log({"evaluation": facts.step, **row, **facts.progress})

    def finish(self, result: Result) -> None:
        """Log the table and the best configuration, and end the run if it is not the user's own."""
        if self._each_trial:
            return
        run = self._open()
        columns = list(dict.fromkeys(name for row in self._rows for name in row))
        data = [[row.get(name) for name in columns] for row in self._rows]
        if data:
            table = self._wandb.Table(columns=columns, data=data, allow_mixed_types=True)
            run.log({"trials": table})
        run.summary.update({"stopped": result.stopped, **best_facts(result.history)})
        if self._is_ours:
            run.finish(exit_code=1 if result.stopped == "error" else 0)
        self._run, self._rows = None, []  # minimize may be called again

    def _open(self) -> Any:
        """The run: the user's, or one of ours."""
        if self._run is None:
            active = self._wandb.run
            self._is_ours = bool(self._init) or active is None
            self._run = self._begin() if self._is_ours else active
        return self._run

    def _begin(self, **more: Any) -> Any:
        # Beside a run of the user's that is open, and without ending it.
        return self._wandb.init(
            **{"job_type": "warpfront", "reinit": "create_new"} | self._init | more
        )

    def _log_run(self, trial: Trial, facts: Facts) -> None:
        run = self._begin(config=facts.params, name=f"trial {trial.number}")
        run.log({**facts.metrics, **facts.progress})
        run.summary.update(
            {"trial": trial.number, "proposer": trial.proposer, "state": trial.state}
            | ({} if trial.reason is None else {"reason": trial.reason})
        )
        run.finish(exit_code=0 if trial.reason is None else 1)
