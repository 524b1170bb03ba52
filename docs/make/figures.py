"""Draw the pictures of the page "The method in pictures", from the library itself.

$ python docs/make/figures.py     # writes docs/images/{warps,ensemble,portfolio}.svg
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from warpfront import HEBO, Real, Settings, Space
from warpfront.acquisition.functions import exploration_weight, lcb, log_ei, log_pi
from warpfront.search.nsga2 import pareto_mask
from warpfront.surrogate.transforms import fit_transform
from warpfront.surrogate.warping import kumaraswamy

IMAGES = Path(__file__).parents[1] / "images"
TEAL, ORANGE, VIOLET, GREY = "#00796b", "#d9730d", "#6a51a3", "#8a8a8a"
STYLE = {
    "svg.fonttype": "none",  # text stays text: small files
    "svg.hashsalt": "warpfront",  # the same picture gives the same file
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "white",
}


def warps() -> Figure:
    """What the input warp and the output transform do to a one-dimensional problem."""
    figure = Figure(figsize=(9.6, 2.8), layout="constrained")
    left, middle, right = figure.subplots(1, 3)

    def f(x: np.ndarray) -> np.ndarray:
        return np.asarray(np.sin(2.6 / (x + 0.12)) + 2 * x)

    space = Space(x=Real(0, 1))
    optimizer = HEBO(space, seed=0, settings=Settings(models=("warped",)))
    xs = (np.arange(40) + 0.5) / 40
    optimizer.tell([{"x": float(x)} for x in xs], [float(v) for v in f(xs)])
    gp = optimizer.model.gp
    a, b = gp.kernel.warp_of(gp.theta)
    grid = np.linspace(0, 1, 400) ** 3
    bent = kumaraswamy(grid[:, None], a, b)[:, 0]
    left.plot(grid, f(grid), color=GREY, lw=1.5)
    left.plot(xs, f(xs), ".", color=TEAL)
    left.set(title="as you measured it", xlabel="x", ylabel="outcome")
    middle.plot(bent, f(grid), color=GREY, lw=1.5)
    middle.plot(kumaraswamy(xs[:, None], a, b)[:, 0], f(xs), ".", color=TEAL)
    middle.set(title="as the model sees it", xlabel="warped x")
    y = np.exp(np.random.default_rng(0).normal(0, 1.2, 300))
    t = fit_transform(y, "power")(y)
    right.hist(y, bins=40, range=(0, 12), color=ORANGE, alpha=0.6, label="outcomes")
    other = right.twiny()
    other.hist(t, bins=24, color=TEAL, alpha=0.6)
    other.set_xticks([])
    right.plot([], [], color=TEAL, lw=6, alpha=0.6, label="transformed")
    right.set(title="the output transform", yticks=[], xticks=[], xlim=(0, 12))
    right.legend(frameon=False, loc="upper right")
    return figure


def ensemble() -> Figure:
    """Three acquisitions that want different points, and the Pareto front between them."""
    figure = Figure(figsize=(9.6, 3.4), layout="constrained")
    axes = figure.subplot_mosaic([["model", "front"], ["wish", "front"]], width_ratios=[2, 1])
    space = Space(x=Real(0, 1))
    optimizer = HEBO(space, seed=0, settings=Settings(models=("paper",)))
    xs = np.array([0.02, 0.15, 0.3, 0.36, 0.5, 0.78, 0.97])
    ys = np.sin(7 * xs) + 0.5 * np.cos(17 * xs) + 1.6 * xs
    optimizer.tell([{"x": float(x)} for x in xs], [float(v) for v in ys])
    gp = optimizer.model.gp
    grid = np.linspace(0, 1, 500)
    mean, variance = gp.predict(grid[:, None])
    std = np.sqrt(variance)
    model = axes["model"]
    model.fill_between(grid, mean - 2 * std, mean + 2 * std, color=TEAL, alpha=0.18, lw=0)
    model.plot(grid, mean, color=TEAL)
    model.plot(xs, gp.t, "o", color="black", ms=4)
    model.set(title="model of seven trials", ylabel="outcome", xticks=[], xlim=(0, 1))
    tau = float(gp.mean(np.array([[xs[np.argmin(ys)]]]))[0])
    kappa = exploration_weight(len(xs), 1, 1)
    wishes = {
        "LCB": (-lcb(mean, std, kappa), TEAL),
        "EI": (log_ei(mean, std, tau), ORANGE),
        "PI": (log_pi(mean, std, tau), VIOLET),
    }
    for name, (value, colour) in wishes.items():
        shown = np.clip(value, np.quantile(value, 0.35), None)
        shown = (shown - shown.min()) / np.ptp(shown)
        axes["wish"].plot(grid, shown, color=colour, label=name)
        axes["wish"].plot(grid[np.argmax(shown)], 1.0, "v", color=colour, ms=7)
    axes["wish"].set(title="where each acquisition wants to go", xlabel="x", yticks=[], xlim=(0, 1))
    axes["wish"].legend(frameon=False, ncols=3, loc="lower center", fontsize=8)
    F = np.column_stack([-value for value, _ in wishes.values()])
    best = pareto_mask(F)
    seen = F[:, 1] < np.quantile(F[:, 1], 0.6)
    front = axes["front"]
    front.plot(-F[seen, 1], -F[seen, 0], ".", color=GREY, ms=3, alpha=0.5, label="all x")
    front.plot(-F[best, 1], -F[best, 0], ".", color=ORANGE, ms=7, label="Pareto front")
    front.set(title="no one acquisition is right", xlabel="log EI (more is better)")
    front.set(ylabel="minus LCB (more is better)")
    front.legend(frameon=False, loc="lower left", fontsize=8)
    return figure


def portfolio() -> Figure:
    """Which proposer chose which of 60 trials of a function of two parameters."""
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=[1, 1.2])

    def f(x: object, y: object) -> np.ndarray:  # Branin
        u, v = 15 * np.asarray(x) - 5, 15 * np.asarray(y)
        quadratic = v - 5.1 / (4 * np.pi**2) * u**2 + 5 / np.pi * u - 6
        return np.asarray(quadratic**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(u) + 10)

    optimizer = HEBO(Space(x=Real(0, 1), y=Real(0, 1)), seed=1)
    for _ in range(60):
        (config,) = optimizer.ask(1)
        optimizer.tell(config, float(f(config["x"], config["y"])))
    trials = optimizer.history.trials
    grid = np.linspace(0, 1, 120)
    A, B = np.meshgrid(grid, grid)
    left.contour(A, B, np.log(f(A, B) + 1), levels=12, colors=GREY, linewidths=0.4)
    looks = {
        "initial": (GREY, "o"),
        "improve": (ORANGE, "^"),
        "local": (TEAL, "s"),
        "wide": (VIOLET, "D"),
        "pareto": ("#1f6fb4", "v"),
        "replicate": ("black", "x"),
    }
    names = [name for name in looks if any(t.proposer == name for t in trials)]
    for row, name in enumerate(names):
        colour, mark = looks[name]
        mine = [t for t in trials if t.proposer == name]
        xs, ys = ([t.config[p] for t in mine] for p in "xy")
        left.plot(xs, ys, mark, color=colour, ms=5, alpha=0.8)
        right.plot([t.number for t in mine], [row] * len(mine), mark, color=colour, ms=5)
    left.set(title="60 trials on the Branin function", xlabel="x", ylabel="y")
    right.set(title="who proposed which trial", xlabel="trial", ylim=(len(names) - 0.5, -0.5))
    right.set_yticks(range(len(names)), names)
    return figure


def main() -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=IMAGES)
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        for draw in (warps, ensemble, portfolio):
            file = args.output / f"{draw.__name__}.svg"
            draw().savefig(file, metadata={"Date": None})
            print(f"{file}: {file.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
