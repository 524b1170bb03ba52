"""The commands that look at a study: `best`, `status`, `report`, `diagnose` and `dashboard`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from warpfront.cli.options import (
    AsJson,
    Name,
    PatienceOption,
    SpecOrStorage,
    Storage,
    Where,
    quiet,
    say,
)

EXAMPLES = {
    "best": "tune.toml --json",
    "status": "--storage sqlite:///study.db",
    "report": "tune.toml --output report",
    "diagnose": "tune.toml --yes --output diagnosis.html",
    "dashboard": "tune.toml --port 8081",
}
CONFIGURATIONS, TIMES = 10, 6
"""What `diagnose` repeats unless it is told otherwise. An even number of times: of an odd one, the
median is an evaluation of its own, and the tests find next to nothing."""


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
    """Show the best trial so far; of several objectives, those that no other one dominates."""
    from warpfront.cli import shown
    from warpfront.cli.errors import NoSuccessError

    where = Where(spec, storage, name)
    facts = _facts(where, recommended)
    found = facts.get("front", [facts["best"]] if facts.get("best") else [])
    if not found:
        raise NoSuccessError(_why_none(facts))
    if as_json:
        typer.echo(json.dumps(facts["front"] if "front" in facts else found[0]))
        return
    for one in found:
        outcomes = {key: one[key] for key in one if key not in ("trial", "config")}
        if "front" in facts:
            typer.echo(f"trial {one['trial']}: {shown.outcomes(outcomes)}")
            typer.echo(f"  {shown.config(one['config'])}")
            continue
        trial = f" (trial {one['trial']})"
        for key, value in {**outcomes, **one["config"]}.items():
            typer.echo(f"{shown.plain(key)}: {shown.value(value)}{trial}")
            trial = ""
    where.suggest_next("report")


def _why_none(facts: dict[str, Any]) -> str:
    if facts.get("infeasible"):
        return (
            f"no trial of {facts['study']!r} is feasible yet: all {facts['infeasible']} that have "
            "completed violate a bound of [goals]; go on, or `warpfront export` shows them"
        )
    failure = facts["last_failure"]
    why = f"; the last failure: {failure['reason']}" if failure else ""
    return f"no trial of {facts['study']!r} has succeeded yet{why}"


def _facts(where: Where, recommended: bool = False) -> dict[str, Any]:
    """How far a study is; its best trial may be the recommended one."""
    from warpfront.cli.errors import CommandError
    from warpfront.cli.progress import progress_of, recommendation_of
    from warpfront.cli.trials import Overview

    opened = where.open()
    try:
        facts = progress_of(opened, Overview(opened.trials()), opened.budget).to_dict()
        if recommended and "front" in facts:
            raise CommandError("--recommended: is for one objective; this study has several")
        return facts | {"best": recommendation_of(opened)} if recommended else facts
    finally:
        opened.close()


def status(
    spec: SpecOrStorage = None, storage: Storage = None, name: Name = None, as_json: AsJson = False
) -> None:
    """Show how far a study is."""
    from warpfront.cli import shown

    where = Where(spec, storage, name)
    facts = _facts(where)
    if as_json:
        typer.echo(json.dumps(facts))
        return
    for key, value in facts.items():
        if value in (None, 0, []):
            continue
        if key == "front":
            value = f"{len(value)} trials"
        elif isinstance(value, dict):
            config = value.get("config", {})
            rest = {k: v for k, v in value.items() if k != "config"}
            value = ", ".join(f"{shown.plain(k)} {shown.value(v)}" for k, v in rest.items())
            value += f", {shown.config(config)}" if config else ""
        typer.echo(f"{key.replace('_', ' ')}: {shown.value(value)}")
    where.suggest_next("best" if facts["completed"] else "tune")


def _report_folder(study: str) -> Path:
    """A folder here, whatever is in the name of the study."""
    return Path((re.sub(r"[^\w.-]+", "-", study).strip("-.") or "study") + "-report")


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
    from warpfront.report import write_report

    where = Where(spec, storage, name)
    opened = where.open()
    folder = output or _report_folder(opened.name)
    try:
        page = write_report(
            opened.history(),
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
    where.suggest_next("diagnose")


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
        Path | None, typer.Option(help="Write an HTML page with pictures to this file, too.")
    ] = None,
    outcome: Annotated[
        str | None, typer.Option("--goal", help="Which of several goals; else the first.")
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
    from warpfront.cli.outcome import Interrupted
    from warpfront.cli.plan import resume_command
    from warpfront.cli.storage import show
    from warpfront.diagnostics import write_diagnosis

    quiet()
    where = Where(spec, storage, name)
    read = where.read() if storage is None else where.read_if_any()
    if output is not None and not output.absolute().parent.is_dir():
        raise CommandError(f"--output {output}: there is no folder for it; make it first")
    steps.check_repeats(repeats)
    subject = steps.find_subject(read, where.url(read), name, outcome)
    chosen = steps.check_parameters(subject, parameters)

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
            typer.echo(steps.describe_changes(found.changes, None if read is None else read.path))
    if output is not None:
        facts = {"study": subject.name, "storage": show(subject.url)}
        try:
            page = write_diagnosis(found, output, title=subject.name, facts=facts)
        except OSError as error:
            raise CommandError(f"--output {output}: cannot be written ({error})") from None
        say(f"wrote {page}")
    elif not as_json:
        where.suggest_next("diagnose", "--output", "diagnosis.html")


def dashboard(
    spec: SpecOrStorage = None,
    storage: Storage = None,
    name: Name = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8080,
) -> None:
    """Show the study in a browser, with optuna-dashboard, on this machine only."""
    from warpfront.cli.dashboard import serve

    opened = Where(spec, storage, name).open()
    try:
        serve(opened, port, typer.echo)
    finally:
        opened.close()
