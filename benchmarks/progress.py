"""How far it is: a bar with the time left on a terminal, else a line at least every minute."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Any

QUIET_SECONDS = 60.0
"""After so long without a line, one says that the work goes on."""


class Progress:
    """Progress on standard error.

    Parameters
    ----------
    total
        All that is to be done, in any unit.
    quiet_seconds
        After so long without a line, one says that the work goes on.
    """

    def __init__(self, total: float, quiet_seconds: float = QUIET_SECONDS) -> None:
        self._total = total
        self._done = 0.0
        self._start = self._said = time.monotonic()
        self._quiet_seconds = quiet_seconds
        self._ended = threading.Event()
        self._reminder = threading.Thread(target=self._remind, daemon=True)
        self._bar: Any = _bar() if sys.stderr.isatty() and total > 0 else None

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
            self._bar.add_task("", total=self._total)
        elif self._total > 0:
            self._reminder.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended.set()
        if self._bar is not None:
            self._bar.stop()
        elif self._reminder.ident is not None:
            self._reminder.join()

    def advance(self, amount: float, text: str) -> None:
        """So much more is done; on a terminal the text stands beside the bar."""
        self._done += amount
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done, description=text)

    def say(self, text: str) -> None:
        """A line that stays, after how much is done and how long the rest may take."""
        if self._bar is not None:
            self._bar.console.print(text, markup=False, highlight=False)
            return
        self._said = time.monotonic()
        share = self._done / self._total if self._total else 1.0
        left = (time.monotonic() - self._start) * (1.0 / share - 1.0) if share else float("nan")
        print(f"{share:4.0%}, {left / 60:.1f} min left: {text}", file=sys.stderr, flush=True)

    def _remind(self) -> None:
        """Say that the work goes on whenever nothing was said for long."""
        while not self._ended.wait(self._said + self._quiet_seconds - time.monotonic()):
            if time.monotonic() - self._said >= self._quiet_seconds:
                self._said = now = time.monotonic()
                share = self._done / self._total
                text = f"{share:4.0%}, at work for {(now - self._start) / 60:.1f} min"
                print(text, file=sys.stderr, flush=True)


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
        speed_estimate_period=600.0,  # pieces are long, and a short memory would make it jump
    )
