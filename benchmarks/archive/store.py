"""The files of the archive: one for each design and method, a line a run, in order.

Lines stay where they are when others come, so that a change under version control shows just the
runs that it brought.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import records
from benchmarks.archive.digest import Digest
from benchmarks.records import Design, Key
from benchmarks.workers.environment import REPOSITORY

ARCHIVE = REPOSITORY / "benchmarks" / "archive"
"""Where the files lie, unless told otherwise."""

SUFFIX = ".jsonl"


@dataclass(frozen=True)
class Changes:
    """What became of the runs that were added.

    `revisions` are those of the replaced runs, before and now, with their number.
    """

    added: int = 0
    same: int = 0
    revisions: Mapping[tuple[str | None, str | None], int] = field(default_factory=dict)

    @property
    def replaced(self) -> int:
        """How many took the place of another."""
        return sum(self.revisions.values())


def read(path: Path) -> Iterator[Digest]:
    """The runs of one file; an error names the line."""
    design, method = Design.parse(path.parent.name), path.name.removesuffix(SUFFIX)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            yield Digest.from_line(line, design, method)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"line {number} of {path} is no archived run ({error!r}); remove it, or restore "
                "the file from version control"
            ) from error


def read_all(folder: Path, design: Design | None = None) -> Iterator[Digest]:
    """Every archived run, of all designs or of one, in the order of paths, tasks and seeds."""
    for path in sorted(folder.glob(f"{design or '*x*'}/[!.]*{SUFFIX}")):
        yield from read(path)


def find(folder: Path, keys: Iterable[Key]) -> dict[Key, Digest]:
    """Those of some runs that are archived."""
    wanted = set(keys)
    files = {_path(folder, key) for key in wanted}
    return {
        digest.key: digest
        for path in sorted(files)
        if path.is_file()
        for digest in read(path)
        if digest.key in wanted
    }


def with_records(archive: Path, runs: Path, design: Design | None = None) -> Iterator[Digest]:
    """Every run that is archived or has a record, once; which of both is said by `replaces`."""
    found = {digest.key: digest for digest in read_all(archive, design)}
    for record in records.read_all(runs, design):
        digest = Digest.of(record)
        if replaces(digest, found.get(digest.key)):
            found[digest.key] = digest
    yield from found.values()


def replaces(new: Digest, old: Digest | None) -> bool:
    """Whether a run takes the place of another of the same key.

    One that broke off takes no whole run of the same code away: a machine may be short of time. Of
    other code it does, or a fault that a change has brought would be hidden. One which says only
    that the method cannot be installed here takes none.
    """
    if old is None or new.error is None:
        return True
    return not new.is_unavailable and (old.error is not None or old.revision != new.revision)


def add(digests: Iterable[Digest], folder: Path) -> Changes:
    """Add runs to the archive, in the place of those it has of the same keys (`replaces`)."""
    by_file: dict[Path, dict[Key, Digest]] = {}
    for digest in digests:
        by_file.setdefault(_path(folder, digest.key), {})[digest.key] = digest
    added = same = 0
    revisions: Counter[tuple[str | None, str | None]] = Counter()
    for path, new in by_file.items():
        old = {digest.key: digest for digest in read(path)} if path.is_file() else {}
        new = {key: digest for key, digest in new.items() if replaces(digest, old.get(key))}
        added += len(new.keys() - old.keys())
        changed = [key for key in new.keys() & old.keys() if new[key] != old[key]]
        revisions.update((old[key].revision, new[key].revision) for key in changed)
        same += len(new.keys() & old.keys()) - len(changed)
        merged = old | new
        text = "".join(merged[key].to_line() for key in sorted(merged))
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            records.write_whole(path, text)
    return Changes(added, same, revisions)


def _path(folder: Path, key: Key) -> Path:
    return folder / str(key.design) / f"{key.method}{SUFFIX}"
