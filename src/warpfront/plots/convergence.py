"""Convergence: all values, the failures, and the best value so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from warpfront.analysis.model_view import measured
from warpfront.analysis.times import Times
from warpfront.analysis.values import ValueAxis
from warpfront.decision import hypervolume_so_far
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.plots.style import BLUE, CROSS, DOT, hover, plotly, text, value_axis
from warpfront.trial import Trial

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Floats = NDArray[np.float64]


def draw_convergence(history: History, times: Times | None = None) -> Figure:
    """Each completed trial as a dot, each failed one as a cross, and the best so far as a line.

    Of several objectives the first one is drawn; there is no best so far then. Over the wall time
    if the times are given, else over the number of the trial.
    """
    if not history.evaluated:
        raise NotEnoughDataError("there is nothing to draw; tell an outcome first")
    objectives = history.problem.objectives
    objective = objectives[0]
    place, title = _places(history, times)
    figure: Figure = plotly().Figure()
    if trials := [t for t in measured(history) if t.number in place]:
        values = np.array([t.outcomes[objective.name] for t in trials], dtype=float)
        figure.add_scatter(
            x=[place[trial.number] for trial in trials],
            y=values,
            mode="markers",
            marker=DOT,
            name="value",
            **hover(trials),
        )
        axis = ValueAxis.of(values, objective.sign < 0)
        figure.update_yaxes(value_axis(axis, text(objective.name)))
    if len(objectives) == 1 and history.feasible:
        numbers, best = best_so_far(history, place)
        _add_line(figure, [place[n] for n in numbers], best, "best so far", title)
    if failed := [t for t in history.of_state("failed") if t.number in place]:
        figure.add_scatter(
            x=[place[trial.number] for trial in failed],
            y=[0.98 if objective.sign > 0 else 0.02] * len(failed),  # at the bad end
            yaxis="y2",
            mode="markers",
            marker=CROSS,
            name="failed",
            **hover(failed),
        )
        hidden = {"overlaying": "y", "range": [0, 1], "visible": False, "fixedrange": True}
        figure.update_layout(yaxis2=hidden)
    figure.update_layout(xaxis={"title": {"text": title}}, legend={"orientation": "h", "y": 1.12})
    return figure


def draw_hypervolume(history: History, times: Times | None = None) -> Figure:
    """The hypervolume that the front dominates after each trial, as a share of the last one."""
    if not history.feasible:
        raise NotEnoughDataError("there is no hypervolume yet; no trial is feasible")
    place, title = _places(history, times)
    trials = _in_order(history.trials, place)
    volumes = hypervolume_so_far(History(history.problem, tuple(trials)))
    figure: Figure = plotly().Figure()
    y = volumes / (volumes[-1] or 1.0)
    _add_line(figure, [place[t.number] for t in trials], y, "hypervolume", title)
    figure.update_layout(
        xaxis={"title": {"text": title}},
        yaxis={"title": {"text": "hypervolume, share of the last"}, "range": [0, 1.05]},
    )
    return figure


def _places(history: History, times: Times | None) -> tuple[dict[int, float], str]:
    """Where trials lie on the axis, by number, and its title."""
    if times is None:
        return {trial.number: trial.number for trial in history.trials}, "trial"
    size, unit = times.unit
    return {number: end / size for number, end in times.ends().items()}, f"{unit} since the start"


def _in_order(trials: Sequence[Trial], place: dict[int, float]) -> list[Trial]:
    """The trials that have a place, in the order of these."""
    known = [trial for trial in trials if trial.number in place]
    return sorted(known, key=lambda trial: (place[trial.number], trial.number))


def best_so_far(history: History, place: dict[int, float]) -> tuple[list[int], Floats]:
    """The numbers of the trials from the first success on, in order of place, and the best then."""
    objective = history.problem.objective
    feasible = {trial.number for trial in history.feasible}
    trials = _in_order(history.trials, place)
    losses = [
        objective.sign * float(t.value or 0.0) if t.number in feasible else np.inf for t in trials
    ]
    best = np.minimum.accumulate(np.array(losses, dtype=float))
    begun = np.isfinite(best)
    numbers = [trial.number for trial, is_begun in zip(trials, begun, strict=True) if is_begun]
    return numbers, objective.sign * best[begun]


def _add_line(figure: Any, x: Sequence[float], y: Floats, name: str, over: str) -> None:
    """A line that holds until the next trial."""
    figure.add_scatter(
        x=x,
        y=y,
        mode="lines",
        line={"shape": "hv", "color": BLUE, "width": 2},
        name=name,
        hovertemplate=f"{over} %{{x:.6g}}: %{{y:.6g}}<extra>{name}</extra>",
    )
