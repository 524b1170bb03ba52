"""``python -m benchmarks paper acquisitions``: GP-Hedge, its arms, joint batches, the ensemble.

The paper says of GP-Hedge that it performs "poorly when compared against individual acquisitions"
(section 4.2), and names scikit-optimize's. Here our own hedge stands beside its arms, and that of
scikit-optimize beside its. The acquisitions of a joint batch (section 2.2) stand beside the
ensemble, whose batches come from one Pareto front.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from benchmarks.options import positive
from benchmarks.paper import options as shared
from benchmarks.paper import runs, sixteen_by_eight
from benchmarks.paper.results import Findings, publish
from benchmarks.report.bootstrap import FEWEST
from benchmarks.report.page import SCORE, pipes, provenance
from benchmarks.report.paper import DESIGN
from benchmarks.report.results import Results
from benchmarks.report.sheets import three, write_sheet
from benchmarks.report.statistics import TIE, better_and_worse, paired_difference, summaries
from benchmarks.report.tables import Table, interval, seconds, signed

ITEM = "acquisitions"
SMALL_TASKS = ("kNN_wine_acc",)
FULL_SEEDS = 5

ENSEMBLE = "warpfront-paper"


def _ours(acquisition: str) -> str:
    return f"{ENSEMBLE}@acquisition={acquisition}"


HEDGE = _ours("hedge")
ARMS = MappingProxyType({_ours("ei"): "EI", _ours("pi"): "PI", _ours("lcb"): "UCB"})
BATCHES = MappingProxyType({_ours("qei"): "q-EI", _ours("qpi"): "q-PI", _ours("qucb"): "q-UCB"})
OURS = MappingProxyType({HEDGE: "GP-Hedge", **ARMS, ENSEMBLE: "ensemble", **BATCHES})
"""What each of our methods is called in the table."""

SKOPT = "skopt"
SKOPT_ARMS = MappingProxyType({"skopt-ei": "EI", "skopt-pi": "PI", "skopt-lcb": "LCB"})
THEIRS = MappingProxyType({SKOPT: "GP-Hedge", **SKOPT_ARMS})

NOTE = f"""\
The differences are paired by task; in brackets 95 % bootstrap intervals over tasks and seeds, from
{FEWEST} tasks on. *higher, lower*: on how many tasks the mean score of GP-Hedge is above and below
that of the line. *EI*, *PI*, *UCB*: a batch chosen point after point, the earlier points taken at
their predicted values. *q-EI* and the others value the batch jointly, by posterior samples.
SkOpt's UCB is called LCB, and its batches use the lowest observed loss for points that are
pending."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    shared.add_size(
        parser,
        f"{SMALL_TASKS[0]}, {runs.SMALL_SEEDS} seed, ours",
        f"quick tier, {FULL_SEEDS} seeds",
    )
    parser.add_argument(
        "--batch-seeds",
        type=positive,
        metavar="N",
        help="of the acquisitions of a joint batch (as many as the others)",
    )
    parser.add_argument(
        "--skopt-seeds",
        type=int,
        metavar="N",
        help="of SkOpt, which takes minutes a run and an environment of its own (full size: as "
        "many as the others; else 0)",
    )
    runs.add_arguments(parser, DESIGN)


def execute(options: argparse.Namespace) -> int:
    """Make the runs that are missing, then the tables; return the exit status."""
    full = options.full
    if full and not (options.tier or options.tasks):
        options.tier = "quick"
    options.seeds = options.seeds or (FULL_SEEDS if full else runs.SMALL_SEEDS)
    if options.skopt_seeds is None:
        options.skopt_seeds = options.seeds if full else 0
    options.batch_seeds = options.batch_seeds or options.seeds
    singles = [name for name in OURS if name not in BATCHES]
    wanted = [
        (singles, options.seeds),
        (list(BATCHES), options.batch_seeds),
        (list(THEIRS), options.skopt_seeds),
    ]
    found = [_make(options, methods, count) for methods, count in wanted if count]
    if None in found:
        return 1
    options.full, options.without = False, None
    findings = describe([one for one in found if one is not None], options.output)
    names = ["tier", "tasks", "seeds", "batch_seeds", "skopt_seeds", "rounds"]
    return publish(findings, options, names)


