"""What an item leaves behind: a page, a sheet, pictures; and the page that puts all side by side.

The brief of an item is what ``docs/reproduction.md`` quotes: it stands between two marks in the
item's page, and is copied from there, so that no number of that page is written by hand.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.records import write_whole
from benchmarks.speed.machine import describe_run

START, END = "<!-- brief -->", "<!-- end of brief -->"


@dataclass(frozen=True)
class Findings:
    """What an item found, as Markdown.

    Parameters
    ----------
    item
        Its name on the command line.
    title
        Of its page.
    size
        Of the run, in words.
    brief
        The numbers beside the paper's.
    rest
        Further blocks.
    """

    item: str
    title: str
    size: str
    brief: str
    rest: Sequence[str] = ()


def write(findings: Findings, command: str, folder: Path) -> Path:
    """Write the page of an item; its sheets and pictures are expected beside it."""
    facts = describe_run(contenders=(), arguments=())
    lines = {"date": facts["date"], "command": f"`{command}`", "size": findings.size}
    lines |= {name: facts[name] for name in ("revision", "machine")}
    blocks = [
        f"# {findings.title}",
        "\n".join(f"- {name}: {value}" for name, value in lines.items()),
        START,
        f"Size: {findings.size}. Command: `{command}`.",
        findings.brief,
        END,
        *findings.rest,
    ]
    return write_whole(folder / f"{findings.item}.md", "\n\n".join(blocks) + "\n")


def publish(findings: Findings, options: argparse.Namespace, decided_by: Sequence[str]) -> int:
    """Write the page of an item, print its brief, and return the exit status.

    `decided_by` are the options that decide the results, for the command that gives them again.
    """
    command = command_line(findings.item, options, decided_by)
    path = write(findings, command, options.output)
    print(findings.brief)
    print(f"written: {path}", file=sys.stderr)
    return 0


def picture(item: str, about: str) -> str:
    """The paragraph of a page on the picture beside it, which is not under version control.

    Examples
    --------
    >>> picture("grid", "scores against evaluations")
    'Picture: scores against evaluations. The command writes it beside this page, as `grid.png`.'
    """
    return f"Picture: {about}. The command writes it beside this page, as `{item}.png`."


def brief_of(item: str, folder: Path) -> str:
    """The brief of an item's page.

    Raises
    ------
    ValueError
        If there is no page, or no brief in it; the message names the command that makes it.
    """
    path = folder / f"{item}.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    _, start, rest = text.partition(START)
    brief, end, _ = rest.partition(END)
    if not (start and end):
        raise ValueError(
            f"{path} has no results of {item}; make them with python -m benchmarks paper {item}"
        )
    return brief.strip()


def quote(page: str, briefs: Mapping[str, str]) -> str:
    """A page with the briefs between its marks ``<!-- ITEM -->`` and ``<!-- end of ITEM -->``.

    Examples
    --------
    >>> print(quote("<!-- grid --> old <!-- end of grid -->", {"grid": "new"}))
    <!-- grid -->
    <BLANKLINE>
    new
    <BLANKLINE>
    <!-- end of grid -->
    """
    for item, brief in briefs.items():
        start, end = f"<!-- {item} -->", f"<!-- end of {item} -->"
        before, found, rest = page.partition(start)
        _, closed, after = rest.partition(end)
        if not (found and closed):
            raise ValueError(f"the page lacks {start} or {end}")
        page = f"{before}{start}\n\n{brief}\n\n{end}{after}"
    return page


def command_line(item: str, options: argparse.Namespace, names: Sequence[str]) -> str:
    """The command that gives these results again, from the options that decide them.

    Examples
    --------
    >>> command_line("grid", argparse.Namespace(full=True, tasks=["a", "b"]), ["full", "tasks"])
    'python -m benchmarks paper grid --full --tasks a b'
    """
    words = ["python", "-m", "benchmarks", "paper", item]
    for name in names:
        value = getattr(options, name)
        if value is None or value is False:
            continue
        words.append(f"--{name.replace('_', '-')}")
        if value is not True:
            words += map(str, value) if isinstance(value, (list, tuple)) else [str(value)]
    return shlex.join(words)
