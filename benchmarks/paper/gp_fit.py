"""``python -m benchmarks paper gp-fit``: whether output transform and input warp improve the fit.

As in the paper (section 3, table "stat"): GPs with and without each of them on samples of a task,
and a t-test over repetitions. Here a repetition is a random split of 128 samples: the GP is fitted
to three quarters, and scored by its log marginal likelihood there and by the log predictive
density of the rest.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.options import positive
from benchmarks.paper import options as shared
from benchmarks.paper import printed
from benchmarks.paper.model import OPTIONS
from benchmarks.paper.results import Findings, picture, publish
from benchmarks.paper.samples import Sampled, add_samples, derive, name_from
from benchmarks.report.figures import DPI, WIDTH, finish, new_figure
from benchmarks.report.page import pipes
from benchmarks.report.sheets import write_sheet
from benchmarks.report.tables import Table
from warpfront.diagnostics.comparison import Comparison, paired_comparison
from warpfront.diagnostics.fit import CAUCHY_SHARE, HELD_OUT_SHARE, fit_scores
from warpfront.surrogate.options import ModelOptions

ITEM = "gp-fit"

SMALL, FULL = 10, 20
"""Splits of the two sizes; the paper does not give its number."""

VARIANTS: Mapping[str, ModelOptions] = {
    "plain": replace(OPTIONS, output_warp="none", input_warp=False),
    "output transform": replace(OPTIONS, input_warp=False),
    "input warp": replace(OPTIONS, output_warp="none"),
}
"""The GP of the paper without either component, and with one of them."""

METRICS = {"marginal": "log marginal likelihood", "held_out": "held-out log density"}

COLOURS = ("#0072B2", "#D55E00")

OVERLAP = HELD_OUT_SHARE / (1.0 - HELD_OUT_SHARE)
"""Held-out samples for each one in the training part of a split."""

VERDICTS = ("better", "significantly better", "worse", "significantly worse", "no difference")

TESTS = {"paired t-test": 0.0, "corrected": OVERLAP}
"""The overlap of the splits by which each reckons."""

NOTE = f"""\
Each component is added to the paper's GP without either. *Better* and *worse* include the
significant ones, as in the paper. *No difference*: the scores are the same on all splits, as where
the best power is so extreme that rounding would leave one value only, and the losses are
standardised instead; the paper's counts leave no task for it. Densities are of the raw losses: an
output transform's Jacobian is part of them, without which likelihoods under different transforms
have nothing in common; the paper does not say whether it counted it. *Paired t-test*: the paper's,
at 5 % two-sided, as if the splits were independent. *Corrected*: with the variance that overlapping
splits really have (Nadeau and Bengio). The marginal likelihood is that of the fitted
hyper-parameters on the data they were fitted to, so a warp with parameters of its own cannot lose
much by it: the held-out density can show a harm that it hides. The *held-out log density* is that
of a mixture: {1.0 - CAUCHY_SHARE:.0%} the GP's forecast and
{CAUCHY_SHARE:.0%} a Cauchy distribution with the median and the interquartile range of the
training losses, the same for all GPs, so that no single loss decides; the paper mentions nothing of
the kind."""


@dataclass(frozen=True)
class Fits:
    """The fits of one task."""

    sampled: Sampled
    splits: int

    @property
    def name(self) -> str:
        """Path of its file."""
        return name_from(self, ITEM, __file__, self.splits)

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        return 0.3 * self.splits * len(VARIANTS)

    def compute(self) -> dict[str, Any]:
        """Scores by variant and metric, one a split."""
        history = self.sampled.history()
        found = {}
        for name, options in VARIANTS.items():
            scores = fit_scores(history, options, splits=self.splits)
            found[name] = {metric: getattr(scores, metric).tolist() for metric in METRICS}
        return {"scores": found}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    shared.add_size(parser, f"the quick tier, {SMALL} splits", f"all 108 tasks, {FULL} splits")
    shared.add_tasks(parser)
    parser.add_argument("--splits", type=positive, metavar="N", help="random splits of a task")
    add_samples(parser)
    shared.add_work(parser)
    shared.add_output(parser)


def execute(options: argparse.Namespace) -> int:
    """Fit what is missing, then write the table; return the exit status."""
    splits = options.splits or (FULL if options.full else SMALL)
    found = derive(shared.tasks_of(options), options, lambda sampled: Fits(sampled, splits))
    options.splits = options.splits if options.full else splits
    scores = {task: kept["scores"] for task, kept in found.items()}
    write_sheet(options.output / f"{ITEM}.csv", *_sheet(scores))
    draw(scores, options.output / f"{ITEM}.png")
    findings = Findings(
        item=ITEM,
        title="Do output transform and input warp improve the fit?",
        size=f"{len(scores)} of 108 tasks, {options.samples} samples each, {splits} splits",
        brief=f"{pipes(table(scores))}\n\n{NOTE}",
        rest=[picture(ITEM, "what each component gains on each task")],
    )
    return publish(findings, options, ["full", "tier", "tasks", "without", "splits", "samples"])


Scores = Mapping[str, Mapping[str, Sequence[float]]]
"""By variant and metric."""


def compare(scores: Scores, component: str, metric: str, overlap: float) -> Comparison:
    """The GP with a component against the plain one."""
    return paired_comparison(scores[component][metric], scores["plain"][metric], overlap=overlap)


def count(comparisons: Sequence[Comparison]) -> tuple[int, ...]:
    """How many belong into each column of the table.

    Examples
    --------
    >>> clear, vague = paired_comparison([3.0, 3.1], [1.0, 1.0]), paired_comparison([1, 0], [0, 2])
    >>> count([clear, vague, vague])
    (1, 1, 2, 0, 0)
    """
    verdicts = [one.verdict for one in comparisons]
    better, worse = verdicts.count("significantly better"), verdicts.count("significantly worse")
    return (
        better + verdicts.count("better"),
        better,
        worse + verdicts.count("worse"),
        worse,
        verdicts.count("no difference"),
    )


def table(found: Mapping[str, Scores]) -> Table:
    """The paper's table, and ours by metric and test."""
    lines = [["component", "measured by", "tasks", *VERDICTS]]
    for component, theirs in printed.GP_FIT.items():
        cells = _shares([*theirs, 108 - theirs[0] - theirs[2]], 108)
        lines.append([f"**{component}**", "the paper", "108", *cells])
        for metric, label in METRICS.items():
            for test, overlap in TESTS.items():
                comparisons = [
                    compare(scores, component, metric, overlap) for scores in found.values()
                ]
                cells = _shares(count(comparisons), len(found))
                lines.append([component, f"{label}, {test}", str(len(found)), *cells])
    return lines


