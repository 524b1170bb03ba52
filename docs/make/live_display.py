"""Take the picture of the live display: `warpfront tune` runs in a terminal of this script's own.

$ python docs/make/live_display.py     # writes docs/images/live-display.svg
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from fcntl import ioctl
from pathlib import Path

import pyte
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[2]
COLUMNS, ROWS = 96, 24
WHEN = re.compile(r"\b(3\d)/48\b")
"""The picture is taken once so many trials have ended."""


def frame(spec: Path, folder: Path) -> pyte.Screen:
    """The screen of a run in the middle; the run is stopped then, as by Ctrl-C."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    ours, theirs = pty.openpty()
    ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    command = [sys.executable, "-m", "warpfront", "tune", str(spec)]
    command += ["--storage", f"sqlite:///{folder}/run.db"]
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    run = subprocess.Popen(  # noqa: S603
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=folder
    )
    os.close(theirs)
    since = None
    try:
        while run.poll() is None:
            if not select.select([ours], [], [], 1.0)[0]:
                continue
            stream.feed(os.read(ours, 65536))
            if since is None and WHEN.search("\n".join(screen.display)):
                since = time.monotonic()
            if since is not None and time.monotonic() - since > 1.0:
                return screen  # a second later a whole frame is there
    finally:
        run.terminate()
        while run.poll() is None:  # a terminal that nobody reads would hold it up
            if select.select([ours], [], [], 0.2)[0]:
                try:
                    os.read(ours, 65536)
                except OSError:
                    break
        run.wait(60)
    raise SystemExit("the run ended before the picture was taken")


def text_of(screen: pyte.Screen) -> Text:
    """What stands on a screen, with its colours, for rich."""
    lines = []
    for row in range(screen.lines):
        line = Text()
        for column in range(screen.columns):
            cell = screen.buffer[row][column]
            colour = {"default": None, "brown": "yellow"}.get(cell.fg, cell.fg)
            if colour and re.fullmatch(r"[0-9a-f]{6}", colour):
                colour = f"#{colour}"
            elif colour and colour.startswith("bright"):
                colour = "bright_" + colour.removeprefix("bright")
            line.append(cell.data, Style(color=colour, bold=cell.bold))
        line.rstrip()
        lines.append(line)
    while lines and not lines[-1].plain:
        lines.pop()
    return Text("\n").join(lines)


def main() -> None:
    """Run and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spec", type=Path, default=ROOT / "examples" / "boosting.toml")
    parser.add_argument("--output", type=Path, default=ROOT / "docs/images/live-display.svg")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        picture = text_of(frame(args.spec.resolve(), Path(folder)))
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
        console.print(Text("$ warpfront tune examples/boosting.toml --workers 2", style="bold"))
        console.print(picture)
    svg = console.export_svg(title="warpfront", theme=DIMMED_MONOKAI, unique_id="live")
    # Fonts of this machine, not of a server.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.S)
    args.output.write_text(svg, encoding="utf-8")
    print(f"{args.output}: {len(svg) / 1024:.0f} kB")


if __name__ == "__main__":
    main()
