"""The progress display: rich if it is installed, else one plain line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from warpfront.history import History

if TYPE_CHECKING:
    from rich.progress import Progress

Report = Callable[[History], None]


def describe(history: History) -> str:
    """One line: the best loss so far and the number of failures.

    Examples
    --------
    >>> from warpfront import Real, Space
    >>> history = History(Space(x=Real(0, 1)))
    >>> describe(history.tell([(None, {"x": 0.5}, 1.25), (None, {"x": 0.1}, None)]))
    'best 1.25 (trial 0), 1 failed'
    """
    if not history.completed:
        text = "no success yet"
    else:
        text = f"best {history.best.value:.6g} (trial {history.best.number})"
    failed = len(history.of_state("failed"))
    return text + (f", {failed} failed" if failed else "")


@contextmanager
def show_progress(budget: int, wanted: bool | None) -> Iterator[Report]:
    """Yield a function to call after each evaluation; it shows progress on standard error."""
    if wanted is None:
        wanted = sys.stderr is not None and sys.stderr.isatty()
    if not wanted:
        yield lambda history: None
        return
    bar = _rich_bar()
    if bar is None:
        try:
            yield _plain(budget)
        finally:
            print(file=sys.stderr)
        return
    with bar:
        task = bar.add_task("", total=budget)

        def report(history: History) -> None:
            bar.update(task, advance=1, description=describe(history))

        yield report


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


def _plain(budget: int) -> Report:
    done = 0

    def report(history: History) -> None:
        nonlocal done
        done += 1
        print(f"\r{done}/{budget}  {describe(history):<60}", end="", file=sys.stderr, flush=True)

    return report
