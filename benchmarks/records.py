"""What is kept of a run: one JSON file, complete or absent.

A run is one method on one task with one seed. Its file lies at
``<folder>/<batch>x<rounds>/<method>/<task>-<seed>.json``.
"""

from __future__ import annotations

import json
import math
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.workers.environment import CACHE

FORMAT = 1
"""Of the file; a record of another format is an error, not a guess."""

RUNS = CACHE / "runs"
"""Where the records lie, unless told otherwise."""

UNAVAILABLE = "unavailable:"
"""How the error of a run begins whose method cannot be installed here."""


@dataclass(frozen=True, order=True)
class Key:
    """Which run: what is the same for two runs that must not be done twice."""

    task: str
    method: str
    seed: int
    batch: int
    rounds: int

    @property
    def design(self) -> str:
        """Batch and rounds in one word.

        Examples
        --------
        >>> Key("branin", "random", 0, 8, 16).design
        '8x16'
        """
        return f"{self.batch}x{self.rounds}"

    def path(self, folder: Path) -> Path:
        """Where its record lies."""
        return folder / self.design / self.method / f"{self.task}-{self.seed}.json"


@dataclass(frozen=True)
class Evaluated:
    """A configuration that was tried.

    Parameters
    ----------
    config
        The configuration.
    loss
        What the optimiser was told; infinite for a failed evaluation.
    failure
        Why it failed, or None.
    held_out
        Loss on the held-out data, only for configurations that were the best so far.
    cpu
        Seconds of the evaluation.
    """

    config: Mapping[str, Any]
    loss: float
    failure: str | None = None
    held_out: float | None = None
    cpu: float = 0.0


@dataclass(frozen=True)
class Round:
    """What a batch of suggestions cost: seconds to ask for it and to tell its losses."""

    ask_cpu: float
    ask_wall: float
    tell_cpu: float = 0.0
    tell_wall: float = 0.0


@dataclass(frozen=True)
class Record:
    """A run: what was tried, in order, and what the suggestions cost.

    Parameters
    ----------
    key
        Which run.
    trials
        Everything evaluated, in order.
    timings
        One entry a round.
    error
        Why the run ended before its last round; None for a whole run.
    facts
        Versions and the like.
    """

    key: Key
    trials: tuple[Evaluated, ...]
    timings: tuple[Round, ...]
    error: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def losses(self) -> list[float]:
        """The losses in order, infinite for failures."""
        return [trial.loss for trial in self.trials]

    def to_json(self) -> str:
        """The text of the file: strict JSON, where an infinite loss is null."""
        data = asdict(self)
        for trial in data["trials"]:
            if not math.isfinite(trial["loss"]):
                trial["loss"] = None
        return json.dumps({"format": FORMAT, **data}, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Record:
        """Read what :meth:`to_json` wrote.

        Examples
        --------
        >>> trial = Evaluated({"x": 1.0}, math.inf, failure="ValueError: no")
        >>> record = Record(Key("branin", "random", 0, 1, 1), (trial,), (Round(0.1, 0.1),))
        >>> Record.from_json(record.to_json()) == record
        True
        """
        data = json.loads(text)
        if data.pop("format", None) != FORMAT:
            raise ValueError(f"no record of format {FORMAT}; run it again with this version")
        trials = tuple(
            Evaluated(**{**trial, "loss": math.inf if trial["loss"] is None else trial["loss"]})
            for trial in data.pop("trials")
        )
        timings = tuple(Round(**timing) for timing in data.pop("timings"))
        return cls(Key(**data.pop("key")), trials, timings, **data)


def write(record: Record, folder: Path) -> Path:
    """Write a record whole or not at all."""
    path = record.key.path(folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    temporary.write_text(record.to_json(), encoding="utf-8")
    temporary.replace(path)
    return path


def read(path: Path) -> Record:
    """Read one record; an error names the file."""
    try:
        return Record.from_json(path.read_text(encoding="utf-8"))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no record of a run ({error}); remove it") from error


def read_all(folder: Path, design: str = "*x*") -> Iterator[Record]:
    """Every record under a folder, of all designs or of one, in the order of their paths."""
    for path in sorted(folder.glob(f"{design}/*/[!.]*.json")):
        yield read(path)