def _make(options: argparse.Namespace, methods: Sequence[str], seeds: int) -> Results | None:
    chosen = argparse.Namespace(**vars(options))
    chosen.seeds = seeds
    results = runs.make(chosen, methods, SMALL_TASKS, DESIGN.batch)
    options.tasks = chosen.tasks
    return results


def describe(found: Sequence[Results], folder: Path) -> Findings:
    """Write the sheet; return the page."""
    together = {name: runs for one in found for name, runs in one.runs.items()}
    results = replace(found[0], runs=together)
    blocks: list[str] = []
    sheet: list[list[str | int | float | None]] = []
    for title, hedge, names in (("warpfront (paper)", HEDGE, OURS), ("SkOpt", SKOPT, THEIRS)):
        if hedge in results.runs:
            sentence = verdict(results, title, hedge, ARMS if hedge == HEDGE else SKOPT_ARMS)
            blocks += [pipes(table(results, title, hedge, names)), sentence]
            sheet += _rows(results, title, hedge, names)
    head = ["package", "method", "tasks", "fewest_seeds", "most_seeds", "mean", "mean_low"]
    head += ["mean_high", "hedge_minus_it", "hedge_low", "hedge_high", "ensemble_minus_it"]
    head += ["ensemble_low", "ensemble_high", "batch_cpu"]
    write_sheet(folder / f"{ITEM}.csv", head, sheet)
    return Findings(
        item=ITEM,
        title="GP-Hedge, its arms, joint batches and the ensemble",
        size=sixteen_by_eight.size_of(results),
        brief="\n\n".join([*blocks, NOTE]),
        rest=[SCORE, *provenance(results)],
    )


def table(results: Results, title: str, hedge: str, names: Mapping[str, str]) -> Table:
    """One line a method, the highest mean first."""
    ours = hedge == HEDGE
    head = [title, "tasks × seeds", "mean score [95 %]", "GP-Hedge minus it", "higher, lower"]
    lines = [[*head, *(["ensemble minus it"] if ours else []), "CPU s / batch"]]
    for row in summaries(results):
        if row.method not in names:
            continue
        low, high = row.seeds
        extent = f"{row.tasks} × {high}" if low == high else f"{row.tasks} × {low} to {high}"
        label = f"**{names[row.method]}**" if row.method == hedge else names[row.method]
        line = [label, extent, interval(row.mean), _minus(results, hedge, row.method)]
        duels = better_and_worse(results, hedge, row.method)
        line += ["–" if row.method == hedge else "{}, {}".format(*duels)]
        line += [_minus(results, ENSEMBLE, row.method)] if ours else []
        lines.append([*line, seconds(row.cpu)])
    return lines


def verdict(results: Results, title: str, hedge: str, arms: Mapping[str, str]) -> str:
    """One sentence: where the hedge stands among its arms."""
    means = {
        row.method: row.mean.value for row in summaries(results) if row.method in (hedge, *arms)
    }
    place = 1 + sum(value > means[hedge] + TIE for value in means.values())
    clear = []
    for arm, name in arms.items():
        lead, _ = paired_difference(results, hedge, arm)
        if lead is None or lead.ends is None or lead.ends[0] <= 0.0 <= lead.ends[1]:
            continue
        clear.append(f"{'above' if lead.value > 0.0 else 'below'} {name}")
    text = f"{title}: the mean score of GP-Hedge is number {place} of {len(means)}"
    level = sum(abs(value - means[hedge]) <= TIE for value in means.values()) - 1
    text += f", level with {level} of its arms" if level else ""
    if clear:
        return f"{text}; the 95 % interval of its difference excludes zero ({', '.join(clear)})."
    return f"{text}; the interval of each difference from an arm includes zero."


def _minus(results: Results, method: str, other: str) -> str:
    if method == other or method not in results.runs:
        return "–"
    return signed(paired_difference(results, method, other)[0])


def _rows(
    results: Results, title: str, hedge: str, names: Mapping[str, str]
) -> list[list[str | int | float | None]]:
    rows: list[list[str | int | float | None]] = []
    for row in summaries(results):
        if row.method in names:
            cells = [*three(row.mean)]
            for rival in (hedge, ENSEMBLE):
                known = rival in results.runs and rival != row.method
                lead = paired_difference(results, rival, row.method)[0] if known else None
                cells += three(lead)
            rows.append([title, names[row.method], row.tasks, *row.seeds, *cells, row.cpu])
    return rows
