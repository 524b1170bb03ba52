"""Work that is done once and kept: each piece is one JSON file, complete or absent."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from benchmarks.progress import Progress
from benchmarks.records import write_whole
from benchmarks.run.campaign import Campaign
from benchmarks.workers.environment import CACHE
from benchmarks.workers.processes import one_thread_pool
from warpfront import settings

FORMAT = 1
"""Of the files; one of another format is an error, not a guess."""

FOLDER = CACHE / "paper"
"""Where they lie, unless told otherwise."""

LIBRARY = Path(settings.__file__).parent

NOT_ASKED = ("cli", "integrations", "report")
"""Parts of warpfront that no piece uses."""


class Piece(Protocol):
    """A frozen dataclass that says where its file lies and how to make what is in it."""

    @property
    def name(self) -> str:
        """Path of its file within the folder, without the ending; unique.

        It ends with the :func:`fingerprint` where more than scikit-learn and the size decides.
        """

    @property
    def seconds(self) -> float:
        """About how long it takes: for the order and the forecast, nothing else."""

    def compute(self) -> dict[str, Any]:
        """What to keep, as plain JSON data: a function of the piece and the installed versions."""


def fingerprint(piece: Piece, item: str) -> str:
    """What decides a piece that warpfront's code makes, in short, for its name.

    That is the piece itself with the losses it starts from, the sources of warpfront and of the
    item's file, and the versions of NumPy and SciPy. Losses alone do not depend on warpfront: they
    are kept whatever becomes of it.

    Parameters
    ----------
    piece
        A dataclass; all its fields count.
    item
        The file that makes it, as ``__file__``.
    """
    versions = [version(name) for name in ("numpy", "scipy")]
    said = "\n".join([sources(LIBRARY, Path(item)), *versions, repr(piece)])
    return hashlib.sha256(said.encode()).hexdigest()[:12]


@cache
def sources(library: Path, item: Path) -> str:
    """A digest of the Python files of a package and of one more; comments count too."""
    paths = sorted(p.relative_to(library) for p in library.rglob("*.py"))
    found = hashlib.sha256(item.read_bytes())
    for path in paths:
        if path.parts[0] not in NOT_ASKED:
            found.update(f"\0{path.as_posix()}\0".encode() + (library / path).read_bytes())
    return found.hexdigest()


@dataclass(frozen=True)
class Pieces:
    """Pieces as the work of a campaign.

    Parameters
    ----------
    folder
        Where their files lie.
    """

    folder: Path

    def path(self, piece: Piece) -> Path:
        """The file of a piece. Another scikit-learn gives other losses, so it has its own."""
        return self.folder / f"scikit-learn-{version('scikit-learn')}" / f"{piece.name}.json"

    def is_done(self, piece: Piece) -> bool:
        """Whether it has its file."""
        return self.path(piece).exists()

    def lock(self, piece: Piece) -> Path:
        """The file that whoever does the piece locks."""
        return self.folder / "locks" / piece.name.replace("/", "-")

    def perform(self, piece: Piece) -> float:
        """Do the piece and keep it; return the CPU seconds it took."""
        start = time.process_time()
        data = piece.compute()
        cpu = round(time.process_time() - start, 3)
        facts = {"python": platform.python_version(), "cpu": cpu}
        facts |= {name: version(name) for name in ("scikit-learn", "numpy", "scipy")}
        text = json.dumps({"format": FORMAT, "facts": facts, **data}, allow_nan=False)
        write_whole(self.path(piece), text)
        return cpu

    def read(self, piece: Piece) -> dict[str, Any]:
        """What a piece that is done has kept; an error names the file."""
        path = self.path(piece)
        try:
            data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if data["format"] != FORMAT:
                raise ValueError(f"format {data['format']}, not {FORMAT}")
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is no piece of the analysis ({error}); remove it") from error
        return data


def carry_out(pieces: Sequence[Piece], folder: Path, jobs: int) -> None:
    """Do those that are not done yet, cheap ones first, in so many processes."""
    work = Pieces(folder)
    campaign: Campaign[Piece, float] = Campaign(sorted(pieces, key=lambda p: p.seconds), work)
    print(f"{len(pieces)} pieces, {campaign.total} of them to do", file=sys.stderr, flush=True)
    if not campaign.total:
        return
    expected = sum(piece.seconds for piece in campaign.waiting)
    with Progress(expected) as progress, one_thread_pool(min(jobs, campaign.total)) as pool:

        def tell(piece: Piece, cpu: float | None) -> None:
            progress.advance(piece.seconds, piece.name)
            how = "done by another process" if cpu is None else f"{cpu:.1f} CPU s"
            progress.say(f"{piece.name}: {how}")

        campaign.run(pool, lambda: jobs, tell)
