"""``python -m benchmarks paper grid``: the 36 panels of the 16 x 8 experiment.

A panel is a model on a data set; as in the paper each seed is averaged over both metrics. The
small size makes the runs that are missing; others are read from the records of
``python -m benchmarks run``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.baseline.pair import pairs_of
from benchmarks.paper import sixteen_by_eight
from benchmarks.paper.results import Findings, picture
from benchmarks.report import figures
from benchmarks.report.bootstrap import Floats
from benchmarks.report.page import only_ends, pipes
from benchmarks.report.results import Results, Run
from benchmarks.report.sheets import write_sheet
from benchmarks.report.statistics import BASELINE, best_on, label_of, task_means
from benchmarks.report.tables import MISSING, Table, number

ITEM = "grid"
PANELS = 36
"""As many as the paper shows of its 54; it does not say which."""

add_arguments = sixteen_by_eight.add_arguments

NOTE = f"""\
At most {PANELS} panels, spread evenly over the models on data sets that have runs; a panel's curve
is the mean over seeds of the mean over its metrics. *Highest in*: a tie counts for each; variants
of {BASELINE} are set against the other methods, not against each other, and the others against
{BASELINE} itself. The paper prints no numbers for its figure; it says that HEBO has the highest
mean score on 68.5 % of the tasks, for which see `best-counts`."""


def execute(options: argparse.Namespace) -> int:
    """Write the page and return the exit status."""
    return sixteen_by_eight.make(ITEM, report, options)


def report(results: Results, folder: Path) -> Findings:
    """Draw the picture and write its last points; return the page."""
    complete = results.complete()
    pairs = over_metrics(replace(results, runs={name: results.runs[name] for name in complete}))
    shown = choose(pairs)
    figures.draw_tasks(shown, folder / f"{ITEM}.png")
    means = {name: task_means(pairs, name) for name in complete}
    write_sheet(
        folder / f"{ITEM}.csv",
        ["panel", *complete, "random_expected"],
        [
            [pair, *(means[name][i] for name in complete), float(pairs.random[i, -1])]
            for i, pair in enumerate(pairs.tasks)
        ],
    )
    return Findings(
        item=ITEM,
        title="The 16 × 8 experiment: model by model, data set by data set",
        size=f"{sixteen_by_eight.size_of(results)}; {len(shown.tasks)} panels",
        brief=f"{pipes(table(pairs, means))}\n\n{_not_drawn(shown)}"
        f"{sixteen_by_eight.left_out(results)}{NOTE}",
        rest=[picture(ITEM, f"scores against evaluations in {len(shown.tasks)} panels")],
    )


def over_metrics(results: Results) -> Results:
    """The results with a pair in the place of its tasks: each seed averaged over its metrics."""
    pairs = {pair.name: {task.name for task in pair.tasks} for pair in pairs_of(results.tasks)}
    runs = {}
    for method in results.runs:
        merged = []
        for name, tasks in pairs.items():
            here = tasks & set(results.tasks)
            by_seed: dict[int, list[Run]] = {}
            for run in results.runs[method]:
                if run.key.task in here:
                    by_seed.setdefault(run.key.seed, []).append(run)
            merged += [
                replace(
                    both[0],
                    key=replace(both[0].key, task=name),
                    score=float(np.mean([run.score for run in both])),
                    curve=_mean_curve(both),
                )
                for both in by_seed.values()
                if len(both) == len(here)
            ]
        if merged:
            runs[method] = tuple(merged)
    of_pair = [
        [i for i, task in enumerate(results.tasks) if task in tasks] for tasks in pairs.values()
    ]
    random = np.array([results.random[rows].mean(axis=0) for rows in of_pair])
    return replace(results, tasks=tuple(pairs), runs=runs, random=random, random_kit=None)


def choose(pairs: Results) -> Results:
    """At most so many panels as the paper shows, spread evenly."""
    kept = np.unique(np.linspace(0, len(pairs.tasks) - 1, PANELS).round().astype(int))
    names = tuple(pairs.tasks[i] for i in kept)
    runs = {
        method: tuple(run for run in of_method if run.key.task in names)
        for method, of_method in pairs.runs.items()
    }
    runs = {method: of_method for method, of_method in runs.items() if of_method}
    return replace(pairs, tasks=names, runs=runs, random=pairs.random[kept])


def table(pairs: Results, means: dict[str, list[float]]) -> Table:
    """On how many panels each method with all of them ends highest, and its mean there."""
    lines = [["method", f"mean of {len(pairs.tasks)} panels", "highest in"]]
    if not means:
        return [*lines, [MISSING] * 3]
    won = best_on(pairs)
    for name, scores in sorted(means.items(), key=lambda item: -float(np.mean(item[1]))):
        lines.append([label_of(name), number(float(np.mean(scores))), str(won[name][0])])
    return lines


def _mean_curve(runs: Sequence[Run]) -> Floats | None:
    """None if the curve of one of them is not known."""
    curves = [run.curve for run in runs if run.curve is not None]
    return np.asarray(np.mean(curves, axis=0)) if len(curves) == len(runs) else None


def _not_drawn(shown: Results) -> str:
    sentence = only_ends(shown)
    return f"{sentence}\n\n" if sentence else ""
