"""``python -m benchmarks ablation``: what each component of the paper's method is worth.

As in the paper, each component is taken out of the whole method, and each is put into the base,
which has none of them: the runs that are missing, then a table and a picture.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from benchmarks.records import Design
from benchmarks.report import command as report
from benchmarks.report import page, tables
from benchmarks.report.bootstrap import FEWEST, Estimate
from benchmarks.report.figures import DPI, WIDTH, finish, new_figure
from benchmarks.report.palette import GREY, look_of
from benchmarks.report.results import Results
from benchmarks.report.statistics import (
    better_and_worse,
    label_of,
    mean_score,
    paired_difference,
    summaries,
)
from benchmarks.run import command as run

WHOLE = "warpfront-paper"

COMPONENTS = MappingProxyType(
    {
        "output warp": "output_warp=none",
        "ensemble": "acquisition=ei",
        "input warp": "input_warp=false",
        "robustness": "robustness=none",
    }
)
"""What takes each out, in the paper's order of importance. Expected improvement alone takes the
place of the ensemble."""

NOTE = f"""\
*removed*: the whole method without the component, minus the whole method; a negative number is
what the component is worth there. *added*: the base with the component, minus the base. Both are
paired by task; in brackets 95 % bootstrap intervals over tasks, from {FEWEST} tasks on.
*at the end*: the final score, in which one run that never leaves a plateau weighs much. *course*:
the mean of the score over all evaluations. *helps, harms*: tasks on which the final score is higher
with the component, and lower.
The base has none of the components: standardised losses, no input warp, expected
improvement without noise."""


def without(*components: str) -> str:
    """The whole method without some of its components.

    Examples
    --------
    >>> without("ensemble", "input warp")
    'warpfront-paper@acquisition=ei,input_warp=false'
    """
    return f"{WHOLE}@{','.join(COMPONENTS[name] for name in COMPONENTS if name in components)}"


def with_only(component: str) -> str:
    """The base with one component.

    Examples
    --------
    >>> with_only("output warp")
    'warpfront-paper@acquisition=ei,input_warp=false,robustness=none'
    """
    return without(*(name for name in COMPONENTS if name != component))


BASE = without(*COMPONENTS)
RIVAL = "turbo"
"""Stands beside the variants, as in the paper's figure."""

METHODS = (WHOLE, *map(without, COMPONENTS), BASE, *map(with_only, COMPONENTS), RIVAL)


@dataclass(frozen=True)
class Effect:
    """How scores change by a step: at the end, over the course, and on how many tasks.

    There is no course where it is known of no run.
    """

    end: Estimate
    course: Estimate | None
    better: int
    worse: int
    tasks: int

    @classmethod
    def of(cls, results: Results, method: str, other: str) -> Effect | None:
        """Of the step from another method to this one; None without a common task."""
        end, tasks = paired_difference(results, method, other)
        if end is None:
            return None
        course, _ = paired_difference(results.with_curves(), method, other, mean_score)
        better, worse = better_and_worse(results, method, other)
        return cls(end, course, better, worse, tasks)


@dataclass(frozen=True)
class Worth:
    """What one component is worth: how the score changes when it is removed, and when added."""

    component: str
    removed: Effect | None
    added: Effect | None

    @property
    def tasks(self) -> int:
        """On how many both are known."""
        return min(effect.tasks if effect else 0 for effect in (self.removed, self.added))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    run.add_arguments_but_methods(parser)
    report.add_output(parser)


def execute(options: argparse.Namespace) -> int:
    """Make the runs, then the table and the picture; return the exit status."""
    options.methods = METHODS
    if status := run.execute(options):
        return status
    options.design = Design(options.batch, options.rounds, options.workers)
    results = report.gather(options, run.seeds_of(options))
    if results is None:
        return 1
    folder = options.output / f"ablation-{report.tier_of(options)}-{results.design}"
    command = shlex.join(["python", "-m", "benchmarks", "ablation", *run.chosen(options)])
    text = write(results, folder, command)
    print(text, end="")
    return 0


def worths(results: Results) -> list[Worth]:
    """All components, in the paper's order."""
    return [
        Worth(
            component,
            removed=Effect.of(results, without(component), WHOLE),
            added=Effect.of(results, with_only(component), BASE),
        )
        for component in COMPONENTS
    ]


