"""Importance: how much of the variation of the model each parameter causes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpfront.analysis.model_view import ModelView
from warpfront.plots.style import BLUE, plotly, text

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

PALE = "#a9cfe8"
MOST_BARS = 30
BAR, FRAME = 26, 200
"""The height of a bar, and of what is around them, in pixels."""


def draw_importance(view: ModelView) -> Figure:
    """Sobol' indices as bars, the most important parameter on top."""
    chosen = view.order[:MOST_BARS]
    names = [text(view.space.names[j]) for j in chosen]
    rows = list(range(len(chosen)))
    figure: Figure = plotly().Figure()
    for name, values, colour, width in (
        ("total", view.importance.total, PALE, 0.7),
        ("alone", view.importance.first, BLUE, 0.35),
    ):
        figure.add_bar(
            x=values[chosen],
            y=rows,
            orientation="h",
            width=width,
            marker={"color": colour},
            name=name,
            hovertext=names,
            hovertemplate="%{hovertext}: %{x:.2f}",
        )
    figure.update_layout(
        barmode="overlay",
        height=FRAME + BAR * len(chosen),
        title={"text": f"R² of {view.explained:.2f} on trials left out one by one"},
        xaxis={
            "title": {"text": "share of the model's variance"},
            "rangemode": "tozero",
        },
        yaxis={"tickmode": "array", "tickvals": rows, "ticktext": names, "autorange": "reversed"},
    )
    return figure
