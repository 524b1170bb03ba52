"""The options that several commands have, and how they find a study."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from warpfront.cli.durations import parse_duration

if TYPE_CHECKING:
    from warpfront.cli.patience import Patience
    from warpfront.cli.spec import Spec
    from warpfront.cli.study import OpenStudy

STORAGE = "WARPFRONT_STORAGE"
"""The variable with the storage, which keeps a password out of the list of processes."""


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
        envvar=STORAGE,
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
        parser=_duration,
        metavar="10m",
        help="How long to wait for a database that is away, or whose disk is full.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class OnError(str, Enum):
    """What to do about an objective whose first trials all fail."""

    RAISE = "raise"
    RECORD = "record"


class Format(str, Enum):
    """The format of a file with all trials."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


@dataclass(frozen=True)
class Where:
    """The study that the options of a command name."""

    spec: Path | None
    storage: str | None
    name: str | None

    def command(self, *words: str) -> str:
        """A command for the same study, for a shell; a password is left out."""
        from warpfront.cli.storage import show

        found = ["warpfront", *words]
        if self.spec is not None:
            found.append(str(self.spec))
        if self.name is not None:
            found += ["--name", self.name]
        if self.storage is not None and self.storage != os.environ.get(STORAGE):
            found += ["--storage", show(self.storage)]
        return shlex.join(found)

    def suggest_next(self, *words: str) -> None:
        """Say which command is useful now; not where a program reads the output."""
        say(f"next: {self.command(*words)}")

    def read(self) -> Spec:
        """Read the SPEC that is given, or the one that is here."""
        from warpfront.cli.errors import SpecError
        from warpfront.cli.spec import DEFAULTS, default_spec, read_spec

        path = self.spec or default_spec(Path.cwd())
        if path is None:
            raise SpecError(
                f"there is no {', '.join(DEFAULTS[:-1])} or {DEFAULTS[-1]} here; give the SPEC, or "
                "write an example with `warpfront init`"
            )
        return read_spec(path)

    def url(self, spec: Spec | None) -> str:
        """The URL of the storage."""
        from warpfront.cli.study import storage_url

        return storage_url(spec, self.storage, self.name)

    def create(self, spec: Spec, patience: Patience | None = None) -> OpenStudy:
        """Begin the study of a SPEC, or open it; with patience, when the database answers."""
        from warpfront.cli.study import create_study

        quiet()
        url = self.url(spec)
        if patience is None:
            return create_study(spec, url, self.name)
        return patience.insist(lambda: create_study(spec, url, self.name))

    def open(self, first: Path | None = None) -> OpenStudy:
        """Open a study that is there; with a table of first results, a SPEC may begin it."""
        from warpfront.cli.laboratory import check_first
        from warpfront.cli.study import has_study, open_study

        quiet()
        spec = self.read_if_any()
        url = self.url(spec)
        if first is not None and spec is not None and not has_study(url, self.name or spec.name):
            check_first(spec, self.name or spec.name, first)  # before there is a study
            return self.create(spec)
        return open_study(spec, url, self.name)

    def read_if_any(self) -> Spec | None:
        """Read the SPEC; where a storage is given, no SPEC is looked for."""
        from warpfront.cli.spec import default_spec

        if self.spec is None and (self.storage is not None or default_spec(Path.cwd()) is None):
            return None
        return self.read()


def say(line: str) -> None:
    """Tell people something, on standard error."""
    typer.echo(line, err=True)


def quiet() -> None:
    """Optuna's own messages are for programmers."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
