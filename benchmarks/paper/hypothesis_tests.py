"""``python -m benchmarks paper hypothesis-tests``: whether the noise is the same everywhere.

As in the paper (section 3 and its appendix): 50 configurations, 10 repeats, Levene's and the
Fligner-Killeen test, beside the paper's own values.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.baseline.pair import Pair, pairs_of
from benchmarks.options import add_anew, positive
from benchmarks.paper import options as shared
from benchmarks.paper import printed
from benchmarks.paper.pieces import Pieces, carry_out
from benchmarks.paper.repeats import CONFIGURATIONS, NOISES, REPEATS, Noise, Repeat, losses_of
from benchmarks.paper.results import Findings, picture, publish
from benchmarks.paper.verdicts import ARCHIVED, Verdicts, archived, sheet
from benchmarks.report.bootstrap import Floats
from benchmarks.report.figures import DPI, WIDTH, finish, new_figure
from benchmarks.report.page import pipes
from benchmarks.report.sheets import write_sheet
from benchmarks.report.tables import MISSING, Table
from benchmarks.revision import revision
from benchmarks.tasks.registry import TASKS
from warpfront.diagnostics.comparison import LEVEL
from warpfront.diagnostics.correlation import rank_correlation
from warpfront.diagnostics.spread import spread_tests

ITEM = "hypothesis-tests"

SMALLEST_SHOWN = 1e-4
"""A smaller statistic is drawn as this: the logarithmic axes have no 0."""

NOTE = f"""\
A task is heteroscedastic by a test if p < {LEVEL}. *The paper, these tasks*: so many of the same
tasks in its tables; *all 108*: what its text claims, which its tables add up to. *Rank
correlation*: Spearman's, of our statistics with the paper's. The appendix prints Levene's
statistic with deviations from the mean; SciPy's default, which keeps its level better, takes them
from the median: both are shown. *Model only*: the data split is fixed, as in all optimisation runs,
and only the model's own randomness is fresh; the paper did not do this. Tasks without such
randomness are left out there, where no loss varies."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    shared.add_size(parser, "the 12 tasks of the quick tier's pairs", "all 108 tasks")
    shared.add_tasks(parser)
    parser.add_argument(
        "--noise",
        nargs="+",
        choices=NOISES,
        default=NOISES,
        help="what differs between repeats: data split and model, as in the paper, or the model "
        "only, as in a run (both, apart)",
    )
    parser.add_argument(
        "--model-tasks",
        nargs="+",
        choices=tuple(TASKS),
        metavar="TASK",
        help="these where only the model differs (the same tasks)",
    )
    parser.add_argument("--configurations", type=positive, default=CONFIGURATIONS, metavar="K")
    parser.add_argument("--repeats", type=positive, default=REPEATS, metavar="N")
    parser.add_argument(
        "--done", action="store_true", help="evaluate nothing; report the tasks that are done"
    )
    add_anew(parser)
    shared.add_work(parser)
    shared.add_output(parser)


def execute(options: argparse.Namespace) -> int:
    """Evaluate what is missing, then write table and picture; return the exit status."""
    tasks = shared.tasks_of(options)
    chosen = {"split": tasks, "model": options.model_tasks or tasks}
    known = {} if options.anew else archived(ARCHIVED, options.configurations, options.repeats)
    wanted = {
        (pair, noise): [
            Repeat(pair, noise, number, options.configurations) for number in range(options.repeats)
        ]
        for noise in options.noise
        for pair in pairs_of(chosen[noise])
        if noise == "split" or not pair.deterministic
        if any(key not in known for key in _keys(pair, noise))
    }
    if not options.done:
        pieces = [piece for repeats in wanted.values() for piece in repeats]
        carry_out(pieces, options.records, options.jobs)
    known |= {
        (tested.task, noise): tested
        for (pair, noise), repeats in wanted.items()
        for tested in examine(pair, noise, repeats, Pieces(options.records))
    }
    found = [
        known[task.name, noise]
        for noise in options.noise
        for pair in pairs_of(chosen[noise])
        for task in pair.tasks
        if (task.name, noise) in known
    ]
    if not found:
        why = "no task is done yet; leave --done out"
        if not options.done:
            why = "the models of these tasks have no noise of their own; add --noise split"
        print(f"error: {why}", file=sys.stderr)
        return 1
    if options.done:
        name_what_is_done(found, options)
    names = [
        "full",
        "tier",
        "tasks",
        "without",
        "model_tasks",
        *["noise"][: options.noise != NOISES],
    ]
    names += ["configurations", "repeats"]
    findings = report(found, options.configurations, options.repeats, options.output)
    return publish(findings, options, names)


