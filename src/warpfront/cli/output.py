"""What a command has written: the number on its last line or in a file, and its last words."""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from warpfront.cli.outcome import LENGTH, Outcome, outcome_of
from warpfront.problem import Problem

TAIL = 65_536
"""How many bytes of a command's output are looked at, from its end."""
LINES = 5
"""How many of the last lines of standard error go into the reason of a failure."""
LARGEST = 16 * 2**20
"""Bytes that a result file may have."""

Stamp = tuple[int, int, int]
"""What tells a file that was written anew."""


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LENGTH else "..." + line[-LENGTH:]


def _lines(file: IO[bytes]) -> list[str]:
    """The last lines of a file, without empty ones."""
    file.seek(max(file.seek(0, os.SEEK_END) - TAIL, 0))
    text = file.read().decode(errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def said(err: IO[bytes]) -> str:
    """The last lines of standard error, as the end of a reason."""
    lines = _lines(err)[-LINES:]
    return ": " + _shorten(" | ".join(lines)) if lines else ""


def last_line(out: IO[bytes], err: IO[bytes], problem: Problem) -> Outcome:
    """The outcomes on the last line of standard output: a number, or a JSON object."""
    lines = _lines(out)
    if not lines:
        return {}, "no output; the last line must be the value" + said(err)
    given: Any = None
    with suppress(ValueError, RecursionError):
        given = json.loads(lines[-1])
    if isinstance(given, dict):
        return outcome_of(given, problem)
    try:
        return outcome_of(float(lines[-1]), problem)
    except ValueError:
        alone = "a number" if len(problem.names) == 1 else f"a JSON object {example(problem)}"
        return {}, (
            f"the last line of output is not {alone.partition(' {')[0]}: "
            f"{_shorten(lines[-1])!r}; print {alone} alone on the last line" + said(err)
        )


def example(problem: Problem) -> str:
    """How the outcomes of a problem look as JSON.

    Examples
    --------
    >>> from warpfront import AtMost, Minimize, Real, Space
    >>> example(Problem(Space(x=Real(0, 1)), (Minimize("loss"), AtMost("memory", 512))))
    '{"loss": ..., "memory": ...}'
    """
    return "{" + ", ".join(f"{json.dumps(name)}: ..." for name in problem.names) + "}"


def stamp(path: Path | None) -> Stamp | None:
    """What tells whether a file was written anew; None if there is no file."""
    try:
        found = None if path is None else path.stat()
    except OSError:
        return None
    return None if found is None else (found.st_ino, found.st_size, found.st_mtime_ns)


def outcomes_in(path: Path, key: str, before: Stamp | None, problem: Problem) -> Outcome:
    """The outcomes under a key of a JSON file that was written after ``before`` was taken."""
    if not path.exists():
        return {}, f"the command wrote no {path.name}"
    if stamp(path) == before:
        return {}, f"{path.name} is an old file; the command did not write it"
    try:
        data = json.loads(_read(path))
    except RecursionError:
        return {}, f"{path.name} is nested too deeply to be read as JSON"
    except OSError as error:
        return {}, f"{path.name} cannot be read: {error.strerror or error}"
    except ValueError as error:
        return {}, f"{path.name} is not valid JSON: {_shorten(str(error))}"
    whole = not key or (isinstance(data, dict) and key in data)
    for part in [key] * bool(key) if whole else key.split("."):
        if not isinstance(data, dict) or part not in data:
            return {}, f"{path.name} has no {key!r}"
        data = data[part]
    if isinstance(data, bool):
        return {}, f"{key!r} in {path.name} is {data}, not a number"
    return outcome_of(data, problem)


def _read(path: Path) -> str:
    """The text of a regular file; a pipe or a device could keep us waiting for ever."""
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise OSError(None, "it is not a regular file")
        with open(opened, "rb", closefd=False) as file:
            text = file.read(LARGEST + 1)
    finally:
        os.close(opened)
    if len(text) > LARGEST:
        raise OSError(None, f"it is larger than {LARGEST // 2**20} MB")
    return text.decode("utf-8")
