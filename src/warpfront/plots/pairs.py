"""Pairs: the most important parameters against each other, over what the model expects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpfront.analysis.model_view import ModelView
from warpfront.analysis.values import ValueAxis
from warpfront.errors import NotEnoughDataError
from warpfront.plots.slices import failures_along
from warpfront.plots.style import (
    CROSS,
    MOST_DOTS,
    best_star,
    hover,
    parameter_axis,
    plotly,
    subplots,
    text,
    worth_drawing,
)

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_PAIRED = 4
"""So many parameters are paired; more panels would be too small to read."""
POINTS = 41
"""Points of the background along each continuous parameter."""
PANEL = 230


def draw_pairs(view: ModelView) -> Figure:
    """A triangle of panels, one for each pair of the most important parameters."""
    chosen = view.order[:MOST_PAIRED]
    if len(chosen) < 2:
        raise NotEnoughDataError("pairs need two parameters that are not constants")
    size = len(chosen) - 1
    gap = 0.02
    figure: Figure = subplots(rows=size, cols=size, horizontal_spacing=gap, vertical_spacing=gap)
    for row, column in np.ndindex(size, size):
        if column > row:
            continue
        where = {"row": row + 1, "col": column + 1}
        i, j = chosen[column], chosen[row + 1]
        _panel(figure, view, i, j, where)
        for k, update, is_outer in (
            (i, figure.update_xaxes, row == size - 1),
            (j, figure.update_yaxes, column == 0),
        ):
            look = parameter_axis(
                view.space.encoding.parameters[k], 4, view.space.names[k] if is_outer else ""
            )
            update(look | {"showticklabels": is_outer, "showgrid": False}, **where)
    figure.update_layout(coloraxis=_colours(view), height=150 + PANEL * size, showlegend=False)
    return figure


def draw_pair(view: ModelView, i: int, j: int) -> Figure:
    """Parameter j over parameter i, as a figure of its own."""
    figure: Figure = plotly().Figure()
    _panel(figure, view, i, j, {})
    for k, update in ((i, figure.update_xaxes), (j, figure.update_yaxes)):
        look = parameter_axis(view.space.encoding.parameters[k], 4, view.space.names[k])
        update(look | {"showgrid": False})
    figure.update_layout(coloraxis=_colours(view), height=1.3 * PANEL, showlegend=False)
    return figure


def _colours(view: ModelView) -> dict[str, Any]:
    axis = ValueAxis.of(view.values, view.sign < 0)
    low, high = _shade(axis, np.array([axis.low, axis.high]) * axis.unit).tolist()
    name = ("log10 of " if axis.is_log else "") + text(view.goal.name)
    return {
        "colorscale": "Viridis",
        "reversescale": view.sign > 0,  # yellow is good
        "cmin": low,
        "cmax": high,
        "colorbar": {"title": {"text": name}, "thickness": 14},
    }


def _shade(axis: ValueAxis, values: Any) -> Any:
    """Values as they are coloured: within the axis, and as exponents where it is logarithmic."""
    placed = axis.place(values) * axis.unit
    return np.log10(placed) if axis.is_log else placed


def _panel(figure: Any, view: ModelView, i: int, j: int, where: dict[str, int]) -> None:
    axis = ValueAxis.of(view.values, view.sign < 0)
    x, y, median = view.surface(i, j, POINTS)
    figure.add_trace(
        plotly().Heatmap(
            x=x,
            y=y,
            z=_shade(axis, median),
            coloraxis="coloraxis",
            hoverinfo="skip",
            zsmooth=False,
        ),
        **where,
    )
    rows = [
        k for k in worth_drawing(view.sign * view.values) if view.active[k, i] and view.active[k, j]
    ]
    figure.add_scatter(
        x=view.X[rows, i],
        y=view.X[rows, j],
        mode="markers",
        marker={
            "color": _shade(axis, view.values[rows]),
            "coloraxis": "coloraxis",
            "size": 7,
            "line": {"color": "white", "width": 1},
        },
        **hover([view.observed[k] for k in rows]),
        **where,
    )
    failures = failures_along(view, i, j)
    if len(failures):
        figure.add_scatter(
            x=failures[:MOST_DOTS, i],
            y=failures[:MOST_DOTS, j],
            mode="markers",
            marker=CROSS,
            hoverinfo="skip",
            **where,
        )
    best, value = view.through(i, j)
    if np.isfinite(value):
        best_star(figure, float(best[i]), float(best[j]), {}, **where)
