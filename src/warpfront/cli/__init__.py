"""The command `warpfront`: `main` is its entry point.

What a command needs is imported when it runs, so that `--help` and completion are quick.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

from warpfront.errors import WarpfrontError

__all__ = ["main"]

DEBUG = "--debug"
EXTRA = "pip install 'warpfront[study]'"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; errors become one line on standard error and an exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = DEBUG in words
    words = [word for word in words if word != DEBUG]
    try:
        from warpfront.cli.app import app

        app(words, prog_name="warpfront")
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
        _leave(f"the command needs {error.name}: {EXTRA}", 1, debug)
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        _leave(f"unexpected {what}; {DEBUG} shows where", 1, debug)


def _leave(message: str, code: int, debug: bool) -> None:
    if debug:
        traceback.print_exc()
    print("error: " + " ".join(message.split()), file=sys.stderr)
    sys.exit(code)
