"""The sections of the page that show the trials and the model, from what there is to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import get_args

import numpy as np

from warpfront.analysis.choices import MOST_CHOICES
from warpfront.analysis.model_view import INTERVAL, ModelView, measured
from warpfront.analysis.texts import listed, number, shown
from warpfront.analysis.times import Times, duration
from warpfront.analysis.values import ValueAxis
from warpfront.history import History
from warpfront.plots.bounds import draw_bound
from warpfront.plots.convergence import best_so_far, draw_convergence, draw_hypervolume
from warpfront.plots.front import draw_front
from warpfront.plots.importance import MOST_BARS, draw_importance
from warpfront.plots.pairs import MOST_PAIRED, draw_pair
from warpfront.plots.parallel import draw_parallel
from warpfront.plots.slices import draw_slice
from warpfront.plots.style import MOST_DOTS
from warpfront.plots.timeline import draw_timeline
from warpfront.report.cards import cards
from warpfront.report.page import Group, Panel, Section, Table
from warpfront.report.summary import bound_text, sentences
from warpfront.trial import State

MOST_SLICES = 9
"""The slices of so many parameters are shown; the others are folded, of so many at the most."""
MOST_FOLDED = 30
MOST_STEPS = 50
"""Rows of a table of improvements."""
AXIS = 90
"""The room for an axis of parallel coordinates, in CSS pixels."""


def summary(
    history: History,
    views: Sequence[ModelView],
    gain: float | None,
    missing: str | None,
    facts: Mapping[str, str],
) -> Section:
    """What was found, and the configurations to take."""
    counts = {state: len(history.of_state(state)) for state in get_args(State)}
    by_state = ", ".join(f"{n} {state}" for state, n in counts.items() if n)
    items = [("Trials", f"{len(history)} ({by_state})" if len(history) else "none yet")]
    items += [(name, str(value)) for name, value in facts.items()]
    said = sentences(history, views, gain)
    if missing is not None:
        said.append(f"{missing} So there is no model yet to show what matters.")
    data = {"sentences": said, "cards": cards(history, views), "facts": items}
    return Section("Summary", template="summary.html", data=data)


def convergence(history: History, times: Times | None) -> Section:
    """The outcomes over trials and over wall time, and the steps of the best one."""
    objectives = history.problem.objectives
    panels = []
    clocks = [None, times] if times is not None and times.ends() else [None]
    kind = "half" if len(clocks) > 1 else "wide"
    for clock in clocks:
        over = "trials" if clock is None else "wall time"
        if len(objectives) > 1 and history.feasible:
            figure = draw_hypervolume(history, clock)
            alt = f"Hypervolume of the Pareto front over {over}."
        else:
            figure = draw_convergence(history, clock)
            alt = f"{objectives[0].name} of {len(history.completed)} completed trials over {over}."
        panels.append(Panel(figure, alt, f"Over {over}", kind=kind))
    text = "Each dot is a completed trial, each cross a failure; the line is the best so far."
    if len(objectives) > 1:
        text = (
            "How much of the outcome space the front dominates: it rises whenever a trial adds to "
            "the front."
        )
    else:
        values = np.array([t.value for t in measured(history)], dtype=float)
        if len(values):
            beyond = int(ValueAxis.of(values, objectives[0].sign < 0).beyond(values).sum())
            if beyond:
                text += f" The axis leaves out {beyond} far worse values; a double click shows all."
    tables = [_steps(history)] if len(objectives) == 1 and history.feasible else []
    return Section("Convergence", [Group(notes=[text], panels=panels, tables=tables)])


def _steps(history: History) -> Table:
    """The trials that improved on the best so far."""
    place = {trial.number: float(trial.number) for trial in history.trials}
    numbers, best = best_so_far(history, place)
    new = [0, *(np.flatnonzero(best[1:] != best[:-1]) + 1).tolist()][-MOST_STEPS:]
    rows = [[str(numbers[i]), number(float(best[i]))] for i in new]
    return Table(
        "Trials that improved on the best", ["trial", history.problem.objective.name], rows
    )


def front(history: History) -> Section:
    """The Pareto front."""
    names = [objective.name for objective in history.problem.objectives]
    chosen = history.front if history.feasible else ()
    notes = [
        "A trial is on the front if no other one is better in one objective and no worse in all "
        "others. Point at a dot to see its configuration."
    ]
    if len(names) > 3:
        notes.append(f"The figure shows the first three of {len(names)}; the table has all.")
    size = {"height": 460}
    figure = draw_front(history).update_layout(size)
    alt = f"{len(chosen)} trials on the Pareto front of {listed(names)}."
    heads = ["trial", *history.problem.names, "configuration"]
    rows = [
        [
            str(trial.number),
            *(_value(trial.outcomes.get(name)) for name in history.problem.names),
            ", ".join(f"{name} = {shown(value)}" for name, value in trial.config.items()),
        ]
        for trial in sorted(chosen, key=lambda t: t.outcomes[names[0]] or 0.0)
    ]
    tables = [Table("The Pareto front", heads, rows)] if rows else []
    return Section("Pareto front", [Group("", notes, [Panel(figure, alt)], tables)])


def _value(value: float | None) -> str:
    return "not measured" if value is None else number(value)


def feasibility(history: History) -> Section:
    """The bounded outcomes."""
    bounds = history.problem.bounds
    panels, rows = [], []
    for bound in bounds:
        trials = measured(history, bound.name)
        kept = sum(bound.holds(float(t.outcomes[bound.name] or 0.0)) for t in trials)
        rows.append([bound_text(bound), str(kept), str(len(trials) - kept)])
        if trials:
            alt = f"{kept} of {len(trials)} trials keep {bound_text(bound)}."
            heading = bound_text(bound)
            kind = "half" if len(bounds) > 1 else "wide"
            panels.append(Panel(draw_bound(history, bound), alt, heading, kind=kind))
    feasible = sum(history.is_feasible(trial) for trial in history.completed)
    text = (
        f"{feasible} of {len(history.completed)} completed trials keep all bounds. The dashed line "
        "is the bound."
    )
    table = Table("Trials that keep each bound", ["bound", "keep it", "break it"], rows)
    return Section("Feasibility", [Group("", [text], panels, [table])])


def slices(views: Sequence[ModelView]) -> Section:
    """The slices of each outcome."""
    low, high = (f"{q:.0%}".replace("%", " %") for q in INTERVAL)
    first = views[0]
    notes = [
        f"What the model expects along each parameter: median (line) and {low} to {high} interval "
        "without noise (band). All other parameters are as in the best configuration (star). Dots "
        "are trials; they differ in the other parameters too, so they need not lie in the band. "
        "Crosses are failures."
    ]
    if len(first.observed) > MOST_DOTS:
        count = len(first.observed)
        notes.append(f"Of {count} trials {MOST_DOTS} are drawn, half of them the best.")
    constants = [name for name in first.space if first.space[name].levels == 1]
    if constants:
        notes.append(f"Constants have no slice: {listed(constants)}.")
    if first.space.constraints:
        notes.append("Slices also pass through configurations that the constraints forbid.")
    groups = [Group(notes=notes)]
    for view in views:
        panels = [_slice(view, j) for j in view.order[:MOST_FOLDED]]
        heading = view.goal.name if len(views) > 1 else ""
        table = _slice_table(view)
        shown_ones, more = panels[:MOST_SLICES], panels[MOST_SLICES:]
        groups.append(Group(heading, [], shown_ones, [table], more))
    return Section("Slices", groups)


def _slice(view: ModelView, j: int) -> Panel:
    name = view.space.names[j]
    parameter = view.space[name]
    along = view.slice(j)
    best = int(np.argmin(view.sign * along.median))
    here = shown(parameter.decode(float(along.positions[best])))
    low, high = (number(float(v), 4) for v in (along.median.min(), along.median.max()))
    alt = f"Expected {view.goal.name} along {name}: {low} to {high}, best at {here}."
    caption = ""
    if parameter.is_category and (parameter.levels or 0) > MOST_CHOICES:
        caption = f"The {MOST_CHOICES} most promising of {parameter.levels} choices."
    return Panel(draw_slice(view, j), alt, "", caption, kind="third")


def _slice_table(view: ModelView) -> Table:
    rows = []
    for j in view.order:
        along, parameter = view.slice(j), view.space.encoding.parameters[j]
        best = int(np.argmin(view.sign * along.median))
        values = (along.median[best], along.low[best], along.high[best])
        here = shown(parameter.decode(float(along.positions[best])))
        rows.append([view.space.names[j], here, *(number(float(v), 4) for v in values)])
    heads = ["parameter", "best value", f"expected {view.goal.name}", "low", "high"]
    return Table(f"The best value of each parameter for {view.goal.name}", heads, rows)


def importance(views: Sequence[ModelView]) -> Section:
    """Sobol' indices of each outcome."""
    text = (
        "How much of the variation of the model each parameter causes over the whole space: alone "
        "(first-order Sobol' index), and together with others (total index)."
    )
    groups = [Group(notes=[text])]
    for view in views:
        found, names = view.importance, view.space.names
        rows = [[names[j], f"{found.first[j]:.2f}", f"{found.total[j]:.2f}"] for j in view.order]
        table = Table(f"Sobol' indices of {view.goal.name}", ["parameter", "alone", "total"], rows)
        top = ", ".join(f"{names[j]} {found.total[j]:.0%}" for j in view.order[:5])
        notes = []
        if len(view.order) > MOST_BARS:
            notes.append(f"The figure shows the {MOST_BARS} most important; the table has all.")
        figure = draw_importance(view).update_layout(
            title=None, legend={"orientation": "h", "y": 1.0, "yanchor": "bottom"}
        )
        figure.update_layout(height=figure.layout.height - 60)
        notes.append(f"The model reaches an R² of {view.explained:.2f} on trials left out.")
        panel = Panel(figure, f"Total importance of parameters: {top}.")
        heading = view.goal.name if len(views) > 1 else ""
        groups.append(Group(heading, notes, [panel], [table]))
    return Section("Importance", groups)


