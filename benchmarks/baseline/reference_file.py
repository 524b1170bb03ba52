"""The reference data of a task: what random search finds, and the best that is known.

One JSON file a task lies under ``benchmarks/reference``. It is frozen: only
``python -m benchmarks reference`` writes it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.records import write_whole
from benchmarks.workers.environment import REPOSITORY

FOLDER = REPOSITORY / "benchmarks" / "reference"
"""Where the files lie."""

FORMAT = 1
"""Of the file; a file of another format is an error, not a guess."""

DIGITS = 7
"""Significant digits of the pool's losses in the file."""


class MissingReferenceError(LookupError):
    """A task has no reference data, or only half of it; the message says which command helps."""


@dataclass(frozen=True)
class Candidate:
    """A good configuration: the loss that was seen, once, and where it comes from."""

    config: Mapping[str, Any]
    loss: float
    source: str = "pool"


@dataclass(frozen=True)
class Optimum:
    """The best that is known of a task.

    Parameters
    ----------
    loss
        Mean loss of the configuration, over seeds that had no part in choosing it.
    config
        The configuration.
    lowest_seen
        The smallest loss of any single evaluation, in the pool or a run; Bayesmark's own `best`.
    seeds
        How many evaluations the mean is of.
    standard_error
        Of the mean; 0 where the loss does not depend on the seed.
    source
        Where the configuration was found: the pool, or the method of a run.
    runs
        How many runs were searched for it.
    """

    loss: float
    config: Mapping[str, Any]
    lowest_seen: float
    seeds: int = 1
    standard_error: float = 0.0
    source: str = "pool"
    runs: int = 0


@dataclass(frozen=True)
class ReferenceFile:
    """What is kept of a task; `benchmarks.score.Reference` is what the score needs of it.

    Parameters
    ----------
    task
        Its name.
    pool
        Losses of independent random configurations, sorted; failures are infinite.
    optimum
        The best that is known; None between the two stages of making it.
    signature
        Losses at the signature's points; empty where a task has none.
    top
        The best configurations of the pool.
    facts
        Versions, and how the pool was made.

    Examples
    --------
    >>> made = ReferenceFile("toy", (1.0, 2.0, 4.0), Optimum(0.5, {"x": 0.0}, 0.4))
    >>> made.clip
    2.0
    >>> ReferenceFile.from_json(made.to_json()) == made
    True
    """

    task: str
    pool: tuple[float, ...]
    optimum: Optimum | None = None
    signature: tuple[float, ...] = ()
    top: tuple[Candidate, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def clip(self) -> float:
        """The median loss of one random configuration.

        Where more than half of them fail it is the largest loss of those that do not.
        """
        median = float(np.median(self.pool))
        return median if math.isfinite(median) else max(filter(math.isfinite, self.pool))

    def to_json(self) -> str:
        """The text of the file: strict JSON, infinite losses as null, a line for each field."""
        data = {
            "format": FORMAT,
            "task": self.task,
            "facts": self.facts,
            "optimum": None if self.optimum is None else vars(self.optimum),
            "signature": [_finite(loss) for loss in self.signature],
            "top": [vars(candidate) for candidate in self.top],
            "pool": [_finite(float(f"{loss:.{DIGITS}g}")) for loss in self.pool],
        }
        lines = [f"{json.dumps(k)}: {json.dumps(v, allow_nan=False)}" for k, v in data.items()]
        return "{\n" + ",\n".join(lines) + "\n}\n"

    @classmethod
    def from_json(cls, text: str) -> ReferenceFile:
        """Read what :meth:`to_json` wrote."""
        data = json.loads(text)
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']}, not {FORMAT}")
        return cls(
            task=data["task"],
            pool=tuple(_infinite(loss) for loss in data["pool"]),
            optimum=None if data["optimum"] is None else Optimum(**data["optimum"]),
            signature=tuple(_infinite(loss) for loss in data["signature"]),
            top=tuple(Candidate(**candidate) for candidate in data["top"]),
            facts=data["facts"],
        )


def write(made: ReferenceFile, folder: Path = FOLDER) -> Path:
    """Write the file of a task, whole or not at all."""
    return write_whole(folder / f"{made.task}.json", made.to_json())


def read(task: str, folder: Path = FOLDER) -> ReferenceFile:
    """Read the file of a task, whole or between the two stages.

    Raises
    ------
    MissingReferenceError
        Naming the command that makes the file.
    """
    path = folder / f"{task}.json"
    try:
        return ReferenceFile.from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingReferenceError(remedy(task, "no reference data")) from None
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no reference data ({error!r}); remove it") from error


def remedy(task: str, lacks: str, stage: str = "") -> str:
    """What a task lacks, and the command that makes it."""
    return f"{task} has {lacks}; run `python -m benchmarks reference {stage}--tasks {task}`"


def _finite(loss: float) -> float | None:
    return loss if math.isfinite(loss) else None


def _infinite(loss: float | None) -> float:
    return math.inf if loss is None else loss
