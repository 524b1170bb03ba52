"""The slices: what the model expects along each parameter, through the best configuration."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.choices import promising_choices, spread
from warpfront.analysis.model_view import ModelView, Slice
from warpfront.analysis.texts import number, shown
from warpfront.analysis.values import ValueAxis
from warpfront.report.figure import (
    BLUE,
    ORANGE,
    STAR,
    Picture,
    drawable,
    dress,
    failures,
    new_figure,
    observed,
    parameter_axis,
    picture,
    set_ticks,
    value_axis,
)

Floats = NDArray[np.float64]

DOTTED = 24
"""Up to so many levels of a numeric parameter are marked on the line."""


def draw_slice(view: ModelView, j: int, axis: ValueAxis) -> Picture:
    """The slice along parameter j, with the observed values as dots."""
    encoding = view.space.encoding
    name, parameter = encoding.names[j], encoding.parameters[j]
    along = view.slice(j)
    figure = new_figure(4.8, 3.2)
    axes = figure.subplots()
    X, values = view.X, view.values
    if parameter.is_category:
        kept = promising_choices(view.sign * along.median, int(view.best[j]))
        place = np.full(len(along.positions), -1.0)
        place[kept] = np.arange(len(kept))
        at, failed = (spread(place[points[:, j].astype(int)]) for points in (X, view.failures))
        observed(axes, at[at > -0.5], values[at > -0.5], axis)
        failures(axes, failed[failed > -0.5])
        low, median, high = (axis.curve(v[kept]) for v in (along.low, along.median, along.high))
        axes.errorbar(
            np.arange(len(kept)),
            median,
            yerr=[median - low, high - median],
            fmt="o",
            markersize=7,
            color=BLUE,
            capsize=4,
            linewidth=1.6,
        )
        texts = [shown(parameter.decode(k)) for k in kept.tolist()]
        set_ticks(axes, "x", list(range(len(kept))), texts)
        axes.set_xlim(-0.5, len(kept) - 0.5)
        best = float(place[int(view.best[j])])
    else:
        observed(axes, X[:, j], values, axis)
        failures(axes, view.failures[:, j])
        band = axis.curve(along.low), axis.curve(along.high)
        axes.fill_between(along.positions, *band, color=BLUE, alpha=0.18, linewidth=0.0)
        marked = parameter.levels is not None and parameter.levels <= DOTTED
        axes.plot(
            along.positions,
            axis.curve(along.median),
            color=BLUE,
            linewidth=2.0,
            marker="o" if marked else None,
            markersize=4.0,
        )
        parameter_axis(axes, "x", parameter, 7)
        best = float(view.best[j])
    axes.axvline(best, color=ORANGE, linewidth=1.0, linestyle=(0, (4, 3)))
    top = axis.place(np.array([view.best_value]))
    axes.plot([best], top, **STAR)
    axes.set_xlabel(drawable(name, 48), parse_math=False)
    value_axis(axes, axis, drawable(view.goal.name))
    dress(axes)
    return picture(figure, _file_name(j, name, len(encoding.names)), _alt(view, j, along))


def _file_name(j: int, name: str, d: int) -> str:
    safe = re.sub(r"[^A-Za-z0-9_.]+", "-", name).strip("-.")[:40]
    return f"slice-{j + 1:0{len(str(d))}d}{'-' * bool(safe)}{safe}.png"


def _alt(view: ModelView, j: int, along: Slice) -> str:
    parameter = view.space.encoding.parameters[j]
    best = int(np.argmin(view.sign * along.median))
    here = shown(parameter.decode(float(along.positions[best])))
    return (
        f"Predicted value along {view.space.names[j]}: median from "
        f"{number(float(along.median.min()))} to {number(float(along.median.max()))}, "
        f"best at {here}."
    )
