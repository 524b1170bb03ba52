"""``python -m benchmarks problems``: constraints, several objectives and conditions.

``list`` names the problems, ``run`` runs methods on them, ``report`` compares the methods, and
``archive`` keeps the runs of this machine under version control.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from benchmarks.options import positive, seconds, seed_range
from benchmarks.problems import records, report
from benchmarks.problems.methods import FAMILIES, METHODS, can_do, find, in_order
from benchmarks.problems.perform import Result, Runs
from benchmarks.problems.problem import PARTS
from benchmarks.problems.records import ARCHIVE, RUNS, Digest, Record
from benchmarks.problems.registry import find as find_problem
from benchmarks.problems.registry import of_family
from benchmarks.progress import Progress
from benchmarks.records import Design, Key
from benchmarks.run.campaign import Campaign
from benchmarks.run.command import seeds_of
from benchmarks.workers.environment import EnvironmentUnavailableError
from benchmarks.workers.processes import one_thread_pool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options of all actions."""
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    for name, summary, execute in (
        ("list", "name the problems", _list),
        ("run", "run methods; runs that have a record are left alone", _run),
        ("report", "compare methods", _report),
        ("archive", "keep the runs under version control", _archive),
    ):
        action = actions.add_parser(name, help=summary, description=summary)
        action.set_defaults(act=execute)
        _add_choice(action, methods=name in ("run", "report"))
        if name == "run":
            _add_run(action)
        if name == "report":
            action.add_argument(
                "--against",
                default="warpfront",
                metavar="METHOD",
                help="the method of the paired differences (warpfront)",
            )


def execute(options: argparse.Namespace) -> int:
    """Do what the options say and return the exit status."""
    try:
        status: int = options.act(options)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return status


def _add_choice(parser: argparse.ArgumentParser, *, methods: bool) -> None:
    parser.add_argument("--family", choices=FAMILIES, help="one family (all)")
    parser.add_argument("--part", choices=PARTS, help="one half of it (both)")
    parser.add_argument(
        "--problems", nargs="+", type=_problem, metavar="PROBLEM", help="these instead"
    )
    parser.add_argument("--rounds", type=positive, default=25, metavar="N", help="of a run (25)")
    parser.add_argument("--batch", type=positive, default=4, metavar="N", help="a round (4)")
    parser.add_argument("--runs", type=Path, default=RUNS, metavar="DIR", help="the records")
    parser.add_argument("--archive", type=Path, default=ARCHIVE, metavar="DIR")
    if methods:
        parser.add_argument(
            "--methods",
            nargs="+",
            type=_method,
            metavar="METHOD",
            help=f"some of {', '.join(METHODS)}, or warpfront@setting=value",
        )


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seeds",
        nargs="+",
        type=seed_range,
        default=[range(3)],
        metavar="N",
        help="as 0 1 2 or 0-2",
    )
    parser.add_argument("--jobs", type=positive, default=1, metavar="N", help="processes (1)")
    parser.add_argument(
        "--time-limit",
        type=seconds,
        default=1800.0,
        metavar="S",
        help="seconds for all suggestions of one run (1800); a run that takes longer is recorded "
        "as it stands then",
    )
    parser.add_argument(
        "--again", action="store_true", help="do runs that ended with an error again"
    )
    parser.add_argument(
        "--anew", action="store_true", help="do runs that are archived but have no record, too"
    )


def _problem(text: str) -> str:
    try:
        return find_problem(text).name
    except KeyError as error:
        raise argparse.ArgumentTypeError(error.args[0]) from None


def _method(text: str) -> str:
    try:
        return find(text).name
    except KeyError as error:
        raise argparse.ArgumentTypeError(error.args[0]) from None


def _chosen(options: argparse.Namespace) -> list[str]:
    """The problems that the options choose."""
    if options.problems:
        return list(dict.fromkeys(options.problems))
    families = FAMILIES if options.family is None else (options.family,)
    return [name for family in families for name in of_family(family, options.part)]


