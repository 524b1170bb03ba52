"""The commands and their options. Each imports what it needs when it runs."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from warpfront.cli.durations import parse_duration

if TYPE_CHECKING:
    from warpfront.cli.spec import Spec
    from warpfront.cli.study import OpenStudy

CONFIGURATIONS, TIMES = 10, 6
"""What `diagnose` repeats unless it is told otherwise. An even number of times: of an odd one, the
median is an evaluation of its own, and the tests find next to nothing."""

app = typer.Typer(
    name="warpfront",
    help="Find the best settings of an expensive black box in as few evaluations as possible.",
    epilog="Begin with: warpfront init, then warpfront tune tune.toml",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _duration(text: str) -> float:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _spec_argument(instead: str = "") -> Any:
    text = f"The TOML or YAML file; {instead}else tune.toml or tune.yaml here."
    return typer.Argument(metavar="[SPEC]", help=text, show_default=False)


SpecFile = Annotated[Path | None, _spec_argument()]
SpecOrStorage = Annotated[Path | None, _spec_argument("or give --storage; ")]
Storage = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="WARPFRONT_STORAGE",
        help="Where the study is: sqlite:///study.db or postgresql://user@host/database. "
        "Without it, what the SPEC says, else NAME.db beside the SPEC.",
    ),
]
Name = Annotated[str | None, typer.Option(help="The study; else what the SPEC says.")]
Trials = Annotated[
    int | None, typer.Option(min=1, help="How many trials the study is to have in all.")
]
Batch = Annotated[
    int | None, typer.Option(min=1, help="How many configurations are chosen together.")
]
Timeout = Annotated[
    float | None,
    typer.Option(
        parser=_duration, metavar="1h30m", help="No trial begins after this time; running ones end."
    ),
]
PatienceOption = Annotated[
    float,
    typer.Option(
        parser=_duration, metavar="10m", help="How long to wait for a database that is away."
    ),
]


class OnError(str, Enum):
    """What to do about an objective whose first trials all fail."""

    RAISE = "raise"
    RECORD = "record"


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def _version(wanted: bool) -> None:
    if wanted:
        from warpfront import __version__

        typer.echo(f"warpfront {__version__}")
        raise typer.Exit


@app.callback()
def _all(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; also after a command.")
    ] = False,
) -> None:
    pass


def _read(path: Path | None) -> Spec:
    """Read the SPEC that is given, or the one that is here."""
    from warpfront.cli.errors import SpecError
    from warpfront.cli.spec import DEFAULTS, default_spec, read_spec

    path = path or default_spec(Path.cwd())
    if path is None:
        raise SpecError(
            f"there is no {', '.join(DEFAULTS[:-1])} or {DEFAULTS[-1]} here; give the SPEC, or "
            "write an example with `warpfront init`"
        )
    return read_spec(path)


def _open(
    path: Path | None, storage: str | None, name: str | None, first: Path | None = None
) -> OpenStudy:
    """Open a study that is there; with a table of first results, a SPEC may begin it."""
    from warpfront.cli.laboratory import check_first
    from warpfront.cli.spec import default_spec
    from warpfront.cli.study import create_study, has_study, open_study, storage_url

    _quiet()
    if path is None and storage is None:
        path = default_spec(Path.cwd())
    spec = None if path is None else _read(path)
    url = storage_url(spec, storage, name)
    if first is not None and spec is not None and not has_study(url, name or spec.name):
        check_first(spec, name or spec.name, first)  # before there is a study
        return create_study(spec, url, name)
    return open_study(spec, url, name)


def _quiet() -> None:
    """Optuna's own messages are for programmers."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)


