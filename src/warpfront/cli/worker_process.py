"""A worker process, as the tuner that has started it sees it."""

from __future__ import annotations

import codecs
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from warpfront.cli import guard

CHUNK = 65_536
"""Bytes of a worker's output that are read at a time."""


@dataclass
class WorkerProcess:
    """A worker process; closing its standard input tells it to stop, as does our own death."""

    name: str
    process: subprocess.Popen[str]
    error: str | None = None
    pump: threading.Thread | None = None
    done: bool = False

    def stop(self) -> None:
        """Tell it to stop."""
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()

    def end(self, patience: float | None = None) -> None:
        """End it, and what its function has started."""
        guard.end(self.process.pid, *(() if patience is None else (patience,)))


def chunks(stream: IO[str]) -> Iterator[list[str]]:
    """The lines of a pipe, as many at a time as there are: a function must not wait for us."""
    raw = stream.buffer  # type: ignore[attr-defined]
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    while data := raw.read1(CHUNK):
        *lines, rest = re.split(r"\r\n|\r(?!$)|\n", rest + decoder.decode(data))
        if lines:
            yield lines
    if rest:
        yield [rest]
