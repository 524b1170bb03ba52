"""What is kept of a run: one JSON file, complete or absent.

A run is one method on one task with one seed. Its file lies at
``<folder>/<design>/<method>/<task>-<seed>.json``.
"""

from __future__ import annotations

import json
import math
import re
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
class Design:
    """How a run asks.

    Parameters
    ----------
    batch, rounds
        Suggestions at a time, and how often.
    workers
        How many evaluations are under way at a time; more than one: each suggestion is asked for
        when another one has been told, while the others are pending.

    Examples
    --------
    >>> str(Design(8, 16)), str(Design(1, 128, workers=8))
    ('8x16', '1x128w8')
    >>> Design.parse("1x128w8")
    Design(batch=1, rounds=128, workers=8)
    """

    batch: int
    rounds: int
    workers: int = 1

    def __str__(self) -> str:
        return f"{self.batch}x{self.rounds}" + (f"w{self.workers}" if self.workers > 1 else "")

    @classmethod
    def parse(cls, text: str) -> Design:
        """Read what ``str`` gives."""
        found = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)(?:w([1-9]\d*))?", text)
        if found is None:
            raise ValueError(
                f"{text!r} is no design; write it as 8x16: 16 rounds of 8, or as 1x128w8: 128 one "
                "by one with 8 workers"
            )
        return cls(int(found[1]), int(found[2]), int(found[3] or 1))

    @property
    def evaluations(self) -> int:
        """How many there are in a whole run."""
        return self.batch * self.rounds

    def describe(self) -> str:
        """In words.

        Examples
        --------
        >>> Design(8, 16).describe()
        '16 rounds of 8'
        """
        if self.workers == 1:
            return f"{self.rounds} rounds of {self.batch}"
        return f"{self.rounds} evaluations by {self.workers} workers that end at random times"


@dataclass(frozen=True, order=True)
class Key:
    """Which run: what is the same for two runs that must not be done twice."""

    task: str
    method: str
    seed: int
    batch: int
    rounds: int
    workers: int = 1

    @property
    def design(self) -> Design:
        """How it asks."""
        return Design(self.batch, self.rounds, self.workers)

    def path(self, folder: Path) -> Path:
        """Where its record lies."""
        return folder / str(self.design) / self.method / f"{self.task}-{self.seed}.json"


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
class Recommended:
    """The configuration that a method would use, from some evaluation on.

    Parameters
    ----------
    evaluation
        How many were told when it began to recommend it.
    config
        The configuration.
    truth
        Its noiseless loss, which no optimiser sees.
    """

    evaluation: int
    config: Mapping[str, Any]
    truth: float


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
    recommendations
        Each new one, in order; none where there is no noise, or where the truth is not known.
    """

    key: Key
    trials: tuple[Evaluated, ...]
    timings: tuple[Round, ...]
    error: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    recommendations: tuple[Recommended, ...] = ()

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
        recommendations = tuple(Recommended(**one) for one in data.pop("recommendations", ()))
        key = Key(**data.pop("key"))
        return cls(key, trials, timings, recommendations=recommendations, **data)


def write(record: Record, folder: Path) -> Path:
    """Write a record whole or not at all."""
    return write_whole(record.key.path(folder), record.to_json())


def write_whole(path: Path, text: str) -> Path:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
    return path


def read(path: Path) -> Record:
    """Read one record; an error names the file."""
    try:
        return Record.from_json(path.read_text(encoding="utf-8"))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no record of a run ({error}); remove it") from error


def read_all(folder: Path, design: Design | None = None) -> Iterator[Record]:
    """Every record under a folder, of all designs or of one, in the order of their paths."""
    for path in sorted(folder.glob(f"{design or '*x*'}/*/[!.]*.json")):
        yield read(path)