def name_what_is_done(found: Sequence[Verdicts], options: argparse.Namespace) -> None:
    """Let the options choose what was found, so that their command gives it again anywhere."""
    by_noise = {noise: [one.task for one in found if one.noise == noise] for noise in NOISES}
    options.noise = tuple(noise for noise in NOISES if by_noise[noise])
    asked = [task for pair in pairs_of(shared.tasks_of(options)) for task in pair.tasks]
    if options.noise == ("model",):
        asked = [task for task in asked if not task.deterministic]
    there = by_noise[options.noise[0]]
    shared.narrow(options, [task.name for task in asked], there)
    with_noise = [name for name in there if not TASKS[name].deterministic]
    options.model_tasks = None
    if options.noise == NOISES and by_noise["model"] != with_noise:
        options.model_tasks = by_noise["model"]


def _keys(pair: Pair, noise: Noise) -> list[tuple[str, Noise]]:
    """The tests of a pair: of its tasks, those that have such noise."""
    return [(t.name, noise) for t in pair.tasks if noise == "split" or not t.deterministic]


def examine(pair: Pair, noise: Noise, repeats: Sequence[Repeat], pieces: Pieces) -> list[Verdicts]:
    """Both tasks of a pair; none unless all their repeats are there.

    Without noise of its own a task has nothing to test.
    """
    if not all(pieces.is_done(repeat) for repeat in repeats):
        return []
    found = []
    for task in pair.tasks:
        if noise == "model" and task.deterministic:
            continue
        losses = losses_of(task, repeats, pieces)
        ours, by_mean = spread_tests(losses), spread_tests(losses, centre="mean")
        paper = printed.spread_tests()[task.name]
        found.append(Verdicts(task.name, noise, ours, by_mean, paper, revision() or ""))
    return found


def report(found: Sequence[Verdicts], configurations: int, repeats: int, folder: Path) -> Findings:
    """Write sheet and picture; return the page."""
    write_sheet(folder / f"{ITEM}.csv", *sheet(found, configurations, repeats))
    by_noise = {noise: [one for one in found if one.noise == noise] for noise in NOISES}
    paper_like = by_noise["split"]
    rest = []
    if paper_like:
        draw(paper_like, folder / f"{ITEM}.png")
        rest += [picture(ITEM, "our statistics against the paper's")]
        rest += ["## Task by task", pipes(task_table(paper_like))]
    if by_noise["model"]:
        rest += ["## Task by task: model only", pipes(task_table(by_noise["model"]))]
    counted = " and ".join(
        f"{len(some)} ({'data split and model' if noise == 'split' else 'model only'})"
        for noise, some in by_noise.items()
        if some
    )
    return Findings(
        item=ITEM,
        title="Is the noise the same everywhere?",
        size=f"{configurations} configurations × {repeats} repeats; of 108 tasks: {counted}",
        brief="\n\n".join(
            [pipes(counts(by_noise["split"], by_noise["model"])), *disagreements(paper_like), NOTE]
        ),
        rest=rest,
    )


def counts(split: Sequence[Verdicts], model: Sequence[Verdicts]) -> Table:
    """How many tasks are heteroscedastic, here and in the paper, and on how many both agree."""
    head = ["test, noise", "tasks", "ours: heteroscedastic", "the paper, these tasks"]
    head += ["the paper, all 108", "same verdict", "median of ours / the paper's"]
    head += ["rank correlation"]
    table = [head]
    claims = (str(printed.FLIGNER_CLAIM), str(printed.LEVENE_CLAIM), MISSING)
    for one, claim in zip(_columns(split) if split else (), claims, strict=False):
        rejected, printed_so = one.ours_p < LEVEL, one.theirs_p < LEVEL
        same = int(np.sum(rejected == printed_so))
        table.append(
            [
                f"{one.name}, data split and model",
                str(len(split)),
                str(int(rejected.sum())),
                str(int(printed_so.sum())),
                claim,
                f"{same} ({same / len(split):.0%})",
                f"{np.nanmedian(one.ours / one.theirs):.2f}",
                _rank_correlation(one.ours, one.theirs),
            ]
        )
    for one in _columns(model)[:2] if model else ():
        shown = [str(len(model)), str(int((one.ours_p < LEVEL).sum())), *[MISSING] * 5]
        table.append([f"{one.name}, model only", *shown])
    return table


