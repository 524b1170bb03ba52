"""Types of command-line options that several commands share."""

from __future__ import annotations

import math
import os
from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path

from benchmarks.archive.store import ARCHIVE
from benchmarks.methods.registry import find
from benchmarks.records import RUNS


def positive(text: str) -> int:
    """A whole number above zero.

    Examples
    --------
    >>> positive("8")
    8
    """
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a positive whole number")
    return int(text)


def seconds(text: str) -> float:
    """A time above zero.

    Examples
    --------
    >>> seconds("1.5")
    1.5
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0.0 < value < math.inf:
        raise ArgumentTypeError(f"{text!r} is not a positive number of seconds")
    return value


def seed_range(text: str) -> range:
    """Seeds, written as 3 or 0-4.

    Examples
    --------
    >>> list(seed_range("0-2"))
    [0, 1, 2]
    """
    first, _, last = text.partition("-")
    try:
        seeds = range(int(first), int(last or first) + 1)
    except ValueError:
        seeds = range(0)
    if not seeds:
        raise ArgumentTypeError(f"{text!r} is no seed; write 3, or 0-4")
    return seeds


def method(text: str) -> str:
    """The name of a method, with other settings or without.

    Examples
    --------
    >>> method("warpfront@initial=8")
    'warpfront@initial=8'
    """
    try:
        return find(text).name
    except KeyError as error:
        raise ArgumentTypeError(error.args[0]) from None


def add_runs(parser: ArgumentParser) -> None:
    """Declare where the records are that a command reads; a folder that is named must be there."""
    parser.add_argument(
        "--runs", type=_folder, default=RUNS, metavar="DIR", help="the records (.bench/runs)"
    )


def _folder(text: str) -> Path:
    if not Path(text).is_dir():
        raise ArgumentTypeError(f"{text!r} is no folder")
    return Path(text)


def add_archive(parser: ArgumentParser) -> None:
    """Declare where the archived runs lie."""
    parser.add_argument(
        "--archive",
        type=Path,
        default=ARCHIVE,
        metavar="DIR",
        help="runs that are kept under version control (benchmarks/archive)",
    )


def add_anew(parser: ArgumentParser) -> None:
    """Declare that archived runs may be repeated."""
    parser.add_argument(
        "--anew",
        action="store_true",
        help="do runs that are archived anew, such as those of former code; records count as done",
    )


def add_jobs(parser: ArgumentParser) -> None:
    """Declare how many processes to use."""
    parser.add_argument(
        "--jobs",
        type=positive,
        default=os.cpu_count() or 1,
        metavar="N",
        help="processes of one thread each on this machine (as many as cores)",
    )
