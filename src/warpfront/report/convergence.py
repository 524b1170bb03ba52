"""The convergence picture: the best loss against the number of evaluations."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from warpfront.errors import MissingExtraError, NotEnoughDataError
from warpfront.loop import Result

START = 0.125
"""The vertical axis leaves out what only this first share of the evaluations reached: the losses
of the first random points are often so bad that all the rest would look like one line."""


def plot_convergence(
    results: Mapping[str, Result | Sequence[Result]],
    path: str | os.PathLike[str],
    *,
    title: str = "",
    references: Mapping[str, float] | None = None,
    ylabel: str = "best loss so far",
) -> Path:
    """Draw the best loss so far of one or several runs under each label, and write a picture.

    Parameters
    ----------
    results
        One result, or repeats with different seeds, for each label. Repeats are drawn as their
        median with the range from the best to the worst of them.
    path
        Where to write; the ending (.png, .svg, .pdf) says in which format.
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
    """
    try:
        from matplotlib.figure import Figure  # not pyplot: no global state, no screen
    except ImportError:
        raise MissingExtraError(
            "pictures need matplotlib: pip install 'warpfront[study]'"
        ) from None
    if not results:
        raise NotEnoughDataError("there is nothing to draw; give at least one result")
    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    axes = figure.subplots()
    levels = list((references or {}).values())  # what the vertical axis must show
    for label, runs in results.items():
        curves = [run.best_so_far for run in ([runs] if isinstance(runs, Result) else runs)]
        length = min(map(len, curves), default=0)
        if length == 0:
            raise NotEnoughDataError(f"{label!r} has no trials to draw; leave it out")
        stack = np.array([curve[:length] for curve in curves])
        levels += [float(stack.min()), float(stack[:, int(START * length) :].max())]
        x = np.arange(1, length + 1)
        (line,) = axes.step(x, np.median(stack, axis=0), where="post", label=label)
        if len(curves) > 1:
            axes.fill_between(
                x,
                stack.min(axis=0),
                stack.max(axis=0),
                step="post",
                alpha=0.2,
                color=line.get_color(),
            )
    for label, level in (references or {}).items():
        axes.axhline(level, color="0.4", linestyle="--", linewidth=1.0, label=label)
    axes.set(xlabel="evaluations", ylabel=ylabel, title=title)
    finite = [level for level in levels if np.isfinite(level)]
    if finite and max(finite) > min(finite):
        margin = 0.05 * (max(finite) - min(finite))
        axes.set_ylim(min(finite) - margin, max(finite) + margin)
    axes.grid(alpha=0.3)
    axes.legend()
    target = Path(path)
    figure.savefig(target, dpi=150)
    return target