def draw(found: Mapping[str, Scores], path: Path) -> None:
    """What each component brings on each task, with its 95 % interval, by both measures."""
    figure = new_figure(WIDTH, max(2.4, 0.16 * len(found) + 1.2))
    for axes, component in zip(figure.subplots(1, 2, sharey=True), printed.GP_FIT, strict=True):
        for shift, (metric, label), colour in zip(
            (-0.15, 0.15), METRICS.items(), COLOURS, strict=True
        ):
            gains = [compare(scores, component, metric, OVERLAP) for scores in found.values()]
            places = np.arange(len(gains)) + shift
            axes.hlines(places, [g.low for g in gains], [g.high for g in gains], color=colour)
            axes.scatter([g.difference for g in gains], places, s=12, color=colour, label=label)
        axes.axvline(0.0, color="black", linewidth=0.8)
        axes.set_xscale("symlog", linthresh=0.1)
        axes.set_title(component, fontsize=10)
        finish(axes, "gain in log density for each loss", "")
    axes.set_yticks(range(len(found)), labels=list(found), fontsize=7)
    axes.invert_yaxis()
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, fontsize=8, frameon=False)
    figure.savefig(path, dpi=DPI)


def _shares(counts: Sequence[int], total: int) -> list[str]:
    return [f"{count} ({count / total:.0%})" for count in counts]


def _sheet(found: Mapping[str, Scores]) -> tuple[list[str], list[list[str | int | float | None]]]:
    head = ["task", "component", "metric", "plain", "with_component", "difference"]
    for test in ("t_test", "corrected"):
        head += [f"{test}_{name}" for name in ("low", "high", "p_value", "verdict")]
    rows: list[list[str | int | float | None]] = []
    for task, scores in found.items():
        for component in printed.GP_FIT:
            for metric in METRICS:
                means = [float(np.mean(scores[name][metric])) for name in ("plain", component)]
                both = [compare(scores, component, metric, o) for o in TESTS.values()]
                row: list[str | int | float | None] = [
                    task,
                    component,
                    metric,
                    *means,
                    both[0].difference,
                ]
                for one in both:
                    row += [one.low, one.high, one.p_value, one.verdict]
                rows.append(row)
    return head, rows
