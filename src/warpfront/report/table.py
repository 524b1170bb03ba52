"""The table of trials: the best first, every value whole for those who sort or download it."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from warpfront.analysis.texts import cut, number, shown
from warpfront.analysis.times import Times
from warpfront.decision import knee
from warpfront.history import History
from warpfront.report.page import Section
from warpfront.trial import Trial

LONGEST_CELL, LONGEST_REASON = 40, 160
"""Longer texts are cut on the page; sorting, filter and download have the whole of them."""
STATES = {"completed": 0, "failed": 1, "pending": 2, "withdrawn": 3}


class Cell(NamedTuple):
    """What is shown, all of it, and the class of the cell."""

    text: str
    exact: str
    kind: str = ""


class Row(NamedTuple):
    """A trial."""

    number: int
    state: str
    badge: str
    is_best: bool
    cells: list[Cell]


def trials_section(history: History, times: Times | None, title: str) -> Section:
    """All trials, one in a row: the best first, then by outcome, then those without one."""
    has_reasons = any(trial.reason for trial in history.trials)
    heads = ["trial", "state", *history.problem.names, *history.space.names]
    heads += ["seconds"] * (times is not None) + ["reason"] * has_reasons
    marked = _marked(history)
    rows = [
        _row(history, trial, marked, times, has_reasons)
        for trial in sorted(history.trials, key=lambda trial: _rank(history, trial, marked))
    ]
    found = {trial.state for trial in history.trials}
    first = "The best trial comes first" if marked else "Trials are in order of their number"
    return Section(
        "Trials",
        template="trials.html",
        data={
            "heads": [(cut(h, LONGEST_CELL), h, _kind(rows, i)) for i, h in enumerate(heads)],
            "rows": rows,
            "states": [state for state in STATES if state in found],
            "file": (re.sub(r"[^\w.-]+", "-", title).strip("-.")[:60] or "trials") + ".csv",
            "note": f"{first}.",
        },
    )


def _kind(rows: list[Row], column: int) -> str:
    """Whether a column has numbers."""
    cells = [row.cells[column - 2] for row in rows] if column > 1 else []
    kinds = {cell.kind for cell in cells if cell.text}
    return "number" if column == 0 or kinds == {"number"} else ""


def _marked(history: History) -> dict[int, str]:
    """The badges of the best trials, by number; the first is the best, or the compromise."""
    if not history.feasible:
        return {}
    if len(history.problem.objectives) == 1:
        return {history.best.number: "best"}
    chosen = {knee(history).number: "compromise"}
    return chosen | {t.number: "front" for t in history.front if t.number not in chosen}


def _rank(history: History, trial: Trial, marked: dict[int, str]) -> tuple[float, ...]:
    place = list(marked).index(trial.number) if trial.number in marked else len(marked)
    objective = history.problem.objective
    value = trial.outcomes.get(objective.name)
    loss = math.inf if value is None else objective.sign * float(value)
    infeasible = trial.state == "completed" and not history.is_feasible(trial)
    return place, STATES[trial.state], infeasible, loss, trial.number


def _row(
    history: History,
    trial: Trial,
    marked: dict[int, str],
    times: Times | None,
    has_reasons: bool,
) -> Row:
    badge = marked.get(trial.number, "")
    if trial.state == "completed" and not history.is_feasible(trial):
        badge = "breaks a bound"
    cells = [_cell(trial.outcomes.get(name)) for name in history.problem.names]
    cells += [
        _cell(trial.config[name], is_config=True) if name in trial.config else Cell("", "")
        for name in history.space.names
    ]
    if times is not None:
        took = times.seconds(trial.number)
        cells.append(_cell(None if took is None else float(f"{took:.3g}")))
    if has_reasons:
        reason = trial.reason or ""
        cells.append(Cell(cut(reason, LONGEST_REASON), reason, "reason"))
    is_best = bool(marked) and trial.number == next(iter(marked))
    return Row(trial.number, trial.state, badge, is_best, cells)


def _cell(value: Any, is_config: bool = False) -> Cell:
    if value is None and not is_config:
        return Cell("", "")
    exact = repr(value) if isinstance(value, float) else shown(value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    text = number(value) if isinstance(value, float) else shown(value)
    return Cell(cut(text, LONGEST_CELL), exact, "number" if is_number else "")
