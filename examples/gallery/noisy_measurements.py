"""Noisy measurements: use the recommendation.

Each measurement of a yield varies by about 5 points. The best measurement is a lucky one. The model
averages over all of them, and its recommendation is nearer to the true optimum.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from warpfront import Real, Result, minimize

SPACE = {"temperature": Real(20, 100)}


def true_yield(temperature: float) -> float:
    """What nobody knows: the yield in percent, without noise."""
    return 80.0 - 0.03 * (temperature - 63.0) ** 2


def run(trials: int = 30) -> Result:
    """Tune the temperature by noisy measurements."""
    rng = np.random.default_rng(4)

    def measure(config: dict[str, float]) -> float:
        return true_yield(config["temperature"]) + rng.normal(0.0, 5.0)

    result = minimize(measure, SPACE, trials, direction="maximize", seed=0, progress=False)
    for name, trial in (("best", result.best), ("recommended", result.recommendation)):
        at = trial.config["temperature"]
        print(
            f"{name:>12}: {at:5.1f} °C, measured {trial.value:.1f} %, true {true_yield(at):.1f} %"
        )
    return result


def draw(result: Result) -> Figure:
    """The measurements, the truth, and the two choices."""
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axes = figure.subplots()
    grid = np.linspace(20, 100, 200)
    axes.plot(grid, true_yield(grid), color="gray", label="truth")  # type: ignore[arg-type]
    measured = [(trial.config["temperature"], trial.value or 0.0) for trial in result.trials]
    axes.plot(*zip(*measured, strict=True), ".", label="measurements")
    axes.axvline(result.best.config["temperature"], color="C1", ls=":", label="best measurement")
    axes.axvline(result.recommendation.config["temperature"], color="C2", label="recommendation")
    axes.set(xlabel="temperature in °C", ylabel="yield in %")
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    draw(run()).savefig("noisy_measurements.svg")
