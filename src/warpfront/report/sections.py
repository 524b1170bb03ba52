"""The sections of the page, each with the pictures it shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import get_args

from warpfront.analysis.choices import MOST_CHOICES
from warpfront.analysis.model_view import INTERVAL, ModelView
from warpfront.analysis.texts import listed, number
from warpfront.analysis.values import ValueAxis
from warpfront.history import History
from warpfront.markup import Html, join, tag
from warpfront.overview import best_of, standing
from warpfront.report.bars import MOST_BARS, draw_importance
from warpfront.report.convergence import draw_convergence, measured
from warpfront.report.figure import Picture
from warpfront.report.page import embedded, figures, note
from warpfront.report.pairs import MOST_PAIRED, draw_pairs
from warpfront.report.slices import draw_slice
from warpfront.report.table import plain_table
from warpfront.report.transforms import (
    MOST_WARPS,
    bend,
    describe_output,
    draw_output,
    draw_warps,
)
from warpfront.trial import State

Section = tuple[Html, list[Picture]]

LITTLE = 0.5
"""Below this leave-one-out R² the page warns that the model explains little."""


def summary(history: History, facts: Mapping[str, str]) -> Html:
    """The best value and configuration, the number of trials by state, and the given facts."""
    counts = {state: len(history.of_state(state)) for state in get_args(State)}
    by_state = ", ".join(f"{n} {state}" for state, n in counts.items() if n)
    items = [_fact("Trials", f"{len(history)} ({by_state})" if len(history) else "none yet")]
    items += [_fact(name, str(value)) for name, value in facts.items()]
    best = best_of(history)
    if best is None:
        failed = history.of_state("failed")
        why = f" The last failure: {failed[-1].reason}" if failed else ""
        missing = f"No trial has completed yet, so there is no best one.{why}"
        if history.completed:
            missing = f"There is no best trial: {standing(history)}."
        return join(tag("dl", *items, class_="facts"), note(missing, "missing"))
    value = best.value or 0.0
    direction = "highest" if history.problem.objective.sign < 0 else "lowest"
    text = json.dumps(dict(best.config), ensure_ascii=False, indent=2)
    head = join(
        tag("dt", f"Best value ({direction}), trial {best.number}"),
        tag("dd", number(value), class_="big", title=repr(value)),
    )
    return join(
        tag("dl", tag("div", head), *items, class_="facts"),
        tag(
            "div",
            tag("h3", "Best configuration"),
            Html('<button class="copy" type="button" hidden>Copy</button>'),
            class_="json",
        ),
        tag("pre", text, tabindex=0, aria_label="Best configuration as JSON"),
    )


def _fact(name: str, value: str) -> Html:
    return tag("div", tag("dt", name), tag("dd", value))


def convergence(history: History, axis: ValueAxis) -> Section:
    """All values, failures, and the best so far; there is a completed trial."""
    picture = draw_convergence(history, axis)
    beyond = int(axis.beyond(measured(history)[1]).sum())
    text = "Each dot is a completed trial, each cross a failure; the line is the best value so far."
    if beyond:
        text += f" Far worse values ({beyond}) are drawn as triangles at the edge."
    return join(note(text), embedded(picture)), [picture]


def importance(view: ModelView) -> Section:
    """Sobol' indices as a picture and as a table, and how far to trust them."""
    picture = draw_importance(view)
    found, names = view.importance, view.space.names
    explained = f"R² of {view.explained:.2f} on trials left out one by one"
    text = (
        "How much of the variation of the model's mean over the whole space each parameter causes: "
        "alone (first-order Sobol' index), and together with others (total index). Measured on the "
        f"transformed values. The model reaches an {explained}."
    )
    parts = [note(text)]
    if view.explained < LITTLE:
        parts.append(
            note(f"The model explains little (an {explained}): take this as a hint only.", "caveat")
        )
    if len(view.order) > MOST_BARS:
        parts.append(note(f"The picture shows the {MOST_BARS} most important; the table has all."))
    rows = [[names[j], f"{found.first[j]:.2f}", f"{found.total[j]:.2f}"] for j in view.order]
    table = plain_table("Sobol' indices", ["parameter", "alone", "total"], rows)
    return join(*parts, tag("div", embedded(picture), table, class_="beside")), [picture]


def slices(view: ModelView, axis: ValueAxis) -> Section:
    """The slice of each parameter, the most important first."""
    low, high = (f"{q:.0%}".replace("%", " %") for q in INTERVAL)
    parts = [
        note(
            "The model's median (line) and its interval from "
            f"{low} to {high} (band) along each parameter, all others as in the best configuration "
            "(star), the most important parameter first. Dots are the observed values; they differ "
            "in the other parameters too, so they need not lie in the band. Crosses are failures."
        )
    ]
    constants = [name for name in view.space if view.space[name].levels == 1]
    if constants:
        parts.append(note(f"Constants have no slice: {listed(constants)}."))
    pictures, items = [], []
    for j in view.order:
        picture = draw_slice(view, j, axis)
        name = view.space.names[j]
        parameter = view.space[name]
        caption = ""
        if parameter.is_category and (parameter.levels or 0) > MOST_CHOICES:
            caption = f"The {MOST_CHOICES} most promising of {parameter.levels} choices."
        items.append(embedded(picture, name, caption))
        pictures.append(picture)
    return join(*parts, figures(items)), pictures


def pairs(view: ModelView, axis: ValueAxis) -> Section:
    """The most important parameters against each other."""
    chosen = view.order[:MOST_PAIRED]
    if len(chosen) < 2:
        return note("Pairs need two parameters that are no constants.", "missing"), []
    picture = draw_pairs(view, chosen, axis)
    which = "all parameters"
    if len(view.order) > len(chosen):
        which = f"the {len(chosen)} most important of {len(view.order)} parameters"
    text = (
        f"Pairs of {which}: observed trials (dots) over the model's median (background), all "
        "other parameters as in the best configuration (star). Yellow is better; crosses are "
        "failures."
    )
    return join(note(text), embedded(picture, coloured=True)), [picture]


def input_warps(view: ModelView) -> Section:
    """The Kumaraswamy curves."""
    warps = view.warps
    if not warps:
        why = (
            "The model has no input warp."
            if view.space.encoding.is_category[view.model.columns].sum() < len(view.order)
            else "Only numeric parameters are warped, and there is none."
        )
        return note(why, "missing"), []
    picture = draw_warps(view, warps)
    text = (
        "Before the model compares two values of a parameter, it bends the axis: "
        "1 − (1 − xᵃ)ᵇ. Where the curve is steep, small changes matter more; the dashed "
        "line is no warp at all."
    )
    if len(warps) > MOST_WARPS:
        text += f" The picture shows the {MOST_WARPS} that bend the most; the table has all."
    names = view.space.names
    rows = [[names[j], *(number(v, 3) for v in (*ab, bend(*ab)))] for j, ab in warps.items()]
    table = plain_table("Input warps", ["parameter", "a", "b", "largest shift"], rows)
    return join(note(text), embedded(picture), table), [picture]


def output_transform(view: ModelView, axis: ValueAxis) -> Section:
    """The values before and after the transform."""
    picture = draw_output(view, axis)
    text = describe_output(view)
    if view.model.transform.power is not None:
        text = (
            "The model is fitted to transformed values, which look more like a normal distribution "
            f"(the curve on the right). {text}"
        )
    return join(note(text), embedded(picture)), [picture]
