"""`make threads`: golden runs with one and with two BLAS threads, and where they part ways.

Each run has a seed of its own. A row says at which trial the suggestions of the two differ first.
"""

from __future__ import annotations

import argparse
import itertools

from tests.optimizers.test_reproducibility import SPACE, run, trials_of
from warpfront import HEBO


def first_difference(seed: int, noise: float, trials: int) -> int | None:
    """The number of the first trial whose configurations differ; None if all are the same."""
    new = HEBO(SPACE, seed=seed).to_json()
    one, two = (trials_of(run(new, noise, trials, threads)) for threads in (1, 2))
    return next((i for i in range(trials) if one[i]["config"] != two[i]["config"]), None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--trials", type=int, default=128)
    parser.add_argument("--noise", type=float, nargs="*", default=[0.0, 0.05])
    options = parser.parse_args()
    print("| noise | seed | trials | suggestions differ from trial |\n|---|---|---|---|")
    for noise, seed in itertools.product(options.noise, range(options.seeds)):
        found = first_difference(seed, noise, options.trials)
        at = "never" if found is None else found
        print(f"| {noise} | {seed} | {options.trials} | {at} |", flush=True)


if __name__ == "__main__":
    main()
