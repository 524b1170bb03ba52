"""A run in short: what a report needs of it, and so what the archive keeps of it.

How a run went is told by its improvements alone: between them the best loss stays what it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchmarks.records import UNAVAILABLE, Design, Evaluated, Key, Record

CPU_DIGITS = 4
"""Significant digits of seconds; no machine gives more twice."""


class Improvement(NamedTuple):
    """A new best of a run.

    Parameters
    ----------
    evaluation
        Its number, from 1; None if only the end of the run is known.
    loss, held_out
        What the optimiser was told, and the loss on the held-out data, None if it was not taken.
    """

    evaluation: int | None
    loss: float
    held_out: float | None


class Recommendation(NamedTuple):
    """A new recommendation of a run: after how many evaluations, and its noiseless loss."""

    evaluation: int
    truth: float


@dataclass(frozen=True)
class Digest:
    """A run in short.

    Parameters
    ----------
    key
        Which run.
    trials
        How many evaluations it made; None if that is not known.
    failed
        How many of them failed.
    improvements
        The new bests in order; the last one alone, without its number, where only the end of the
        run is known.
    cpu
        Seconds that each round spent on suggesting its batch and on taking its losses in; a single
        number, the sum, where only that is known.
    error
        Why the run ended before its last round; None for a whole run.
    facts
        Versions and the like.
    recommended
        Each new recommendation in order; empty where there are none, as in old runs.
    """

    key: Key
    trials: int | None
    failed: int
    improvements: tuple[Improvement, ...]
    cpu: tuple[float, ...] | float
    error: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    recommended: tuple[Recommendation, ...] = ()

    @property
    def has_course(self) -> bool:
        """Whether it is known after how many evaluations each loss was found."""
        return all(improvement.evaluation is not None for improvement in self.improvements)

    @property
    def revision(self) -> str | None:
        """That of the code which made it; None if that is not known."""
        return self.facts.get("revision")

    @property
    def is_unavailable(self) -> bool:
        """Whether it never began because its method cannot be installed."""
        return self.trials == 0 and (self.error or "").startswith(UNAVAILABLE)

    @classmethod
    def of(cls, record: Record) -> Digest:
        """The short form of a record.

        Examples
        --------
        >>> trials = [Evaluated({}, loss, held_out=0.5) for loss in (3.0, 4.0, 2.0)]
        >>> record = Record(Key("branin", "random", 0, 3, 1), tuple(trials), ())
        >>> [tuple(improvement) for improvement in Digest.of(record).improvements]
        [(1, 3.0, 0.5), (3, 2.0, 0.5)]
        """
        return cls(
            key=record.key,
            trials=len(record.trials),
            failed=sum(not math.isfinite(trial.loss) for trial in record.trials),
            improvements=_improvements(record.trials),
            cpu=tuple(shortened(one.ask_cpu + one.tell_cpu, CPU_DIGITS) for one in record.timings),
            error=record.error,
            facts=record.facts,
            recommended=tuple(
                Recommendation(one.evaluation, one.truth) for one in record.recommendations
            ),
        )

    def to_line(self) -> str:
        """Its line in the file of its design and method: strict JSON."""
        data: dict[str, Any] = {
            "task": self.key.task,
            "seed": self.key.seed,
            "trials": self.trials,
            "failed": self.failed,
            "improvements": self.improvements,
            "cpu": self.cpu,
            "error": self.error,
            "facts": dict(self.facts),
        }
        if self.recommended:  # or the lines of other runs would change
            data["recommended"] = self.recommended
        return json.dumps(data, allow_nan=False) + "\n"

    @classmethod
    def from_line(cls, line: str, design: Design, method: str) -> Digest:
        """Read what :meth:`to_line` wrote.

        Examples
        --------
        >>> key = Key("branin", "random", 0, 8, 16)
        >>> digest = Digest(key, 128, 0, (Improvement(None, 0.5, 0.5),), 1.25, facts={"numpy": "2"})
        >>> Digest.from_line(digest.to_line(), key.design, key.method) == digest
        True
        """
        data = json.loads(line)
        cpu = data.pop("cpu")
        key = Key(
            data.pop("task"),
            method,
            data.pop("seed"),
            design.batch,
            design.rounds,
            design.workers,
        )
        improvements = tuple(Improvement(*one) for one in data.pop("improvements"))
        cpu = tuple(cpu) if isinstance(cpu, list) else cpu
        recommended = tuple(Recommendation(*one) for one in data.pop("recommended", ()))
        return cls(key, improvements=improvements, cpu=cpu, recommended=recommended, **data)


def shortened(value: float, digits: int) -> float:
    """A number with so many significant digits.

    Examples
    --------
    >>> shortened(0.123456, 4)
    0.1235
    """
    return float(f"{value:.{digits}g}")


def _improvements(trials: tuple[Evaluated, ...]) -> tuple[Improvement, ...]:
    found = []
    best = math.inf
    for number, trial in enumerate(trials, start=1):
        if trial.loss < best:
            best = trial.loss
            found.append(Improvement(number, trial.loss, trial.held_out))
    return tuple(found)
