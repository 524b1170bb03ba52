"""``python -m benchmarks report``: read records and archive, write tables and pictures.

Of tables and COCO's functions it writes a ranking, without pictures.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Collection
from pathlib import Path

from benchmarks import score
from benchmarks.archive import store
from benchmarks.archive.store import ARCHIVE
from benchmarks.options import add_archive, add_runs, method
from benchmarks.records import RUNS, Design
from benchmarks.report import figures, page, ranking_page, sheets
from benchmarks.report.results import Results, collect, kit_references
from benchmarks.report.statistics import BASELINE, summaries
from benchmarks.speed.machine import describe_run
from benchmarks.tasks.public import PUBLIC
from benchmarks.tasks.registry import SETS, TASKS
from benchmarks.tasks.truths import WITH_TRUTH
from benchmarks.workers.environment import REPOSITORY

OUTPUT = REPOSITORY / "benchmarks" / "results"

CHOSEN = "chosen"
"""Takes the place of the tier in the folder's name when the tasks were given one by one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--tier", choices=tuple(SETS), default="quick")
    which.add_argument(
        "--tasks",
        nargs="+",
        choices=[*TASKS, *WITH_TRUTH],
        metavar="TASK",
        help="these instead of a tier",
    )
    parser.add_argument(
        "--methods",
        nargs="+",
        type=method,
        metavar="METHOD",
        help="these only; one without runs is shown as not run (all that have runs, but for "
        "variants such as warpfront@initial=8)",
    )
    parser.add_argument(
        "--design",
        type=_design,
        default=Design(8, 16),
        metavar="BATCHxROUNDS",
        help="of the runs (8x16: 16 rounds of 8); 1x128w8: with 8 workers",
    )
    parser.add_argument(
        "--against",
        type=method,
        metavar="METHOD",
        help="write a ranking without pictures, with the differences to this method; the only "
        f"kind of report of tables and COCO's functions ({BASELINE})",
    )
    add_runs(parser)
    add_archive(parser)
    add_output(parser)


def add_output(parser: argparse.ArgumentParser) -> None:
    """Declare where to write."""
    parser.add_argument(
        "--output",
        type=Path,
        default=OUTPUT,
        metavar="DIR",
        help="a folder named after tier and design is made in it (benchmarks/results)",
    )


def execute(options: argparse.Namespace) -> int:
    """Write the report and return the exit status."""
    results = gather(options)
    if results is None:
        return 1
    folder = options.output / f"{tier_of(options)}-{results.design}"
    if options.against or all(task in PUBLIC for task in results.tasks):
        facts, against = _facts(command_line(options)), options.against or BASELINE
        print(ranking_page.write(results, folder, facts, against), end="")
        print(f"written: {folder}", file=sys.stderr)
        return 0
    print(write(results, folder, command_line(options)), end="")
    print(f"written: {folder}", file=sys.stderr)
    return 0


def gather(options: argparse.Namespace, seeds: Collection[int] | None = None) -> Results | None:
    """The runs that the options choose, of some seeds or of all, scored.

    None, said on standard error, if there is no such run.
    """
    design = options.design
    tasks = tuple(dict.fromkeys(options.tasks or SETS[options.tier]))
    try:
        references = {task: score.load_reference(task) for task in tasks}
        kit = kit_references(references, design)
        found = store.with_records(options.archive, options.runs, design)
        results = collect(found, design, references, kit, options.methods, seeds)
    except (OSError, ValueError, LookupError) as error:
        print(f"error: {error}", file=sys.stderr)
        return None
    if not results.runs:
        print(
            f"error: no run of design {design} on these tasks under {options.runs} or "
            f"{options.archive}; make some with python -m benchmarks run",
            file=sys.stderr,
        )
        return None
    return results


def tier_of(options: argparse.Namespace) -> str:
    """The tier's part of the folder's name."""
    return CHOSEN if options.tasks else str(options.tier)


def write(results: Results, folder: Path, command: str) -> str:
    """Write all files of the report into `folder`; return the compact summary."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = summaries(results)
    shown = _facts(command)
    brief = page.summary(results, rows)
    (folder / "report.md").write_text(page.report(results, rows, shown), encoding="utf-8")
    (folder / "summary.md").write_text(brief, encoding="utf-8")
    sheets.write_scores(results, folder / "scores.csv")
    sheets.write_curves(results, folder / "curves.csv")
    sheets.write_summary(results, rows, folder / "summary.csv")
    figures.draw_curves(results, folder / "curves.png")
    figures.draw_scores(results, rows, folder / "scores.png")
    figures.draw_tasks(results, folder / "tasks.png")
    figures.draw_times(results, folder / "times.png")
    return brief


def _facts(command: str) -> dict[str, str]:
    """How a page was made."""
    facts = describe_run(contenders=(), arguments=())
    shown = {"date": facts["date"], "command": f"`{command}`"}
    return shown | {f"{name} of this page": facts[name] for name in ("revision", "machine")}


def command_line(options: argparse.Namespace) -> str:
    """The command that gives this page again."""
    words = ["python", "-m", "benchmarks", "report"]
    words += ["--tasks", *options.tasks] if options.tasks else ["--tier", options.tier]
    words += ["--methods", *options.methods] if options.methods else []
    words += ["--design", str(options.design)]
    words += ["--against", options.against] if options.against else []
    for name, default in (("runs", RUNS), ("archive", ARCHIVE), ("output", OUTPUT)):
        path = getattr(options, name)
        words += [f"--{name}", str(path)] if path != default else []
    return shlex.join(words)


def _design(text: str) -> Design:
    try:
        return Design.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
