"""Which code this is."""

from __future__ import annotations

import shutil
import subprocess

from benchmarks.workers.environment import REPOSITORY

CODE = (
    "src",
    "benchmarks",
    ":(exclude)benchmarks/results",
    ":(exclude)benchmarks/archive/*.jsonl",
)
"""What makes runs, as paths for git; what runs make is no part of it."""

CHANGED = "-dirty"
"""Follows the commit when the code differs from it."""


def revision() -> str | None:
    """The commit of this checkout, marked when its code was changed since; None without git."""
    git = shutil.which("git")
    if git is None:
        return None

    def ask(*words: str) -> subprocess.CompletedProcess[str]:
        # Without locks: many processes may ask at once, and somebody may be about to commit.
        command = [git, "--no-optional-locks", "-C", str(REPOSITORY), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    commit = ask("rev-parse", "--short", "HEAD").stdout.strip()
    if not commit:
        return None
    is_changed = bool(ask("status", "--porcelain", "--", *CODE).stdout.strip())
    return commit + CHANGED if is_changed else commit
