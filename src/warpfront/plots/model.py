"""The model itself: its predictions of trials left out, and the transforms that it learned."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from warpfront.analysis.model_view import INTERVAL, ModelView, warp_curve
from warpfront.analysis.ticks import ticks
from warpfront.analysis.values import ValueAxis
from warpfront.plots.style import BLUE, DOT, GREY, ORANGE, plotly, text, value_axis

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_WARPS = 12
"""So many curves are drawn, those that bend the most."""
HEIGHT = 380
POINTS = 257


def bend(a: float, b: float) -> float:
    """How far the warp moves a point at the most, in shares of the range.

    Examples
    --------
    >>> bend(1.0, 1.0) < 1e-6, round(bend(2.0, 1.0), 2)
    (True, 0.25)
    """
    x, warped = warp_curve(a, b)
    return float(np.abs(warped - x).max())


def draw_held_out(view: ModelView) -> Figure:
    """Each outcome against what the model predicts of it from all the others."""
    observed, low, median, high = view.held_out
    axis = ValueAxis.of(observed, view.sign < 0)
    low, median, high = (axis.curve(v) * axis.unit for v in (low, median, high))
    figure: Figure = plotly().Figure()
    ends = [end * axis.unit for end in axis.ends]
    line = {"color": GREY, "dash": "dash", "width": 1}
    figure.add_scatter(x=ends, y=ends, mode="lines", line=line, name="perfect", hoverinfo="skip")
    share = f"{INTERVAL[1] - INTERVAL[0]:.0%}".replace("%", " %")
    figure.add_scatter(
        x=observed,
        y=median,
        error_y={
            "array": high - median,
            "arrayminus": median - low,
            "color": BLUE,
            "thickness": 1,
            "width": 0,
        },
        mode="markers",
        marker={**DOT, "color": BLUE},
        name=f"predicted, with {share} interval",
        hovertemplate="observed %{x:.6g}, predicted %{y:.6g}<extra></extra>",
    )
    name = text(view.goal.name)
    figure.update_xaxes(value_axis(axis, f"observed {name}"))
    figure.update_yaxes(value_axis(axis, f"predicted {name}"))
    figure.update_layout(height=HEIGHT, legend={"orientation": "h", "y": 1.0, "yanchor": "bottom"})
    return figure


def draw_warp(view: ModelView, j: int) -> Figure:
    """The warp of parameter j beside the identity."""
    parameter = view.space.encoding.parameters[j]
    figure: Figure = plotly().Figure()
    x, warped = warp_curve(*view.warps[j])
    line = {"color": GREY, "dash": "dash", "width": 1}
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line=line, hoverinfo="skip")
    figure.add_scatter(x=x, y=warped, mode="lines", line={"color": BLUE, "width": 2})
    positions, labels = ticks(parameter, 4)
    figure.update_layout(
        xaxis={
            "tickvals": positions.tolist(),
            "ticktext": [text(label, 16) for label in labels],
            "title": {"text": text(view.space.names[j])},
            "range": [-0.02, 1.02],
        },
        yaxis={"tickvals": [0, 0.5, 1], "range": [-0.03, 1.03], "title": {"text": "warped"}},
        showlegend=False,
        height=240,
    )
    return figure


def draw_output(view: ModelView) -> Figure:
    """The outcomes before and after the transform, and the curve that maps one to the other."""
    sign, transform = view.sign, view.model.transform
    axis = ValueAxis.of(view.values, sign < 0)
    x = axis.levels(POINTS) * axis.unit
    figure: Figure = plotly().Figure()
    figure.add_scatter(
        x=x,
        y=sign * transform(sign * x),
        mode="lines",
        line={"color": BLUE, "width": 2},
        name="transform",
    )
    inside = ~axis.beyond(view.values)
    figure.add_scatter(
        x=view.values[inside],
        y=sign * transform(sign * view.values[inside]),
        mode="markers",
        marker=DOT,
        name="observed",
    )
    cut = sign * transform.cut
    if math.isfinite(cut) and axis.low < cut / axis.unit < axis.high:
        figure.add_vline(cut, line={"color": ORANGE, "width": 1, "dash": "dash"})
    figure.update_xaxes(value_axis(axis, text(view.goal.name)))
    figure.update_layout(
        yaxis={"title": {"text": "transformed"}},
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom"},
        height=HEIGHT,
    )
    return figure