@app.command(epilog="Example: warpfront tune tune.toml --trials 100 --workers 2 --timeout 1h")
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
) -> None:
    """Tune: begin the study of a SPEC, or go on with it, and evaluate trials.

    Ctrl-C stops cleanly; the same command goes on.
    """
    from warpfront.cli.errors import INTERRUPTED, NoSuccessError
    from warpfront.cli.objective import Interrupted
    from warpfront.cli.progress import describe_beyond, describe_rest, describe_spent, show_config
    from warpfront.cli.storage import show
    from warpfront.cli.study import create_study, storage_url
    from warpfront.cli.tune import Plan, Tuner, check, resume_command

    _quiet()
    read = _read(spec)
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
    url = storage_url(read, storage, name)
    opened = create_study(read, url, name)
    if not plan.workers:  # what the study is to have is then for others to say
        plan = replace(plan, trials=trials or opened.budget or read.trials)
    resume = resume_command(sys.argv[1:], None if storage is None else show(storage))
    tuner = Tuner(opened, plan)
    try:
        progress = tuner.run()
        beyond = describe_beyond(tuner.look())
    except Interrupted:
        typer.echo(f"stopped; go on with: {resume}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        opened.close()
    if progress.best is None:
        why = "" if progress.failure is None else f"; the last failure: {progress.failure[1]}"
        spent = describe_spent(progress)
        raise NoSuccessError(f"no trial has succeeded{why}" + (f"; {spent}" if spent else ""))
    typer.echo(
        f"best {progress.metric} {progress.best.value} (trial {progress.best.number}; "
        f"{progress.finished} done): {show_config(progress.config)}"
    )
    if progress.finished < (progress.budget or 0):
        why = "the time is over" if tuner.is_late else describe_rest(progress)
        typer.echo(f"{why}; go on with: {resume}", err=True)
    if beyond is not None:
        typer.echo(beyond, err=True)


@app.command(epilog="Example: warpfront worker tune.toml --storage postgresql://me@server/studies")
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
    from warpfront.cli.study import open_study, storage_url

    _quiet()
    with marked_errors():
        read = _read(spec)
        opened = open_study(read, storage_url(read, storage, name), name)
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
            typer.echo("stopped; the trial went back into the queue", err=True)
        raise typer.Exit(INTERRUPTED)


@app.command(epilog="Example: warpfront suggest tune.toml -n 8 --csv next.csv")
def suggest(
    spec: SpecFile = None,
    n: Annotated[int, typer.Option("-n", "--number", min=1, help="How many.")] = 1,
    csv: Annotated[
        Path | None, typer.Option(help="Where to write the table; else it is printed.")
    ] = None,
    pending: Annotated[
        bool, typer.Option("--pending", help="Only what has no result yet; choose nothing new.")
    ] = False,
    storage: Storage = None,
    name: Name = None,
) -> None:
    """Choose experiments to do by hand, as a table with a column for the results."""
    from warpfront.cli.errors import TableError
    from warpfront.cli.laboratory import pending as pending_trials
    from warpfront.cli.laboratory import suggest as choose
    from warpfront.cli.storage import show
    from warpfront.cli.study import create_study, storage_url
    from warpfront.cli.table import write_table

    _quiet()
    if csv is not None and csv.exists():
        raise TableError(
            f"{csv}: is there already, perhaps with results; observe it first, or choose another "
            "name"
        )
    read = _read(spec)
    opened = create_study(read, storage_url(read, storage, name), name)
    try:
        found = pending_trials(opened) if pending else choose(opened, n)
        text = write_table(opened.space, opened.metric, found)
    finally:
        opened.close()
    if csv is None:
        typer.echo(text, nl=False)
        return
    try:
        csv.write_text(text, encoding="utf-8")
    except OSError as error:
        raise TableError(
            f"{csv}: cannot be written ({error}); `warpfront suggest --pending` gives it again"
        ) from None
    typer.echo(f"{csv}: {len(found)} experiments; fill in the column {opened.metric!r}, then:")
    words = ["warpfront", "observe", str(csv)]
    if spec is not None or storage is not None:  # with a storage, no SPEC is looked for
        words.append(str(spec or read.path.name))
    if name is not None:
        words += ["--name", name]
    if storage is not None and storage != os.environ.get("WARPFRONT_STORAGE"):
        words += ["--storage", show(storage)]
    typer.echo(f"  {shlex.join(words)}")


@app.command(epilog="Example: warpfront observe next.csv tune.toml")
def observe(
    csv: Annotated[Path, typer.Argument(metavar="CSV", help="The table with the results.")],
    spec: SpecOrStorage = None,
    storage: Storage = None,
    name: Name = None,
    as_tried: Annotated[
        bool,
        typer.Option("--as-tried", help="Changed parameters are what was really tried."),
    ] = False,
) -> None:
    """Tell the results of a table: all of them or, if anything is wrong, none.

    Leave a result empty if it is not known yet, and write 'failed' for an experiment that failed.
    Experiments of your own have no trial number; with a SPEC, they may begin a study.
    """
    from warpfront.cli.errors import TableError
    from warpfront.cli.laboratory import observe as tell

    if spec is not None and spec.suffix == ".csv":
        raise TableError(f"{spec}: is no SPEC; the CSV comes first: warpfront observe CSV SPEC")
    opened = _open(spec, storage, name, first=csv)
    try:
        done = tell(opened, csv, as_tried)
        typer.echo(
            f"{done.told} results told" + (f", {done.known} known before" if done.known else "")
        )
    finally:
        opened.close()


@app.command(epilog="Example: warpfront best tune.toml --json")
def best(
    spec: SpecOrStorage = None,
    storage: Storage = None,
    name: Name = None,
    recommended: Annotated[
        bool,
        typer.Option(
            "--recommended", help="Under noise: the trial of the best mean of the model instead."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show the best trial so far."""
    from warpfront.cli.errors import NoSuccessError
    from warpfront.cli.placeholders import show_value

    facts = _facts(spec, storage, name, recommended)
    found = facts["best"]
    if found is None:
        failure = facts["last_failure"]
        why = f"; the last failure: {failure['reason']}" if failure else ""
        raise NoSuccessError(f"no trial of {facts['study']!r} has succeeded yet{why}")
    if as_json:
        typer.echo(json.dumps(found))
        return
    (metric,) = found.keys() - {"trial", "config"}
    typer.echo(f"{metric}: {found[metric]} (trial {found['trial']})")
    for key, value in found["config"].items():
        typer.echo(f"{key}: {show_value(value)}")


def _facts(
    path: Path | None, storage: str | None, name: str | None, recommended: bool = False
) -> dict[str, Any]:
    """How far a study is; its best trial may be the recommended one."""
    from warpfront.cli.progress import progress_of, recommendation_of
    from warpfront.cli.trials import Overview

    opened = _open(path, storage, name)
    try:
        facts = progress_of(opened, Overview(opened.trials()), opened.budget).to_dict()
        return facts | {"best": recommendation_of(opened)} if recommended else facts
    finally:
        opened.close()


@app.command(epilog="Example: warpfront status --storage sqlite:///study.db")
def status(
    spec: SpecOrStorage = None, storage: Storage = None, name: Name = None, as_json: AsJson = False
) -> None:
    """Show how far a study is."""
    facts = _facts(spec, storage, name)
    if as_json:
        typer.echo(json.dumps(facts))
        return
    for key, value in facts.items():
        if value not in (None, 0):
            shown = value
            if isinstance(value, dict):
                shown = ", ".join(f"{k} {v}" for k, v in value.items())
            typer.echo(f"{key.replace('_', ' ')}: {shown}")


def _report_folder(study: str) -> Path:
    """A folder here, whatever is in the name of the study."""
    return Path((re.sub(r"[^\w.-]+", "-", study).strip("-.") or "study") + "-report")


@app.command(epilog="Example: warpfront report tune.toml --output report")
def report(
    spec: SpecOrStorage = None,
    storage: Storage = None,
    name: Name = None,
    output: Annotated[
        Path | None, typer.Option(help="The folder to write to; else NAME-report here.")
    ] = None,
) -> None:
    """Write one interactive HTML page about what was found."""
    from warpfront.cli.errors import CommandError
    from warpfront.cli.storage import show
    from warpfront.integrations.optuna import load_history
    from warpfront.report import write_report

    opened = _open(spec, storage, name)
    folder = output or _report_folder(opened.name)
    try:
        page = write_report(
            load_history(opened.study, opened.space),
            folder,
            title=opened.name,
            settings=opened.settings,
            seed=opened.seed,
            facts={"study": opened.name, "storage": show(opened.url)},
            times={t.number: (t.datetime_start, t.datetime_complete) for t in opened.trials()},
        )
    except OSError as error:
        raise CommandError(
            f"{folder}: cannot be written ({error}); give another folder with --output"
        ) from None
    finally:
        opened.close()
    typer.echo(str(page))


@app.command(epilog="Example: warpfront diagnose tune.toml --yes --output diagnosis.html")
def diagnose(
    spec: SpecOrStorage = None,
    storage: Storage = None,
    name: Name = None,
    configurations: Annotated[
        int, typer.Option(min=2, help="How many configurations are repeated.")
    ] = CONFIGURATIONS,
    repeats: Annotated[
        int, typer.Option(min=4, help="How often each of them; an even number.")
    ] = TIMES,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Evaluate the repeats without asking.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(min=1, help="How many evaluations run at the same time here.")
    ] = None,
    parameters: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Compare EI, PI and UCB over these two parameters."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Write an HTML page with figures to this file, too.")
    ] = None,
    patience: PatienceOption = "10m",  # type: ignore[assignment]
    as_json: AsJson = False,
) -> None:
    """Say how noisy, uneven and hard to model the task is, and which settings follow.

    Only the test whether the noise is the same everywhere needs new evaluations: repeats. It says
    how many and asks first; the same command goes on where it was stopped.
    """
    from warpfront.cli import diagnose as steps
    from warpfront.cli.errors import INTERRUPTED, CommandError
    from warpfront.cli.objective import Interrupted
    from warpfront.cli.spec import default_spec
    from warpfront.cli.storage import show
    from warpfront.cli.study import storage_url
    from warpfront.cli.tune import resume_command
    from warpfront.diagnostics import write_diagnosis

    _quiet()
    if spec is None and storage is None:
        spec = default_spec(Path.cwd())
    read = None if spec is None and storage is not None else _read(spec)
    if output is not None and not output.absolute().parent.is_dir():
        raise CommandError(f"--output {output}: there is no folder for it; make it first")
    steps.check_repeats(repeats)
    subject = steps.find_subject(read, storage_url(read, storage, name), name)
    chosen = steps.check_parameters(subject, parameters)

    def say(line: str) -> None:
        typer.echo(line, err=True)

    def agree(cost: str) -> bool:
        if yes:
            say(cost)
            return True
        if steps.is_terminal():
            return typer.confirm(f"{cost[0].upper()}{cost[1:]}. Evaluate them now?", err=True)
        say(f"{cost}; nothing is evaluated without --yes")
        return False

    try:
        groups = steps.gather(
            subject,
            read,
            configurations=configurations,
            times=repeats,
            workers=workers,
            patience=patience,
            agree=agree,
            say=say,
        )
    except Interrupted:
        resume = resume_command(sys.argv[1:], None if storage is None else show(storage))
        say(f"stopped; go on with: {resume}")
        raise typer.Exit(INTERRUPTED) from None
    found = steps.examine(subject, groups, chosen)
    if as_json:
        typer.echo(json.dumps({"study": subject.name, **found.to_dict()}, allow_nan=False))
    else:
        typer.echo(str(found))
        if found.changes:
            typer.echo("\nA study keeps its settings: put these into the SPEC of a new study.\n")
            typer.echo(steps.describe_changes(found.changes, spec))
    if output is not None:
        facts = {"study": subject.name, "storage": show(subject.url)}
        try:
            page = write_diagnosis(found, output, title=subject.name, facts=facts)
        except OSError as error:
            raise CommandError(f"--output {output}: cannot be written ({error})") from None
        say(f"wrote {page}")


@app.command(epilog="Example: warpfront dashboard tune.toml --port 8081")
def dashboard(
    spec: SpecOrStorage = None,
    storage: Storage = None,
    name: Name = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8080,
) -> None:
    """Show the study in a browser, with optuna-dashboard, on this machine only."""
    from warpfront.cli.dashboard import serve

    opened = _open(spec, storage, name)
    try:
        serve(opened, port, typer.echo)
    finally:
        opened.close()


@app.command(epilog="Example: warpfront init tune.toml")
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
