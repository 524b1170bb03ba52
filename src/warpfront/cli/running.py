"""The commands that evaluate: `init`, `tune` and `worker`."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from warpfront.cli.options import (
    Batch,
    Name,
    OnError,
    PatienceOption,
    SpecFile,
    Storage,
    Timeout,
    Trials,
    Where,
    say,
)

EXAMPLES = {
    "init": "tune.toml",
    "tune": "tune.toml --trials 100 --workers 2 --timeout 1h",
    "worker": "tune.toml --storage postgresql://me@server/studies",
}


def init(
    spec: Annotated[
        Path | None, typer.Argument(metavar="[SPEC]", help="The file; else tune.toml.")
    ] = None,
    command: Annotated[
        bool, typer.Option("--command/--python", help="Evaluate by a command or a function.")
    ] = False,
    yaml: Annotated[bool, typer.Option("--yaml", help="Write YAML, not TOML.")] = False,
) -> None:
    """Write an example SPEC, with comments, and an objective that runs."""
    from warpfront.cli.example import write_example

    for path in write_example(spec, command, yaml):
        typer.echo(f"wrote {path}")
    written = str(spec or ("tune.yaml" if yaml else "tune.toml"))
    typer.echo(f"try it: {shlex.join(['warpfront', 'tune', written])}")


def tune(
    spec: SpecFile = None,
    trials: Trials = None,
    batch: Batch = None,
    workers: Annotated[
        int | None,
        typer.Option(min=0, help="How many trials run at the same time here; 0: watch others."),
    ] = None,
    storage: Storage = None,
    name: Name = None,
    timeout: Timeout = None,
    patience: PatienceOption = "10m",  # type: ignore[assignment]  # the parser makes it a number
    on_error: Annotated[
        OnError, typer.Option(help="Whether to stop if the first five trials all fail alike.")
    ] = OnError.RAISE,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="A Dask scheduler, such as tcp://host:8786, on whose cluster trials run; as many "
            "at the same time as it has threads, unless --workers says otherwise.",
        ),
    ] = None,
) -> None:
    """Tune: begin the study of a SPEC, or go on with it, and evaluate trials.

    Ctrl-C stops cleanly; the same command goes on.
    """
    from warpfront.cli.errors import INTERRUPTED, NoSuccessError
    from warpfront.cli.outcome import Interrupted
    from warpfront.cli.patience import Patience
    from warpfront.cli.plan import Plan, check, resume_command
    from warpfront.cli.progress import describe_beyond, describe_rest, describe_spent
    from warpfront.cli.shown import config
    from warpfront.cli.storage import show
    from warpfront.cli.tune import Tuner

    where = Where(spec, storage, name)
    read = where.read()
    client = None
    if dask is not None:
        from warpfront.cli.cluster import ClusterTuner, connect, slots

        client = connect(dask)
        workers = slots(client) if workers is None else workers
    plan = Plan(
        spec=read,
        trials=trials or read.trials,
        batch=batch or read.batch,
        workers=read.workers if workers is None else workers,
        timeout=timeout or read.timeout,
        patience=patience,
        raises=on_error is OnError.RAISE,
    )
    check(plan)
    opened = where.create(read, Patience(say, patience))
    if not plan.workers:  # what the study is to have is then for others to say
        plan = replace(plan, trials=trials or opened.budget or read.trials)
    resume = resume_command(sys.argv[1:], None if storage is None else show(storage))
    tuner = Tuner(opened, plan) if client is None else ClusterTuner(opened, plan, client)
    try:
        progress = tuner.run()
        beyond = describe_beyond(tuner.look())
    except Interrupted:
        say(f"stopped; go on with: {resume}")
        raise typer.Exit(INTERRUPTED) from None
    finally:
        opened.close()
        if client is not None:
            client.close()
    if not progress.completed:
        why = "" if progress.failure is None else f"; the last failure: {progress.failure[1]}"
        spent = describe_spent(progress)
        raise NoSuccessError(f"no trial has succeeded{why}" + (f"; {spent}" if spent else ""))
    typer.echo(f"{progress.headline()}, {progress.finished} done")
    if progress.configs and not progress.has_front:
        typer.echo(f"  {config(progress.configs[0])}")
    if progress.finished < (progress.budget or 0):
        why = "the time is over" if tuner.is_late else describe_rest(progress)
        say(f"{why}; go on with: {resume}")
    if beyond is not None:
        say(beyond)
    where.suggest_next("best" if progress.has_front else "report")


def worker(
    spec: SpecFile = None,
    storage: Storage = None,
    name: Name = None,
    trials: Trials = None,
    batch: Batch = None,
    timeout: Timeout = None,
    patience: PatienceOption = "10m",  # type: ignore[assignment]
    tied: Annotated[bool, typer.Option(hidden=True)] = False,
) -> None:
    """Join a study that `warpfront tune` has begun, from another terminal or machine.

    What is run comes from the SPEC here, never from the storage.
    """
    from warpfront.cli.join import join, marked_errors
    from warpfront.cli.options import quiet
    from warpfront.cli.patience import Patience
    from warpfront.cli.study import open_study

    quiet()
    where = Where(spec, storage, name)
    with marked_errors():
        read = where.read()
        url = where.url(read)
        opened = Patience(say, patience).insist(lambda: open_study(read, url, name))
        try:
            interrupted = join(
                opened,
                read,
                budget=trials or opened.budget or read.trials,
                batch=batch or read.batch,
                timeout=timeout or read.timeout,
                patience=patience,
                tied=tied,
            )
        finally:
            opened.close()
    if interrupted:
        from warpfront.cli.errors import INTERRUPTED

        if not tied:
            say("stopped; the trial went back into the queue")
        raise typer.Exit(INTERRUPTED)
    if not tied:
        where.suggest_next("best")
