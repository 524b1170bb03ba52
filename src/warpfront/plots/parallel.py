"""Parallel coordinates: a line for each trial through the axes of all parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.texts import number
from warpfront.analysis.ticks import limits, ticks
from warpfront.analysis.values import ValueAxis
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.plots.style import BLUE, ORANGE, plotly, text
from warpfront.space import Parameter
from warpfront.trial import Trial

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Floats = NDArray[np.float64]

MOST_LABELS = 8
COLOURS = [[0.0, ORANGE], [0.3, BLUE], [1.0, "#aab3be"]]
"""Of the lines, from good to bad: the best stand out, on a light page and on a dark one."""
INACTIVE = 0.12
"""Inactive parameters are so far below the axis, as a share of its length."""


def draw_parallel(history: History) -> Figure:
    """The completed trials; drag along an axis to select, drag its name to move it."""
    objective = history.problem.objective
    measured = [t for t in history.completed if t.outcomes[objective.name] is not None]
    measured.sort(key=lambda t: -objective.sign * float(t.outcomes[objective.name] or 0.0))
    if not measured:
        raise NotEnoughDataError("there is nothing to draw; tell a finite value first")
    encoding = history.space.encoding
    X = history.encode(measured)
    active = encoding.active(X)
    values = np.array([t.outcomes[objective.name] for t in measured], dtype=float)
    axis = ValueAxis.of(values, objective.sign < 0)
    placed = axis.place(values) * axis.unit
    shade = np.log10(placed) if axis.is_log else placed
    dimensions: list[dict[str, Any]] = []
    for j, (name, parameter) in enumerate(zip(encoding.names, encoding.parameters, strict=True)):
        if parameter.levels == 1:
            continue
        dimensions.append(_dimension(name, parameter, X[:, j], active[:, j]))
    dimensions += _others(history, measured)
    dimensions.append({"label": text(objective.name, 20), "values": shade.tolist()} | _ticks(axis))
    line = {
        "color": shade,
        "colorscale": COLOURS,
        "reversescale": objective.sign < 0,
    }
    figure: Figure = plotly().Figure(plotly().Parcoords(line=line, dimensions=dimensions))
    numbers = [trial.number for trial in measured]
    figure.update_layout(margin={"t": 70, "l": 60, "r": 60, "b": 30}, meta={"trials": numbers})
    return figure


def _dimension(
    name: str, parameter: Parameter, positions: Floats, active: NDArray[np.bool_]
) -> dict[str, Any]:
    """The axis of a parameter; trials in which it is inactive are below all others."""
    at, labels = ticks(parameter, MOST_LABELS)
    low, high = limits(parameter)
    places, texts = at.tolist(), [text(label, 16) for label in labels]
    if not active.all():
        beneath = low - INACTIVE * (high - low)
        positions = np.where(active, positions, beneath)
        low, places, texts = beneath, [beneath, *places], ["inactive", *texts]
    return {
        "label": text(name, 20),
        "values": positions.tolist(),
        "range": [low, high],
        "tickvals": places,
        "ticktext": texts,
    }


def _others(history: History, trials: Sequence[Trial]) -> list[dict[str, Any]]:
    """The axes of all outcomes but the first, where all trials have them."""
    found = []
    for name in history.problem.names[1:]:
        values = [trial.outcomes[name] for trial in trials]
        if None not in values:
            found.append({"label": text(name, 20), "values": values})
    return found


def _ticks(axis: ValueAxis) -> dict[str, Any]:
    """The labels of the values, in the user's units also where the axis is logarithmic."""
    levels = axis.levels(6) * axis.unit
    at = np.log10(levels) if axis.is_log else levels
    return {"tickvals": at.tolist(), "ticktext": [number(float(v), 3) for v in levels]}
