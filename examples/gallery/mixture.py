"""A mixture: shares that add up to one, of two components at most.

The hardness of a plastic depends on the shares of four resins. The shares add up to one, and the
machine mixes two resins at most. Both are known constraints: every suggestion satisfies them.
"""

from __future__ import annotations

from matplotlib.figure import Figure

from warpfront import Real, Result, Space, minimize

RESINS = ("epoxy", "acrylic", "phenol", "urea")
SPACE = Space(
    {name: Real(0, 1) for name in RESINS},
    constraints=[
        "epoxy + acrylic + phenol + urea == 1",
        "count(epoxy > 0, acrylic > 0, phenol > 0, urea > 0) <= 2",
        "phenol <= 0.6",
    ],
)


def hardness(config: dict[str, float]) -> float:
    """A made-up law in which epoxy and phenol help each other."""
    alone = 60 * config["epoxy"] + 45 * config["acrylic"] + 50 * config["phenol"]
    return alone + 30 * config["urea"] + 120 * config["epoxy"] * config["phenol"]


def run(trials: int = 30) -> Result:
    """Look for the hardest mixture."""
    result = minimize(hardness, SPACE, trials, direction="maximize", seed=0, progress=False)
    shares = {name: round(share, 2) for name, share in result.best.config.items() if share > 0}
    print(f"the hardest of {trials}: {result.best.value:.1f}, with {shares}")
    return result


def draw(result: Result) -> Figure:
    """The composition of each trial, in the order in which they were tried."""
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    numbers = [trial.number for trial in result.trials]
    bottom = [0.0] * len(numbers)
    for name in RESINS:
        shares = [float(trial.config[name]) for trial in result.trials]
        above.bar(numbers, shares, bottom=bottom, label=name, width=0.9)
        bottom = [b + s for b, s in zip(bottom, shares, strict=True)]
    above.set(ylabel="shares")
    above.legend(frameon=False, ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    below.plot(numbers, [trial.value for trial in result.trials], ".-")
    below.set(xlabel="trial", ylabel="hardness")
    return figure


if __name__ == "__main__":
    draw(run()).savefig("mixture.svg")
