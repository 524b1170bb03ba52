"""The best value so far of several runs, to compare them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np

from warpfront.errors import MissingExtraError, NotEnoughDataError
from warpfront.plots.style import plotly, text
from warpfront.result import Result

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

START = 0.125
"""The vertical axis leaves out what only this first share of the evaluations reached: the outcomes
of the first random points are often so bad that all the rest would look like one line."""
COLOURS = ("#0b6fb3", "#e8830c", "#2a9d5c", "#c62f3b", "#7b4fb0", "#8a6d3b", "#d058a8", "#5b6675")
"""Of the labels, one after the other."""
LONGEST = 60

Runs: TypeAlias = Result | Sequence[Result] | Mapping[str, Result | Sequence[Result]]


@overload
def plot_convergence(
    results: Runs,
    path: None = None,
    *,
    title: str = ...,
    references: Mapping[str, float] | None = ...,
    ylabel: str = ...,
) -> Figure: ...


@overload
def plot_convergence(
    results: Runs,
    path: str | os.PathLike[str],
    *,
    title: str = ...,
    references: Mapping[str, float] | None = ...,
    ylabel: str = ...,
) -> Path: ...


def plot_convergence(
    results: Runs,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str = "",
    references: Mapping[str, float] | None = None,
    ylabel: str = "best value so far",
) -> Path | Figure:
    """Draw the best value so far of one or several runs, with Plotly.

    Parameters
    ----------
    results
        One result, or repeats with different seeds; or these for each label. Repeats are drawn as
        their median with the range from the best to the worst of them.
    path
        Where to write; the ending says in which format: .html, an interactive page, or .png, .svg
        or .pdf, for which Plotly needs the package kaleido. None: nothing is written, and the
        figure is returned, which a notebook shows.
    title, ylabel
        Texts.
    references
        Further levels to mark with a line, such as the loss of default settings.

    Examples
    --------
    >>> import tempfile
    >>> from warpfront import Real, Space, minimize
    >>> result = minimize(lambda c: c["x"] ** 2, Space(x=Real(-1, 1)), budget=8, seed=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plot_convergence({"HEBO": result}, f"{folder}/runs.html").stat().st_size > 1000
    True
    >>> type(plot_convergence(result)).__name__
    'Figure'
    """
    if isinstance(results, Result) or not isinstance(results, Mapping):
        results = {"best so far": results}
    if not results:
        raise NotEnoughDataError("there is nothing to draw; give at least one result")
    figure: Figure = plotly().Figure()
    levels = list((references or {}).values())  # what the vertical axis must show
    for place, (label, runs) in enumerate(results.items()):
        levels += _add_runs(figure, label, runs, COLOURS[place % len(COLOURS)])
    for label, level in (references or {}).items():
        figure.add_hline(
            level,
            line={"color": "#7a8593", "width": 1, "dash": "dash"},
            annotation={"text": text(label, LONGEST), "yanchor": "bottom"},
        )
    finite = [level for level in levels if np.isfinite(level)]
    if finite and max(finite) > min(finite):
        margin = 0.05 * (max(finite) - min(finite))
        figure.update_yaxes(range=[min(finite) - margin, max(finite) + margin])
    figure.update_layout(
        title={"text": text(title, LONGEST)},
        xaxis={"title": {"text": "evaluations"}},
        yaxis={"title": {"text": text(ylabel, LONGEST)}},
        showlegend=True,
    )
    return figure if path is None else _write(figure, Path(path))


def _add_runs(
    figure: Figure, label: str, runs: Result | Sequence[Result], colour: str
) -> list[float]:
    """The median of the runs, and their range; returns the ends of what matters of it."""
    curves = [run.best_so_far for run in ([runs] if isinstance(runs, Result) else runs)]
    length = min(map(len, curves), default=0)
    if length == 0:
        raise NotEnoughDataError(f"{label!r} has no trials to draw; leave it out")
    stack = np.array([curve[:length] for curve in curves])
    drawn = np.array([np.median(stack, axis=0), stack.min(axis=0), stack.max(axis=0)])
    middle, low, high = np.where(np.isfinite(drawn), drawn, np.nan)  # from the first success on
    x = np.arange(1, length + 1)
    shape = {"shape": "hv", "color": colour}
    if len(curves) > 1:
        for y, look in ((low, {}), (high, {"fill": "tonexty"})):
            figure.add_scatter(
                x=x,
                y=y,
                mode="lines",
                line={**shape, "width": 0},
                fillcolor=_pale(colour),
                hoverinfo="skip",
                showlegend=False,
                legendgroup=label,
                **look,
            )
    figure.add_scatter(
        x=x,
        y=middle,
        mode="lines",
        line={**shape, "width": 2},
        name=text(label, LONGEST),
        legendgroup=label,
    )
    later = stack[:, int(START * length) :]
    known = later[np.isfinite(later)]
    return [float(known.min()), float(known.max())] if len(known) else []


def _pale(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, 0.18)"


def _write(figure: Figure, path: Path) -> Path:
    if path.suffix.lower() in (".html", ".htm"):
        figure.write_html(path, include_plotlyjs=True)
        return path
    try:
        figure.write_image(path)
    except (ValueError, ImportError) as error:
        if "kaleido" not in str(error).lower():
            raise
        raise MissingExtraError(
            f"{path.name}: Plotly writes pictures with the package kaleido: pip install kaleido; "
            "or give a name that ends in .html"
        ) from None
    return path
