"""``python -m benchmarks parallel``: what is lost when evaluations do not wait for each other.

The same number of evaluations asked for one after the other, by workers that end at random times,
and in batches: the runs that are missing, then a table. Workers know all but the evaluations under
way, a batch nothing of its own, so that the workers' loss should be a small share of the batch's.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.methods.registry import ASYNCHRONOUS, base_of
from benchmarks.options import method
from benchmarks.records import Design
from benchmarks.report import command as report
from benchmarks.report import page, tables
from benchmarks.report.bootstrap import Estimate
from benchmarks.report.results import Results, Run
from benchmarks.report.statistics import paired_difference, summaries
from benchmarks.run import command as run

ONE_BY_ONE = "one after the other"

NOTE = """\
*minus one after the other*: paired by task; negative means worse."""


@dataclass(frozen=True)
class Losses:
    """How much worse than one after the other, in points of the score.

    Examples
    --------
    >>> Losses(workers=0.5, batches=2.0).share
    0.25
    """

    workers: float
    batches: float

    @property
    def share(self) -> float | None:
        """The workers' loss as a share of the batches'; None where batches lose nothing."""
        return self.workers / self.batches if self.batches > 0.0 else None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument(
        "--method",
        type=_asynchronous,
        default="warpfront",
        metavar="METHOD",
        help=f"one of {', '.join(ASYNCHRONOUS)}, or warpfront@setting=value (warpfront)",
    )
    run.add_arguments_but_methods(parser, workers=False)
    report.add_output(parser)


def _asynchronous(text: str) -> str:
    if base_of(method(text)) not in ASYNCHRONOUS:
        raise argparse.ArgumentTypeError(
            f"{text!r} does not know pending points; use one of {', '.join(ASYNCHRONOUS)}"
        )
    return text


def designs(batches: Design) -> dict[str, Design]:
    """By name, the ways to ask for as many evaluations as in these batches.

    Examples
    --------
    >>> [str(design) for design in designs(Design(8, 16)).values()]
    ['1x128', '1x128w8', '8x16']
    """
    n = batches.evaluations
    return {
        ONE_BY_ONE: Design(1, n),
        f"{batches.batch} workers": Design(1, n, workers=batches.batch),
        f"batches of {batches.batch}": batches,
    }


def execute(options: argparse.Namespace) -> int:
    """Make the runs, then the table; return the exit status."""
    asked = Design(options.batch, options.rounds)
    words = ["python", "-m", "benchmarks", "parallel", "--method", options.method]
    command = shlex.join([*words, *run.chosen(options)])
    options.methods = [options.method]
    found = {}
    for name, design in designs(asked).items():
        options.batch, options.rounds, options.workers = design.batch, design.rounds, design.workers
        if status := run.execute(options):
            return status
        options.design = design
        results = report.gather(options, run.seeds_of(options))
        if results is None:
            return 1
        found[name] = results
    folder = options.output / f"parallel-{report.tier_of(options)}-{asked}"
    print(write(together(found, options.method), folder, command), end="")
    return 0


def together(found: Mapping[str, Results], method: str) -> Results:
    """One method in several designs, as if these were methods, where it has runs in all."""
    runs = {name: results.runs[method] for name, results in found.items()}
    common = set.intersection(*({_place(one) for one in some} for some in runs.values()))
    first = next(iter(found.values()))
    return replace(
        first,
        runs={
            name: tuple(one for one in some if _place(one) in common) for name, some in runs.items()
        },
    )


def differences(results: Results) -> dict[str, Estimate | None]:
    """By design, the score minus that of one after the other."""
    return {name: paired_difference(results, name, ONE_BY_ONE)[0] for name in results.runs}


def losses(results: Results) -> Losses:
    """What workers and batches lose."""
    _, workers, batches = (0.0 if d is None else d.value for d in differences(results).values())
    return Losses(-workers, -batches)


def write(results: Results, folder: Path, command: str) -> str:
    """Write the page into `folder` and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    found = differences(results)
    rows = {row.method: row for row in summaries(results)}
    table = [["evaluations", "tasks × seeds", "mean score [95 %]", f"minus {ONE_BY_ONE} [95 %]"]]
    for name in results.runs:
        difference = tables.MISSING if name == ONE_BY_ONE else tables.signed(found[name])
        row = rows[name]
        table.append([name, tables.extent(results, row), tables.interval(row.mean), difference])
    parts = [
        f"# Evaluations that do not wait: {len(results.tasks)} tasks, "
        f"{results.design.evaluations} evaluations",
        f"Made by `{command}`.",
        page.pipes(table),
        NOTE,
        _verdict(losses(results)),
    ]
    if page.is_synthetic(results):
        parts += [page.pipes(tables.regret(results)), page.REGRET]
    text = "\n\n".join([*parts, page.SCORE, page.INTERVALS, *page.provenance(results)]) + "\n"
    (folder / "report.md").write_text(text, encoding="utf-8")
    return text


def _place(of: Run) -> tuple[str, int]:
    return of.key.task, of.key.seed


def _verdict(lost: Losses) -> str:
    if lost.share is None:
        return "Batches lose nothing here, so there is no gap that workers could close."
    return (
        f"Of what batches lose ({lost.batches:.2f}), workers lose {lost.workers:.2f}: "
        f"{lost.share:.0%} of it."
    )
