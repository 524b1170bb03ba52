"""Random configurations of a pair and their losses: what GPs are fitted to outside of a run."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from benchmarks.baseline.pair import Pair
from benchmarks.options import positive
from benchmarks.paper import options as shared
from benchmarks.paper.costs import evaluation_seconds
from benchmarks.paper.pieces import Piece, Pieces, carry_out, fingerprint
from benchmarks.run.perform import evaluation_seed
from benchmarks.tasks.registry import TASKS
from benchmarks.tasks.task import evaluate_pair
from warpfront.history import History
from warpfront.problem import Problem

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


@dataclass(frozen=True)
class Sampled:
    """The samples of one task, as plain data that can go to another process.

    Parameters
    ----------
    task
        Its name.
    configs
        Configurations as JSON.
    losses
        Of these; None is a failure.
    """

    task: str
    configs: tuple[str, ...]
    losses: tuple[float | None, ...]

    def history(self, first: int | None = None) -> History:
        """The first so many samples as an optimiser would know them; all when None."""
        problem = Problem(TASKS[self.task].space)
        rows = zip(map(json.loads, self.configs[:first]), self.losses[:first], strict=True)
        return History(problem).tell([(None, config, loss) for config, loss in rows])


def samples_of(task: str, count: int) -> Samples:
    """The samples that a task shares with the other metric of its pair."""
    return Samples(Pair(TASKS[task].model, TASKS[task].data), count)


def sample(tasks: Sequence[str], count: int, records: Path, jobs: int) -> list[Sampled]:
    """Evaluate what is missing of the samples of some tasks, and return them."""
    wanted = {name: samples_of(name, count) for name in tasks}
    carry_out(list(dict.fromkeys(wanted.values())), records, jobs)
    found = []
    for name, samples in wanted.items():
        data = Pieces(records).read(samples)
        configs = tuple(json.dumps(config) for config in data["configs"])
        found.append(Sampled(name, configs, tuple(data["losses"][TASKS[name].metric])))
    return found


class FromSamples(Piece, Protocol):
    """A piece that is made from the samples of one task."""

    @property
    def sampled(self) -> Sampled:
        """The samples."""


def name_from(piece: FromSamples, item: str, file: str, *sizes: int) -> str:
    """The name of a piece that is made from samples, ending with its fingerprint.

    Parameters
    ----------
    piece
        The piece.
    item, file
        The item that makes it, and its file as ``__file__``.
    sizes
        How large it is, besides the number of samples: for a reader of the folder.
    """
    size = "-".join(map(str, (len(piece.sampled.losses), *sizes)))
    return f"{item}/{piece.sampled.task}-{size}-{fingerprint(piece, file)}"


def derive(
    tasks: Sequence[str], options: argparse.Namespace, make: Callable[[Sampled], FromSamples]
) -> dict[str, dict[str, Any]]:
    """Do what is missing of some tasks' samples and of the pieces made from them.

    Returns what these pieces keep, by task. With ``--done`` nothing is done, and the options are
    left as the command of those tasks needs them that are done already.

    Parameters
    ----------
    tasks
        Names.
    options
        Those of :func:`add_samples` and of ``add_work``.
    make
        The piece of a task's samples.
    """
    pieces = Pieces(options.records)
    if not options.done:
        sampled = sample(tasks, options.samples, options.records, options.jobs)
        wanted = [make(one) for one in sampled]
        carry_out(wanted, options.records, options.jobs)
    else:
        there = [t for t in tasks if pieces.is_done(samples_of(t, options.samples))]
        sampled = sample(there, options.samples, options.records, options.jobs)
        wanted = [one for one in map(make, sampled) if pieces.is_done(one)]
        if not wanted:
            raise ValueError("no task is done yet; leave --done out")
        shared.narrow(options, tasks, [one.sampled.task for one in wanted])
    return {one.sampled.task: pieces.read(one) for one in wanted}


def add_samples(parser: argparse.ArgumentParser) -> None:
    """Declare how many samples of each task there are."""
    parser.add_argument(
        "--samples", type=positive, default=SAMPLES, metavar="N", help=f"of each task ({SAMPLES})"
    )
    parser.add_argument(
        "--done", action="store_true", help="compute nothing; report the tasks that are done"
    )
