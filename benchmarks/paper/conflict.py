"""``python -m benchmarks paper conflict``: where EI, PI and UCB want different things.

The paper's figure "AcqF" (section 3.3): 128 samples of a task, a GP on 32 of them, and the three
acquisitions over two parameters.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.paper import options as shared
from benchmarks.paper.model import fit_paper_model
from benchmarks.paper.results import Findings, picture, publish
from benchmarks.paper.samples import Sampled, add_samples, derive, name_from
from benchmarks.report.bootstrap import Floats
from benchmarks.report.figures import DPI, new_figure
from benchmarks.report.page import pipes
from benchmarks.report.sheets import write_sheet
from benchmarks.report.tables import MISSING, Table
from benchmarks.tasks.registry import TASKS
from warpfront.diagnostics.conflict import POINTS, TOP, acquisition_conflict

ITEM = "conflict"

OBSERVATIONS = 32
"""Of the samples, that the GP is fitted to."""

SMALL_TASKS = ("kNN_wine_nll", "kNN_iris_acc", "MLP-sgd_iris_nll", "SVM_boston_mae")
"""Data sets and models of the paper's figure, as far as they are cheap."""

MOST_DRAWN = 8
"""Rows of the picture."""

MARKS = {"EI": ("o", 170, "#D55E00"), "PI": ("s", 80, "#56B4E9"), "UCB": ("D", 22, "#E69F00")}
"""Marker, size and colour of each optimum; they fit into each other where the optima are one."""

NOTE = f"""\
The GP is the paper's, on {OBSERVATIONS} samples; the two parameters are the first two of the task,
the others as in the best sample. *Correlation*: Spearman's, of two acquisitions over the grid; 1
means that they order all configurations alike. *Place of an optimum*: the share of the grid that
one acquisition holds better than the best point of another, the largest of the six; 0 means that
all want the same point. They conflict where it is above {TOP:.0%}. The paper shows examples and no
numbers; it says that the optima differ and may be opposed."""


@dataclass(frozen=True)
class Maps:
    """The acquisitions of one task over its first two parameters."""

    sampled: Sampled
    points: int = POINTS

    @property
    def name(self) -> str:
        """Path of its file."""
        return name_from(self, ITEM, __file__, self.points)

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        return 0.5

    def compute(self) -> dict[str, Any]:
        """The maps, their optima and how they agree."""
        history = self.sampled.history(OBSERVATIONS)
        first, second = list(TASKS[self.sampled.task].space)[:2]
        model = fit_paper_model(history)
        found = acquisition_conflict(model, first, second, told=history.told, points=self.points)
        return {
            "parameters": list(found.parameters),
            "x": found.x.tolist(),
            "y": found.y.tolist(),
            "values": {name: np.round(v, 4).tolist() for name, v in found.values.items()},
            "optima": {name: list(place) for name, place in found.optima.items()},
            "correlations": {
                f"{one} {other}": value if np.isfinite(value) else None
                for (one, other), value in found.correlations.items()
            },
            "places": {f"{one} {other}": value for (one, other), value in found.places.items()},
            "conflicting": bool(found.is_conflicting),
        }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    shared.add_size(parser, f"{len(SMALL_TASKS)} cheap tasks", "all 108 tasks")
    shared.add_tasks(parser)
    add_samples(parser)
    shared.add_work(parser)
    shared.add_output(parser)


def execute(options: argparse.Namespace) -> int:
    """Compute what is missing, then table and picture; return the exit status."""
    found = derive(shared.tasks_of(options, SMALL_TASKS), options, Maps)
    write_sheet(options.output / f"{ITEM}.csv", *_sheet(found))
    draw(found, options.output / f"{ITEM}.png")
    findings = Findings(
        item=ITEM,
        title="Where EI, PI and UCB want different things",
        size=f"{len(found)} of 108 tasks, GP on {min(OBSERVATIONS, options.samples)} of "
        f"{options.samples} samples each",
        brief=f"{pipes(by_model(found))}\n\n{NOTE}",
        rest=[
            "## Task by task",
            pipes(table(found)),
            picture(ITEM, "the three acquisitions over two parameters, with their optima"),
            "Darker is better, by rank; the axes run from the lowest to the highest value of a "
            "parameter, on its own scale.",
        ],
    )
    return publish(findings, options, ["full", "tier", "tasks", "without", "samples"])


Map = Mapping[str, Any]
"""What is kept of a task."""


