"""A limit on something that is measured.

A beam should be as light as possible, and bend by 5 mm at the most. How much it bends is known
only once it has been computed, so the limit is a goal, `AtMost`. It has a model of its own, and
suggestions keep to where it probably holds.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from warpfront import AtMost, Minimize, Real, Result, Space, minimize

SPACE = Space(width=Real(20, 100), height=Real(20, 150))  # in mm
LIMIT = 5.0


def bend(width: float, height: float) -> float:
    """Deflection in mm of a steel beam of 2 m with 1 kN at its end."""
    inertia = width * height**3 / 12
    return 1000 * 2000**3 / (3 * 210_000 * inertia)


def measure(config: dict[str, float]) -> dict[str, float]:
    """Weight and deflection."""
    weight = 7.85e-6 * config["width"] * config["height"] * 2000
    return {"weight": weight, "bend": bend(**config)}


def run(trials: int = 30) -> Result:
    """Look for the lightest beam that is stiff enough."""
    result = minimize(
        measure,
        SPACE,
        trials,
        goals=[Minimize("weight"), AtMost("bend", LIMIT)],
        seed=0,
        progress=False,
    )
    best = result.best
    print(f"{best.config['width']:.1f} mm wide and {best.config['height']:.1f} mm high:")
    print(f"{best.outcomes['weight']:.1f} kg, bends by {best.outcomes['bend']:.2f} mm")
    return result


def draw(result: Result) -> Figure:
    """Where the trials lie, and the limit."""
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    width = np.linspace(20, 100, 100)
    height = (1000 * 2000**3 * 12 / (3 * 210_000 * width * LIMIT)) ** (1 / 3)
    axes.plot(width, height, color="gray", label="bends by 5 mm")
    axes.fill_between(width, 20, height, color="gray", alpha=0.15, lw=0)
    at = np.array([(t.config["width"], t.config["height"]) for t in result.trials])
    points = axes.scatter(at[:, 0], at[:, 1], c=range(len(at)), cmap="viridis", s=24)
    best = result.best.config
    axes.plot(best["width"], best["height"], "*", color="C3", ms=14, label="best")
    axes.set(xlabel="width in mm", ylabel="height in mm", ylim=(20, 150))
    axes.legend(frameon=False, loc="upper right")
    figure.colorbar(points, label="trial")
    return figure


if __name__ == "__main__":
    draw(run()).savefig("measured_limit.svg")
