"""The front: the outcomes of all trials under several goals, the best trade-offs marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from warpfront.analysis.values import ValueAxis
from warpfront.decision import knee
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.plots.style import (
    BLUE,
    DOT,
    ORANGE,
    RED,
    STAR,
    hover,
    plotly,
    text,
    value_axis,
)
from warpfront.trial import Trial

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def draw_front(history: History) -> Figure:
    """Two objectives as a plane, three as a space; of more, the first three."""
    names = [objective.name for objective in history.problem.objectives][:3]
    if len(names) < 2:
        raise NotEnoughDataError(
            "a front needs several objectives, and there is one: use plot.convergence(), or give "
            "goals such as [Minimize('loss'), Minimize('time')]"
        )
    front = history.front if history.feasible else ()
    figure: Figure = plotly().Figure()
    chosen = {trial.number for trial in front}
    measured = [t for t in history.completed if all(t.outcomes[name] is not None for name in names)]
    others = [trial for trial in measured if trial.number not in chosen]
    if history.problem.bounds:
        outside = [trial for trial in others if not history.is_feasible(trial)]
        others = [trial for trial in others if history.is_feasible(trial)]
        look = {"mode": "markers", "marker": {"color": RED, "size": 5, "symbol": "x"}}
        _add(figure, outside, names, "breaks a bound", look)
    best = sorted(front, key=lambda trial: trial.outcomes[names[0]] or 0.0)
    _add(figure, others, names, "observed", {"mode": "markers", "marker": DOT})
    look = {"mode": "markers", "marker": {"color": BLUE, "size": 9 if len(names) == 2 else 5}}
    _add(figure, best, names, "front", look)
    if front:
        middle = {**STAR, "size": 15} if len(names) == 2 else {"color": ORANGE, "size": 8}
        look = {"mode": "markers", "marker": middle}
        _add(figure, [knee(history)], names, "compromise", look)
    titles = [{"title": {"text": text(name)}} for name in names]
    if len(names) == 2:
        x, y = (_axis(history, measured, front, name) for name in names)
        figure.update_layout(xaxis=x, yaxis=y)
    else:
        figure.update_layout(scene=dict(zip(("xaxis", "yaxis", "zaxis"), titles, strict=True)))
    figure.update_layout(legend={"orientation": "h", "y": 1.0, "yanchor": "bottom"})
    return figure


def _axis(
    history: History, measured: Sequence[Trial], front: Sequence[Trial], name: str
) -> dict[str, Any]:
    """The axis of an objective: the whole front, and of the rest what is not far worse."""
    known, best = (
        np.array([trial.outcomes[name] for trial in trials], dtype=float)
        for trials in (measured, front)
    )
    if len(known) == 0:
        return {"title": {"text": text(name)}}
    axis = ValueAxis.of(known, history.problem.goal(name).sign < 0)
    low = float(np.min(best / axis.unit, initial=axis.low))
    high = float(np.max(best / axis.unit, initial=axis.high))
    return value_axis(replace(axis, low=low, high=high), text(name))


def _add(
    figure: Any, trials: Sequence[Trial], names: Sequence[str], name: str, look: dict[str, Any]
) -> None:
    if not trials and name != "front":
        return
    values = [[trial.outcomes[goal] for trial in trials] for goal in names]
    places = dict(zip("xyz", values, strict=False))
    add = figure.add_scatter if len(names) == 2 else figure.add_scatter3d
    add(**places, name=name, **look, **hover(trials))
