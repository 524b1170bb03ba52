"""``python -m benchmarks busy``: which share of their time asynchronous workers are busy.

An objective that takes a second, say, is minimised by HEBO with several workers. What they do not
spend evaluating, they wait for a suggestion.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.options import positive, seconds
from benchmarks.processor import processor
from warpfront import HEBO, Categorical, Integer, Real, Result, Space, minimize

SPACE = Space(
    {f"x{i}": Real(0, 1) for i in range(6)},
    n=Integer(1, 8),
    kind=Categorical(["a", "b", "c"]),
)


@dataclass(frozen=True)
class Share:
    """How the time of the workers was spent.

    Examples
    --------
    >>> Share(evaluating=7.6, elapsed=1.0, workers=8, ahead=0).busy
    0.95
    """

    evaluating: float
    """Seconds that evaluations took, all together."""
    elapsed: float
    """Seconds from the first suggestion to the last outcome."""
    workers: int
    ahead: float
    """Suggestions beyond the number of workers that were made and not evaluated, on average."""

    @property
    def busy(self) -> float:
        """The share of their time that the workers evaluated."""
        return self.evaluating / (self.workers * self.elapsed)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument("--workers", type=positive, default=8, help="threads (8)")
    parser.add_argument("--trials", type=positive, default=128, help="evaluations (128)")
    parser.add_argument("--seconds", type=seconds, default=1.0, help="of an evaluation (1)")
    parser.add_argument("--seed", type=int, default=0, help="of the optimiser (0)")


def execute(options: argparse.Namespace) -> int:
    """Measure, print, and return the exit status."""
    result = run(options.workers, options.trials, options.seconds, options.seed)
    share = share_of(result, options.workers)
    print(
        f"{options.trials} trials of {options.seconds:g} s, {options.workers} workers: busy "
        f"{share.busy:.1%} of {share.elapsed:.1f} s, {share.ahead:.1f} suggestions ahead on "
        f"average; best value {result.best.value:.4g} ({processor()})"
    )
    return 0


def run(workers: int, trials: int, duration: float, seed: int) -> Result:
    """Minimise a function that takes its time."""

    def loss(config: dict[str, Any]) -> float:
        time.sleep(duration)
        return value(config)

    HEBO(SPACE, seed=seed).ask()  # SciPy is imported before the clock runs
    return minimize(loss, SPACE, trials, workers=workers, seed=seed, progress=False)


def value(config: dict[str, Any]) -> float:
    """A bowl with a step for each choice; its minimum is 0.1.

    Examples
    --------
    >>> value({f"x{i}": 0.3 for i in range(6)} | {"n": 1, "kind": "a"})
    0.1
    """
    bowl = sum((config[f"x{i}"] - 0.3) ** 2 for i in range(6))
    return float(bowl + 0.1 * config["n"] + 0.2 * "abc".index(config["kind"]))


def share_of(result: Result, workers: int) -> Share:
    """How the workers' time was spent, by the events of a run."""
    told = [event for event in result.events if event.kind == "told"]
    under_way, ahead = 0, []
    for event in result.events:
        under_way += 1 if event.kind == "asked" else -1
        ahead.append(max(under_way - workers, 0))
    return Share(
        evaluating=sum(event.seconds or 0.0 for event in told),
        elapsed=told[-1].at - result.events[0].at,
        workers=workers,
        ahead=float(np.mean(ahead)),
    )
