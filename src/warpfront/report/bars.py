"""The importance picture: first-order and total Sobol' indices as bars."""

from __future__ import annotations

import numpy as np

from warpfront.analysis.model_view import ModelView
from warpfront.report.figure import BLUE, Picture, drawable, dress, new_figure, picture

MOST_BARS = 20
"""Of more parameters the most important are drawn; the table has all."""
PALE = "#a9cfe8"


def draw_importance(view: ModelView) -> Picture:
    """Bars of the most important parameters, the most important on top."""
    chosen = view.order[:MOST_BARS]
    names = [view.space.names[j] for j in chosen]
    figure = new_figure(6.2, 0.9 + 0.3 * len(chosen))
    axes = figure.subplots()
    rows = np.arange(len(chosen))[::-1]
    axes.barh(rows, view.importance.total[chosen], height=0.62, color=PALE, label="total")
    axes.barh(rows, view.importance.first[chosen], height=0.3, color=BLUE, label="alone")
    axes.set_yticks(rows, [drawable(name, 28) for name in names], parse_math=False)
    axes.set_ylim(-0.6, len(chosen) - 0.4)
    axes.set_xlim(0.0, max(0.1, 1.05 * float(view.importance.total.max())))
    axes.set_xlabel("share of the variance of the model's mean")
    dress(axes)
    axes.grid(False, axis="y")
    figure.legend(loc="outside upper right", ncols=2, frameon=False, fontsize=8)
    shares = ", ".join(
        f"{name} {total:.0%}"
        for name, total in zip(names[:5], view.importance.total[chosen[:5]], strict=True)
    )
    return picture(figure, "importance.png", f"Total importance of parameters: {shares}.")
