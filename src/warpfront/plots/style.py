"""What all figures share: Plotly itself, colours, texts, and the axes of parameters and values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.texts import number, shortened, shown
from warpfront.analysis.ticks import limits, ticks
from warpfront.analysis.values import ValueAxis
from warpfront.extras import require
from warpfront.markup import escaped
from warpfront.space import Parameter
from warpfront.trial import Trial

Floats = NDArray[np.float64]

BLUE, RED, ORANGE, GREY = "#0b6fb3", "#c62f3b", "#e8830c", "#8a94a1"
"""The model and the best; failures; the best configuration; observations: as in the report."""
BAND = "rgba(11, 111, 179, 0.18)"
STAR: dict[str, Any] = {
    "symbol": "star",
    "size": 14,
    "color": ORANGE,
    "line": {"color": "white", "width": 1},
}
DOT: dict[str, Any] = {"size": 6, "color": GREY, "opacity": 0.75}
CROSS: dict[str, Any] = {"symbol": "x-thin", "size": 8, "line": {"color": RED, "width": 2}}
LONGEST = 32
"""Longer texts are shortened beside an axis; the one under the mouse is whole."""
MOST_DOTS = 400
"""Of more trials the better half of these, and others evenly spread, are dots in each panel."""
MOST_LINES = 25
"""So many parameters of a configuration are listed under the mouse."""


def plotly() -> Any:
    """Plotly's graph objects."""
    return require("plotly.graph_objects", "plots", "figures need plotly")


def subplots(**options: Any) -> Any:
    """A figure of several panels."""
    return require("plotly.subplots", "plots", "figures need plotly").make_subplots(**options)


@lru_cache(4096)  # the same names and values stand in the texts of many trials
def text(given: str, most: int = LONGEST) -> str:
    """A user's text in a figure, on one line, so that nothing in it is taken for HTML or a formula.

    Examples
    --------
    >>> text("a < b"), text("$x$")
    ('a &lt; b', '&#36;x&#36;')
    """
    line = shortened(" ".join(given.split()), most)
    return str(escaped(line)).replace("$", "&#36;")


def under_the_mouse(trial: Trial) -> str:
    """What is known of a trial, in lines."""
    lines = [f"trial {trial.number}"]
    for name, value in trial.outcomes.items():
        lines.append(f"{text(name)} {'not measured' if value is None else number(value)}")
    if trial.reason is not None:
        lines.append(text(trial.reason, 80))
    config = list(trial.config.items())
    lines += [f"{text(name)}: {text(shown(value))}" for name, value in config[:MOST_LINES]]
    if len(config) > MOST_LINES:
        lines.append(f"and {len(config) - MOST_LINES} more")
    return "<br>".join(lines)


def hover(trials: Iterable[Trial]) -> dict[str, Any]:
    """What a trace needs to show trials under the mouse."""
    return {"hovertext": [under_the_mouse(trial) for trial in trials], "hoverinfo": "text"}


def parameter_axis(parameter: Parameter, most: int, title: str = "") -> dict[str, Any]:
    """The axis of a parameter, over its positions, with labels in the user's units."""
    positions, labels = ticks(parameter, most)
    return {
        "tickmode": "array",
        "tickvals": positions.tolist(),
        "ticktext": [text(label, 16) for label in labels],
        "range": _wider(limits(parameter)),
        "title": {"text": text(title)},
        "zeroline": False,
    }


def _wider(ends: tuple[float, float]) -> list[float]:
    margin = 0.02 * (ends[1] - ends[0])
    return [ends[0] - margin, ends[1] + margin]


def worth_drawing(losses: Floats, most: int = MOST_DOTS) -> list[int]:
    """Which trials to draw in a panel, by their losses (n,): all, or the best and some others.

    Examples
    --------
    >>> worth_drawing(np.array([2.0, 1.0, 3.0])), worth_drawing(np.arange(10.0), 4)
    ([0, 1, 2], [0, 1, 2, 9])
    """
    if len(losses) <= most:
        return list(range(len(losses)))
    order = np.argsort(losses, kind="stable")
    best, rest = order[: most // 2], order[most // 2 :]
    others = rest[np.linspace(0, len(rest) - 1, most - len(best)).astype(int)]
    return sorted(np.concatenate([best, others]).tolist())


def value_axis(axis: ValueAxis, title: str = "value") -> dict[str, Any]:
    """The axis of the values, which begins with the useful part; a double click shows all."""
    low, high = (end * axis.unit for end in axis.ends)
    if axis.is_log:
        return {
            "type": "log",
            "exponentformat": "power",
            "range": [math.log10(low), math.log10(high)],
            "title": {"text": title},
        }
    return {"range": [low, high], "title": {"text": title}, "zeroline": False}


def best_star(figure: Any, x: float, y: float, look: Mapping[str, Any], **where: Any) -> None:
    """Mark the best configuration, if its outcome was measured."""
    if not math.isfinite(y):
        return
    figure.add_scatter(
        x=[x], y=[y], mode="markers", marker=STAR, name="best", legendgroup="best", **look, **where
    )
