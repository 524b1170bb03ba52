"""The pictures of a diagnosis, in the look of the report."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.texts import number
from warpfront.analysis.ticks import edges
from warpfront.analysis.values import ORDINARY, ValueAxis
from warpfront.diagnostics.calibration import Calibration
from warpfront.diagnostics.conflict import Conflict
from warpfront.diagnostics.fit import FitComparison
from warpfront.diagnostics.spread import SpreadTests
from warpfront.report.figure import (
    BLUE,
    GREY,
    ORANGE,
    RED,
    STAR,
    WHOLE,
    Picture,
    drawable,
    dress,
    new_figure,
    parameter_axis,
    picture,
    value_axis,
)
from warpfront.space import Space

Floats = NDArray[np.float64]

MARKS = {"EI": ("o", ORANGE), "PI": ("s", RED), "UCB": ("^", "#ffffff")}
"""The mark and the colour of the optimum of each acquisition."""
WIDE = 20.0
"""Positive values whose greatest is so many times the smallest have a logarithmic axis."""


def draw_spread(found: SpreadTests, maximize: bool) -> Picture:
    """Spread against level, a dot for each configuration; at least one varies."""
    sign = -1.0 if maximize else 1.0
    levels, spreads = sign * found.levels, found.spreads
    figure = new_figure(6.2, 3.9)
    axes = figure.subplots()
    across, up = _axis(levels), _axis(spreads)
    axes.plot(
        across.place(levels), up.place(spreads), "o", color=BLUE, markersize=6, alpha=0.8, **WHOLE
    )
    pooled = float(np.sqrt(np.mean(np.square(spreads / up.unit)))) * up.unit
    axes.axhline(
        float(up.place(np.array([pooled]))[0]), color=GREY, linestyle=(0, (4, 3)), linewidth=1.0
    )
    value_axis(axes, across, "median of the repeats", "x")
    value_axis(axes, up, "standard deviation of the repeats")
    dress(axes)
    low, high = number(float(spreads.min()), 3), number(float(spreads.max()), 3)
    return picture(
        figure,
        "spread.png",
        f"Spread against level of {len(levels)} repeated configurations; the standard deviations "
        f"go from {low} to {high}.",
    )


def _axis(values: Floats) -> ValueAxis:
    """Logarithmic for positive values of several magnitudes: none of them is an outlier here."""
    axis = ValueAxis.whole(values)
    is_positive = axis.unit == 1.0 and axis.low > 0.0
    is_log = is_positive and WIDE < axis.high / axis.low <= 10.0**ORDINARY
    return replace(axis, is_log=is_log)


def draw_fit(found: FitComparison) -> Picture:
    """The gain by each component, with its interval."""
    rows = {"output transform": found.output_warp, "input warp": found.input_warp}
    figure = new_figure(6.2, 1.9)
    axes = figure.subplots()
    for height, (name, one) in zip((1.0, 0.0), rows.items(), strict=True):
        if math.isfinite(one.low):
            axes.plot([one.low, one.high], [height, height], color=BLUE, linewidth=2.0)
        axes.plot(one.difference, height, "o", color=BLUE, markersize=7, label=name)
    axes.axvline(0.0, color=GREY, linestyle=(0, (4, 3)), linewidth=1.0)
    axes.set_yticks([1.0, 0.0], list(rows))
    axes.set_ylim(-0.6, 1.6)
    axes.set_xlabel("gain in log predictive density of a held-out value")
    dress(axes)
    shown = ", ".join(f"{name} {one.difference:+.3f}" for name, one in rows.items())
    return picture(figure, "fit.png", f"Gain in held-out log predictive density: {shown}.")


def draw_conflict(found: Conflict, space: Space) -> Picture:
    """The three acquisitions side by side, with the optima of all in each."""
    first, second = found.parameters
    figure = new_figure(10.2, 3.7)
    panels = figure.subplots(1, 3, sharex=True, sharey=True)
    for axes, (name, values) in zip(panels, found.values.items(), strict=True):
        # By rank: the logarithms of EI and PI span hundreds, and only the order matters.
        ranks = np.argsort(np.argsort(values, axis=None)).reshape(values.shape) / values.size
        cells = edges(space[first], found.x), edges(space[second], found.y)
        axes.pcolormesh(*cells, ranks, cmap="viridis", vmin=0.0, vmax=1.0)
        for other, (row, column) in found.optima.items():
            mark, colour = MARKS[other]
            look: dict[str, Any] = {**STAR, "marker": mark, "color": colour, "markersize": 9}
            look["markeredgecolor"] = "black"
            axes.plot(
                found.x[column], found.y[row], linestyle="none", **look, label=f"best {other}"
            )
        parameter_axis(axes, "x", space[first], 5)
        axes.set_title(name, fontsize=10)
        axes.set_xlabel(drawable(first), parse_math=False)
        dress(axes)
        axes.grid(False)
    parameter_axis(panels[0], "y", space[second], 8)
    panels[0].set_ylabel(drawable(second), parse_math=False)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=3, frameon=False, fontsize=8)
    shown = ", ".join(f"{a} and {b} {value:.2f}" for (a, b), value in found.correlations.items())
    return picture(
        figure,
        "conflict.png",
        f"EI, PI and UCB over {first} and {second}, their best points marked; rank correlations: "
        f"{shown}.",
    )


def draw_calibration(found: Calibration) -> Picture:
    """Coverage of central intervals against their probability, and the PIT."""
    figure = new_figure(8.2, 3.6)
    left, right = figure.subplots(1, 2)
    probabilities = np.linspace(0.0, 1.0, 101)
    coverage = [found.coverage(float(p)) for p in probabilities]
    n = len(found.pit)
    reach = 1.96 * np.sqrt(probabilities * (1.0 - probabilities) / n)
    low, high = np.clip([probabilities - reach, probabilities + reach], 0.0, 1.0)
    left.fill_between(probabilities, low, high, color=GREY, alpha=0.2, linewidth=0.0)
    left.plot([0.0, 1.0], [0.0, 1.0], color=GREY, linestyle=(0, (4, 3)), linewidth=1.0)
    left.plot(probabilities, coverage, color=BLUE, linewidth=2.0)
    left.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    left.set(xlabel="probability of the interval", ylabel="share of trials within")
    right.hist(found.pit, bins=10, range=(0.0, 1.0), color=BLUE, alpha=0.7)
    right.axhline(n / 10.0, color=GREY, linestyle=(0, (4, 3)), linewidth=1.0)
    right.set(xlim=(0.0, 1.0), xlabel="place within the prediction (PIT)", ylabel="trials")
    for axes in (left, right):
        dress(axes)
    return picture(
        figure,
        "calibration.png",
        f"Coverage of intervals for {n} trials left out one by one: {found.coverage(0.5):.0%} of "
        f"the 50% and {found.coverage(0.9):.0%} of the 90% intervals held.",
    )
