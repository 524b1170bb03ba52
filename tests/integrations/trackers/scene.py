"""A small run with failures, for all trackers alike."""

from __future__ import annotations

from warpfront import Categorical, RandomSearch, Real, Space, minimize

SPACE = Space({"x": Real(0, 1), "layers": Categorical([[8], [8, 8]]), "depth (m)": Real(0, 1)})
TRIALS = 6


def loss(config):
    if config["x"] > 0.7:
        raise ValueError("too far to the right")
    return (config["x"] - 0.3) ** 2 + len(config["layers"])


def run(*callbacks, objective=loss, **options):
    """Six trials of random search, of which some fail."""
    search = RandomSearch(SPACE, seed=1, goals=options.pop("goals", None))
    return minimize(objective, search, TRIALS, callbacks=callbacks, **options)


def broken(result, trial):
    """A callback that ends the run."""
    if trial.number == 2:
        raise OSError("the disk is full")
