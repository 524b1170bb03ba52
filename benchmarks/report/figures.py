"""The pictures of the report. Matplotlib's objects are used directly: no pyplot, no screen."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.report import spread
from benchmarks.report.bootstrap import Floats
from benchmarks.report.palette import EXPECTED, GREY, Look, look_of
from benchmarks.report.results import Results, Run
from benchmarks.report.statistics import (
    BASELINE,
    EXPECTED_RANDOM,
    Summary,
    label_of,
    mean_curve,
    mean_random_curve,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 8.0
"""Inches; 1,200 pixels."""

DPI = 150

MOST_BANDS = 4
"""With more methods only the baseline's interval is shaded: the rest would hide each other."""

START = 1 / 8
"""Part of the evaluations after which random search sets the lower end of the score axis: the
first steps of everybody are low, and would squeeze the rest."""

LABEL = 0.19
"""Inches between the names at the ends of lines."""

SHORTEST = 1e-4
"""Seconds; a shorter time is drawn as this, the logarithmic axis has no 0."""


def draw_curves(results: Results, path: Path) -> None:
    """Mean score over tasks against evaluations; only methods whose curves have all tasks."""
    methods = results.with_curves().complete()
    figure = new_figure(WIDTH, max(4.6, LABEL * (len(methods) + 4)))
    axes = figure.subplots()
    random = mean_random_curve(results)
    x = np.arange(1.0, len(random) + 1.0)
    levels = [random[_start(random)], random[-1]]
    ends = {EXPECTED_RANDOM: float(random[-1])}
    _line(axes, x, random, EXPECTED_RANDOM)
    for method in methods:
        look = look_of(method)
        mean, low, high = mean_curve(results, method)
        _line(axes, x, mean, method)
        if method == BASELINE or len(methods) <= MOST_BANDS:
            axes.fill_between(x, low, high, color=look.colour, alpha=0.13, linewidth=0, zorder=1)
            levels.append(np.fmax(mean[-1], high[-1]))  # the mean where there is no interval
        levels.append(mean[-1])
        ends[method] = float(mean[-1])
    axes.set_ylim(*_limits(levels))
    axes.set_xlim(1, len(random))
    finish(axes, "evaluations", f"mean score over {len(results.tasks)} tasks")
    _label_ends(figure, axes, ends, lambda value: f"{value:.1f}")
    figure.savefig(path, dpi=DPI)


def draw_tasks(results: Results, path: Path) -> None:
    """Score against evaluations on each task, mean over seeds."""
    columns = min(len(results.tasks), 4 if len(results.tasks) <= 32 else 9)
    rows = math.ceil(len(results.tasks) / columns)
    figure = new_figure(max(WIDTH, 1.7 * columns), 1.55 * rows + 0.8)
    grid = figure.subplots(rows, columns, squeeze=False)
    known = results.with_curves()
    by_method = {method: known.by_task(method) for method in known.runs}
    expected = results.random
    for axes, task, random in zip(grid.flat, results.tasks, expected, strict=False):
        x = np.arange(1.0, len(random) + 1.0)
        _line(axes, x, random, EXPECTED_RANDOM, scale=0.75)
        levels = [random[_start(random)], random[-1]]
        for method, found in by_method.items():
            curve = _mean(found.get(task, []), len(random))
            _line(axes, x, curve, method, scale=0.75)
            levels += [curve[-1]] if task in found else []
        axes.set_ylim(*_limits(levels))
        axes.set_title(task, fontsize=8, pad=3)
        axes.set_xlim(1, len(random))
        finish(axes, "", "", size=7)
    for axes in grid.flat[len(results.tasks) :]:
        axes.set_axis_off()
    figure.supxlabel("evaluations", fontsize=9)
    figure.supylabel("score, mean over seeds", fontsize=9)
    handles, labels = grid.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, fontsize=8, frameon=False)
    figure.savefig(path, dpi=DPI)


def draw_times(results: Results, path: Path) -> None:
    """Median CPU seconds for a batch against the observations that were known before it."""
    figure = new_figure(WIDTH, max(4.2, LABEL * (len(results.runs) + 3)))
    axes = figure.subplots()
    x = results.design.batch * np.arange(float(results.design.rounds))
    ends = {}
    for method, runs in results.runs.items():
        times = _median_times(runs, results.design.rounds)
        known = times[np.isfinite(times)]
        if known.size:
            _line(axes, x, times, method, marker="." if results.design.rounds <= 32 else "")
            ends[method] = float(known[-1])
    axes.set_yscale("log")
    axes.set_xlim(0, max(int(x[-1]), 1))
    finish(axes, "observations so far", f"CPU s for a batch of {results.design.batch}, median")
    _label_ends(figure, axes, ends, lambda value: f"{value:.2g} s")
    figure.savefig(path, dpi=DPI)


