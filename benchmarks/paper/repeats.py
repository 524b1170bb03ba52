"""Configurations evaluated again and again: what the tests of equal spread look at.

As in the paper, all configurations of a pair see the same repeats. There are two sources of noise:

``split``
    repeat j splits the data into 80 % and 20 % with seed j, and the model's own randomness is
    fresh too: the paper's noise, "originating from the train-test splits";
``model``
    the split is that of all optimisation runs, and only the model's own randomness is fresh: the
    noise that an optimiser meets. 36 of the 108 tasks have none.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from benchmarks.baseline.pair import Pair
from benchmarks.paper.costs import evaluation_seconds
from benchmarks.paper.pieces import Pieces
from benchmarks.run.perform import evaluation_seed
from benchmarks.tasks.data import SPLIT_SEED, load
from benchmarks.tasks.evaluation import cross_validate
from benchmarks.tasks.metrics import metrics_of
from benchmarks.tasks.task import Task

Noise = Literal["split", "model"]
NOISES: tuple[Noise, ...] = get_args(Noise)

CONFIGURATIONS = 50
REPEATS = 10
"""The paper's k and n."""

DRAWS = 8
"""So many random draws for each configuration that is wanted: a small space repeats itself."""


@dataclass(frozen=True)
class Repeat:
    """One repeat of some configurations of a pair; both its tasks come from the same fits.

    Parameters
    ----------
    pair
        A model on a data set.
    noise
        What differs from repeat to repeat.
    number
        Of the repeat, from 0.
    configurations
        How many.
    """

    pair: Pair
    noise: Noise
    number: int
    configurations: int = CONFIGURATIONS

    @property
    def name(self) -> str:
        """Path of its file."""
        return f"repeats/{self.noise}/{self.pair.name}-{self.configurations}-{self.number}"

    @property
    def seconds(self) -> float:
        """About how long it takes."""
        return self.configurations * evaluation_seconds(self.pair)

    def compute(self) -> dict[str, Any]:
        """The losses by metric, null for failures, and a digest of the configurations."""
        pair = self.pair
        data = load(pair.data, self.number if self.noise == "split" else SPLIT_SEED)
        metrics = metrics_of(data.kind)
        losses: dict[str, list[float | None]] = {metric: [] for metric in metrics}
        configs = distinct_configurations(pair, self.configurations)
        for i, config in enumerate(configs):
            seed = evaluation_seed(f"{pair.name} {self.noise}", self.number, i)
            for metric, found in cross_validate(pair.model, data, config, seed, metrics).items():
                losses[metric].append(found.loss if math.isfinite(found.loss) else None)
        return {"losses": losses, "configurations": _digest(configs)}


def distinct_configurations(pair: Pair, count: int) -> list[dict[str, Any]]:
    """The first so many different ones of the pair's random draws.

    Examples
    --------
    >>> few = distinct_configurations(Pair("kNN", "iris"), 3)
    >>> few == distinct_configurations(Pair("kNN", "iris"), 50)[:3]
    True
    """
    once = list(dict.fromkeys(trial.config for trial in pair.draws(DRAWS * count)))
    return [json.loads(config) for config in once[:count]]


def _digest(configs: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(configs, sort_keys=True).encode()).hexdigest()[:12]


def losses_of(task: Task, repeats: Iterable[Repeat], pieces: Pieces) -> NDArray[np.float64]:
    """Losses of a task, (configurations, repeats); not a number where an evaluation failed."""
    found = [pieces.read(repeat) for repeat in repeats]
    if len({one.get("configurations") for one in found}) > 1:
        raise ValueError(
            f"repeats of {task.name} in {pieces.folder} are of different configurations, made by "
            "different code; remove its folder `repeats` and evaluate anew"
        )
    columns = [one["losses"][task.metric] for one in found]
    return np.asarray(np.array(columns, dtype=float).T)
