"""What all pictures share: their sizes and colours, texts that can be drawn, and PNG files."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.texts import shortened
from warpfront.analysis.ticks import limits, ticks
from warpfront.analysis.values import ValueAxis
from warpfront.extras import require
from warpfront.space import Parameter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

SCREEN_DPI, DPI = 96, 192
"""Pixels an inch on the page, and in the picture: twice as many, for sharp screens."""
BLUE, RED, ORANGE, GREY, INK = "#0b6fb3", "#c62f3b", "#e8830c", "#737e8c", "#2b313a"
"""The model and the best; failures; the best configuration; observations; texts."""
WHOLE: dict[str, Any] = {"clip_on": False, "in_layout": False}
"""Marks that are not cut at the bounds of a parameter, and for which no room is made there."""
STAR: dict[str, Any] = {
    "marker": "*",
    "markersize": 14,
    "color": ORANGE,
    "markeredgecolor": "white",
    **WHOLE,
    "zorder": 10,
}
"""The best configuration, also where it lies at the bounds."""
CROSS: dict[str, Any] = {
    "linestyle": "none",
    "marker": "x",
    "markersize": 6,
    "color": RED,
    **WHOLE,
}
"""A failed trial."""
LONGEST = 26
"""Longer texts are shortened in pictures; the page has them whole."""

ROOM = 48
"""How many characters, with the gaps between labels, fit side by side on an x axis."""


@dataclass(frozen=True)
class Picture:
    """A picture of the page, and of a file beside it.

    Attributes
    ----------
    name
        The name of the file.
    alt
        What it shows, for those who cannot see it.
    png
        Its bytes.
    width, height
        Its size on the page, in CSS pixels.
    """

    name: str
    alt: str
    png: bytes
    width: int
    height: int


def new_figure(width: float, height: float) -> Figure:
    """A figure of its own: no pyplot, no global state, no screen."""
    figures = require("matplotlib.figure", "study", "pictures need matplotlib")
    figure: Figure = figures.Figure(figsize=(width, height), layout="constrained")
    return figure


def picture(figure: Figure, name: str, alt: str) -> Picture:
    """Render a figure; the same figure gives the same bytes."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DPI, metadata={"Software": None})
    width, height = (round(float(inches) * SCREEN_DPI) for inches in figure.get_size_inches())
    return Picture(name, alt, buffer.getvalue(), width, height)


def drawable(text: str, most: int = LONGEST) -> str:
    """``text`` on one line, shortened, and with question marks for what the font does not have.

    Without them matplotlib would draw boxes and warn of each.

    Examples
    --------
    >>> drawable("learning   rate"), drawable("数 of layers")
    ('learning rate', '? of layers')
    """
    from matplotlib import font_manager

    font = font_manager.get_font(font_manager.findfont(font_manager.FontProperties()))
    line = shortened(" ".join(text.split()), most)
    return "".join(c if font.get_char_index(ord(c)) else "?" for c in line)


def dress(axes: Axes) -> None:
    """The common look: light grid, two spines, small texts."""
    axes.grid(color="#e4e8ee", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("bottom", "left"):
        axes.spines[side].set_color("#b6bec9")
    axes.tick_params(labelsize=8, color="#b6bec9", labelcolor=INK)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set(size=9, color=INK)


def value_axis(axes: Axes, axis: ValueAxis, text: str, which: str = "y") -> None:
    """Make the vertical (or the x) axis of a picture that of the values."""
    scale = "log" if axis.is_log else "linear"
    axes.set(
        **{f"{which}scale": scale, f"{which}lim": axis.ends, f"{which}label": axis.label(text)}
    )


def parameter_axis(axes: Axes, which: str, parameter: Parameter, most: int) -> None:
    """Make the x or y axis that of a parameter, over its positions.

    Parameters
    ----------
    axes, which
        The picture, and ``"x"`` or ``"y"``.
    parameter
        Whose values are the labels.
    most
        About how many labels there is room for.
    """
    positions, labels = ticks(parameter, most)
    set_ticks(axes, which, positions.tolist(), labels)
    axes.set(**{f"{which}lim": limits(parameter)})


def set_ticks(axes: Axes, which: str, positions: list[float], labels: list[str]) -> None:
    """Label positions of the x or y axis; where there is little room, upright on the x axis."""
    labels = [drawable(label, 14) for label in labels]
    turned: dict[str, Any] = {}
    if which == "x" and sum(map(len, labels)) + 2 * len(labels) > ROOM:
        turned = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_ticks(positions, labels, parse_math=False, **turned)


def observed(axes: Axes, x: Any, values: Floats, axis: ValueAxis, label: str | None = None) -> None:
    """Draw observed values as dots; those beyond the axis as triangles at its edge."""
    beyond = axis.beyond(values)
    look: dict[str, Any] = {
        "linestyle": "none",
        "color": GREY,
        "markeredgewidth": 0.0,
        **WHOLE,
    }
    places = axis.place(values)
    axes.plot(
        x[~beyond], places[~beyond], marker="o", markersize=4.5, alpha=0.75, **look, label=label
    )
    if beyond.any():
        side = "^" if np.any(values[beyond] / axis.unit > axis.high) else "v"
        axes.plot(x[beyond], places[beyond], marker=side, markersize=5.5, **look)


def failures(axes: Axes, x: Floats, label: str | None = None) -> None:
    """Mark failed trials, which have no value, by crosses at the lower edge."""
    if len(x):
        height = np.full(len(x), 0.03)
        axes.plot(x, height, transform=axes.get_xaxis_transform(), **CROSS, label=label)
