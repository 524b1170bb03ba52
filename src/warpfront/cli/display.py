"""The display of a run on standard error: live on a terminal, else one line for each trial."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from warpfront.cli.durations import describe_duration
from warpfront.cli.progress import Progress
from warpfront.cli.shown import config, plain, sparkline

BAR, REASON = 40, 200
"""The width of the progress bar, and how much of a reason is shown, in characters."""
SCROLLED = 50
"""How many of the lines that an objective prints at a time a terminal shows."""
LINES = 20
"""How many trials a plain display names at a time; more are counted."""


class Display(Protocol):
    """Shows how a run goes."""

    def update(self, progress: Progress, workers: Mapping[str, str], ended: list[str]) -> None:
        """Show the facts, the states of the workers, and the trials that have ended since."""

    def say(self, text: str) -> None:
        """Show lines that stay, without what a terminal would obey."""

    def close(self) -> None:
        """Leave the last state on the screen."""


def open_display() -> Display:
    """The display that fits standard error."""
    console = Console(stderr=True, highlight=False)
    return LiveDisplay(console) if console.is_terminal else PlainDisplay(console)


class PlainDisplay:
    """One line for each trial that has ended, for files and pipes."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def update(self, progress: Progress, workers: Mapping[str, str], ended: list[str]) -> None:
        total = "" if progress.budget is None else f"/{progress.budget}"
        done = f"{progress.finished}{total} done, {summary(progress)}"
        for line in ended[:LINES]:
            self.say(f"{line} ({done})")
        if len(ended) > LINES:
            self.say(f"... and {len(ended) - LINES} more trials ({done})")

    def say(self, text: str) -> None:
        lines = map(plain, text.split("\n"))
        self._console.print("\n".join(lines), markup=False, soft_wrap=True)

    def close(self) -> None:
        pass


class LiveDisplay:
    """A few lines that are drawn anew: progress, time left, the best, failures, workers."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False, redirect_stdout=False)
        self._live.start()
        self._began = time.monotonic()
        self._before: int | None = None  # trials that had ended before this run

    def update(self, progress: Progress, workers: Mapping[str, str], ended: list[str]) -> None:
        if self._before is None:
            self._before = progress.finished
        self._live.update(self._draw(progress, workers), refresh=True)

    def say(self, text: str) -> None:
        # What scrolls by too fast to be read would only keep the picture from being drawn.
        lines = text.split("\n")
        hidden = len(lines) - SCROLLED
        shown = [f"... {hidden} more lines", *lines[-SCROLLED:]] if hidden > 0 else lines
        self._live.console.print("\n".join(map(plain, shown)), markup=False, soft_wrap=True)

    def close(self) -> None:
        self._live.stop()

    def _draw(self, progress: Progress, workers: Mapping[str, str]) -> Group:
        elapsed = time.monotonic() - self._began
        new = progress.finished - (self._before or 0)
        times = describe_duration(elapsed)
        parts = [Text(plain(progress.name), style="bold")]
        lines: list[Text | ProgressBar] = []
        if progress.budget is not None:
            width = max(min(BAR, self._live.console.width - 1), 1)
            lines.append(
                ProgressBar(total=progress.budget, completed=progress.finished, width=width)
            )
            parts.append(Text(f"{progress.finished}/{progress.budget}"))
            left = progress.budget - progress.finished
            if new and left > 0:
                times += f", about {describe_duration(elapsed / new * left)} left"
        parts.append(Text(times, style="dim"))
        lines.insert(0, Text(" ").join(parts))
        curve = (sparkline(progress.curve), "cyan")
        style = "bold green" if progress.best else "dim"
        lines.append(Text.assemble((progress.headline(), style), "  ", curve))
        if progress.configs and not progress.has_front:
            lines.append(Text("  " + config(progress.configs[0])))
        if progress.failure is not None:
            number, reason = progress.failure
            text = f"{progress.failed} failed; trial {number}: {plain(reason, REASON)}"
            lines.append(Text(text, style="yellow"))
        if workers:
            states = "   ".join(f"{name}: {state}" for name, state in workers.items())
            lines.append(Text(states, style="dim"))
        for line in lines:
            if isinstance(line, Text):
                line.overflow = "fold"
        return Group(*lines)


def summary(progress: Progress) -> str:
    """The best value and the number of failures, on one line."""
    return progress.headline() + (f", {progress.failed} failed" if progress.failed else "")
