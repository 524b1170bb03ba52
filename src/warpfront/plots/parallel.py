"""Parallel coordinates: a line for each trial through the axes of all parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from warpfront.analysis.texts import number
from warpfront.analysis.ticks import limits, ticks
from warpfront.analysis.values import ValueAxis
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.plots.style import plotly, text
from warpfront.trial import Trial

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_LABELS = 8


def draw_parallel(history: History) -> Figure:
    """The completed trials; drag along an axis to select, drag its name to move it."""
    objective = history.problem.objective
    measured = [t for t in history.completed if t.outcomes[objective.name] is not None]
    if not measured:
        raise NotEnoughDataError("there is nothing to draw; tell a finite value first")
    encoding = history.space.encoding
    X = history.encode(measured)
    values = np.array([t.outcomes[objective.name] for t in measured], dtype=float)
    axis = ValueAxis.of(values, objective.sign < 0)
    placed = axis.place(values) * axis.unit
    shade = np.log10(placed) if axis.is_log else placed
    dimensions: list[dict[str, Any]] = []
    for j, (name, parameter) in enumerate(zip(encoding.names, encoding.parameters, strict=True)):
        if parameter.levels == 1:
            continue
        positions, labels = ticks(parameter, MOST_LABELS)
        dimensions.append(
            {
                "label": text(name, 20),
                "values": X[:, j],
                "range": list(limits(parameter)),
                "tickvals": positions.tolist(),
                "ticktext": [text(label, 16) for label in labels],
            }
        )
    dimensions += _others(history, measured)
    dimensions.append({"label": text(objective.name, 20), "values": shade} | _ticks(axis))
    line = {
        "color": shade,
        "colorscale": "Viridis",
        "reversescale": objective.sign > 0,  # yellow is good
    }
    figure: Figure = plotly().Figure(plotly().Parcoords(line=line, dimensions=dimensions))
    figure.update_layout(margin={"t": 80})
    return figure


def _others(history: History, trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """The axes of all outcomes but the first, where all trials have them."""
    found = []
    for name in history.problem.names[1:]:
        values = [trial.outcomes[name] for trial in trials]
        if None not in values:
            found.append({"label": text(name, 20), "values": np.array(values, dtype=float)})
    return found


def _ticks(axis: ValueAxis) -> dict[str, Any]:
    """The labels of the values, in the user's units also where the axis is logarithmic."""
    levels = axis.levels(6) * axis.unit
    at = np.log10(levels) if axis.is_log else levels
    return {"tickvals": at.tolist(), "ticktext": [number(float(v), 3) for v in levels]}
