"""The two warps that the model has learned: of its inputs and of its output."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.model_view import ModelView, warp_curve
from warpfront.analysis.texts import number
from warpfront.analysis.values import ValueAxis
from warpfront.report.figure import (
    BLUE,
    GREY,
    ORANGE,
    Picture,
    drawable,
    dress,
    new_figure,
    parameter_axis,
    picture,
    value_axis,
)

Floats = NDArray[np.float64]

MOST_WARPS, COLUMNS = 12, 4
"""So many curves are drawn, those that bend the most, and so many side by side."""
METHODS = {"BoxCox": "Box-Cox", "YeoJohnson": "Yeo-Johnson", "NoneType": "none"}


def bend(a: float, b: float) -> float:
    """How far the warp moves a point at the most, in shares of the range.

    Examples
    --------
    >>> bend(1.0, 1.0) < 1e-6, round(bend(2.0, 1.0), 2)
    (True, 0.25)
    """
    x, warped = warp_curve(a, b)
    return float(np.abs(warped - x).max())


def draw_warps(view: ModelView, warps: Mapping[int, tuple[float, float]]) -> Picture:
    """The curve of each warped parameter beside the identity; of many, the most bent."""
    encoding = view.space.encoding
    shown = sorted(sorted(warps, key=lambda j: -bend(*warps[j]))[:MOST_WARPS])
    columns = min(COLUMNS, len(shown))
    rows = math.ceil(len(shown) / columns)
    figure = new_figure(2.55 * columns, 2.3 * rows)
    for place, j in enumerate(shown):
        axes = figure.add_subplot(rows, columns, place + 1)
        axes.plot([0, 1], [0, 1], color=GREY, linewidth=1.0, linestyle=(0, (4, 3)))
        axes.plot(*warp_curve(*warps[j]), color=BLUE, linewidth=2.0)
        parameter_axis(axes, "x", encoding.parameters[j], 4)
        axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
        axes.set_ylim(-0.03, 1.03)
        axes.set_title(drawable(encoding.names[j]), size=9, parse_math=False)
        if place % columns == 0:
            axes.set_ylabel("warped")
        dress(axes)
    most = max(shown, key=lambda j: bend(*warps[j]))
    return picture(
        figure,
        "input-warps.png",
        f"Input warps of {len(shown)} parameters beside the identity; {encoding.names[most]} is "
        f"bent the most, by {number(bend(*warps[most]), 2)} of its range.",
    )


def describe_output(view: ModelView) -> str:
    """A few sentences on the outcome transform, and on what is not transformed."""
    transform = view.model.transform
    what = "minus the value" if view.sign < 0 else "the value"
    notes = ""
    if view.penalties:
        notes = f" {view.penalties} values far beyond all others are penalties: failures."
    if transform.power is None:
        return f"{what[0].upper()}{what[1:]} is only standardised, not bent.{notes}"
    text = f"{_method(view)} of {what} with ζ = {number(transform.power.zeta, 3)}"
    worst = int(np.sum(view.sign * view.values > transform.cut))
    if worst:
        text += f", after the {worst} worst were cut at {number(view.sign * transform.cut)}"
    return f"{text}.{notes}"


def _method(view: ModelView) -> str:
    return METHODS[type(view.model.transform.power).__name__]


def draw_output(view: ModelView, axis: ValueAxis) -> Picture:
    """The values before (above) and after (right) the output transform, and its curve."""
    sign, values, transform = view.sign, view.values, view.model.transform
    figure = new_figure(7.2, 4.4)
    spec = figure.add_gridspec(2, 2, width_ratios=(4, 1), height_ratios=(1, 3.2))
    axes = figure.add_subplot(spec[1, 0])
    above = figure.add_subplot(spec[0, 0], sharex=axes)
    right = figure.add_subplot(spec[1, 1], sharey=axes)
    x = axis.levels(257)
    axes.plot(x, sign * transform(sign * axis.unit * x), color=BLUE, linewidth=2.0)
    targets = sign * transform(sign * values)
    inside = ~axis.beyond(values)
    axes.plot(
        axis.place(values)[inside],
        targets[inside],
        linestyle="none",
        marker="o",
        markersize=4.5,
        markeredgewidth=0.0,
        color=GREY,
        alpha=0.75,
    )
    cut = sign * transform.cut / axis.unit
    if axis.low < cut < axis.high:
        axes.axvline(cut, color=ORANGE, linewidth=1.0, linestyle=(0, (4, 3)))
    value_axis(axes, axis, "value", "x")
    axes.set_ylabel("transformed")
    above.hist(axis.place(values)[inside], bins=axis.levels(25).tolist(), color=GREY, alpha=0.6)
    low, high = float(targets.min()), float(targets.max())
    right.hist(targets, bins=20, density=True, orientation="horizontal", color=GREY, alpha=0.6)
    z = np.linspace(min(low, -3.0), max(high, 3.0), 201)
    right.plot(np.exp(-z * z / 2.0) / math.sqrt(math.tau), z, color=BLUE, linewidth=1.4)
    for each in (axes, above, right):
        dress(each)
    for each in (above, right):
        each.grid(False)
        each.tick_params(
            left=each is right, labelleft=False, bottom=each is above, labelbottom=False
        )
    above.set_ylabel("before")
    right.set_xlabel("after, and normal")
    return picture(
        figure,
        "output-transform.png",
        f"Values before and after the output transform ({_method(view)}), "
        "and the curve that maps one to the other.",
    )
