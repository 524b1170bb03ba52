"""Begin with what you know: beliefs and old results.

You expect the best learning rate near 0.003, and you have results of last month. Both help at the
start. If the belief were wrong, results would overrule it.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from warpfront import HEBO, Integer, Real, Result, Space, minimize

PARAMETERS = {"rate": Real(1e-6, 1.0, scale="log"), "layers": Integer(1, 12)}
BELIEVED = Space({**PARAMETERS, "rate": Real(1e-6, 1.0, scale="log", likely=0.003)})
OLD = [({"rate": 0.02, "layers": 3}, 0.9), ({"rate": 0.0005, "layers": 6}, 0.6)]


def loss(config: dict[str, float]) -> float:
    """A loss with its minimum at a rate of 0.002 and 7 layers."""
    return math.log10(config["rate"] / 0.002) ** 2 + 0.05 * (config["layers"] - 7) ** 2


def run(trials: int = 20, seeds: int = 5) -> dict[str, list[Result]]:
    """Runs without and with the knowledge."""
    results: dict[str, list[Result]] = {"without": [], "with": []}
    for seed in range(seeds):
        plain = HEBO(Space(PARAMETERS), seed=seed)
        informed = HEBO(BELIEVED, seed=seed)
        informed.tell([config for config, _ in OLD], [value for _, value in OLD])
        results["without"].append(minimize(loss, plain, trials, progress=False))
        results["with"].append(minimize(loss, informed, trials, progress=False))
    for name, runs in results.items():
        tenth = [result.best_so_far[9] for result in runs]
        print(f"{name:>8}: median loss after ten trials {np.median(np.array(tenth, float)):.3f}")
    return results


def draw(results: dict[str, list[Result]]) -> Figure:
    """The median of the best loss so far."""
    figure = Figure(figsize=(6, 3.2), layout="constrained")
    axes = figure.subplots()
    for name, runs in results.items():
        length = min(len(result.trials) for result in runs)
        curves = np.array([result.best_so_far[:length] for result in runs], dtype=float)
        axes.plot(range(1, length + 1), np.median(curves, axis=0), label=f"{name} knowledge")
    axes.set(yscale="log", xlabel="trials, old ones included", ylabel="best loss so far")
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    draw(run()).savefig("prior_knowledge.svg")
