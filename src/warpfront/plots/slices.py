"""Slices: what the model expects along each parameter, through the best configuration."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.choices import promising_choices, spread
from warpfront.analysis.model_view import INTERVAL, ModelView, Slice
from warpfront.analysis.texts import shown
from warpfront.analysis.values import ValueAxis
from warpfront.goals import Bound
from warpfront.plots.style import (
    BAND,
    BLUE,
    CROSS,
    DOT,
    MOST_DOTS,
    RED,
    best_star,
    hover,
    parameter_axis,
    plotly,
    subplots,
    text,
    value_axis,
    worth_drawing,
)

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Floats = NDArray[np.float64]

COLUMNS, ROW = 3, 270
"""Panels side by side, and the height of one, in pixels."""
MOST_SLICES = 30


def draw_slices(view: ModelView) -> Figure:
    """A panel for each parameter, the most important first."""
    chosen = view.order[:MOST_SLICES]
    columns = min(COLUMNS, len(chosen))
    rows = math.ceil(len(chosen) / columns)
    figure: Figure = subplots(rows=rows, cols=columns, shared_yaxes=True, horizontal_spacing=0.04)
    for k, j in enumerate(chosen):
        where = {"row": k // columns + 1, "col": k % columns + 1}
        _panel(figure, view, j, k == 0, where["col"] == 1, where)
    figure.update_layout(
        height=100 + ROW * rows, legend={"orientation": "h", "y": 1.0 + 0.25 / rows}
    )
    return figure


def draw_slice(view: ModelView, j: int) -> Figure:
    """The slice along parameter j alone, as a figure of its own."""
    figure: Figure = plotly().Figure()
    _panel(figure, view, j, False, True, {})
    figure.update_layout(height=ROW)
    return figure


def _panel(
    figure: Any, view: ModelView, j: int, legend: bool, title: bool, where: dict[str, int]
) -> None:
    axis = ValueAxis.of(view.values, view.sign < 0)
    look = {"showlegend": legend}
    draw = _choices if view.space.encoding.parameters[j].is_category else _line
    draw(figure, view, j, axis, look, where)
    figure.update_yaxes(value_axis(axis, text(view.goal.name) if title else ""), **where)
    if isinstance(view.goal, Bound):
        figure.add_hline(view.goal.bound, line={"color": RED, "width": 1, "dash": "dash"}, **where)


def _line(
    figure: Any,
    view: ModelView,
    j: int,
    axis: ValueAxis,
    look: dict[str, Any],
    where: dict[str, int],
) -> None:
    """A numeric parameter: the median and the interval as a band."""
    along, parameter = _drawable(view.slice(j), axis), view.space.encoding.parameters[j]
    labels = [text(shown(parameter.decode(x))) for x in along.positions.tolist()]
    low, high = (f"{q:.0%}" for q in INTERVAL)
    figure.add_scatter(
        x=np.concatenate([along.positions, along.positions[::-1]]),
        y=np.concatenate([along.high, along.low[::-1]]),
        mode="lines",
        fill="toself",
        fillcolor=BAND,
        line={"width": 0},
        hoverinfo="skip",
        name=f"{low} to {high}",
        legendgroup="band",
        **look,
        **where,
    )
    figure.add_scatter(
        x=along.positions,
        y=along.median,
        mode="lines",
        line={"color": BLUE, "width": 2},
        customdata=labels,
        hovertemplate="%{customdata}: %{y:.6g}<extra></extra>",
        name="model's median",
        legendgroup="median",
        **look,
        **where,
    )
    _observed(figure, view, j, view.X[:, j], look, where)
    _failed(figure, failures_along(view, j)[:, j], axis, view, look, where)
    best, value = view.through(j)
    best_star(figure, float(best[j]), value, look, **where)
    figure.update_xaxes(parameter_axis(parameter, 5, view.space.names[j]), **where)


def _choices(
    figure: Any,
    view: ModelView,
    j: int,
    axis: ValueAxis,
    look: dict[str, Any],
    where: dict[str, int],
) -> None:
    """A category: the median and the interval of each choice, of many the promising ones."""
    along, parameter = view.slice(j), view.space.encoding.parameters[j]
    best, value = view.through(j)
    kept = promising_choices(view.sign * along.median, int(best[j]))
    place = np.full(len(along.positions), np.nan)
    place[kept] = np.arange(len(kept))
    labels = [text(shown(parameter.decode(k)), 16) for k in kept.tolist()]
    _errors(figure, _drawable(along, axis), kept, labels, look, where)
    _observed(figure, view, j, spread(place[view.X[:, j].astype(int)]), look, where)
    codes = failures_along(view, j)[:, j].astype(int)
    _failed(figure, spread(place[codes]), axis, view, look, where)
    best_star(figure, float(place[int(best[j])]), value, look, **where)
    figure.update_xaxes(
        tickmode="array",
        tickvals=list(range(len(kept))),
        ticktext=labels,
        range=[-0.6, len(kept) - 0.4],
        title={"text": text(view.space.names[j])},
        **where,
    )


def _drawable(along: Slice, axis: ValueAxis) -> Slice:
    """The slice without what lies many heights beyond the axis, where a logarithm has no place."""
    curves = (axis.curve(curve) * axis.unit for curve in (along.low, along.median, along.high))
    return Slice(along.positions, *curves)


def _errors(
    figure: Any,
    along: Slice,
    kept: NDArray[np.intp],
    labels: list[str],
    look: dict[str, Any],
    where: dict[str, int],
) -> None:
    median, low, high = along.median[kept], along.low[kept], along.high[kept]
    figure.add_scatter(
        x=np.arange(len(kept)),
        y=median,
        error_y={"array": high - median, "arrayminus": median - low, "color": BLUE},
        mode="markers",
        marker={"color": BLUE, "size": 9},
        customdata=labels,
        hovertemplate="%{customdata}: %{y:.6g}<extra></extra>",
        name="model's median",
        legendgroup="median",
        **look,
        **where,
    )


def _observed(
    figure: Any, view: ModelView, j: int, x: Floats, look: dict[str, Any], where: dict[str, int]
) -> None:
    """The observed outcomes, of the trials in which parameter j is active."""
    rows = [i for i in worth_drawing(view.sign * view.values) if view.active[i, j]]
    figure.add_scatter(
        x=x[rows],
        y=view.values[rows],
        mode="markers",
        marker=DOT,
        name="observed",
        legendgroup="observed",
        **hover([view.observed[i] for i in rows]),
        **look,
        **where,
    )


def failures_along(view: ModelView, *columns: int) -> Floats:
    """Encoded configurations of the failed trials in which some parameters are active."""
    active = view.space.encoding.active(view.failures)[:, list(columns)]
    return np.asarray(view.failures[active.all(axis=1)])


def _failed(
    figure: Any,
    x: Floats,
    axis: ValueAxis,
    view: ModelView,
    look: dict[str, Any],
    where: dict[str, int],
) -> None:
    """Failed trials, which have no outcome, at the bad end of the axis."""
    if len(x) == 0:
        return
    end = (axis.high if view.sign > 0 else axis.low) * axis.unit
    x = x[:MOST_DOTS]
    figure.add_scatter(
        x=x,
        y=np.full(len(x), end),
        mode="markers",
        marker=CROSS,
        cliponaxis=False,
        hoverinfo="skip",
        name="failed",
        legendgroup="failed",
        **look,
        **where,
    )
