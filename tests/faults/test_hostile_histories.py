"""Histories that broke other optimisers: each must give valid suggestions, quietly and twice."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from warpfront import HEBO, Boolean, Categorical, Integer, Real, Settings, Space

pytestmark = pytest.mark.usefixtures("quick_paper")
Build = Callable[[Settings], HEBO]

SETTINGS = {
    "default": Settings(),
    "improve": Settings(shares={"improve": 1.0}, replicate=False),  # each model has its turn
    "paper": Settings.paper(generations=10),
}
MIXED = Space(
    x=Real(0, 1),
    rate=Real(1e-5, 1e-1, scale="log"),
    n=Integer(1, 50),
    colour=Categorical(["red", "green", "blue"]),
    deep=Boolean(),
)
GRID = Space(neighbours=Integer(1, 25), p=Categorical([1, 2, 3, 4]))  # a k-NN classifier's
CONSTANT = Space(x=Real(3, 3), n=Integer(2, 2), c=Categorical(["only"]))
WIDE = Space({f"x{i}": Real(0, 1) for i in range(200)})
LEVELS = Space(c=Categorical([f"level {i}" for i in range(1000)]), x=Real(0, 1))
NAN = math.nan

CASES: dict[str, Build] = {}


def case(build: Build) -> Build:
    CASES[build.__name__] = build
    return build


def of_values(values: list[Any], space: Space = MIXED) -> Build:
    """The given values at quasi-random configurations."""

    def build(settings: Settings) -> HEBO:
        optimizer = HEBO(space, seed=0, settings=settings)
        optimizer.tell(space.sample(len(values), seed=1), values)
        return optimizer

    return build


def of_copies(values: list[Any]) -> Build:
    """The given values at one configuration."""

    def build(settings: Settings) -> HEBO:
        optimizer = HEBO(MIXED, seed=0, settings=settings)
        optimizer.tell(MIXED.sample(1, seed=1) * len(values), values)
        return optimizer

    return build


CASES |= {
    "one observation": of_values([0.7]),
    "two equal observations": of_values([0.7, 0.7]),
    "constant": of_values([0.7] * 20),
    "constant zero": of_values([0.0] * 20),
    "constant but for rounding": of_values([1.0 + 1e-15 * (i % 3) for i in range(20)]),
    "all 1e300": of_values([1e300] * 20),
    "all about 1e300": of_values([1e300 * (1 + i) for i in range(20)]),
    "one 1e300": of_values([float(i % 7) for i in range(19)] + [1e300]),
    "one -1e300": of_values([float(i % 7) for i in range(19)] + [-1e300]),
    "plus and minus 1e300": of_values([1e300, -1e300] * 5 + [float(i) for i in range(10)]),
    "the largest floats": of_values([1.7e308, -1.7e308] * 10),
    "all 1e-300": of_values([1e-300] * 20),
    "all about 1e-300": of_values([1e-300 * (1 + i) for i in range(20)]),
    "denormal": of_values([5e-324 * i for i in range(1, 21)]),
    "from 1e-300 to 1e300": of_values([10.0 ** (30 * i - 300) for i in range(21)]),
    "alternating": of_values([1.0, -1.0] * 10),
    "integers": of_values(list(range(20))),
    "huge integers": of_values([10**i for i in range(0, 320, 16)]),
    "failed": of_values([NAN] * 20),
    "one completed": of_values([NAN] * 15 + [1.0] + [NAN] * 15),
    "half failed": of_values([NAN, 1.0, 2.0, NAN] * 6),
    "failed in every way": of_values([NAN, math.inf, -math.inf, None, ValueError("no")] * 4 + [1]),
    "copies of different values": of_copies([float(i % 11) for i in range(30)]),
    "copies of equal values": of_copies([2.5] * 30),
    "copies that failed and completed": of_copies([NAN, 2.5] * 15),
    "exhausted space": of_values([float(i % 17) for i in range(128)], GRID),
    "exhausted space of equal values": of_values([1.0] * 128, GRID),
    "space of one value": of_values([1.0, 2.0, 1.5], CONSTANT),
    "space of one value that fails": of_values([NAN] * 5, CONSTANT),
    "1,000 levels": of_values([math.sin(i) for i in range(40)], LEVELS),
    "200 dimensions": of_values([math.sin(i) for i in range(210)], WIDE),
    "200 dimensions at the start": of_values([math.sin(i) for i in range(3)], WIDE),
}


@case
def many_pending(settings: Settings) -> HEBO:
    optimizer = HEBO(MIXED, seed=0, settings=settings)
    batch = optimizer.ask(110)
    optimizer.tell(batch[:10], [float(i) for i in range(10)])
    return optimizer


@case
def copies_pending(settings: Settings) -> HEBO:
    """All that a finite space has is pending, some of it twice."""
    optimizer = HEBO(GRID, seed=0, settings=settings)
    batch = optimizer.ask(120)
    optimizer.tell(batch[:5], [float(i) for i in range(5)])
    return optimizer


@case
def nothing_told(settings: Settings) -> HEBO:
    optimizer = HEBO(MIXED, seed=0, settings=settings)
    optimizer.ask(30)
    return optimizer


@case
def corners_only(settings: Settings) -> HEBO:
    optimizer = HEBO(MIXED, seed=0, settings=settings)
    for i in range(32):
        corner = {
            "x": float(i & 1),
            "rate": 1e-1 if i & 2 else 1e-5,
            "n": 50 if i & 4 else 1,
            "colour": "red" if i & 8 else "blue",
            "deep": bool(i & 16),
        }
        optimizer.tell(corner, float(i))
    return optimizer


@case
def points_a_hair_apart(settings: Settings) -> HEBO:
    optimizer = HEBO(MIXED, seed=0, settings=settings)
    for i in range(30):
        config = {"x": 0.5 + i * 1e-12, "rate": 1e-3, "n": 7, "colour": "red", "deep": True}
        optimizer.tell(config, float(i % 5))
    return optimizer


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("build", CASES.values(), ids=CASES)
def test_a_hostile_history_gives_valid_suggestions(build: Build, settings: Settings) -> None:
    optimizer = build(settings)
    space, known = optimizer.space, configs_of(optimizer)
    batch = optimizer.ask(8)
    assert len(batch) == 8
    assert all(config in space for config in batch)
    # Nothing is proposed again while there is anything new, but to learn of the noise.
    asked = optimizer.history.trials[-8:]
    replicates = [t for t in asked if t.proposer == "replicate"]
    assert all(tuple(t.config.values()) in known for t in replicates)
    assert len(replicates) <= 2 * settings.replicate  # of eight trials two could be replicates
    new = configs_of(optimizer) - known
    assert len(new) == min(8 - len(replicates), space.size - len(known))
    # The same history and seed give the same suggestions.
    assert build(settings).ask(8) == batch
    # And the next round works too, whatever comes of this one.
    optimizer.tell(batch, [1.0, NAN, -2.0, 1e300, 0.0, 1.0, NAN, 3])
    assert all(config in space for config in optimizer.ask(2))


def configs_of(optimizer: HEBO) -> set[tuple[Any, ...]]:
    return {tuple(trial.config.values()) for trial in optimizer.history.trials}
