"""``python -m benchmarks run``: run methods on tasks, or go on where a run was killed."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks import records
from benchmarks.archive import store
from benchmarks.archive.digest import Digest
from benchmarks.methods import registry
from benchmarks.methods.registry import ASYNCHRONOUS, METHODS
from benchmarks.options import (
    add_anew,
    add_archive,
    add_jobs,
    method,
    positive,
    seconds,
    seed_range,
)
from benchmarks.progress import Progress
from benchmarks.records import RUNS, UNAVAILABLE, Key, Record
from benchmarks.run.campaign import Campaign
from benchmarks.run.perform import Outcome, Runs
from benchmarks.tasks.registry import SETS, find
from benchmarks.workers.environment import EnvironmentUnavailableError
from benchmarks.workers.processes import one_thread_pool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument(
        "--methods",
        nargs="+",
        type=lambda text: text if text == "all" else method(text),
        default=("warpfront", "random"),
        metavar="METHOD",
        help=f"all, or some of {', '.join(METHODS)}, or warpfront@setting=value (warpfront random)",
    )
    add_arguments_but_methods(parser)


def add_arguments_but_methods(parser: argparse.ArgumentParser, *, workers: bool = True) -> None:
    """Describe the options of a command that has methods of its own, or also workers."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--tier", choices=tuple(SETS), default="quick")
    which.add_argument(
        "--tasks", nargs="+", type=_task, metavar="TASK", help="these instead of a tier"
    )
    parser.add_argument(
        "--seeds",
        nargs="+",
        type=seed_range,
        default=[range(3)],
        metavar="N",
        help="as 0 1 2 or 0-2",
    )
    parser.add_argument("--batch", type=positive, default=8, metavar="N", help="(8)")
    parser.add_argument("--rounds", type=positive, default=16, metavar="N", help="(16)")
    if workers:
        parser.add_argument(
            "--workers",
            type=positive,
            default=1,
            metavar="N",
            help="evaluations under way at a time, which end at random times; one is asked for "
            f"while the others are pending: with --batch 1, for {', '.join(ASYNCHRONOUS)} (1)",
        )
    else:
        parser.set_defaults(workers=1)
    add_jobs(parser)
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="a Dask scheduler, such as tcp://host:8786, whose workers see this checkout under "
        "the same path and have one thread each; instead of --jobs",
    )
    parser.add_argument(
        "--time-limit",
        type=seconds,
        default=1800.0,
        metavar="S",
        help="seconds that a method may take for all suggestions of one run (1800); a run that "
        "takes longer is recorded as it stands then",
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="do runs that ended with an error again, and not only those that never ended",
    )
    add_anew(parser)
    parser.add_argument(
        "--runs", type=Path, default=RUNS, metavar="DIR", help="where the records go (.bench/runs)"
    )
    add_archive(parser)


def chosen(options: argparse.Namespace) -> list[str]:
    """The words of a command line that choose the same tasks, seeds and design."""
    words = ["--tasks", *options.tasks] if options.tasks else ["--tier", options.tier]
    words += ["--seeds", *map(str, seeds_of(options))]
    words += ["--batch", str(options.batch), "--rounds", str(options.rounds)]
    return [*words, "--workers", str(options.workers)] if options.workers > 1 else words


