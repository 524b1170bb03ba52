"""Feasibility: the bounded outcomes of all trials, and the bounds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from warpfront.analysis.model_view import measured
from warpfront.analysis.values import ORDINARY, ValueAxis
from warpfront.errors import NotEnoughDataError
from warpfront.goals import Bound
from warpfront.history import History
from warpfront.plots.style import BLUE, DOT, RED, hover, plotly, text, value_axis

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

WIDE = 100.0
"""Positive values whose greatest is so many times the smallest have a logarithmic axis."""


def draw_bound(history: History, bound: Bound) -> Figure:
    """One bounded outcome over the trials; the trials that keep all bounds are marked."""
    trials = measured(history, bound.name)
    if not trials:
        raise NotEnoughDataError(f"there is nothing to draw; {bound.name!r} was never measured")
    figure: Figure = plotly().Figure()
    looks = {
        "keeps all bounds": {**DOT, "color": BLUE, "size": 7},
        "keeps this bound only": DOT,
        "breaks it": {**DOT, "color": RED, "symbol": "x"},
    }
    for name, look in looks.items():
        chosen = [t for t in trials if _standing(history, bound, t.outcomes) == name]
        if chosen:
            figure.add_scatter(
                x=[trial.number for trial in chosen],
                y=[trial.outcomes[bound.name] for trial in chosen],
                mode="markers",
                marker=look,
                name=name,
                **hover(chosen),
            )
    values = np.array([*(trial.outcomes[bound.name] for trial in trials), bound.bound], dtype=float)
    axis = ValueAxis.whole(values)
    if axis.unit == 1.0 and 0.0 < WIDE * axis.low < axis.high <= axis.low * 10.0**ORDINARY:
        axis = replace(axis, is_log=True)
    figure.add_hline(bound.bound, line={"color": RED, "width": 1.5, "dash": "dash"})
    figure.update_yaxes(value_axis(axis, text(bound.name)))
    figure.update_layout(
        xaxis={"title": {"text": "trial"}},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom"},
        showlegend=True,
    )
    return figure


def _standing(history: History, bound: Bound, outcomes: object) -> str:
    known = dict(outcomes)  # type: ignore[call-overload]
    if not bound.holds(known[bound.name]):
        return "breaks it"
    return "keeps all bounds" if history.problem.is_feasible(known) else "keeps this bound only"
