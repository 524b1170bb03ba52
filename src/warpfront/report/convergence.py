"""The convergence pictures: the best loss of several runs, and all values of one study."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.texts import number
from warpfront.analysis.values import ValueAxis
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.report.figure import (
    BLUE,
    Picture,
    drawable,
    dress,
    failures,
    new_figure,
    observed,
    picture,
    value_axis,
)
from warpfront.result import Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

START = 0.125
"""The vertical axis leaves out what only this first share of the evaluations reached: the losses
of the first random points are often so bad that all the rest would look like one line."""


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
    ylabel: str = "best loss so far",
) -> Path | Figure:
    """Draw the best value so far of one or several runs as a picture.

    Parameters
    ----------
    results
        One result, or repeats with different seeds; or these for each label. Repeats are drawn as
        their median with the range from the best to the worst of them.
    path
        Where to write; the ending (.png, .svg, .pdf) says in which format. None: nothing is
        written, and the figure of matplotlib is returned, which a notebook shows.
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
    ...     plot_convergence({"HEBO": result}, f"{folder}/picture.png").stat().st_size > 1000
    True
    >>> type(plot_convergence(result)).__name__
    'Figure'
    """
    if isinstance(results, Result) or not isinstance(results, Mapping):
        results = {"best so far": results}
    if not results:
        raise NotEnoughDataError("there is nothing to draw; give at least one result")
    figure = new_figure(7.0, 4.2)
    axes = figure.subplots()
    levels = list((references or {}).values())  # what the vertical axis must show
    lines = []
    for label, runs in results.items():
        curves = [run.best_so_far for run in ([runs] if isinstance(runs, Result) else runs)]
        length = min(map(len, curves), default=0)
        if length == 0:
            raise NotEnoughDataError(f"{label!r} has no trials to draw; leave it out")
        stack = np.array([curve[:length] for curve in curves])
        later = stack[:, int(START * length) :]
        levels += [float(later.min()), float(later.max())]
        x = np.arange(1, length + 1)
        lines.append(_step_line(axes, x, np.median(stack, axis=0), label=label))
        if len(curves) > 1:
            low, high = stack.min(axis=0), stack.max(axis=0)
            axes.fill_between(x, low, high, step="post", alpha=0.2, color=lines[-1].get_color())
    for label, level in (references or {}).items():
        line = axes.axhline(level, color="0.4", linestyle="--", linewidth=1.0, label=label)
        lines.append(line)
    axes.set_xlabel("evaluations")
    axes.set_ylabel(drawable(ylabel, len(ylabel)), parse_math=False)
    axes.set_title(drawable(title, len(title)), parse_math=False)
    finite = [level for level in levels if np.isfinite(level)]
    if finite and max(finite) > min(finite):
        margin = 0.05 * (max(finite) - min(finite))
        axes.set_ylim(min(finite) - margin, max(finite) + margin)
    axes.grid(alpha=0.3)
    # Texts that begin with an underscore are set afterwards: older legends leave them out.
    for text, line in zip(axes.legend(lines, ["?"] * len(lines)).get_texts(), lines, strict=True):
        label = str(line.get_label())
        text.set(text=drawable(label, len(label)), parse_math=False)
    if path is None:
        return figure
    target = Path(path)
    figure.savefig(target, dpi=150)
    return target


def draw_convergence(history: History, axis: ValueAxis) -> Picture:
    """All values of the objective, the first of several, the failures, and the best so far."""
    figure = new_figure(10.2, 3.9)
    axes = figure.subplots()
    numbers, values = measured(history)
    observed(axes, numbers, values, axis, label="value")
    alt = f"Values of {len(values)} completed trials"
    if history.feasible and len(history.problem.objectives) == 1:
        curve = history.best_so_far
        begun = np.isfinite(curve)
        x = np.array([trial.number for trial in history.trials])
        best = axis.place(curve[begun])
        _step_line(axes, x[begun], best, label="best so far", color=BLUE, linewidth=2.0)
        first, last = (number(float(v)) for v in curve[begun][[0, -1]])
        alt += f"; the best so far goes from {first} to {last}"
    failed = [trial.number for trial in history.of_state("failed")]
    failures(axes, np.array(failed), label="failed")
    axes.set_xlabel("trial")
    axes.locator_params(axis="x", integer=True)
    value_axis(axes, axis, drawable(history.problem.objective.name))
    dress(axes)
    figure.legend(loc="outside upper right", ncols=3, frameon=False, fontsize=8)
    return picture(figure, "convergence.png", f"{alt}; {len(failed)} trials failed.")


def measured(history: History) -> tuple[Floats, Floats]:
    """The numbers of the trials whose objective was measured, and its values, (n,) each."""
    name = history.problem.objective.name
    found = [(t.number, t.outcomes[name]) for t in history.completed]
    kept = [(number, value) for number, value in found if value is not None]
    table = np.array(kept, dtype=float).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _step_line(axes: Axes, x: Any, y: Floats, **look: Any) -> Any:
    """The best so far, which holds until the next trial; returns the line."""
    (line,) = axes.step(x, y, where="post", **look)
    return line
