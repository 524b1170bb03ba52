"""Hypothesis strategies: parameters, spaces, configurations, losses and histories."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from tests.space.expressions import Node, conditions, counts, judge, sums
from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space
from warpfront.errors import SpaceError
from warpfront.history import History
from warpfront.space import Parameter
from warpfront.space.parameters import parameter_from_dict

LISTED = ("categorical", "ordinal", "boolean")
"""The kinds of parameter that list their values."""
FINITE = {"allow_nan": False, "allow_infinity": False}


def json_values(max_leaves: int = 4) -> st.SearchStrategy[Any]:
    """Anything that JSON can say."""
    scalars = (
        st.none()
        | st.booleans()
        | st.integers(-(10**20), 10**20)
        | st.floats(**FINITE)
        | st.text(max_size=5)
    )
    return st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
        max_leaves=max_leaves,
    )


def choice_lists(max_size: int = 12) -> st.SearchStrategy[list[Any]]:
    """Lists of distinct JSON values."""
    return st.lists(
        json_values(),
        min_size=1,
        max_size=max_size,
        unique_by=lambda value: json.dumps(value, sort_keys=True),
    )


@st.composite
def continuous_reals(draw: st.DrawFn) -> Real:
    """Continuous reals on every scale, from constants to hundreds of orders of magnitude."""
    scale = draw(st.sampled_from(["linear", "log", "logit"]))
    if scale == "linear":
        reach = draw(st.sampled_from([1.0, 1e-9, 1e9, 1e-300, 8e307]))
        bounds = st.floats(-reach, reach)
    elif scale == "log":
        bounds = st.floats(1e-3, 1e3) | st.floats(5e-324, 1.7e308, exclude_min=True)
    else:
        bounds = st.floats(0.001, 0.999) | st.floats(1e-300, 1 - 1e-16)
    low, high = sorted([draw(bounds), draw(bounds)])
    return Real(low, high, scale=scale)


@st.composite
def stepped_reals(draw: st.DrawFn) -> Real:
    """Reals on a grid, on every scale."""
    scale = draw(st.sampled_from(["linear", "log", "logit"]))
    if scale == "logit":
        k = draw(st.integers(1, 998))
        step = draw(st.integers(1, 999 - k))
        n = draw(st.integers(0, (999 - k) // step))
        return Real(k / 1000, (k + n * step) / 1000, scale="logit", step=step / 1000)
    unit = draw(st.sampled_from([1.0, 0.1, 0.05, 1 / 3, 1e-6, 1e6, 2.0**-20]))
    first = draw(st.integers(1, 1000) if scale == "log" else st.integers(-1000, 1000))
    stride, n = draw(st.integers(1, 50)), draw(st.integers(0, 10_000))
    return Real(first * unit, (first + n * stride) * unit, scale=scale, step=stride * unit)


def reals() -> st.SearchStrategy[Real]:
    """Reals, continuous or on a grid."""
    return continuous_reals() | stepped_reals()


@st.composite
def integers(draw: st.DrawFn, max_levels: int = 2**50) -> Integer:
    """Whole numbers, linear or log, with steps."""
    scale = draw(st.sampled_from(["linear", "log"]))
    low = draw(st.integers(1, 10**6) if scale == "log" else st.integers(-(2**51), 2**51))
    step = draw(st.integers(1, 100))
    most = max_levels if scale == "linear" else min(max_levels, 10**8)
    n = draw(st.integers(0, min(20, most - 1)) | st.integers(0, min(most, 2**50 // step) - 1))
    high = low + n * step
    assume(abs(high) <= 2**53)
    return Integer(low, high, scale=scale, step=step)


def categoricals(max_levels: int = 12) -> st.SearchStrategy[Categorical]:
    """Categories of JSON values."""
    return choice_lists(max_levels).map(Categorical)


def ordinals(max_levels: int = 12) -> st.SearchStrategy[Ordinal]:
    """Ordered JSON values."""
    return choice_lists(max_levels).map(Ordinal)


def booleans() -> st.SearchStrategy[Boolean]:
    """The one boolean parameter."""
    return st.builds(Boolean)


def discrete_parameters(max_levels: int = 2**50) -> st.SearchStrategy[Parameter]:
    """Parameters of finitely many values."""
    few = min(max_levels, 12)
    kinds = [integers(max_levels), categoricals(few), ordinals(few), booleans()]
    return st.one_of(kinds if max_levels < 10_001 else [*kinds, stepped_reals()])


def parameters() -> st.SearchStrategy[Parameter]:
    """Parameters of every kind."""
    return st.one_of(reals(), integers(), categoricals(), ordinals(), booleans())


def spaces(
    min_size: int = 1, max_size: int = 5, of: st.SearchStrategy[Parameter] | None = None
) -> st.SearchStrategy[Space]:
    """Spaces of named parameters."""
    kinds = parameters() if of is None else of
    return st.dictionaries(
        st.text(min_size=1, max_size=6), kinds, min_size=min_size, max_size=max_size
    ).map(Space)


def units() -> st.SearchStrategy[float]:
    """Points of the unit interval, both ends included."""
    return st.floats(0.0, 1.0)


@st.composite
def configurations(draw: st.DrawFn, space: Space) -> dict[str, Any]:
    """Configurations of a space, as the optimiser would hand them out."""
    U = np.array([[draw(units()) for _ in space]])
    return space.encoding.decode(space.encoding.from_unit(U))[0]


@st.composite
def user_configurations(draw: st.DrawFn, space: Space) -> dict[str, Any]:
    """Configurations of a space with any float a user may tell, not only rounded ones."""
    config = draw(configurations(space))
    for name in space:
        parameter = space[name]
        if isinstance(parameter, Real) and parameter.step is None and name in config:
            config[name] = draw(st.floats(parameter.low, parameter.high))
    return config


def losses() -> st.SearchStrategy[Any]:
    """What users tell: numbers of many kinds and sizes, and failures."""
    return st.one_of(
        st.floats(-1e3, 1e3),
        st.floats(),
        st.integers(-(10**6), 10**6),
        st.integers(10**308, 10**310),
        st.floats(-10, 10, width=32).map(np.float32),
        st.none(),
        st.sampled_from([math.nan, math.inf, -math.inf, ValueError("bad luck")]),
    )


@st.composite
def histories(draw: st.DrawFn, space: Space, max_trials: int = 12) -> History:
    """Histories of a space with completed, failed, pending and replicated trials in any order."""
    history = History(space)
    pool = draw(st.lists(user_configurations(space), min_size=1, max_size=max_trials))
    for config in pool:
        action = draw(st.sampled_from(["ask", "tell", "tell twice"]))
        if action == "ask":
            history = history.ask([space.validate(config)])
        else:
            history = history.tell([(None, config, draw(losses()))])
        if action == "tell twice" and len(history) < max_trials:
            history = history.tell([(None, config, draw(losses()))])
    for trial in draw(st.permutations(history.of_state("pending"))):
        if draw(st.booleans()):
            history = history.tell([(trial.number, trial.config, draw(losses()))])
    return history


@st.composite
def small_spaces(draw: st.DrawFn) -> Space:
    """Spaces of plain ranges and names, some parameters under conditions, for expressions."""
    kinds = [
        st.sampled_from([Real(0, 1), Real(-2, 3), Real(1e-3, 10, scale="log")]),
        st.sampled_from([Real(0, 1, step=0.1), Real(-1, 1, step=0.25)]),
        st.sampled_from([Integer(0, 9), Integer(1, 100, scale="log"), Integer(-6, 6, step=3)]),
        st.sampled_from([Categorical(["x", "y", "it's"]), Ordinal(["s", "m", "l"]), Boolean()]),
        st.sampled_from([Categorical([16, 32]), Ordinal([0.5, 1, 2]), Categorical([None, "a", 1])]),
    ]
    names = ["a", "b", "rate", "n", "kernel", "min", "two words", "a`b"]
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=6, unique=True))
    parameters = {name: draw(st.one_of(kinds)) for name in chosen}
    return Space(draw(conditional(parameters)))


@st.composite
def conditional(draw: st.DrawFn, parameters: dict[str, Parameter]) -> dict[str, Parameter]:
    """The parameters, some of them active only for values of earlier ones."""
    found: dict[str, Parameter] = {}
    for name, parameter in parameters.items():
        parents = [p for p in found if (found[p].levels or 1e9) <= 1e4 and found[p].kind != "real"]
        if not parents or draw(st.integers(0, 2)):
            found[name] = parameter
            continue
        when = {}
        for parent in draw(st.lists(st.sampled_from(parents), min_size=1, max_size=2, unique=True)):
            positions = found[parent].positions()
            some = draw(st.sets(st.integers(0, min(len(positions), 5) - 1), min_size=1, max_size=3))
            when[parent] = [found[parent].decode(positions[k]) for k in sorted(some)]
        data = {**parameter.to_dict(), "when": when}
        found[name] = parameter_from_dict(data)
        try:
            Space(found)
        except SpaceError:  # never active
            found[name] = parameter
    return found


@st.composite
def believed(draw: st.DrawFn, parameters: dict[str, Parameter]) -> dict[str, Parameter]:
    """The parameters, some of them with a belief."""
    found = {}
    for name, parameter in parameters.items():
        data = parameter.to_dict()
        values = [parameter.decode(parameter.snap(np.array([draw(units())]))[0]) for _ in range(2)]
        kind = draw(st.sampled_from(["none", "one", "two"]))
        if kind == "one":
            data["likely"] = [values[0]] if parameter.kind in LISTED else values[0]
        elif kind == "two":
            data["likely"] = values if parameter.kind in LISTED else sorted(values)
        found[name] = parameter_from_dict(data)
    return found


@st.composite
def constrained_spaces(draw: st.DrawFn) -> tuple[Space, list[Node], dict[str, Any]]:
    """A space, its constraints for the reference, and a configuration that satisfies them."""
    space = draw(small_spaces())
    witness = draw(configurations(space))
    nodes: list[Node] = []
    names = [name for name in witness if isinstance(space[name], (Real, Integer))]
    if names and draw(st.booleans()):
        nodes.append(draw(sums(names, witness)))
    if names and draw(st.booleans()):
        nodes.append(draw(counts(space, names, witness)))
    for _ in range(draw(st.integers(0, 3))):
        node = draw(conditions(space, 2))
        if judge(node, witness) is False:
            node = Node("not", f"not ({node.text})", (node,))
        if judge(node, witness):
            nodes.append(node)
    parameters = draw(believed({name: space[name] for name in space}))
    kept: list[Node] = []
    for node in nodes:
        try:
            Space(parameters, constraints=[node.text])
        except SpaceError:  # about no parameter, or an equality that holds by luck only
            continue
        kept.append(node)
    return Space(parameters, constraints=[node.text for node in kept]), kept, witness
