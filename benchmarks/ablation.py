"""``python -m benchmarks ablation``: what each component of the paper's method is worth.

As in the paper, each component is taken out of the whole method, and each is put into the base,
which has none of them: the runs that are missing, then a table and a picture.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from benchmarks.records import Design
from benchmarks.report import command as report
from benchmarks.report import page, tables
from benchmarks.report.bootstrap import FEWEST, Estimate
from benchmarks.report.figures import DPI, WIDTH, finish, new_figure
from benchmarks.report.palette import GREY, look_of
from benchmarks.report.results import Results
from benchmarks.report.statistics import label_of, paired_difference, summaries
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
class Worth:
    """What one component is worth: how the score changes when it is removed, and when added."""

    component: str
    removed: Estimate | None
    added: Estimate | None
    tasks: int


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
    found = []
    for component in COMPONENTS:
        removed, tasks = paired_difference(results, without(component), WHOLE)
        added, more = paired_difference(results, with_only(component), BASE)
        found.append(Worth(component, removed, added, min(tasks, more)))
    return found


def write(results: Results, folder: Path, command: str) -> str:
    """Write page and picture into `folder`; return the page."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "\n\n".join(
        [
            f"# Ablation: {len(results.tasks)} tasks, {results.design.describe()}",
            f"Made by `{command}`.",
            page.pipes(table(worths(results))),
            NOTE,
            "![Change of the score](ablation.png)",
            page.pipes(means(results)),
            page.SCORE,
            *page.provenance(results),
        ]
    )
    (folder / "report.md").write_text(text + "\n", encoding="utf-8")
    draw(worths(results), folder / "ablation.png")
    return text + "\n"


def table(rows: Sequence[Worth]) -> tables.Table:
    """One line a component."""
    head = ["component", "removed from the whole [95 %]", "added to the base [95 %]", "tasks"]
    cells = (
        [row.component, tables.signed(row.removed), tables.signed(row.added), str(row.tasks)]
        for row in rows
    )
    return [head, *cells]


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
    sides: list[tuple[str, str, float, float, Callable[[Worth], Estimate | None]]] = [
        ("removed from the whole", look_of(WHOLE).colour, -0.17, -1.0, lambda row: row.removed),
        ("added to the base", GREY, 0.17, 1.0, lambda row: row.added),
    ]
    for label, colour, shift, sign, pick in sides:
        shown = [(i, worth) for i, row in enumerate(rows) if (worth := pick(row)) is not None]
        places = [i + shift for i, _ in shown]
        values = [sign * worth.value for _, worth in shown]
        axes.barh(places, values, height=0.3, color=colour, alpha=0.6, label=label)
        for place, (_, worth) in zip(places, shown, strict=True):
            if worth.ends is not None:
                ends = [sign * end for end in worth.ends]
                axes.plot(ends, [place, place], color="black", linewidth=1.2)
    axes.axvline(0.0, color="black", linewidth=0.8)
    axes.set_yticks(range(len(rows)), labels=[row.component for row in rows])
    axes.invert_yaxis()
    finish(axes, "score that the component brings, with its 95 % interval", "")
    axes.legend(frameon=False, fontsize=9)
    figure.savefig(path, dpi=DPI)