def execute(options: argparse.Namespace) -> int:
    """Do what the options say and return the exit status."""
    names = list(METHODS) if "all" in options.methods else list(dict.fromkeys(options.methods))
    tasks = list(dict.fromkeys(options.tasks or SETS[options.tier]))
    seeds = seeds_of(options)
    if options.workers > 1:
        late = [name for name in names if registry.base_of(name) not in ASYNCHRONOUS]
        if options.batch > 1 or late:
            what = f"--batch {options.batch}" if options.batch > 1 else late[0]
            print(
                f"error: --workers {options.workers} does not go with {what}; it needs --batch 1 "
                f"and methods that know pending points: {', '.join(ASYNCHRONOUS)}",
                file=sys.stderr,
            )
            return 2
    keys = [
        Key(task, name, seed, options.batch, options.rounds, options.workers)
        for seed, name, task in product(seeds, names, tasks)
    ]
    try:
        recorded = _recorded(keys, options.runs, every_error=options.again)
        missing = [key for key in keys if key not in recorded]
        archived = {} if options.anew else _archived(missing, options)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    missing = [key for key in missing if key not in archived]
    reasons = _unavailable(dict.fromkeys(key.method for key in missing))
    for key in missing:
        if key.method in reasons:
            records.write(Record(key, (), (), f"{UNAVAILABLE} {reasons[key.method]}"), options.runs)
    campaign = Campaign(missing, Runs(options.runs, options.time_limit))
    said = f"{len(keys)} runs, {campaign.total} of them to do"
    said += _made_by(recorded.values(), "have records")
    said += _made_by(map(source_of, archived.values()), "taken from the archive")
    said += ", --anew repeats them" if archived else ""
    print(said, file=sys.stderr, flush=True)
    outcomes: list[Outcome] = []
    with Progress(campaign.total) as progress, _executor(options) as (executor, slots):

        def tell(key: Key, outcome: Outcome | None) -> None:
            what = f"{key.method} on {key.task}, seed {key.seed}"
            progress.advance(1, what)
            if outcome is None:
                progress.say(f"{what}: done by another process")
                return
            outcomes.append(outcome)
            error = outcome.error
            progress.say(
                f"{what}: {f'best {outcome.best:.6g}' if error is None else f'FAILED, {error}'}"
            )

        campaign.run(executor, slots, tell)
    for name, reason in reasons.items():
        print(f"{name} was not run: {reason}", file=sys.stderr)
    print(_closing_words(outcomes, options.runs), file=sys.stderr)
    return 0


def _closing_words(outcomes: Sequence[Outcome], folder: Path) -> str:
    failures = sum(outcome.error is not None for outcome in outcomes)
    evaluating = sum(outcome.evaluating for outcome in outcomes)
    own = sum(outcome.own for outcome in outcomes)
    return (
        f"done, {failures} of {len(outcomes)} with an error; {evaluating:.1f} CPU s of evaluations "
        f"and {own:.1f} of the runner; records in {folder}"
    )


def _recorded(keys: Sequence[Key], folder: Path, *, every_error: bool) -> dict[Key, str]:
    """The runs that have a record, and whose code made them; those to be done again lose theirs."""
    found = {}
    for key in keys:
        path = key.path(folder)
        if not path.exists():
            continue
        record = records.read(path)
        if record.error is not None and (every_error or record.error.startswith(UNAVAILABLE)):
            path.unlink(missing_ok=True)
        else:
            found[key] = record.facts.get("revision", "none")
    return found


def _archived(keys: Sequence[Key], options: argparse.Namespace) -> dict[Key, Digest]:
    """Those of the runs that need not be done because they are archived."""
    found = store.find(options.archive, keys)
    return {key: run for key, run in found.items() if run.error is None or not options.again}


def _made_by(sources: Iterable[str], what: str) -> str:
    """How many runs are done already, and whose code made them."""
    counted = Counter(sources)
    revisions = ", ".join(sorted(counted))
    return f"; {counted.total()} {what} (of revision {revisions})" if counted else ""


def source_of(run: Digest) -> str:
    """The revision whose code made an archived run, or what else is known of where it is from."""
    return run.revision or f"unknown, {run.facts.get('taken from', 'no source given')}"


def _unavailable(methods: Iterable[str]) -> dict[str, str]:
    """Make the environments of these methods; why not, for those whose cannot be made."""
    reasons = {}
    for name in methods:
        try:
            registry.find(name).ensure()
        except EnvironmentUnavailableError as error:
            reasons[name] = str(error)
    return reasons


@contextmanager
def _executor(options: argparse.Namespace) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """Where the runs are done, and how many at once."""
    if options.dask is None:
        with one_thread_pool(options.jobs) as pool:
            yield pool, lambda: options.jobs
        return
    try:
        Client: Any = import_module("distributed").Client
    except ImportError as error:
        raise SystemExit("--dask needs Dask: pip install 'warpfront[dask]'") from error
    with Client(options.dask) as client, client.get_executor(pure=False) as executor:
        yield executor, lambda: max(1, sum(client.nthreads().values()))


def _task(text: str) -> str:
    try:
        return find(text).name
    except KeyError as error:
        raise argparse.ArgumentTypeError(error.args[0]) from error


def seeds_of(options: argparse.Namespace) -> list[int]:
    """The chosen seeds, each once, in order."""
    return sorted({seed for some in options.seeds for seed in some})