def write(results: Results, folder: Path, command: str) -> str:
    """Write page and picture into `folder`; return the page."""
    folder.mkdir(parents=True, exist_ok=True)
    found = worths(results)
    text = "\n\n".join(
        [
            f"# Ablation: {len(results.tasks)} tasks, {results.design.describe()}",
            f"Made by `{command}`.",
            page.pipes(table(found)),
            NOTE,
            "![Change of the score](ablation.png)",
            page.pipes(contrasts(results)),
            page.pipes(means(results)),
            page.SCORE,
            *page.provenance(results),
        ]
    )
    (folder / "report.md").write_text(text + "\n", encoding="utf-8")
    draw(found, folder / "ablation.png")
    return text + "\n"


def table(rows: Sequence[Worth]) -> tables.Table:
    """One line a component."""
    head = ["component", "removed: at the end [95 %]", "course [95 %]", "helps, harms"]
    head += ["added: at the end [95 %]", "course [95 %]", "helps, harms", "tasks"]
    table = [head]
    for row in rows:
        removed, added = _cells(row.removed, helps="worse"), _cells(row.added, helps="better")
        table.append([row.component, *removed, *added, str(row.tasks)])
    return table


def _cells(effect: Effect | None, *, helps: Literal["better", "worse"]) -> list[str]:
    """Of a step towards a component, which helps where it is better, or away from it."""
    if effect is None:
        return [tables.MISSING] * 3
    counts = (effect.better, effect.worse) if helps == "better" else (effect.worse, effect.better)
    return [tables.signed(effect.end), tables.signed(effect.course), "{}, {}".format(*counts)]


def contrasts(results: Results) -> tables.Table:
    """Whether two components differ: a line a pair; and what all of them bring together."""

    def worth(method: str, other: str) -> str:
        return tables.signed(paired_difference(results, method, other)[0])

    head = ["which is worth more: the first if positive", "by removal [95 %]", "by addition [95 %]"]
    lines = [
        [
            f"{one} rather than {other}",
            worth(without(other), without(one)),
            worth(with_only(one), with_only(other)),
        ]
        for one, other in combinations(COMPONENTS, 2)
    ]
    together = worth(WHOLE, BASE)
    return [head, *lines, ["all together: the whole minus the base", together, together]]


def means(results: Results) -> tables.Table:
    """The mean scores of all variants and of the rival, the highest first."""
    names = {WHOLE: "whole", BASE: "base", RIVAL: label_of(RIVAL)}
    names |= {without(name): f"whole without {name}" for name in COMPONENTS}
    names |= {with_only(name): f"base with {name}" for name in COMPONENTS}
    rows = [row for row in summaries(results) if row.method in names]
    lines = (
        [names[row.method], tables.extent(results, row), tables.interval(row.mean)] for row in rows
    )
    return [["method", "tasks × seeds", "mean score [95 %]"], *lines]


def draw(rows: Sequence[Worth], path: Path) -> None:
    """Two bars a component, towards the right where it helps."""
    figure = new_figure(WIDTH, 0.75 * len(rows) + 1.2)
    axes = figure.subplots()
    sides: list[tuple[str, str, float, float, Callable[[Worth], Effect | None]]] = [
        ("removed from the whole", look_of(WHOLE).colour, -0.17, -1.0, lambda row: row.removed),
        ("added to the base", GREY, 0.17, 1.0, lambda row: row.added),
    ]
    for label, colour, shift, sign, pick in sides:
        shown = [(i, effect) for i, row in enumerate(rows) if (effect := pick(row)) is not None]
        places = [i + shift for i, _ in shown]
        values = [sign * effect.end.value for _, effect in shown]
        axes.barh(places, values, height=0.3, color=colour, alpha=0.6, label=label)
        for place, (_, effect) in zip(places, shown, strict=True):
            if effect.end.ends is not None:
                ends = [sign * end for end in effect.end.ends]
                axes.plot(ends, [place, place], color="black", linewidth=1.2)
            if effect.course is not None:
                axes.plot(sign * effect.course.value, place, "D", color="white", mec="black", ms=5)
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(rows)), labels=[row.component for row in rows])
    axes.invert_yaxis()
    finish(
        axes,
        "score that the component brings, 95 % interval; diamond: over the course",
        "",
    )
    axes.legend(frameon=False, fontsize=9)
    figure.savefig(path, dpi=DPI)
