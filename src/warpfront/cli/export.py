"""`warpfront export`: all trials as a table, for other programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from optuna.trial import FrozenTrial, TrialState

from warpfront.cli.cells import protect, show_cell
from warpfront.cli.measured import bounds, is_feasible, outcomes_of
from warpfront.cli.shown import plain
from warpfront.cli.study import OpenStudy
from warpfront.cli.table import number_column
from warpfront.cli.trials import HAND, REASON, Overview
from warpfront.errors import ConfigurationError
from warpfront.extras import require
from warpfront.integrations.optuna.history import proposer_of

Row = dict[str, Any]
_STATES = {
    TrialState.COMPLETE: "completed",
    TrialState.PRUNED: "pruned",
    TrialState.FAIL: "failed",
    TrialState.RUNNING: "running",
    TrialState.WAITING: "waiting",
}


def rows_of(opened: OpenStudy) -> list[Row]:
    """A row for each trial that counts, in order of number; all rows have the same columns."""
    taken = {*opened.space, *opened.problem.names}
    return [_row(opened, trial, taken) for trial in Overview(opened.trials()).counted]


def _row(opened: OpenStudy, trial: FrozenTrial, taken: set[str]) -> Row:
    goals = opened.goals
    outcomes = outcomes_of(trial, goals)
    try:
        config = opened.configuration(trial)
    except ConfigurationError:  # of another program, or not chosen yet
        config = {name: value for name, value in opened.values(trial).items() if name in taken}
    facts: Row = {"state": _STATES[trial.state]}
    if bounds(goals):
        facts["feasible"] = is_feasible(outcomes, goals) if outcomes else None
    duration = trial.duration
    reason = trial.user_attrs.get(REASON) if trial.state == TrialState.FAIL else None
    facts |= {
        "proposer": proposer_of(trial),
        "by_hand": bool(trial.user_attrs.get(HAND)),
        "started": _time(trial.datetime_start),
        "seconds": None if duration is None else duration.total_seconds(),
        "reason": None if reason is None else plain(str(reason)),
    }
    return {
        number_column(opened.space): trial.number,
        **{name: config.get(name) for name in opened.space},
        **{name: outcomes.get(name) for name in opened.problem.names},
        **{f"warpfront_{key}" if key in taken else key: one for key, one in facts.items()},
    }


def _time(moment: Any) -> str | None:
    return None if moment is None else str(moment.isoformat(sep=" ", timespec="seconds"))


def write(rows: Sequence[Row], form: str) -> bytes:
    """The rows as CSV, JSON or Parquet.

    Examples
    --------
    >>> print(write([{"trial": 0, "kind": "=1", "loss": -0.5, "reason": None}], "csv").decode())
    trial,kind,loss,reason
    0,'=1,-0.5,
    <BLANKLINE>
    """
    if form == "json":
        return (json.dumps(rows, indent=1) + "\n").encode()
    return _parquet(rows) if form == "parquet" else _csv(rows).encode()


def _csv(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if rows:
        writer.writerow([protect(name) for name in rows[0]])
    for row in rows:
        writer.writerow(["" if one is None else show_cell(one) for one in row.values()])
    return text.getvalue()


def _parquet(rows: Sequence[Row]) -> bytes:
    """Columns of one type each; choices of several types become JSON texts."""
    pyarrow = require("pyarrow", "parquet", "Parquet files need pyarrow")
    parquet = require("pyarrow.parquet", "parquet", "Parquet files need pyarrow")
    columns = {name: _column([row[name] for row in rows]) for name in (rows[0] if rows else ())}
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table(columns), sink)
    return bytes(sink.getvalue().to_pybytes())


def _column(values: Sequence[Any]) -> list[Any]:
    kinds: set[type] = {type(one) for one in values if one is not None}
    if (len(kinds) <= 1 and not kinds & {list, dict}) or kinds == {int, float}:
        return list(values)
    return [None if one is None else json.dumps(one) for one in values]