def disagreements(found: Sequence[Verdicts]) -> list[str]:
    """A paragraph that names the tasks on which a verdict is not the paper's, or nothing."""
    lines = []
    for column in _columns(found)[:2] if found else ():
        differ = (column.ours_p < LEVEL) != (column.theirs_p < LEVEL)
        names = [
            f"{one.task} (p = {ours:.2g}, the paper {theirs:.2g})"
            for one, ours, theirs, other in zip(
                found, column.ours_p, column.theirs_p, differ, strict=True
            )
            if other
        ]
        if names:
            lines.append(f"- another verdict by {column.name}: {', '.join(names)}")
    return ["\n".join(lines)] if lines else []


def task_table(found: Sequence[Verdicts]) -> Table:
    """Statistics and p-values of every task beside the paper's."""
    head = ["task", "Fligner-Killeen", "p", "the paper", "p", "Levene", "p", "the paper", "p"]
    table = [[*head, "spread, 90 % / 10 %", "failed"]]
    for one in found:
        ours, paper = one.ours, one.paper
        cells = [_number(ours.fligner), _p(ours.fligner_p)]
        cells += [_number(paper.fligner), _p(paper.fligner_p)]
        cells += [_number(ours.levene), _p(ours.levene_p)]
        cells += [_number(paper.levene), _p(paper.levene_p)]
        table.append([one.task, *cells, _number(ours.ratio), str(ours.failed or MISSING)])
    return table


def draw(found: Sequence[Verdicts], path: Path) -> None:
    """Our statistics against the paper's, a dot a task."""
    figure = new_figure(WIDTH, 4.2)
    for axes, one in zip(figure.subplots(1, 2), _columns(found), strict=False):
        x, y = (np.maximum(values, SMALLEST_SHOWN) for values in (one.theirs, one.ours))
        ends = [min(x.min(), y.min()) / 1.5, max(x.max(), y.max()) * 1.5]
        axes.plot(ends, ends, color="0.7", linewidth=1.0, zorder=1)
        axes.scatter(x, y, s=16, color="#0072B2", alpha=0.75, linewidth=0, zorder=2)
        axes.set_xscale("log")
        axes.set_yscale("log")
        finish(axes, f"{one.name}: the paper", "ours")
    figure.savefig(path, dpi=DPI)


@dataclass(frozen=True)
class _Column:
    """A test on all tasks: our statistics and p-values, and the paper's."""

    name: str
    ours: Floats
    ours_p: Floats
    theirs: Floats
    theirs_p: Floats


def _columns(found: Sequence[Verdicts]) -> list[_Column]:
    def column(source: str, pick: str) -> Floats:
        return np.array([getattr(getattr(one, source), pick) for one in found], dtype=float)

    return [
        _Column(
            name,
            column(whose, test),
            column(whose, f"{test}_p"),
            column("paper", test),
            column("paper", f"{test}_p"),
        )
        for name, test, whose in (
            ("Fligner-Killeen", "fligner", "ours"),
            ("Levene", "levene", "ours"),
            ("Levene, from the mean", "levene", "by_mean"),
        )
    ]


def _rank_correlation(ours: Floats, theirs: Floats) -> str:
    known = np.isfinite(ours)
    found, _ = rank_correlation(ours[known], theirs[known])
    return MISSING if np.isnan(found) else f"{found:.2f}"


def _number(value: float) -> str:
    return f"{value:.4g}" if np.isfinite(value) else ("∞" if value > 0 else MISSING)


def _p(value: float) -> str:
    text = f"{value:.2g}" if np.isfinite(value) else MISSING
    return f"**{text}**" if value < LEVEL else text
