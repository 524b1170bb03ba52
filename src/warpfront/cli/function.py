"""A Python function as the objective: found by its name, and called under a time limit."""

from __future__ import annotations

import importlib
import importlib.util
import locale
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from warpfront.cli.errors import CommandError
from warpfront.cli.outcome import reason_of
from warpfront.cli.spec import PythonObjective
from warpfront.space import Configuration


def load_function(objective: PythonObjective, folder: Path) -> Callable[[Configuration], Any]:
    """Import the function; its module is looked for in the folder of the SPEC first."""
    where = f"objective.python = '{objective.module}:{objective.function}'"
    sys.path.insert(0, str(folder))
    hidden = _hidden_file(objective.module.partition(".")[0], folder)
    if hidden is not None:
        raise CommandError(f"{where}: {hidden}; rename the file, and give its new name")
    try:
        found: Any = importlib.import_module(objective.module)
        for name in objective.function.split("."):
            found = getattr(found, name)
    except ModuleNotFoundError as error:
        remedy = (
            f"put {objective.module.partition('.')[0]}.py into {folder}, or install it"
            if error.name and objective.module.startswith(error.name)
            else "install it"
        )
        raise CommandError(f"{where}: there is no module {error.name!r}; {remedy}") from error
    except AttributeError as error:
        raise CommandError(
            f"{where}: importing it failed: {error}; is it defined at the top of the module?"
        ) from error
    except (Exception, SystemExit) as error:
        raise CommandError(f"{where}: importing it failed: {reason_of(error)}") from error
    if not callable(found):
        raise CommandError(f"{where}: {found!r} is not a function")
    return found  # type: ignore[no-any-return]


def _hidden_file(module: str, folder: Path) -> str | None:
    """What hides a module of the folder: one of the same name that is loaded before; else None."""
    files = [folder / f"{module}.py", folder / module / "__init__.py"]
    beside = next((file for file in files if file.is_file()), None)
    if beside is None:
        return None
    with suppress(ValueError):  # of what was not imported, such as __main__
        spec = importlib.util.find_spec(module)
        if spec is not None and spec.origin is not None:
            at = Path(spec.origin).parent.resolve()  # not of the file, which may be a link
            here = (folder.resolve(), (folder / module).resolve())
            if not spec.has_location or at not in here:  # built-in modules have none
                return (
                    f"another module {module!r}, from {spec.origin}, is loaded in place of {beside}"
                )
    return None


@contextmanager
def alarm(seconds: float | None, handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    """Call a handler in the main thread after a while."""
    if seconds is None:
        yield
        return
    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@contextmanager
def as_it_was() -> Iterator[None]:
    """Put back what a function changes for the whole process: we go on in it.

    These are the working directory, the locale, the filters of warnings, the limit of recursion,
    and NumPy's floating-point errors.
    """
    folder = os.open(".", os.O_RDONLY)
    depth, names = sys.getrecursionlimit(), locale.setlocale(locale.LC_ALL)
    try:
        with np.errstate(), warnings.catch_warnings():
            yield
    finally:
        sys.setrecursionlimit(depth)
        with suppress(locale.Error):
            locale.setlocale(locale.LC_ALL, names)
        os.fchdir(folder)
        os.close(folder)
