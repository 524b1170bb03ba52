"""Convergence: all values, the failures, and the best value so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpfront.analysis.values import ValueAxis
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.plots.style import BLUE, CROSS, DOT, hover, plotly, text, value_axis

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def draw_convergence(history: History) -> Figure:
    """Each completed trial as a dot, each failed one as a cross, and the best so far as a line.

    Of several objectives the first one is drawn; there is no best so far then.
    """
    if not history.evaluated:
        raise NotEnoughDataError("there is nothing to draw; tell an outcome first")
    objectives = history.problem.objectives
    objective = objectives[0]
    measured = [t for t in history.completed if t.outcomes[objective.name] is not None]
    figure: Figure = plotly().Figure()
    if measured:
        values = np.array([t.outcomes[objective.name] for t in measured], dtype=float)
        figure.add_scatter(
            x=[trial.number for trial in measured],
            y=values,
            mode="markers",
            marker=DOT,
            name="value",
            **hover(measured),
        )
        axis = ValueAxis.of(values, objective.sign < 0)
        figure.update_yaxes(value_axis(axis, text(objective.name)))
    if len(objectives) == 1 and history.feasible:
        _add_best_so_far(figure, history)
    if failed := history.of_state("failed"):
        figure.add_scatter(
            x=[trial.number for trial in failed],
            y=[0.02] * len(failed),
            yaxis="y2",
            mode="markers",
            marker=CROSS,
            name="failed",
            **hover(failed),
        )
        hidden = {"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True}
        figure.update_layout(yaxis2=hidden)
    figure.update_layout(xaxis={"title": {"text": "trial"}}, legend={"orientation": "h", "y": 1.12})
    return figure


def _add_best_so_far(figure: Any, history: History) -> None:
    curve = history.best_so_far
    begun = np.isfinite(curve)
    numbers = np.array([trial.number for trial in history.trials])
    figure.add_scatter(
        x=numbers[begun],
        y=curve[begun],
        mode="lines",
        line={"shape": "hv", "color": BLUE, "width": 2},
        name="best so far",
    )
