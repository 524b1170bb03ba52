"""The score: where a loss lies between one random draw (0) and the best that is known (100).

    score = 100 (1 - min(max((L - best) / (clip - best), -1), 1))

This is what Bayesmark and the challenge compute; the equation in the paper cannot have made its
table. Tables average it over seeds, then over tasks. Above 100 is possible, up to 200: a run beat
`best`, which is the lowest loss of the pools and runs that were there when it was frozen.

Glossary
--------
L
    the smallest cross-validated loss of a run so far; infinite as long as there is none
best
    the lowest loss that is known
clip
    the median loss of one random configuration
pool
    losses of N independent random configurations, sorted, (N,)
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks.baseline import reference_file
from benchmarks.baseline.reference_file import FOLDER, remedy
from benchmarks.baseline.reference_file import MissingReferenceError as MissingReferenceError
from benchmarks.tasks.table import Table
from benchmarks.tasks.truths import WITH_TRUTH
from benchmarks.workers.environment import REPOSITORY

Floats = NDArray[np.float64]
Rule = Literal["mean", "lowest"]
"""What `best` is; see :func:`load_reference`."""

KIT = Path(
    os.environ.get("WARPFRONT_BAYESMARK_KIT") or REPOSITORY.parent / "shared" / "bayesmark_kit.csv"
)
"""Where the challenge kit's values lie, if they are there; they are not ours to distribute."""

SYNTHETIC_POOL = 1024
SYNTHETIC_SEED = 0


@dataclass(frozen=True)
class Reference:
    """What the losses of a task are measured against.

    Parameters
    ----------
    task
        Its name.
    best, clip
        The losses whose scores are 100 and 0.
    pool
        Losses of independent random configurations, sorted; failures are infinite. Empty for a
        table, of which random search is run.
    facts
        How it was made.
    """

    task: str
    best: float
    clip: float
    pool: tuple[float, ...] = field(repr=False)
    facts: Mapping[str, str] = field(default_factory=dict, repr=False)


def load_reference(task_name: str, folder: Path = FOLDER, rule: Rule = "lowest") -> Reference:
    """The frozen reference of a task; that of a function is computed, that of a table is known.

    Parameters
    ----------
    task_name
        Of a task, or of a function.
    folder
        Where the files lie.
    rule
        What `best` is: as in Bayesmark the lowest loss of any single evaluation, or the smallest
        mean loss of a configuration over seeds. They differ on noisy tasks only. There the mean is
        what the optimum really is, but L is the luckiest of a hundred draws: against the mean even
        random search scores above 100 on several tasks, and the scale says nothing there.

    Raises
    ------
    MissingReferenceError
        Naming the command that makes it.

    Examples
    --------
    >>> load_reference("branin").best == WITH_TRUTH["branin"].minimum
    True
    """
    if task_name in WITH_TRUTH:
        return _of_truth(task_name)
    made = reference_file.read(task_name, folder)
    if made.optimum is None:
        raise MissingReferenceError(remedy(task_name, "no best yet", "--stage best "))
    best = made.optimum
    if rule == "lowest":
        loss, how = best.lowest_seen, "lowest"
    else:
        loss = best.loss
        how = f"mean of {best.seeds}, ± {best.standard_error:.2g}, from {best.source}"
    facts = {**made.facts, "best": f"{how}; the pool and {best.runs} runs were searched"}
    return Reference(task=task_name, best=loss, clip=made.clip, pool=made.pool, facts=facts)


@cache
def _of_truth(task_name: str) -> Reference:
    """From the truth, of which noise is no part."""
    task = WITH_TRUTH[task_name]
    if isinstance(task, Table):
        facts = {"best": "smallest mean", "clip": "median mean of all configurations"}
        return Reference(task.name, best=task.minimum, clip=task.median, pool=(), facts=facts)
    configs = task.space.sample(SYNTHETIC_POOL, SYNTHETIC_SEED, method="uniform")
    pool = tuple(sorted(task.truth(config) for config in configs))
    facts = {"best": "known", "pool": f"{SYNTHETIC_POOL} uniform draws of the truth"}
    return Reference(
        task=task.name,
        best=task.minimum,
        clip=float(np.median(pool)),
        pool=pool,
        facts=facts,
    )


def normalised(loss: float, reference: Reference) -> float:
    """The score of a loss.

    Where a random draw is as good as the best that is known there is nothing to measure: at or
    below `best` is then 100, above it 0.

    Examples
    --------
    >>> reference = Reference("toy", best=1.0, clip=3.0, pool=(1.0, 3.0, 5.0))
    >>> [normalised(loss, reference) for loss in (1.0, 2.0, 3.0, math.inf)]
    [100.0, 50.0, 0.0, 0.0]
    >>> [normalised(loss, reference) for loss in (0.5, -9.0)]
    [125.0, 200.0]
    """
    return float(scores([loss], reference)[0])


def scores(losses: ArrayLike, reference: Reference) -> Floats:
    """The score of each of some losses; infinite or not a number is a failure."""
    losses = np.where(np.isnan(losses), math.inf, np.asarray(losses, dtype=float))
    best, clip = reference.best, reference.clip
    if not best < clip:
        return np.where(losses <= best, 100.0, 0.0)
    return np.asarray(100.0 * (1.0 - np.clip((losses - best) / (clip - best), -1.0, 1.0)))


def random_curve(reference: Reference, n: int) -> Floats:
    """Expected scores of random search after 1, ..., n evaluations.

    Examples
    --------
    Of 1, 3 and 5 the scores are 100, 0 and 0, and two of the three pairs hold the 1.

    >>> reference = Reference("toy", best=1.0, clip=3.0, pool=(1.0, 3.0, 5.0))
    >>> random_curve(reference, 3).round(1)
    array([ 33.3,  66.7, 100. ])
    """
    return _first_weights(len(reference.pool), n) @ scores(reference.pool, reference)


def _first_weights(size: int, n: int) -> Floats:
    """Chance that the i-th smallest of the pool is the smallest of k drawn from it, (n, size).

    Drawn without replacement: the mean over all subsets of k is then the unbiased estimate, of
    least variance, for k fresh random configurations. With replacement the minimum of the pool
    would be missed too often, as if an optimum could be drawn twice.

    The chance is C(size - i, k - 1) / C(size, k), i = 1, ..., size, by the ratio of neighbours.
    """
    if not 1 <= n <= size:
        raise ValueError(
            f"n is {n}, but the pool has {size} losses; make a larger one with "
            "`python -m benchmarks reference --pool N`"
        )
    k = np.arange(1, n + 1)[:, None]
    i = np.arange(1, size)[None, :]
    ratios = np.maximum(size - i - k + 1, 0) / (size - i)
    return np.cumprod(np.hstack([k / size, ratios]), axis=1)


def load_kit(path: Path = KIT) -> dict[tuple[str, str], tuple[float, float]]:
    """The challenge kit's (best, clip) by (design, task), such as ("16-8", "DT_boston_mae").

    With ``dataclasses.replace(reference, best=best, clip=clip)`` they give the scores that compare
    with the paper's.
    """
    with path.open(encoding="utf-8", newline="") as stream:
        return {
            (row["design"], row["task"]): (float(row["best"]), float(row["clip"]))
            for row in csv.DictReader(stream)
        }
