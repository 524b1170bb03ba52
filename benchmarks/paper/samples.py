"""Random configurations of a pair and their losses: what GPs are fitted to outside of a run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.baseline.pair import Pair
from benchmarks.paper.costs import evaluation_seconds
from benchmarks.paper.pieces import Pieces
from benchmarks.run.perform import evaluation_seed
from benchmarks.tasks.registry import TASKS
from benchmarks.tasks.task import evaluate_pair
from warpfront import Space
from warpfront.history import History

SAMPLES = 128
"""From each task, as in the paper (section 3.3)."""


@dataclass(frozen=True)
class Samples:
    """So many uniform draws of a pair, evaluated once; both its tasks come from the same fits."""

    pair: Pair
    count: int = SAMPLES

    @property
    def name(self) -> str:
        """Path of its file."""
        return f"samples/{self.pair.name}-{self.count}"

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        return self.count * evaluation_seconds(self.pair)

    def compute(self) -> dict[str, Any]:
        """Configurations, and their losses by metric, null for failures."""
        pair = self.pair
        configs = [json.loads(trial.config) for trial in pair.draws(self.count)]
        losses: dict[str, list[float | None]] = {task.metric: [] for task in pair.tasks}
        for i, config in enumerate(configs):
            seed = evaluation_seed(f"{pair.name} sample", 0, i)
            for metric, found in evaluate_pair(pair.model, pair.data, config, seed).items():
                losses[metric].append(found.loss if math.isfinite(found.loss) else None)
        return {"configs": configs, "losses": losses}


def samples_of(tasks: Sequence[str], count: int = SAMPLES) -> dict[str, Samples]:
    """The samples that hold each task."""
    return {name: Samples(Pair(TASKS[name].model, TASKS[name].data), count) for name in tasks}


def history_of(task: str, samples: Samples, pieces: Pieces, first: int | None = None) -> History:
    """The first so many samples of a task, as an optimiser would know them; all when None."""
    data = pieces.read(samples)
    configs, losses = data["configs"][:first], data["losses"][TASKS[task].metric][:first]
    return told(TASKS[task].space, configs, losses)


def told(
    space: Space, configs: Sequence[Mapping[str, Any]], losses: Sequence[float | None]
) -> History:
    """A history of these evaluations; None is a failure."""
    values = [math.nan if loss is None else loss for loss in losses]
    rows = [(None, config, value) for config, value in zip(configs, values, strict=True)]
    return History(space).tell(rows)