def _list(options: argparse.Namespace) -> int:
    for name in _chosen(options):
        problem = find_problem(name)
        goals = f"{len(problem.objectives)} objectives, {len(problem.bounds)} bounds"
        print(f"{name:24} {problem.part:13} {len(problem.space)} parameters, {goals}")
    return 0


def _run(options: argparse.Namespace) -> int:
    names = in_order(options.methods or ("warpfront", "random"))
    wanted = [
        Key(problem, name, seed, options.batch, options.rounds)
        for seed, name, problem in product(seeds_of(options), names, _chosen(options))
        if can_do(name, find_problem(problem).family)
    ]
    archived = {} if options.anew else _archived(options)
    keys = [key for key in wanted if not _is_done(key, options, archived)]
    reasons = _unavailable(dict.fromkeys(key.method for key in keys))
    keys = [key for key in keys if key.method not in reasons]
    campaign = Campaign(keys, Runs(options.runs, options.time_limit))
    print(f"{len(wanted)} runs, {campaign.total} of them to do", file=sys.stderr, flush=True)
    failures = 0
    with Progress(campaign.total) as progress, one_thread_pool(options.jobs) as executor:

        def tell(key: Key, result: Result | None) -> None:
            nonlocal failures
            what = f"{key.method} on {key.task}, seed {key.seed}"
            progress.advance(1, what)
            if result is None:
                progress.say(f"{what}: done by another process")
            elif result.error is not None:
                failures += 1
                progress.say(f"{what}: FAILED, {result.error}")
            else:
                progress.say(f"{what}: {result.level}")

        campaign.run(executor, lambda: options.jobs, tell)
    for name, reason in reasons.items():
        print(f"{name} was not run: {reason}", file=sys.stderr)
    print(f"done, {failures} with an error; records in {options.runs}", file=sys.stderr)
    return 0


def _is_done(key: Key, options: argparse.Namespace, archived: dict[Key, Digest]) -> bool:
    """Whether a run has a record or is archived; one to be done again loses its record."""
    path = key.path(options.runs)
    if path.exists():
        if options.again and Record.read(path).error is not None:
            path.unlink()
            return False
        return True
    return key in archived and not (options.again and archived[key].error is not None)


def _unavailable(names: Sequence[str] | dict[str, None]) -> dict[str, str]:
    """The methods whose environment cannot be made here, and why."""
    reasons = {}
    for name in names:
        try:
            find(name).ensure()
        except EnvironmentUnavailableError as error:
            reasons[name] = str(error)
    return reasons


def _archived(options: argparse.Namespace) -> dict[Key, Digest]:
    design = Design(options.batch, options.rounds)
    return {digest.key: digest for digest in records.archived(options.archive, design)}


def _digests(options: argparse.Namespace) -> dict[Key, Digest]:
    """The runs on the chosen problems that have a record."""
    chosen = set(_chosen(options))
    design = Design(options.batch, options.rounds)
    return {
        record.key: Digest.of(record, find_problem(record.key.task))
        for record in records.recorded(options.runs, design)
        if record.key.task in chosen
    }


def _archive(options: argparse.Namespace) -> int:
    changes = records.archive(_digests(options).values(), options.archive)
    print(f"{changes} runs added or replaced; archive in {options.archive}")
    return 0


def _report(options: argparse.Namespace) -> int:
    found = _archived(options) | _digests(options)
    chosen = _chosen(options)
    runs = [
        digest
        for key, digest in sorted(found.items())
        if key.task in chosen and (not options.methods or key.method in options.methods)
    ]
    if not runs:
        raise ValueError("there is no run of these methods on these problems; `problems run` first")
    families = dict.fromkeys(find_problem(run.key.task).family for run in runs)
    for family in families:
        some = [run for run in runs if find_problem(run.key.task).family == family]
        some.sort(key=lambda run: chosen.index(run.key.task))
        print(f"# {family}, {options.rounds} rounds of {options.batch}\n")
        print(report.compare(some, options.against) + "\n")
    return 0
