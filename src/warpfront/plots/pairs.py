"""Pairs: the most important parameters against each other, over what the model expects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from warpfront.analysis.model_view import ModelView
from warpfront.analysis.values import ValueAxis
from warpfront.errors import NotEnoughDataError
from warpfront.plots.style import CROSS, best_star, hover, parameter_axis, plotly, subplots, text

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
    axis = ValueAxis.of(view.values, view.sign < 0)
    for row, column in np.ndindex(size, size):
        if column > row:
            continue
        where = {"row": row + 1, "col": column + 1}
        i, j = chosen[column], chosen[row + 1]
        _panel(figure, view, i, j, axis, where)
        for k, update, is_outer in (
            (i, figure.update_xaxes, row == size - 1),
            (j, figure.update_yaxes, column == 0),
        ):
            look = parameter_axis(
                view.space.encoding.parameters[k], 4, view.space.names[k] if is_outer else ""
            )
            update(look | {"showticklabels": is_outer, "showgrid": False}, **where)
    colours = {
        "colorscale": "Viridis",
        "reversescale": view.sign > 0,  # yellow is good
        "cmin": float(_shade(axis, np.array([axis.low * axis.unit]))[0]),
        "cmax": float(_shade(axis, np.array([axis.high * axis.unit]))[0]),
        "colorbar": {
            "title": {"text": ("log10 of " if axis.is_log else "") + text(view.objective.name)}
        },
    }
    figure.update_layout(coloraxis=colours, height=150 + PANEL * size, showlegend=False)
    return figure


def _shade(axis: ValueAxis, values: Any) -> Any:
    """Values as they are coloured: within the axis, and as exponents where it is logarithmic."""
    placed = axis.place(values) * axis.unit
    return np.log10(placed) if axis.is_log else placed


def _panel(
    figure: Any, view: ModelView, i: int, j: int, axis: ValueAxis, where: dict[str, int]
) -> None:
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
    figure.add_scatter(
        x=view.X[:, i],
        y=view.X[:, j],
        mode="markers",
        marker={
            "color": _shade(axis, view.values),
            "coloraxis": "coloraxis",
            "size": 7,
            "line": {"color": "white", "width": 1},
        },
        **hover(view.observed),
        **where,
    )
    if len(view.failures):
        figure.add_scatter(
            x=view.failures[:, i],
            y=view.failures[:, j],
            mode="markers",
            marker=CROSS,
            hoverinfo="skip",
            **where,
        )
    best_star(figure, float(view.best[i]), float(view.best[j]), {}, **where)
