"""A simulation that crashes.

In a corner of the space the simulation diverges and raises an error. Nobody told the optimiser
where. Each failed trial is kept with its reason, and teaches it to stay away.
"""

from __future__ import annotations

import math

import numpy as np
from matplotlib.figure import Figure

from warpfront import Real, Result, Space, minimize

SPACE = Space(step=Real(0.01, 1, scale="log"), damping=Real(0, 2))


def simulate(config: dict[str, float]) -> float:
    """The error of a simulation, which diverges if the step is large and the damping is small."""
    step, damping = config["step"], config["damping"]
    if step > 0.15 * (1 + 2 * damping):
        raise FloatingPointError(f"diverged with step={step:.3g}")
    return math.log10(step / 0.3) ** 2 + (damping - 0.6) ** 2


def run(trials: int = 36) -> Result:
    """Tune the simulation; failures count as trials."""
    result = minimize(simulate, SPACE, trials, seed=0, progress=False)
    failed = [trial for trial in result.trials if trial.state == "failed"]
    half = trials // 2
    late = sum(trial.number >= half for trial in failed)
    print(f"best error {result.best.value:.4f} at {dict(result.best.config)}")
    print(f"{len(failed) - late} failures in the first {half} trials, {late} in the others")
    return result


def draw(result: Result) -> Figure:
    """Trials that succeeded and that failed."""
    figure = Figure(figsize=(6, 3.8), layout="constrained")
    axes = figure.subplots()
    damping = np.linspace(0, 2, 50)
    axes.fill_betweenx(damping, 0.15 * (1 + 2 * damping), 1, color="C3", alpha=0.12, lw=0)
    for state, mark, colour in (("completed", "o", "C0"), ("failed", "x", "C3")):
        mine = [t.config for t in result.trials if t.state == state]
        at = [c["step"] for c in mine], [c["damping"] for c in mine]
        axes.plot(*at, mark, color=colour, label=state)
    axes.set(xscale="log", xlabel="step", ylabel="damping", xlim=(0.01, 1))
    axes.legend(frameon=False, loc="upper left")
    return figure


if __name__ == "__main__":
    draw(run()).savefig("crashes.svg")
