"""Histories for the tests of the report."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from warpfront import Boolean, Categorical, Integer, Maximize, Ordinal, Real, Settings, Space
from warpfront.history import History
from warpfront.problem import Problem

QUICK = Settings(models=["warped"])

MIXED = Space(
    rate=Real(1e-5, 1e-1, scale="log"),
    momentum=Real(0.001, 0.999, scale="logit"),
    units=Integer(16, 512, scale="log"),
    size=Ordinal(["small", "medium", "large"]),
    activation=Categorical(["relu", "tanh", None]),
    bias=Boolean(),
    version=Integer(3, 3),
)

HOSTILE_NAMES = Space(
    {
        "<script>document.title='stolen'</script> & \"quotes\"": Real(1e-9, 1e-3, scale="log"),
        "$x_1$ $\\foo$ 数学 \N{GRINNING FACE} naïve": Integer(1, 10_000),
        "../../etc/passwd\n\x00 " + "long" * 60: Ordinal([1, "$a", "<b>", None, {"k": "v" * 90}]),
        "\ud800": Boolean(),
    }
)


def told(space: Space, values: Sequence[Any], seed: int = 0) -> History:
    """A history of these outcomes at quasi-random configurations."""
    configs = space.sample(len(values), seed=seed)
    return History(space).tell([(None, c, v) for c, v in zip(configs, values, strict=True)])


def evaluated(space: Space, loss: Callable[[dict[str, Any]], Any], n: int) -> History:
    """A history of n quasi-random configurations."""
    return History(space).tell([(None, c, loss(c)) for c in space.sample(n, seed=0)])


def maximized(history: History, name: str = "value") -> History:
    """The history of minus its values, which are maximised."""
    trials = [
        replace(trial, outcomes={name: -trial.value} if trial.outcomes else {})
        for trial in history.trials
    ]
    return History(Problem(history.space, (Maximize(name),)), tuple(trials))


def mixed_loss(config: dict[str, Any]) -> float:
    """Fails where the rate is large."""
    if config["rate"] > 0.04:
        return math.nan
    return (
        0.5
        + 0.1 * (math.log10(config["rate"]) + 3.0) ** 2
        + 0.2 * config["bias"]
        + 0.1 * (config["activation"] == "tanh")
    )


def mixed(n: int = 24) -> History:
    """Completed and failed trials, one pending and one withdrawn."""
    history = evaluated(MIXED, mixed_loss, n)
    history = history.ask(MIXED.sample(2, seed=9))
    return history.withdraw([n + 1])
