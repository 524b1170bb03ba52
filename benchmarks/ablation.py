"""``python -m benchmarks ablation``: what each component of a method is worth.

Each component is taken out of the whole method: the runs that are missing, then a table and a
picture. The components of the paper's method are also put into a base that has none of them, as in
the paper; the default without all of its models and proposers would be nothing.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from benchmarks.methods.registry import PRESETS
from benchmarks.paper.results import picture
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

RIVAL = "turbo"
"""Stands beside the variants, as in the paper's figure."""

REMOVED = f"""\
*removed*: the whole method without the component, minus the whole method; a negative number is
what the component is worth there. Differences are paired by task; in brackets 95 % bootstrap
intervals over tasks, from {FEWEST} tasks on. *at the end*: the final score, in which one run that
never leaves a plateau weighs much. *course*: the mean of the score over all evaluations. *helps,
harms*: tasks on which the final score is higher with the component, and lower."""

ADDED = """\
*added*: the base with the component, minus the base, which has none of the components: standardised
losses, no input warp, expected improvement without noise."""


@dataclass(frozen=True)
class Study:
    """A method and its components.

    Parameters
    ----------
    whole
        The method.
    components
        The settings that take each out, by name.
    has_base
        Whether it can do without all of them.
    """

    whole: str
    components: Mapping[str, str]
    has_base: bool

    def without(self, *names: str) -> str:
        """The whole method without some of its components.

        Examples
        --------
        >>> PAPER.without("ensemble", "input warp")
        'warpfront-paper@acquisition=ei,input_warp=false'
        """
        changes = [self.components[name] for name in self.components if name in names]
        return f"{self.whole}@{','.join(changes)}"

    def with_only(self, component: str) -> str:
        """The base with one component.

        Examples
        --------
        >>> PAPER.with_only("output warp")
        'warpfront-paper@acquisition=ei,input_warp=false,robustness=none'
        """
        return self.without(*(name for name in self.components if name != component))

    @property
    def base(self) -> str:
        """The method without any."""
        return self.without(*self.components)

    @property
    def methods(self) -> tuple[str, ...]:
        """All that are compared."""
        added = (self.base, *map(self.with_only, self.components)) if self.has_base else ()
        return (self.whole, *map(self.without, self.components), *added, RIVAL)

    @property
    def note(self) -> str:
        """What the columns of the table mean."""
        return f"{REMOVED}\n{ADDED}" if self.has_base else REMOVED


PAPER = Study(
    "warpfront-paper",
    MappingProxyType(
        {
            "output warp": "output_warp=none",
            "ensemble": "acquisition=ei",
            "input warp": "input_warp=false",
            "robustness": "robustness=none",
        }
    ),
    has_base=True,
)
"""In the paper's order of importance. Expected improvement alone takes the place of the
ensemble."""


def _of_the_default() -> Study:
    settings = PRESETS["warpfront"]
    components = {f"proposer {name}": f"shares.{name}=0" for name in settings.shares}
    for name in settings.models:
        others = "+".join(other for other in settings.models if other != name)
        components[f"model {name}"] = f"models={others}"
    components["replication"] = "replicate=false"
    return Study("warpfront", MappingProxyType(components), has_base=False)


DEFAULT = _of_the_default()
"""Its proposers, its candidate models, and repeated measurements."""

ACQUISITION = Study(
    "warpfront-paper",
    MappingProxyType(
        {
            f"ensemble, by {name}": f"acquisition={name}"
            for name in ("lcb", "ei", "pi", "qucb", "qei", "qpi", "hedge")
        }
    ),
    has_base=False,
)
"""What else can stand in the place of the ensemble: one acquisition, of single points or of a joint
batch, and GP-Hedge."""

ROBUSTNESS = Study(
    "warpfront-paper",
    MappingProxyType(
        {
            "released noise, by none": "robustness=none",
            "released noise, by the theorem's": "rho=0.5",
            "released noise, by Monte Carlo": "robustness=monte-carlo",
        }
    ),
    has_base=False,
)
"""What else can stand in the place of the noise that the released code adds: no noise, the noise of
the theorem, and the expectation over perturbed models."""

