"""The commands of tables: `suggest`, `observe` and `export`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from warpfront.cli.options import Format, Name, SpecFile, SpecOrStorage, Storage, Where, say

EXAMPLES = {
    "suggest": "tune.toml -n 8 --csv next.csv",
    "observe": "next.csv tune.toml",
    "export": "tune.toml --output trials.csv",
}


def suggest(
    spec: SpecFile = None,
    n: Annotated[int, typer.Option("-n", "--number", min=1, help="How many.")] = 1,
    csv: Annotated[
        Path | None, typer.Option(help="Where to write the table; else it is printed.")
    ] = None,
    pending: Annotated[
        bool, typer.Option("--pending", help="Only what has no result yet; choose nothing new.")
    ] = False,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="All digits of reals, not only what their range makes meaningful."
        ),
    ] = False,
    storage: Storage = None,
    name: Name = None,
) -> None:
    """Choose experiments to do by hand, as a table with a column for each result."""
    from warpfront.cli.errors import TableError
    from warpfront.cli.laboratory import pending as pending_trials
    from warpfront.cli.laboratory import suggest as choose
    from warpfront.cli.table import write_table

    if csv is not None and csv.exists():
        raise TableError(
            f"{csv}: is there already, perhaps with results; observe it first, or choose another "
            "name"
        )
    where = Where(spec, storage, name)
    read = where.read()
    opened = where.create(read)
    try:
        found = pending_trials(opened) if pending else choose(opened, n, exact=exact)
        names = opened.problem.names
        text = write_table(opened.space, names, found)
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
    columns = f"column{'s' * (len(names) > 1)} {', '.join(map(repr, names))}"
    typer.echo(f"{csv}: {len(found)} experiments; fill in the {columns}, then:")
    if spec is None and storage is not None:  # then no SPEC is looked for
        where = Where(Path(read.path.name), storage, name)
    typer.echo(f"  {where.command('observe', str(csv))}")


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
        raise TableError(f"{spec}: is not a SPEC; the CSV comes first: warpfront observe CSV SPEC")
    where = Where(spec, storage, name)
    opened = where.open(first=csv)
    try:
        done = tell(opened, csv, as_tried)
    finally:
        opened.close()
    known = f", {done.known} known before" if done.known else ""
    waiting = f", {done.waiting} without all of their results yet" if done.waiting else ""
    typer.echo(f"{done.told} results told{known}{waiting}")
    where.suggest_next("suggest" if where.read_if_any() is not None else "best")


def export(
    spec: SpecOrStorage = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The file: .csv, .json or .parquet; else it is printed."
        ),
    ] = None,
    form: Annotated[
        Format | None, typer.Option("--format", help="Else by the ending of the file, or CSV.")
    ] = None,
    storage: Storage = None,
    name: Name = None,
) -> None:
    """Write all trials to a file: parameters, outcomes, states, times and reasons of failures."""
    from warpfront.cli.errors import CommandError
    from warpfront.cli.export import rows_of, write

    endings = {f".{one.value}": one for one in Format}
    chosen = form or (Format.CSV if output is None else endings.get(output.suffix.lower()))
    if chosen is None:
        raise CommandError(f"--output {output}: must end in .csv, .json or .parquet; or --format")
    if output is None and chosen is Format.PARQUET:
        raise CommandError("--format parquet: is not for a terminal; give --output FILE")
    opened = Where(spec, storage, name).open()
    try:
        rows = rows_of(opened)
    finally:
        opened.close()
    data = write(rows, chosen.value)
    if output is None:
        sys.stdout.write(data.decode())
        return
    try:
        output.write_bytes(data)
    except OSError as error:
        raise CommandError(f"--output {output}: cannot be written ({error})") from None
    say(f"wrote {len(rows)} trials to {output}")
