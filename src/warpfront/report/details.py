"""The folded section of the page: how good the models are, and what they have learned."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib import metadata
from typing import Any

import numpy as np

from warpfront.analysis.model_view import ModelView
from warpfront.analysis.texts import number
from warpfront.plots.model import MOST_WARPS, bend, draw_held_out, draw_output, draw_warp
from warpfront.report.page import Group, Panel, Section, Table

PACKAGES = ("numpy", "scipy", "optuna", "plotly")


def details(views: Sequence[ModelView]) -> Section:
    """The models, folded: how good they are, and what they have learned of their scales."""
    groups = [group for view in views for group in _details(view, len(views) > 1)]
    rows = [["Python", platform.python_version()], *_versions()]
    groups.append(Group(tables=[Table("Versions", ["package", "version"], rows)]))
    return Section("Model details", groups, is_folded=True)


def _versions() -> list[list[str]]:
    found = []
    for name in PACKAGES:
        try:
            found.append([name, metadata.version(name)])
        except metadata.PackageNotFoundError:  # Optuna is not needed
            continue
    return found


def _details(view: ModelView, has_others: bool) -> list[Group]:
    of = f" of {view.goal.name}" if has_others else ""
    about = (
        f"Each dot is a trial, predicted from all the others (R² of {view.explained:.2f} on the "
        "scale of the model). A good model has its dots at the dashed line, and nine of ten "
        "intervals touch it. The command warpfront diagnose examines the model further."
    )
    held_out = Panel(draw_held_out(view), f"Observed against predicted {view.goal.name}.")
    groups = [Group(f"Predictions{of}", [about], [held_out])]
    text = describe_output(view)
    figure = Panel(draw_output(view), f"The outcome transform{of}.")
    groups.append(Group(f"Outcome transform{of}", [text], [figure]))
    groups.append(_warps(view, of))
    return groups


def _warps(view: ModelView, of: str) -> Group:
    """The Kumaraswamy curves."""
    heading, warps, names = f"Input warps{of}", view.warps, view.space.names
    if not warps:
        why = "The model has no input warp."
        if view.space.encoding.is_category[view.model.columns].sum() == len(view.order):
            why = "Only numeric parameters are warped, and there is none."
        return Group(heading, [why])
    text = (
        "Before the model compares two values of a parameter, it bends the axis: "
        "1 − (1 − xᵃ)ᵇ. Where the curve is steep, small changes matter more; the dashed line is "
        "no warp at all."
    )
    drawn = sorted(sorted(warps, key=lambda j: -bend(*warps[j]))[:MOST_WARPS])
    panels = [Panel(draw_warp(view, j), f"Input warp of {names[j]}.", kind="third") for j in drawn]
    rows = [[names[j], *(number(v, 3) for v in (*ab, bend(*ab)))] for j, ab in warps.items()]
    table = Table(f"Input warps{of}", ["parameter", "a", "b", "largest shift"], rows)
    return Group(heading, [text], panels, [table])


METHODS: dict[str, str] = {"BoxCox": "Box-Cox", "YeoJohnson": "Yeo-Johnson", "NoneType": "none"}


def describe_output(view: ModelView) -> str:
    """A few sentences on the outcome transform, and on what is not transformed."""
    transform: Any = view.model.transform
    what = "minus the value" if view.sign < 0 else "the value"
    notes = ""
    if view.penalties:
        notes = f" {view.penalties} values far beyond all others are penalties: failures."
    if transform.power is None:
        return f"{what[0].upper()}{what[1:]} is only standardised, not bent.{notes}"
    method = METHODS[type(transform.power).__name__]
    text = f"{method} of {what} with ζ = {number(transform.power.zeta, 3)}"
    worst = int(np.sum(view.sign * view.values > transform.cut))
    if worst:
        text += f", after the {worst} worst were cut at {number(view.sign * transform.cut)}"
    return (
        "The model is fitted to transformed values, which look more like a normal distribution. "
        f"{text}.{notes}"
    )
