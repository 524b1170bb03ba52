"""``python -m benchmarks archive``: keep the records of this machine under version control.

Of every record that which reports need is written into the archive. Commit it: the records
themselves are on this machine only.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import records
from benchmarks.archive import store
from benchmarks.archive.digest import Digest
from benchmarks.options import add_archive, add_runs


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    add_runs(parser)
    add_archive(parser)


def execute(options: argparse.Namespace) -> int:
    """Take the records in, say how many, and return the exit status."""
    try:
        found = [Digest.of(record) for record in records.read_all(options.runs)]
        made = [digest for digest in found if not digest.is_unavailable]
        changes = store.add(made, options.archive)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(
        f"{changes.added} runs added, {changes.replaced} replaced, {changes.same} there already, "
        f"{len(found) - len(made)} left out for want of their method; archive in {options.archive}"
    )
    for (before, now), count in changes.revisions.items():
        print(f"replaced: {count} of revision {before or 'unknown'} by {now or 'unknown'}")
    return 0
