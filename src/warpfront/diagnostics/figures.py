"""The figures of a diagnosis, in the look of the report."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.texts import number
from warpfront.analysis.values import ORDINARY, ValueAxis
from warpfront.diagnostics.calibration import Calibration
from warpfront.diagnostics.conflict import Conflict
from warpfront.diagnostics.fit import FitComparison
from warpfront.diagnostics.spread import SpreadTests
from warpfront.plots.style import (
    BAND,
    BLUE,
    GREY,
    ORANGE,
    RED,
    parameter_axis,
    plotly,
    text,
    value_axis,
)
from warpfront.report.page import Panel
from warpfront.space import Space

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Floats = NDArray[np.float64]

MARKS = {"EI": ("circle", ORANGE), "PI": ("square", RED), "UCB": ("triangle-up", "#ffffff")}
"""The mark and the colour of the optimum of each acquisition."""
WIDE = 20.0
"""Positive values whose greatest is so many times the smallest have a logarithmic axis."""
DASHED = {"color": GREY, "dash": "dash", "width": 1}
HEIGHT = 340
BINS = 10


def draw_spread(found: SpreadTests, maximize: bool) -> Panel:
    """Spread against level, a dot for each configuration; at least one varies."""
    sign = -1.0 if maximize else 1.0
    levels, spreads = sign * found.levels, found.spreads
    across, up = _axis(levels), _axis(spreads)
    figure: Figure = plotly().Figure()
    figure.add_scatter(
        x=levels,
        y=up.place(spreads) * up.unit,
        mode="markers",
        marker={"color": BLUE, "size": 8, "opacity": 0.8},
        hovertemplate="median %{x:.6g}, standard deviation %{y:.6g}<extra></extra>",
    )
    pooled = float(np.sqrt(np.mean(np.square(spreads / up.unit)))) * up.unit
    figure.add_hline(float(up.place(np.array([pooled]))[0]) * up.unit, line=DASHED)
    figure.update_xaxes(value_axis(across, "median of the repeats"))
    figure.update_yaxes(value_axis(up, "standard deviation of the repeats"))
    figure.update_layout(height=HEIGHT, showlegend=False)
    low, high = number(float(spreads.min()), 3), number(float(spreads.max()), 3)
    return Panel(
        figure,
        f"Spread against level of {len(levels)} repeated configurations; the standard deviations "
        f"go from {low} to {high}.",
    )


def _axis(values: Floats) -> ValueAxis:
    """Logarithmic for positive values of several magnitudes: none of them is an outlier here."""
    axis = ValueAxis.whole(values)
    is_positive = axis.unit == 1.0 and axis.low > 0.0
    is_log = is_positive and WIDE < axis.high / axis.low <= 10.0**ORDINARY
    return replace(axis, is_log=is_log)


def draw_fit(found: FitComparison) -> Panel:
    """The gain by each component, with its interval."""
    rows = {"output transform": found.output_warp, "input warp": found.input_warp}
    figure: Figure = plotly().Figure()
    for name, one in rows.items():
        known = math.isfinite(one.low)
        error = {"array": [one.high - one.difference], "arrayminus": [one.difference - one.low]}
        figure.add_scatter(
            x=[one.difference],
            y=[name],
            error_x=error if known else None,
            mode="markers",
            marker={"color": BLUE, "size": 9},
            name=name,
        )
    figure.add_vline(0.0, line=DASHED)
    figure.update_layout(
        height=190,
        showlegend=False,
        xaxis={"title": {"text": "gain in log predictive density of a held-out value"}},
        yaxis={"autorange": "reversed"},
    )
    shown = ", ".join(f"{name} {one.difference:+.3f}" for name, one in rows.items())
    return Panel(figure, f"Gain in held-out log predictive density: {shown}.")


def draw_conflict(found: Conflict, space: Space) -> list[Panel]:
    """The three acquisitions side by side, with the optima of all in each."""
    first, second = found.parameters
    shown = ", ".join(f"{a} and {b} {value:.2f}" for (a, b), value in found.correlations.items())
    panels = []
    for name, values in found.values.items():
        # By rank: the logarithms of EI and PI span hundreds, and only the order matters.
        ranks = np.argsort(np.argsort(values, axis=None)).reshape(values.shape) / values.size
        figure: Figure = plotly().Figure()
        figure.add_heatmap(
            x=found.x, y=found.y, z=ranks, colorscale="Viridis", showscale=False, hoverinfo="skip"
        )
        for other, (row, column) in found.optima.items():
            symbol, colour = MARKS[other]
            line = {"color": "black", "width": 1}
            figure.add_scatter(
                x=[found.x[column]],
                y=[found.y[row]],
                mode="markers",
                marker={"symbol": symbol, "color": colour, "size": 11, "line": line},
                name=f"best {other}",
                hovertemplate=f"best {other}<extra></extra>",
            )
        figure.update_layout(
            height=300,
            xaxis=parameter_axis(space[first], 5, first) | {"showgrid": False},
            yaxis=parameter_axis(space[second], 8, second) | {"showgrid": False},
            legend={"orientation": "h", "y": 1.0, "yanchor": "bottom"},
        )
        alt = (
            f"{name} over {first} and {second}, the best points of EI, PI and UCB marked; rank "
            f"correlations: {shown}."
        )
        panels.append(Panel(figure, alt, text(name), kind="third"))
    return panels


def draw_calibration(found: Calibration) -> list[Panel]:
    """Coverage of central intervals against their probability, and the PIT."""
    probabilities = np.linspace(0.0, 1.0, 101)
    coverage = [found.coverage(float(p)) for p in probabilities]
    n = len(found.pit)
    reach = 1.96 * np.sqrt(probabilities * (1.0 - probabilities) / n)
    low, high = np.clip([probabilities - reach, probabilities + reach], 0.0, 1.0)
    figure: Figure = plotly().Figure()
    figure.add_scatter(
        x=np.concatenate([probabilities, probabilities[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        fill="toself",
        fillcolor=BAND,
        mode="lines",
        line={"width": 0},
        hoverinfo="skip",
    )
    figure.add_scatter(x=[0, 1], y=[0, 1], mode="lines", line=DASHED, hoverinfo="skip")
    figure.add_scatter(x=probabilities, y=coverage, mode="lines", line={"color": BLUE, "width": 2})
    figure.update_layout(
        height=HEIGHT,
        showlegend=False,
        xaxis={"title": {"text": "probability of the interval"}, "range": [0, 1]},
        yaxis={"title": {"text": "share of trials within"}, "range": [0, 1]},
    )
    alt = (
        f"Coverage of intervals for {n} trials left out one by one: {found.coverage(0.5):.0%} of "
        f"the 50% and {found.coverage(0.9):.0%} of the 90% intervals held."
    )
    counts, edges = np.histogram(found.pit, bins=BINS, range=(0.0, 1.0))
    places: Figure = plotly().Figure()
    places.add_bar(x=(edges[:-1] + edges[1:]) / 2, y=counts, marker={"color": BLUE})
    places.add_hline(n / BINS, line=DASHED)
    places.update_layout(
        height=HEIGHT,
        bargap=0.05,
        showlegend=False,
        xaxis={"title": {"text": "place within the prediction (PIT)"}, "range": [0, 1]},
        yaxis={"title": {"text": "trials"}},
    )
    counted = ", ".join(map(str, counts.tolist()))
    return [
        Panel(figure, alt, "Coverage", kind="half"),
        Panel(places, f"Trials in each tenth of the prediction: {counted}.", "Places", kind="half"),
    ]
