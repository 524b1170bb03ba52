"""Eight experiments a day, two ovens.

A loop of your own with `ask` and `tell`: each day four experiments are planned for each of two
ovens. The oven cannot be chosen freely, so it is held fixed while the experiments for it are
planned.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from warpfront import HEBO, Categorical, Integer, Maximize, Real, Result, Space

SPACE = Space(
    oven=Categorical(["old", "new"]),
    temperature=Real(140, 220, step=5),
    minutes=Integer(10, 60, step=5),
)


def bake(config: dict[str, Any], noise: float) -> float:
    """How good the bread is: the old oven is 15 degrees colder than it says."""
    real = config["temperature"] - 15 * (config["oven"] == "old")
    heat = (real - 185) / 25
    time = math.log(config["minutes"] / 30)
    return 10 * math.exp(-(heat**2) - 3 * (time + 0.3 * heat) ** 2) + noise


def run(days: int = 4) -> Result:
    """Plan, do and tell, day by day."""
    rng = np.random.default_rng(0)
    optimizer = HEBO(SPACE, seed=0, goals=Maximize("taste"))
    for day in range(days):
        plan = optimizer.ask(4, fixed={"oven": "old"}) + optimizer.ask(4, fixed={"oven": "new"})
        optimizer.tell(plan, [bake(config, rng.normal(0, 0.2)) for config in plan])
        best = optimizer.best
        print(f"day {day + 1}: best taste {best.value:.2f} with {dict(best.config)}")
    return Result(optimizer)


def draw(result: Result) -> Figure:
    """What was tried in each oven, the better the darker."""
    figure = Figure(figsize=(7, 3.2), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, oven in zip(panels, ("old", "new"), strict=True):
        mine = [t for t in result.trials if t.config["oven"] == oven]
        at = [t.config["temperature"] for t in mine], [t.config["minutes"] for t in mine]
        shades = [t.value for t in mine]
        points = axes.scatter(*at, c=shades, cmap="YlOrBr", vmin=0, vmax=10, ec="gray", s=60)
        axes.set(title=f"{oven} oven", xlabel="temperature", xlim=(135, 225))
    panels[0].set_ylabel("minutes")
    figure.colorbar(points, label="taste")
    return figure


if __name__ == "__main__":
    draw(run()).savefig("laboratory.svg")
