"""What every proposer must do, in every scene."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.proposers.scenes import QUICK, context, history_of
from warpfront import (
    AtMost,
    Boolean,
    Categorical,
    Integer,
    Maximize,
    Minimize,
    Ordinal,
    Real,
    Space,
)
from warpfront.history import History
from warpfront.optimizers.hebo import PROPOSERS
from warpfront.proposers.context import Context, Proposer
from warpfront.space.encoding import row_keys

PLANE = Space(x=Real(0, 1), y=Real(0, 1))
MIXED = Space(
    x=Real(0, 1),
    rate=Real(1e-5, 1e-1, scale="log"),
    n=Integer(1, 20),
    size=Ordinal(["s", "m", "l"]),
    colour=Categorical(["red", "green", "blue"]),
    deep=Boolean(),
)
MIXTURE = Space(
    a=Real(0, 1),
    b=Real(0, 1),
    c=Real(0, 1),
    kind=Categorical(["p", "q"]),
    depth=Integer(1, 9, when={"kind": "p"}),
    constraints=["a + b + c == 1", "a * b <= 0.1"],
)
FEW = Space(n=Integer(1, 5), deep=Boolean())
BELIEVED = Space(x=Real(0, 1, likely=(0.2, 0.3)), y=Real(0, 1))


def bowl(config: Any) -> float:
    return (config["x"] - 0.3) ** 2 + config.get("y", 0.0)


def of_mixture(config: Any) -> float:
    return config["a"] ** 2 + config["b"] + config.get("depth", 4) / 9


def two(config: Any) -> dict[str, float]:
    return {"near": config["x"] + config["y"], "far": 1.0 - config["x"] + config["y"]}


def bounded(config: Any) -> dict[str, float]:
    return {"gain": config["x"], "memory": config["x"] + config["y"]}


def violating() -> Context:
    """The best of what was told violates a constraint of the space."""
    history = history_of(MIXTURE, of_mixture)
    outside = {"a": 0.0, "b": 0.0, "c": 0.0, "kind": "q"}
    return context(history.tell([(None, outside, -5.0)]))


def all_pending_or_failed() -> Context:
    history = history_of(PLANE, lambda c: math.nan if c["x"] > 0.5 else c["y"], pending=8)
    return context(history)


SCENES: dict[str, Callable[[], Context]] = {
    "plain": lambda: context(history_of(PLANE, bowl)),
    "mixed": lambda: context(history_of(MIXED, bowl)),
    "pending": lambda: context(history_of(MIXED, bowl, pending=5)),
    "failures and pending": all_pending_or_failed,
    "held": lambda: context(history_of(MIXED, bowl), {"colour": "blue", "x": 1 / 3}),
    "all held but one": lambda: context(history_of(PLANE, bowl), {"x": 0.1 + 0.2}),
    "constraints": lambda: context(history_of(MIXTURE, of_mixture)),
    "constraints and held": lambda: context(history_of(MIXTURE, of_mixture), {"a": 0.25}),
    "constraints violated": violating,
    "few left": lambda: context(history_of(FEW, lambda c: c["n"] + c["deep"], n=8)),
    "held, few left": lambda: context(
        history_of(FEW, lambda c: c["n"] + c["deep"], n=8), {"deep": True}
    ),
    "two objectives": lambda: context(
        history_of(PLANE, two, goals=[Minimize("near"), Minimize("far")])
    ),
    "two objectives, pending, held": lambda: context(
        history_of(PLANE, two, goals=[Minimize("near"), Minimize("far")], pending=3), {"x": 0.5}
    ),
    "bound": lambda: context(
        history_of(PLANE, bounded, goals=[Maximize("gain"), AtMost("memory", 0.8)])
    ),
    "nothing feasible": lambda: context(
        history_of(PLANE, bounded, goals=[Maximize("gain"), AtMost("memory", -1.0)])
    ),
    "beliefs": lambda: context(history_of(BELIEVED, bowl)),
    "equal losses": lambda: context(history_of(PLANE, lambda c: 1.0)),
    "one evaluation": lambda: context(history_of(PLANE, bowl, n=1)),
}
CONTEXTS: dict[str, Context] = {}


@pytest.fixture(params=SCENES)
def scene(request: pytest.FixtureRequest) -> Context:
    """Each is built once: no proposer may change it."""
    if request.param not in CONTEXTS:
        CONTEXTS[request.param] = SCENES[request.param]()
    return CONTEXTS[request.param]


def facts(scene: Context) -> list[Any]:
    data = scene.data
    observed = [a.tolist() for o in data.outcomes for a in (o.row, o.y)]
    arrays = [a.tolist() for a in (data.X, data.failed, scene.pending)]
    gps = [scene.models.objectives[0][0].gp, scene.surrogate()]
    models = [a.tolist() for gp in gps for a in (gp.theta, gp.X, gp.t, gp.L, gp.alpha)]
    known = [set(scene.tried), dict(scene.waiting), scene.in_flight, scene.settings]
    return [*observed, *arrays, *models, *known]


@pytest.mark.parametrize("n", [1, 4])
@pytest.mark.parametrize("propose", PROPOSERS.values(), ids=PROPOSERS)
def test_the_contract_of_proposers(propose: Proposer, scene: Context, n: int) -> None:
    before = facts(scene)
    X = propose(scene, n, np.random.default_rng(3))
    # It is a pure function of the context and the random numbers.
    assert facts(scene) == before
    assert np.array_equal(X, propose(scene, n, np.random.default_rng(3)))
    # At most n distinct configurations that were not tried.
    domain, space = scene.domain, scene.data.problem.space
    assert X.ndim == 2
    assert X.shape[1] == domain.encoding.d
    assert len(X) <= n
    assert len(set(row_keys(X)) - set(scene.tried)) == len(X)
    # Inside the domain, to the last bit what is handed out.
    assert np.array_equal(domain.canonical(X), X)
    assert domain.feasible(X).all()
    for config in domain.decode(X):
        assert config in space
        assert not space.violated(config)
        assert {name: config[name] for name in domain.fixed} == domain.fixed


@pytest.mark.parametrize("name", PROPOSERS)
def test_a_proposer_finds_as_many_as_it_is_asked_for_where_there_are_enough(name: str) -> None:
    scene = context(history_of(PLANE, bowl))
    found = len(PROPOSERS[name](scene, 4, np.random.default_rng(0)))
    assert found == 4 or (name == "pareto" and found >= 1)  # a front may have few points


@pytest.mark.parametrize("fixed", [{}, {"deep": True}], ids=["all", "held"])
@pytest.mark.parametrize("name", PROPOSERS)
def test_in_a_space_that_is_used_up_what_was_tried_is_proposed_again(
    name: str, fixed: dict[str, Any]
) -> None:
    configs = FEW.sample(40, seed=0)
    history = History(FEW).tell([(None, c, c["n"] + c["deep"]) for c in configs])
    scene = context(history, fixed)
    assert scene.tried == frozenset()
    X = PROPOSERS[name](scene, 2, np.random.default_rng(0))
    assert 1 <= len(X) <= 2
    assert set(row_keys(X)) <= set(row_keys(scene.domain.enumerate()))


@pytest.mark.parametrize("name", PROPOSERS)
def test_other_random_numbers_give_other_configurations(name: str) -> None:
    scene = context(history_of(MIXED, bowl, pending=2), settings=QUICK)
    found = [PROPOSERS[name](scene, 3, np.random.default_rng(seed)) for seed in range(3)]
    assert len({X.tobytes() for X in found}) > 1


@pytest.mark.parametrize("name", [name for name in PROPOSERS if name != "explore"])
def test_a_proposer_is_better_than_chance(name: str) -> None:
    scene = context(history_of(PLANE, bowl, n=24))
    configs = [
        c
        for seed in range(4)
        for c in scene.domain.decode(PROPOSERS[name](scene, 4, np.random.default_rng(seed)))
    ]
    assert np.median([bowl(c) for c in configs]) < 0.7 * np.median(
        [bowl(c) for c in PLANE.sample(256, seed=0)]
    )
