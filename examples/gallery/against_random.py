"""HEBO against random search.

The same budget and the same seeds, on a function with three optima (Branin). The lines are the
medians over the seeds, the bands reach from the best to the worst.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from warpfront import HEBO, RandomSearch, Real, Result, Space, minimize

SPACE = Space(x=Real(-5, 10), y=Real(0, 15))
OPTIMUM = 0.397887


def branin(config: dict[str, float]) -> float:
    """The Branin function."""
    x, y = config["x"], config["y"]
    quadratic = y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6
    return quadratic**2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def run(trials: int = 30, seeds: int = 5) -> dict[str, list[Result]]:
    """A few runs of each."""
    results = {
        name: [
            minimize(branin, optimizer(SPACE, seed=seed), trials, progress=False)
            for seed in range(seeds)
        ]
        for name, optimizer in (("HEBO", HEBO), ("random search", RandomSearch))
    }
    for name, runs in results.items():
        gaps = [float(result.best_so_far[-1]) - OPTIMUM for result in runs]
        print(f"{name:>13}: median distance to the optimum {np.median(gaps):.2g}")
    return results


def draw(results: dict[str, list[Result]]) -> Figure:
    """Distance to the optimum against trials."""
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    for name, runs in results.items():
        gaps = np.array([result.best_so_far for result in runs], dtype=float) - OPTIMUM
        trials = np.arange(1, gaps.shape[1] + 1)
        (line,) = axes.plot(trials, np.median(gaps, axis=0), label=name)
        low, high = gaps.min(axis=0), gaps.max(axis=0)
        axes.fill_between(trials, low, high, color=line.get_color(), alpha=0.15, lw=0)
    axes.set(yscale="log", xlabel="trials", ylabel="distance to the optimum")
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    draw(run()).savefig("against_random.svg")