def draw_scores(results: Results, summaries: Sequence[Summary], path: Path) -> None:
    """Final scores of each method: all runs as a box, the tasks as dots, the mean as a diamond.

    Only methods with all tasks: the line of random search is of these.
    """
    complete = results.complete()
    rows = [row for row in summaries if row.method in complete]
    figure = new_figure(WIDTH, 0.42 * len(rows) + 1.3)
    axes = figure.subplots()
    for place, row in enumerate(rows):
        colour = look_of(row.method).colour
        runs = results.runs[row.method]
        ends = spread.centiles(
            np.array([run.score for run in runs]),
            [run.key.task for run in runs],
            (5, 25, 50, 75, 95),
        )
        axes.bxp(
            [dict(zip(("whislo", "q1", "med", "q3", "whishi"), ends, strict=True))],
            positions=[place],
            orientation="horizontal",
            widths=0.55,
            showfliers=False,
            patch_artist=True,
            boxprops={"facecolor": colour, "alpha": 0.25, "linewidth": 0},
            whiskerprops={"color": colour},
            capprops={"color": colour},
            medianprops={"color": colour, "linewidth": 2.0},
        )
        tasks = results.by_task(row.method).values()
        means = [float(np.mean([run.score for run in of_task])) for of_task in tasks]
        # The same spread for all methods, so that a task has the same height in each.
        heights = place + 0.22 * np.sin(2.4 * np.arange(len(means)))
        axes.scatter(means, heights, s=9, color=colour, alpha=0.8, linewidth=0, zorder=3)
        axes.plot(row.mean.value, place, "D", color="white", markeredgecolor="black", zorder=5)
    random = float(mean_random_curve(results)[-1])
    axes.axvline(random, color=GREY, linestyle="--", linewidth=1.2, zorder=1)
    axes.annotate(
        f"random search\n(expected) {random:.1f}",
        xy=(random, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        fontsize=8,
        color=GREY,
    )
    labels = [f"{row.label}  {row.mean.value:.1f}" for row in rows]
    axes.set_yticks(range(len(rows)), labels=labels)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    finish(axes, "final score", "")
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    figure.savefig(path, dpi=DPI)


def new_figure(width: float, height: float) -> Figure:
    """An empty picture of so many inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _line(
    axes: Axes, x: Floats, y: Floats, method: str, scale: float = 1.0, marker: str = ""
) -> None:
    look = _look(method)
    axes.plot(
        x,
        y,
        color=look.colour,
        linestyle=look.dashes,
        linewidth=scale * look.width,
        marker=marker,
        zorder=look.layer,
        label=label_of(method),
    )


def finish(axes: Axes, xlabel: str, ylabel: str, size: float = 9.0) -> None:
    """Name the axes and make them look as in all pictures."""
    axes.set_xlabel(xlabel, fontsize=size + 1)
    axes.set_ylabel(ylabel, fontsize=size + 1)
    axes.tick_params(labelsize=size)
    axes.grid(color="0.9", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _label_ends(
    figure: Figure, axes: Axes, ends: Mapping[str, float], text: Callable[[float], str]
) -> None:
    """Name the lines at the right, apart from each other, instead of a legend."""
    if not ends:
        return
    to_axes = axes.transData + axes.transAxes.inverted()
    right = axes.get_xlim()[1]
    places = np.array([to_axes.transform((right, value))[1] for value in ends.values()])
    targets = _apart(places, gap=LABEL / (axes.get_position().height * figure.get_figheight()))
    for (method, value), place, target in zip(ends.items(), places, targets, strict=True):
        axes.annotate(
            f"{label_of(method)}  {text(value)}",
            xy=(1.0, place),
            xytext=(1.04, target),
            xycoords="axes fraction",
            textcoords="axes fraction",
            va="center",
            fontsize=9,
            fontweight="bold" if method == BASELINE else "normal",
            color=_look(method).colour,
            arrowprops={
                "arrowstyle": "-",
                "color": "0.8",
                "linewidth": 0.8,
                "relpos": (0.0, 0.5),
                "shrinkA": 1,
                "shrinkB": 0,
            },
            annotation_clip=False,
        )


def _apart(places: Floats, gap: float) -> Floats:
    """Heights at least `gap` apart, in the order of `places`, near them and within [0, 1].

    With i gaps taken off the i-th this is a regression on rising numbers: neighbours in the wrong
    order are put at their mean, and again until all rise.
    """
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    blocks: list[list[float]] = []
    for place in places[order] - steps:
        blocks.append([float(place)])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    rising = np.concatenate([np.full(len(block), np.mean(block)) for block in blocks])
    apart = np.empty_like(rising)
    apart[order] = np.clip(rising, 0.0, max(1.0 - steps[-1], 0.0)) + steps
    return apart


def _look(method: str) -> Look:
    return EXPECTED if method == EXPECTED_RANDOM else look_of(method)


def _limits(levels: Sequence[float]) -> tuple[float, float]:
    margin = max(0.06 * (max(levels) - min(levels)), 0.1)
    return min(levels) - margin, max(levels) + margin


def _start(curve: Floats) -> int:
    return int(START * len(curve))


def _mean(runs: Sequence[Run], n: int) -> Floats:
    curves = [run.curve for run in runs if run.curve is not None]
    return np.asarray(np.mean(curves, axis=0)) if curves else np.full(n, np.nan)


def _median_times(runs: Sequence[Run], rounds: int) -> Floats:
    """Of each round over the runs that came so far; NaN where none did."""
    medians = np.full(rounds, np.nan)
    for i in range(rounds):
        times = [run.batch_cpu[i] for run in runs if i < len(run.batch_cpu)]
        if times:
            medians[i] = max(float(np.median(times)), SHORTEST)
    return medians
