"""The command `warpfront`: `main` is its entry point.

What a command needs is imported when it runs, so that `--help` and completion are quick.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

from warpfront.errors import WarpfrontError
from warpfront.extras import install_line

__all__ = ["main"]

DEBUG = "--debug"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; errors become one line on standard error and an exit code."""
    try:
        _run(arguments)
    except SystemExit as end:
        if arguments is None and "threading" in sys.modules:  # a process of its own
            from warpfront.cli.leaving import do_not_wait_for_threads

            do_not_wait_for_threads(end.code if isinstance(end.code, int) else 0)
        raise


def _run(arguments: Sequence[str] | None) -> NoReturn:
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = DEBUG in words
    words = [word for word in words if word != DEBUG] or ["--help"]
    try:
        from warpfront.cli.app import app

        code = app(words, prog_name="warpfront", standalone_mode=False)
    except WarpfrontError as error:
        _leave(str(error), getattr(error, "code", 1), debug)
    except KeyboardInterrupt:
        _leave("interrupted", 130, debug)
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("warpfront"):
            raise
        _leave(f"the command needs {error.name}: {install_line('study')}", 1, debug)
    except Exception as error:
        if hasattr(error, "format_message"):  # words that typer does not understand
            command = getattr(getattr(error, "ctx", None), "command_path", "warpfront")
            _leave(f"{error.format_message().rstrip('.')}; see {command} --help", 2, debug)
        if type(error).__name__ == "Abort":  # what typer makes of Ctrl-C
            _leave("interrupted", 130, debug)
        if type(error).__name__ == "StorageInternalError" or _is_of_database(error):
            from warpfront.cli.patience import explain

            _leave(f"the database refuses: {explain(error)}", 1, debug)
        what = f"{type(error).__name__}: {error}"
        _leave(f"unexpected {what}; {DEBUG} shows where", 1, debug)
    sys.exit(code if isinstance(code, int) else 0)


def _is_of_database(error: Exception) -> bool:
    return type(error).__module__.startswith("sqlalchemy.")


def _leave(message: str, code: int, debug: bool) -> NoReturn:
    if debug:
        traceback.print_exc()
    from warpfront.cli.shown import plain

    first, *more = message.split("\n  ")
    lines = [plain(first)]  # only what is indented stands on a line of its own
    lines += ["  " + " " * (len(line) - len(line.lstrip(" "))) + plain(line) for line in more]
    print("error: " + "\n".join(lines), file=sys.stderr)
    sys.exit(code)
