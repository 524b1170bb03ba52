"""Evaluations on disk: one line each, so that a run that was killed goes on where it stopped."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import sklearn

from benchmarks.baseline.pair import Pair, Trial
from benchmarks.workers.environment import CACHE

JOURNALS = CACHE / "pools"
"""Where the journals lie, unless told otherwise."""


class Outcome(NamedTuple):
    """What came out of a trial: the losses by metric, infinite for failures, and CPU seconds."""

    losses: Mapping[str, float]
    cpu: float


class Journal:
    """Every evaluation of a pair that was ever done here with this scikit-learn.

    Remove the folder after a change that is meant to alter losses.

    Parameters
    ----------
    pair
        Whose evaluations.
    folder
        Where the journals lie.
    """

    def __init__(self, pair: Pair, folder: Path = JOURNALS) -> None:
        self.pair = pair
        self.path = folder / f"scikit-learn-{sklearn.__version__}" / f"{pair.name}.jsonl"
        self._outcomes = dict(_read(self.path))

    def __contains__(self, trial: Trial) -> bool:
        return trial in self._outcomes

    def loss(self, trial: Trial, metric: str) -> float:
        """The loss of a trial that is in the journal."""
        return self._outcomes[trial].losses[metric]

    def missing(self, trials: Iterable[Trial]) -> list[Trial]:
        """Those that are still to be evaluated, each once."""
        return [trial for trial in dict.fromkeys(trials) if trial not in self]

    @property
    def mean_cpu(self) -> float:
        """Seconds of an evaluation, for a forecast; 1 as long as nothing is known."""
        if not self._outcomes:
            return 1.0
        return sum(outcome.cpu for outcome in self._outcomes.values()) / len(self._outcomes)

    def add(self, outcomes: Mapping[Trial, Outcome]) -> None:
        """Keep outcomes, on disk first."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as stream:
            # A line of its own, even after one that a kill cut short.
            stream.write("\n" + "\n".join(_line(*item) for item in outcomes.items()) + "\n")
        self._outcomes.update(outcomes)


def _line(trial: Trial, outcome: Outcome) -> str:
    losses = {m: loss if math.isfinite(loss) else None for m, loss in outcome.losses.items()}
    data = {**trial._asdict(), "losses": losses, "cpu": round(outcome.cpu, 4)}
    return json.dumps(data, allow_nan=False)


def _read(path: Path) -> Iterable[tuple[Trial, Outcome]]:
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            data: dict[str, Any] = json.loads(line)
        except ValueError:
            continue  # empty, or cut short by a kill: it will be evaluated again
        losses = {m: math.inf if loss is None else loss for m, loss in data["losses"].items()}
        yield Trial(data["config"], data["seed"]), Outcome(losses, data["cpu"])
