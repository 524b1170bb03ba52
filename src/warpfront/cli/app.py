"""The commands. Each imports what it needs when it runs, so that `--help` is quick."""

from __future__ import annotations

from typing import Annotated

import typer

from warpfront.cli import running, tables, views

__all__ = ["app"]

app = typer.Typer(
    name="warpfront",
    help="Find the best settings of an expensive black box in as few evaluations as possible.",
    epilog="Begin with: warpfront init, then warpfront tune tune.toml",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


for _module in (running, tables, views):
    for _command, _example in _module.EXAMPLES.items():
        _register = app.command(_command, epilog=f"Example: warpfront {_command} {_example}")
        _register(getattr(_module, _command))
