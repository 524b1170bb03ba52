"""The progress display: rich in a terminal, HTML in a notebook, else one plain line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from warpfront.history import History
from warpfront.markup import tag
from warpfront.overview import describe

if TYPE_CHECKING:
    from rich.progress import Progress

Report = Callable[[History], None]

REFRESH = 0.2
"""Seconds between two changes of the display in a notebook: each is a message to the browser."""


@contextmanager
def show_progress(budget: int | None, wanted: bool | None) -> Iterator[Report]:
    """Yield a function to call after each evaluation; it shows progress.

    Parameters
    ----------
    budget
        How many evaluations there will be, or None if that is not known.
    wanted
        Whether to show it; None: in a terminal and in a notebook.
    """
    display = _notebook_display()
    if wanted is None:
        wanted = display is not None or (sys.stderr is not None and sys.stderr.isatty())
    if not wanted:
        yield lambda history: None
        return
    if display is not None:
        notebook = _Notebook(budget, display)
        try:
            yield notebook.report
        finally:
            notebook.show()
        return
    bar = _rich_bar()
    if bar is None:
        try:
            yield _plain(budget)
        finally:
            with suppress(ValueError, OSError, AttributeError):  # the loss may have closed it
                print(file=sys.stderr)
        return
    task = bar.add_task("", total=budget)

    def report(history: History) -> None:
        bar.update(task, advance=1, description=describe(history))

    bar.start()
    try:
        yield report
    finally:
        with suppress(ValueError, OSError, AttributeError):
            bar.stop()


def _notebook_display() -> Any:
    """IPython's function that shows something in a notebook; None outside of one."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or getattr(shell, "kernel", None) is None:
        return None
    from IPython.display import display

    return display


class _Notebook:
    """A bar of plain HTML that is replaced in its place; it needs no widgets."""

    def __init__(self, budget: int | None, display: Any) -> None:
        self._budget = budget
        self._done, self._text = 0, "starting"
        self._began = self._shown = time.monotonic()
        self._handle = display(self, display_id=True)

    def report(self, history: History) -> None:
        self._done += 1
        self._text = describe(history)
        if time.monotonic() - self._shown >= REFRESH:
            self.show()

    def show(self) -> None:
        self._shown = time.monotonic()
        self._handle.update(self)

    @property
    def _count(self) -> str:
        return f"{self._done}/{self._budget}" if self._budget else str(self._done)

    def __repr__(self) -> str:
        return f"warpfront {self._count}  {self._text}"

    def _repr_html_(self) -> str:
        seconds = f"{time.monotonic() - self._began:.0f} s"
        bar = tag("progress", max=self._budget, value=self._done) if self._budget else ""
        return tag("div", "warpfront ", bar, f" {self._count} · {seconds} · {self._text}")


def _rich_bar() -> Progress | None:
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
    except ImportError:
        return None
    return Progress(
        TextColumn("warpfront"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=Console(stderr=True),
        # What the loss prints scrolls above the bar, but still goes where `> file` sends it.
        redirect_stdout=sys.stdout is not None and sys.stdout.isatty(),
    )


def _plain(budget: int | None) -> Report:
    done = 0

    def report(history: History) -> None:
        nonlocal done
        done += 1
        count = f"{done}/{budget}" if budget else str(done)
        print(f"\r{count}  {describe(history):<60}", end="", file=sys.stderr, flush=True)

    return report