def pairs(view: ModelView) -> Section:
    """The most important parameters against each other."""
    chosen = view.order[:MOST_PAIRED]
    if len(chosen) < 2:
        text = "Pairs need two parameters that are not constants."
        return Section("Pairs", [Group(notes=[text])])
    which = "all parameters"
    if len(view.order) > len(chosen):
        which = f"the {len(chosen)} most important of {len(view.order)} parameters"
    text = (
        f"Pairs of {which} and {view.goal.name}: trials (dots) over what the model expects "
        "(background), all other parameters as in the best configuration (star). Yellow is better; "
        "crosses are failures."
    )
    names = view.space.names
    panels = [
        Panel(
            draw_pair(view, i, j),
            f"Expected {view.goal.name} over {names[i]} and {names[j]}.",
            kind="half" if len(chosen) == 2 else "third",
        )
        for i, j in combinations(chosen, 2)
    ]
    return Section("Pairs", [Group(notes=[text], panels=panels)])


def parallel(history: History) -> Section:
    """Parallel coordinates."""
    text = (
        "Each line is a completed trial, orange if it is good. Drag along an axis to select "
        "trials: the table below shows these only. Drag the name of an axis to move it."
    )
    figure = draw_parallel(history)
    width = AXIS * len(figure.data[0].dimensions)
    alt = f"Parallel coordinates of {len(measured(history))} trials; the table of trials has them."
    return Section("Parallel coordinates", [Group("", [text], [Panel(figure, alt, width=width)])])


def timeline(history: History, times: Times) -> Section:
    """When trials ran."""
    took = {
        state: [s for t in history.of_state(state) if (s := times.seconds(t.number)) is not None]
        for state in get_args(State)
    }
    rows = [
        [state, str(len(s)), *(duration(float(f(s))) for f in (np.median, np.max, np.sum))]
        for state, s in took.items()
        if s
    ]
    heads = ["state", "trials", "median duration", "longest", "in all"]
    text = "A bar for each trial, from its beginning to its end. Bars of a row do not overlap."
    lanes = 1 + max(times.lanes().values())
    alt = f"{len(times.spans)} trials in {duration(times.total)}, up to {lanes} at the same time."
    panel = Panel(draw_timeline(history, times), alt)
    tables = [Table("Durations by state", heads, rows)] if rows else []
    return Section("Timeline", [Group(notes=[text], panels=[panel], tables=tables)])
