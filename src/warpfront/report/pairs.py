"""The pairs: the most important parameters against each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.model_view import ModelView
from warpfront.analysis.ticks import edges
from warpfront.analysis.values import ValueAxis
from warpfront.report.figure import (
    CROSS,
    INK,
    STAR,
    WHOLE,
    Picture,
    drawable,
    dress,
    new_figure,
    parameter_axis,
    picture,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]

MOST_PAIRED = 4
"""So many parameters are paired; more panels would be too small to read."""
POINTS = 61
"""Points of the background along each continuous parameter."""
FEW = 24
"""With up to so many levels a parameter is drawn in cells instead of contours."""
BANDS = 13


def draw_pairs(view: ModelView, chosen: Sequence[int], axis: ValueAxis) -> Picture:
    """A triangle of panels, one for each pair of the chosen parameters, at least two."""
    from matplotlib.colors import LogNorm, Normalize

    encoding = view.space.encoding
    size = len(chosen) - 1
    figure = new_figure(*((5.4, 4.2) if size == 1 else (10.2, 2.6 * size + 0.5)))
    figure.set_layout_engine("constrained", wspace=0.05)
    panels = figure.subplots(size, size, squeeze=False)
    X, places = view.X, axis.place(view.values)
    look: dict[str, Any] = {
        "norm": (LogNorm if axis.is_log else Normalize)(axis.low, axis.high),
        "cmap": "viridis" if view.sign < 0 else "viridis_r",  # yellow is good
    }
    for row, column in np.ndindex(size, size):
        axes = panels[row, column]
        if column > row:
            axes.set_visible(False)
            continue
        i, j = chosen[column], chosen[row + 1]
        _background(axes, view, i, j, axis, look)
        axes.scatter(X[:, i], X[:, j], c="white", s=34, linewidths=0.0, **WHOLE)
        dots = axes.scatter(
            X[:, i], X[:, j], c=places, s=20, edgecolors=INK, linewidths=0.5, **WHOLE, **look
        )
        axes.plot(view.failures[:, i], view.failures[:, j], **CROSS)
        axes.plot(*view.best[[i, j]], **STAR)
        parameter_axis(axes, "x", encoding.parameters[i], 5)
        parameter_axis(axes, "y", encoding.parameters[j], 8)
        axes.set_xlabel(drawable(encoding.names[i]) if row == size - 1 else "", parse_math=False)
        axes.set_ylabel(drawable(encoding.names[j]) if column == 0 else "", parse_math=False)
        dress(axes)
        axes.grid(False)
        axes.tick_params(labelbottom=row == size - 1, labelleft=column == 0)
    bar = figure.colorbar(dots, ax=panels, aspect=30)
    bar.set_label(axis.label(drawable(view.goal.name)), size=9)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)
    names = ", ".join(encoding.names[j] for j in chosen)
    return picture(
        figure,
        "pairs.png",
        f"Observed points and the model's median for each pair of {names}; the best is marked.",
    )


def _background(
    axes: Axes, view: ModelView, i: int, j: int, axis: ValueAxis, look: dict[str, Any]
) -> None:
    parameters = view.space.encoding.parameters
    x, y, median = view.surface(i, j, POINTS)
    colours = axis.place(median)
    if any((parameters[k].levels or np.inf) <= FEW or parameters[k].is_category for k in (i, j)):
        axes.pcolormesh(edges(parameters[i], x), edges(parameters[j], y), colours, **look)
    else:
        axes.contourf(x, y, colours, levels=axis.levels(BANDS), **look)
