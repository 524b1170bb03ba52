"""The timeline: when each trial ran, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warpfront.analysis.times import Times, duration
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.plots.style import BLUE, GREY, ORANGE, RED, plotly, under_the_mouse

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

LOOKS = {"completed": BLUE, "failed": RED, "pending": ORANGE, "withdrawn": GREY}
LANE, FRAME = 22, 130
"""The height of a lane, and of what is around them, in pixels."""
SHORTEST = 1.0 / 500.0
"""A bar is at least this share of the axis wide, so that it can be seen."""


def draw_timeline(history: History, times: Times) -> Figure:
    """A bar for each trial; trials in the same row did not overlap."""
    trials = [trial for trial in history.trials if trial.number in times.spans]
    if not trials:
        raise NotEnoughDataError("there is nothing to draw; no trial has a time")
    lanes, (size, unit) = times.lanes(), times.unit
    figure: Figure = plotly().Figure()
    for state, colour in LOOKS.items():
        chosen = [trial for trial in trials if trial.state == state]
        if not chosen:
            continue
        spans = [times.spans[trial.number] for trial in chosen]
        lengths = [(times.total if end is None else end) - begin for begin, end in spans]
        took = [times.seconds(trial.number) for trial in chosen]
        figure.add_bar(
            base=[begin / size for begin, _ in spans],
            x=[max(length, SHORTEST * times.total) / size for length in lengths],
            y=[lanes[trial.number] + 1 for trial in chosen],
            orientation="h",
            marker={"color": colour, "line": {"width": 0}},
            name=state,
            hovertext=[
                f"{under_the_mouse(trial)}<br>{'running' if s is None else duration(s)}"
                for trial, s in zip(chosen, took, strict=True)
            ],
            hoverinfo="text",
        )
    count = 1 + max(lanes[trial.number] for trial in trials)
    figure.update_layout(
        barmode="overlay",
        bargap=0.2,
        height=FRAME + LANE * min(count, 40),
        xaxis={"title": {"text": f"{unit} since the start"}},
        yaxis={
            "title": {"text": "at the same time"},
            "range": [count + 0.6, 0.4],
            "dtick": max(1, count // 8),
            "showgrid": False,
        },
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom"},
        showlegend=True,
    )
    return figure
