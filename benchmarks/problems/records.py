"""Records of runs on problems, and the short form that is archived.

A record, ``.bench/problems/<batch>x<rounds>/<method>/<problem>-<seed>.json``, has all that was
tried. The archive, ``benchmarks/archive/problems/<batch>x<rounds>/<method>.jsonl``, has one line a
run, without configurations: the level after every batch, the final score, seconds, versions and
revision.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.archive.digest import CPU_DIGITS, shortened
from benchmarks.problems import curve
from benchmarks.problems.problem import Problem
from benchmarks.records import Design, Key, Round, write_whole
from benchmarks.workers.environment import CACHE, REPOSITORY

RUNS = CACHE / "problems"
ARCHIVE = REPOSITORY / "benchmarks" / "archive" / "problems"
LEVEL_DIGITS = 10


@dataclass(frozen=True)
class Record:
    """A run on a problem.

    Parameters
    ----------
    key
        Which run; its task is the problem.
    configs, outcomes
        What was tried and what came of it, None for a failure, in order.
    timings
        One entry a round.
    error
        Why the run ended before its last round; None for a whole run.
    facts
        Versions and the like.
    """

    key: Key
    configs: tuple[Mapping[str, Any], ...]
    outcomes: tuple[Mapping[str, float] | None, ...]
    timings: tuple[Round, ...]
    error: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """Write the file whole or not at all, as strict JSON."""
        return write_whole(self.key.path(folder), json.dumps(asdict(self), allow_nan=False))

    @classmethod
    def read(cls, path: Path) -> Record:
        """Read a file; an error names it."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                key=Key(**data.pop("key")),
                configs=tuple(data.pop("configs")),
                outcomes=tuple(data.pop("outcomes")),
                timings=tuple(Round(**timing) for timing in data.pop("timings")),
                **data,
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path} is not a record of a run ({error}); remove it") from error


@dataclass(frozen=True)
class Digest:
    """A run in short.

    Parameters
    ----------
    key
        Which run; its task is the problem.
    trials, failed
        How many evaluations there were, and how many of them failed.
    feasible_from
        The number of the first evaluation within the bounds, from 1; None if there was none.
    levels
        The level after every batch; see `benchmarks.problems.curve`.
    score
        Of the last one.
    cpu
        Seconds that each round spent on its suggestions and on taking its outcomes in.
    error
        Why the run ended early; None for a whole run.
    facts
        Versions and the like.
    """

    key: Key
    trials: int
    failed: int
    feasible_from: int | None
    levels: tuple[float | None, ...]
    score: float
    cpu: tuple[float, ...]
    error: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def level(self) -> float | None:
        """The last one; None if nothing was found within the bounds."""
        return self.levels[-1] if self.levels else None

    @classmethod
    def of(cls, record: Record, problem: Problem) -> Digest:
        """The short form of a record."""
        levels = curve.levels(problem, record.outcomes, record.key.batch)
        last = levels[-1] if levels else None
        return cls(
            key=record.key,
            trials=len(record.outcomes),
            failed=sum(outcomes is None for outcomes in record.outcomes),
            feasible_from=curve.first_feasible(problem, record.outcomes),
            levels=tuple(None if x is None else shortened(x, LEVEL_DIGITS) for x in levels),
            score=round(curve.score(problem, last), 6),
            cpu=tuple(shortened(one.ask_cpu + one.tell_cpu, CPU_DIGITS) for one in record.timings),
            error=record.error,
            facts=record.facts,
        )

    def to_line(self) -> str:
        """Its line in the file of its design and method: strict JSON."""
        data = asdict(self)
        key = data.pop("key")
        return json.dumps({"problem": key["task"], "seed": key["seed"], **data}, allow_nan=False)

    @classmethod
    def from_line(cls, line: str, design: Design, method: str) -> Digest:
        """Read what :meth:`to_line` wrote.

        Examples
        --------
        >>> key = Key("spring", "random", 0, 4, 25)
        >>> digest = Digest(key, 8, 0, 5, (None, 0.02), -0.9, (0.1, 0.1), facts={"numpy": "2"})
        >>> Digest.from_line(digest.to_line(), key.design, key.method) == digest
        True
        """
        data = json.loads(line)
        key = Key(data.pop("problem"), method, data.pop("seed"), design.batch, design.rounds)
        levels, cpu = tuple(data.pop("levels")), tuple(data.pop("cpu"))
        return cls(key, levels=levels, cpu=cpu, **data)


def recorded(folder: Path, design: Design) -> Iterator[Record]:
    """Every record of a design, in the order of their paths."""
    for path in sorted(folder.glob(f"{design}/*/[!.]*.json")):
        yield Record.read(path)


def archived(folder: Path, design: Design) -> Iterator[Digest]:
    """Every archived run of a design; an error names the line."""
    for path in sorted(folder.glob(f"{design}/[!.]*.jsonl")):
        yield from _read_archive(path, design)


def archive(digests: Iterable[Digest], folder: Path) -> int:
    """Put runs into the archive, in the place of those of the same keys; return how many changed.

    A run that ended early does not replace one that did not.
    """
    changes = 0
    by_file: dict[Path, list[Digest]] = {}
    for digest in digests:
        path = folder / str(digest.key.design) / f"{digest.key.method}.jsonl"
        by_file.setdefault(path, []).append(digest)
    for path, new in by_file.items():
        design = Design.parse(path.parent.name)
        merged = {d.key: d for d in _read_archive(path, design)} if path.is_file() else {}
        for digest in new:
            old = merged.get(digest.key)
            if old != digest and (old is None or old.error is not None or digest.error is None):
                merged[digest.key] = digest
                changes += 1
        write_whole(path, "".join(merged[key].to_line() + "\n" for key in sorted(merged)))
    return changes


def _read_archive(path: Path, design: Design) -> Iterator[Digest]:
    method = path.name.removesuffix(".jsonl")
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            yield Digest.from_line(line, design, method)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"line {number} of {path} is not an archived run ({error})") from error
