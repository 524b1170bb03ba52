"""Trials in TensorBoard: ``minimize(..., callbacks=[TensorBoardCallback("runs")])``."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from warpfront.extras import require
from warpfront.integrations.tracking import Facts
from warpfront.result import Result
from warpfront.trial import Trial


class TensorBoardCallback:
    """Logs a run of :func:`warpfront.minimize` for TensorBoard.

    The SCALARS tab has the curves: each outcome, and the best value so far, over the number of
    outcomes. The HPARAMS tab has each trial with its parameters and outcomes, so that trials can
    be sorted, filtered and drawn in parallel coordinates.

    Parameters
    ----------
    folder
        Where the event files go: the ``--logdir`` of TensorBoard.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from warpfront import RandomSearch, Real, Space, minimize
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     search = RandomSearch(Space(x=Real(-1, 1)), seed=0)
    ...     callback = TensorBoardCallback(folder)
    ...     result = minimize(lambda c: c["x"] ** 2, search, 2, callbacks=[callback])
    ...     sorted(path.name for path in Path(folder).iterdir() if path.is_dir())
    ['trial-0', 'trial-1']
    """

    def __init__(self, folder: str | os.PathLike[str] = "runs") -> None:
        tensorboard = require(
            "tensorboardX", "tensorboard", "TensorBoardCallback needs tensorboardX"
        )
        self._writer: Any = None
        self._new: Callable[[], Any] = partial(tensorboard.SummaryWriter, os.fspath(folder))

    def __call__(self, result: Result, trial: Trial) -> None:
        """Log a trial."""
        if self._writer is None:
            self._writer = self._new()
        facts = Facts.of(result, trial)
        for name, value in {**facts.metrics, **facts.progress}.items():
            self._writer.add_scalar(name, value, facts.step)
        if facts.reason is not None:
            self._writer.add_text("failures", f"trial {trial.number}: {facts.reason}", facts.step)
        # Other names than those of the curves, as TensorBoard wants it.
        metrics = {f"hparam/{name}": value for name, value in facts.metrics.items()}
        metrics["hparam/failed"] = float(facts.reason is not None)
        self._writer.add_hparams(facts.params, metrics, f"trial-{trial.number}", facts.step)
        self._writer.flush()

    def finish(self, result: Result) -> None:
        """Close the files."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