STUDIES = MappingProxyType(
    {"paper": PAPER, "default": DEFAULT, "acquisition": ACQUISITION, "robustness": ROBUSTNESS}
)
"""By the name on the command line."""


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
        """On how many tasks it is known; of two steps the fewer."""
        return min((effect.tasks for effect in (self.removed, self.added) if effect), default=0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument(
        "--of", choices=list(STUDIES), default="paper", help="which method (the paper's)"
    )
    run.add_arguments_but_methods(parser)
    report.add_output(parser)


def execute(options: argparse.Namespace) -> int:
    """Make the runs, then the table and the picture; return the exit status."""
    study = STUDIES[options.of]
    options.methods = study.methods
    if status := run.execute(options):
        return status
    options.design = Design(options.batch, options.rounds, options.workers)
    results = report.gather(options, run.seeds_of(options))
    if results is None:
        return 1
    which = [] if study is PAPER else [options.of]
    name = "-".join(["ablation", *which, report.tier_of(options), str(results.design)])
    words = [*(["--of", *which] if which else []), *run.chosen(options)]
    command = shlex.join(["python", "-m", "benchmarks", "ablation", *words])
    text = write(study, results, options.output / name, command)
    print(text, end="")
    return 0


def worths(study: Study, results: Results) -> list[Worth]:
    """All components, in the order of the study."""
    return [
        Worth(
            component,
            removed=Effect.of(results, study.without(component), study.whole),
            added=_added(study, results, component),
        )
        for component in study.components
    ]


def _added(study: Study, results: Results, component: str) -> Effect | None:
    if not study.has_base:
        return None
    return Effect.of(results, study.with_only(component), study.base)


def write(study: Study, results: Results, folder: Path, command: str) -> str:
    """Write page and picture into `folder`; return the page."""
    folder.mkdir(parents=True, exist_ok=True)
    found = worths(study, results)
    size = f"{len(results.tasks)} tasks, {results.design.describe()}"
    text = "\n\n".join(
        [
            f"# Ablation of {label_of(study.whole)}: {size}",
            f"Made by `{command}`.",
            page.pipes(table(study, found)),
            study.note,
            picture("ablation", "change of the score by component"),
            page.pipes(contrasts(study, results)),
            page.pipes(means(study, results)),
            page.SCORE,
            *page.provenance(results),
        ]
    )
    (folder / "report.md").write_text(text + "\n", encoding="utf-8")
    draw(study, found, folder / "ablation.png")
    return text + "\n"


def table(study: Study, rows: Sequence[Worth]) -> tables.Table:
    """One line a component."""
    head = ["component", "removed: at the end [95 %]", "course [95 %]", "helps, harms"]
    if study.has_base:
        head += ["added: at the end [95 %]", "course [95 %]", "helps, harms"]
    table = [[*head, "tasks"]]
    for row in rows:
        cells = _cells(row.removed, helps="worse")
        cells += _cells(row.added, helps="better") if study.has_base else []
        table.append([row.component, *cells, str(row.tasks)])
    return table


def _cells(effect: Effect | None, *, helps: Literal["better", "worse"]) -> list[str]:
    """Of a step towards a component, which helps where it is better, or away from it."""
    if effect is None:
        return [tables.MISSING] * 3
    counts = (effect.better, effect.worse) if helps == "better" else (effect.worse, effect.better)
    return [tables.signed(effect.end), tables.signed(effect.course), "{}, {}".format(*counts)]


def contrasts(study: Study, results: Results) -> tables.Table:
    """Whether two components differ: a line a pair; and what all of them bring together."""

    def worth(method: str, other: str) -> str:
        return tables.signed(paired_difference(results, method, other)[0])

    head = ["which is worth more: the first if positive", "by removal [95 %]"]
    lines = [
        [f"{one} rather than {other}", worth(study.without(other), study.without(one))]
        for one, other in combinations(study.components, 2)
    ]
    if not study.has_base:
        return [head, *lines]
    for line, (one, other) in zip(lines, combinations(study.components, 2), strict=True):
        line.append(worth(study.with_only(one), study.with_only(other)))
    together = worth(study.whole, study.base)
    last = ["all together: the whole minus the base", together, together]
    return [[*head, "by addition [95 %]"], *lines, last]


def means(study: Study, results: Results) -> tables.Table:
    """The mean scores of all variants and of the rival, the highest first."""
    names = {study.whole: "whole", RIVAL: label_of(RIVAL)}
    names |= {study.without(name): f"whole without {name}" for name in study.components}
    if study.has_base:
        names[study.base] = "base"
        names |= {study.with_only(name): f"base with {name}" for name in study.components}
    rows = [row for row in summaries(results) if row.method in names]
    lines = (
        [names[row.method], tables.extent(results, row), tables.interval(row.mean)] for row in rows
    )
    return [["method", "tasks × seeds", "mean score [95 %]"], *lines]


def draw(study: Study, rows: Sequence[Worth], path: Path) -> None:
    """A bar for each step of each component, towards the right where it helps."""
    figure = new_figure(WIDTH, 0.75 * len(rows) + 1.2)
    axes = figure.subplots()
    sides: list[tuple[str, str, float, float, Callable[[Worth], Effect | None]]] = [
        (
            "removed from the whole",
            look_of(study.whole).colour,
            -0.17,
            -1.0,
            lambda row: row.removed,
        ),
        ("added to the base", GREY, 0.17, 1.0, lambda row: row.added),
    ]
    for label, colour, shift, sign, pick in sides if study.has_base else sides[:1]:
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