def table(found: Mapping[str, Map]) -> Table:
    """How many tasks conflict, and how the acquisitions agree on each."""
    pairs = list(next(iter(found.values()))["correlations"])
    head = ["task", "parameters", *(f"correlation {pair.replace(' ', ', ')}" for pair in pairs)]
    lines = [[*head, "place of an optimum", "conflict"]]
    for task, one in found.items():
        cells = [_number(one["correlations"][pair]) for pair in pairs]
        worst = max(one["places"].values())
        told = "yes" if one["conflicting"] else "no"
        lines.append([task, ", ".join(one["parameters"]), *cells, f"{worst:.0%}", told])
    counted = sum(one["conflicting"] for one in found.values())
    means = [_mean([one["correlations"][pair] for one in found.values()]) for pair in pairs]
    return [*lines, ["all", MISSING, *means, MISSING, f"{counted} of {len(found)}"]]


def by_model(found: Mapping[str, Map]) -> Table:
    """On how many tasks of each model they conflict, and how they agree there on average."""
    pairs = list(next(iter(found.values()))["correlations"])
    head = ["model", "tasks", *(f"mean correlation {pair.replace(' ', ', ')}" for pair in pairs)]
    lines = [[*head, "tasks that conflict"]]
    groups: dict[str, list[Map]] = {}
    for task, one in found.items():
        groups.setdefault(TASKS[task].model, []).append(one)
    for model, some in [*groups.items(), ("all", list(found.values()))]:
        means = [_mean([one["correlations"][pair] for one in some]) for pair in pairs]
        counted = sum(one["conflicting"] for one in some)
        lines.append([model, str(len(some)), *means, f"{counted} ({counted / len(some):.0%})"])
    return lines


def draw(found: Mapping[str, Map], path: Path) -> None:
    """A row a task, a column an acquisition; crosses mark the optima of all three."""
    shown = dict(list(found.items())[:MOST_DRAWN])
    figure = new_figure(9.0, 2.5 * len(shown) + 0.4)
    rows = figure.subplots(len(shown), len(MARKS), squeeze=False)
    for row, (task, one) in zip(rows, shown.items(), strict=True):
        x, y = np.array(one["x"]), np.array(one["y"])
        for axes, name in zip(row, MARKS, strict=True):
            axes.pcolormesh(x, y, _ranks(one["values"][name]), cmap="Greys", shading="nearest")
            for other, (marker, size, colour) in MARKS.items():
                i, j = one["optima"][other]
                axes.scatter(
                    [x[j]],
                    [y[i]],
                    marker=marker,
                    s=size,
                    facecolor="none",
                    edgecolor=colour,
                    linewidth=2.2,
                    clip_on=False,
                    label=other,
                    zorder=3,
                )
            axes.set_title(f"{name}, {task}", fontsize=8, pad=3)
            axes.set_xlabel(one["parameters"][0], fontsize=8)
            axes.set_ylabel(one["parameters"][1], fontsize=8)
            axes.tick_params(labelsize=7)
    handles, labels = rows.flat[0].get_legend_handles_labels()
    figure.legend(
        handles,
        [f"optimum of {label}" for label in labels],
        loc="outside upper center",
        ncols=len(MARKS),
        fontsize=8,
        frameon=False,
    )
    figure.savefig(path, dpi=DPI)


def _ranks(values: Sequence[Sequence[float]]) -> Floats:
    """The share of the grid that is worse: acquisitions differ in units, ranks do not."""
    from scipy.stats import rankdata

    array = np.array(values)
    return np.asarray(rankdata(array).reshape(array.shape)) / array.size


def _number(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return _number(float(np.mean(known)) if known else None)


def _sheet(found: Mapping[str, Map]) -> tuple[list[str], list[list[str | int | float | None]]]:
    one = next(iter(found.values()))
    pairs, places = list(one["correlations"]), list(one["places"])
    head = ["task", "first", "second", *(f"correlation {pair}" for pair in pairs)]
    head += [*(f"place of {pair.replace(' ', ' in ')}" for pair in places), "conflicting"]
    rows: list[list[str | int | float | None]] = []
    for task, kept in found.items():
        correlations = [kept["correlations"][pair] for pair in pairs]
        shares = [kept["places"][pair] for pair in places]
        rows.append([task, *kept["parameters"], *correlations, *shares, int(kept["conflicting"])])
    return head, rows
