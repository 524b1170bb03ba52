"""Virtual environments made once, marked complete by a stamp, and rebuilt when half made."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
"""The root of the checkout that holds this file."""

CACHE = REPOSITORY / ".bench"
"""Everything the benchmarks keep between runs; not under version control."""


PACKAGE = ("src", "pyproject.toml", "README.md", "LICENSE")
"""Paths of this repository that make the package."""


class EnvironmentUnavailableError(RuntimeError):
    """An environment cannot be made here; the message says what is missing."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment described by where it lies and what ``pip`` puts into it.

    Parameters
    ----------
    path
        Directory of the environment.
    installs
        The arguments of one ``pip install`` each, in order.
    fingerprint
        Anything else that, when changed, makes the environment stale.
    revision
        A commit of this repository whose package is installed last; none if it is empty.
    """

    path: Path
    installs: tuple[tuple[str, ...], ...]
    fingerprint: str = ""
    revision: str = ""

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        return self.path / "bin" / "python"

    @property
    def _stamp(self) -> Path:
        return self.path / "complete.txt"

    @property
    def _stamp_text(self) -> str:
        lines = [" ".join(arguments) for arguments in self.installs]
        lines += [f"revision {self.revision}"] if self.revision else []
        return "\n".join([*lines, self.fingerprint]) + "\n"

    def is_complete(self) -> bool:
        """Whether every install of exactly this description ended well."""
        return (
            self.python.exists()
            and self._stamp.is_file()
            and self._stamp.read_text(encoding="utf-8") == self._stamp_text
        )

    def ensure(self, interpreter: str) -> None:
        """Make the environment with `interpreter` unless it is complete already."""
        if self.is_complete():
            return
        log = self.path.with_name(self.path.name + ".log")
        print(f"making {self.path} (once); pip's output is in {log}", file=sys.stderr, flush=True)
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("", encoding="utf-8")
        _run([interpreter, "-m", "venv", str(self.path)], log)
        pip = [str(self.python), "-m", "pip", "install", "--disable-pip-version-check"]
        for arguments in self.installs:
            _run([*pip, *arguments], log)
        if self.revision:
            source = self.path / f"{self.revision}.tar.gz"
            _run(_archive(self.revision, source), log)
            _run([*pip, str(source)], log)
        self._stamp.write_text(self._stamp_text, encoding="utf-8")


def _archive(revision: str, target: Path) -> list[str]:
    """The command that packs the package of a commit, from the history of this repository."""
    what = [f"--prefix={revision}/", f"--output={target}", revision, "--", *PACKAGE]
    return ["git", "-C", str(REPOSITORY), "archive", *what]


def _run(command: Sequence[str], log: Path) -> None:
    """Run `command` with its output in `log`; raise when it fails."""
    with log.open("a", encoding="utf-8") as stream:
        print("$", *command, file=stream, flush=True)
        try:
            done = subprocess.run(command, stdout=stream, stderr=stream, check=False)
        except OSError as error:
            raise EnvironmentUnavailableError(f"cannot run {command[0]}: {error}") from error
    if done.returncode != 0:
        raise EnvironmentUnavailableError(
            f"`{' '.join(command)}` failed with status {done.returncode}; its output is in {log}"
        )
