"""What holds of random spaces with random conditions, constraints, beliefs and fixed values."""

from __future__ import annotations

import itertools
import json
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.space.expressions import judge, names_of
from tests.strategies import configurations, constrained_spaces, small_spaces
from warpfront import (  # noqa: F401  (all kinds, for the texts of spaces)
    HEBO,
    Boolean,
    Categorical,
    Integer,
    Ordinal,
    RandomSearch,
    Real,
    Space,
)
from warpfront.errors import WarpfrontError
from warpfront.search.domain import Domain
from warpfront.space import descent, region

EXAMPLES = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SHORT = [
    mock.patch.object(descent, "GENERATIONS", 40),
    mock.patch.object(descent, "MORE_GENERATIONS", 10),
    mock.patch.object(region, "MIXING", 10),
]


@pytest.fixture(autouse=True, scope="module")
def _short_searches():
    """Random regions may be single points, which a long search would not find either."""
    for patch in SHORT:
        patch.start()
    yield
    for patch in SHORT:
        patch.stop()


def active_names(space, config):
    """The parameters that should be in a configuration, by the definition."""

    def is_active(name):
        when = space[name].when
        return when is None or all(
            is_active(parent)
            and any(same(config[parent], value) for value in when.values_of(parent))
            for parent in when
        )

    return [name for name in space if is_active(name)]


def same(a, b):
    return json.dumps(a) == json.dumps(b)


def drawn(make):
    """Rows, or None where the search has found none."""
    try:
        return make()
    except WarpfrontError as error:
        assert "no configuration was found" in str(error)  # noqa: PT017
        return None


@EXAMPLES
@given(st.data())
def test_every_row_is_feasible_and_has_exactly_the_active_parameters(data):
    space, nodes, witness = data.draw(constrained_spaces())
    names = data.draw(st.sets(st.sampled_from(sorted(witness)), max_size=2))
    fixed = {name: witness[name] for name in names}
    domain, seed = Domain.of(space, fixed), data.draw(st.integers(0, 2**32))
    for make in (
        lambda: domain.uniform(5, np.random.default_rng(seed)),
        lambda: domain.sobol(5, np.random.default_rng(seed)),
        lambda: domain.sequence(5, seed, skip=3),
    ):
        X = drawn(make)
        assume(X is not None)
        assert X.shape == (5, len(space))
        assert domain.feasible(X).all()
        assert not domain.violation(X).any()
        np.testing.assert_array_equal(make(), X)
        if not space.is_plain:
            np.testing.assert_array_equal(domain.canonical(X), X)
        X = domain.canonical(X)
        np.testing.assert_array_equal(domain.repair(X), X)
        assert np.all(np.isfinite(space.log_belief(X)))
        assert np.all(space.log_belief(X) <= 0)
        configs = domain.decode(X)
        np.testing.assert_array_equal(space.encoding.encode(configs), X)
        for config in configs:
            assert list(config) == active_names(space, config)
            assert space.validate(config) == config
            assert config in space
            assert config | fixed == config
            assert all(judge(node, config) is not False for node in nodes)


@EXAMPLES
@given(st.data())
def test_repaired_rows_are_valid_and_stay(data):
    space, _, witness = data.draw(constrained_spaces())
    names = data.draw(st.sets(st.sampled_from(sorted(witness)), max_size=2))
    domain = Domain.of(space, {name: witness[name] for name in names})
    levels = np.where(space.encoding.is_category, space.encoding.levels, 1.0)
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    X = rng.uniform(-0.1, 1.1, (6, len(space))) * levels
    before = X.copy()
    repaired = domain.repair(X)
    np.testing.assert_array_equal(X, before)
    again = domain.repair(repaired)
    np.testing.assert_allclose(again, repaired, atol=1e-12)
    canonical = domain.canonical(repaired)
    np.testing.assert_array_equal(domain.feasible(canonical), domain.feasible(repaired))
    for config in domain.decode(canonical):
        assert space.validate(config) == config
        assert all(config[name] == witness[name] for name in names)


@EXAMPLES
@given(st.data())
def test_rows_that_differ_in_inactive_columns_only_are_the_same(data):
    space = data.draw(small_spaces())
    config = data.draw(configurations(space))
    assert list(config) == active_names(space, config)
    X = space.encoding.encode([config])
    active = space.encoding.active(X)[0]
    assert active.tolist() == [name in config for name in space]
    changed = X.copy()
    U = np.random.default_rng(0).random((1, len(space)))
    raw = np.array([[p.snap(U[:, j])[0] for j, p in enumerate(space.encoding.parameters)]])
    changed[:, ~active] = raw[:, ~active]
    np.testing.assert_array_equal(space.encoding.canonical(changed), X)
    np.testing.assert_array_equal(Domain.of(space, {}).repair(changed), X)
    assert space.encoding.decode(changed) == [config]


@EXAMPLES
@given(st.data())
def test_finite_spaces_are_listed_and_counted_exactly(data):
    space, nodes, _ = data.draw(constrained_spaces())
    discrete = {n: space[n] for n in space if (space[n].levels or 1000) <= 13}
    assume(discrete)
    kept = [node for node in nodes if set(discrete) >= names_of(node)]
    try:
        space = Space(discrete, constraints=[node.text for node in kept])
    except WarpfrontError:  # a parent is missing
        assume(False)
    assume(np.prod([p.levels for p in discrete.values()]) <= 4000)
    # Brute force: all combinations of all values, without what is inactive.
    expected = set()
    for values in itertools.product(*(map(p.decode, p.positions()) for p in discrete.values())):
        config = dict(zip(discrete, values, strict=True))
        found = {name: config[name] for name in active_names(space, config)}
        verdicts = [judge(node, found) for node in kept]
        assume(None not in verdicts)
        if all(verdicts):
            expected.add(json.dumps(found, sort_keys=True))
    domain = Domain.of(space, {})
    rows = drawn(domain.enumerate)
    if rows is None:
        assert not expected
        return
    listed = [json.dumps(c, sort_keys=True) for c in domain.decode(rows)]
    assert sorted(listed) == sorted(expected)
    assert domain.size == space.size == len(listed)


@EXAMPLES
@given(st.data())
def test_a_description_is_plain_json_and_rebuilds_the_space(data):
    space, _, _ = data.draw(constrained_spaces())
    text = json.dumps(space.to_dict(), allow_nan=False)
    clone = Space.from_dict(json.loads(text))
    assert clone == space
    assert hash(clone) == hash(space)
    assert json.dumps(clone.to_dict()) == text
    assert eval(repr(space)) == space  # noqa: S307
    first = drawn(lambda: space.sample_encoded(3, 7))
    if first is not None:
        np.testing.assert_array_equal(clone.sample_encoded(3, 7), first)
        np.testing.assert_array_equal(space.sample_encoded(2, 7, skip=1), first[1:])
        assert space.sample(3, 7) == space.encoding.decode(first)


@EXAMPLES
@given(st.data())
def test_random_search_keeps_to_the_constraints(data):
    space, _, witness = data.draw(constrained_spaces())
    optimizer = RandomSearch(space, seed=data.draw(st.integers(0, 99)))
    assume(drawn(lambda: space.sample_encoded(1, 0)) is not None)
    batch = optimizer.ask(4)
    assert all(config in space for config in batch)
    optimizer.tell(batch, [0.0, 1.0, 2.0, 3.0])
    optimizer.tell(witness, 4.0)
    resumed = RandomSearch.from_json(optimizer.to_json())
    assert resumed.ask(2) == optimizer.ask(2)


MIXTURE = Space(
    booster=Categorical(["tree", "linear"]),
    depth=Integer(1, 12, when={"booster": "tree"}),
    rate=Real(1e-4, 1, scale="log", likely=(0.01, 0.1)),
    a=Real(0, 1),
    b=Real(0, 1),
    c=Real(0, 1),
    constraints=["a + b + c == 1", "count(a > 0, b > 0, c > 0) <= 2", "depth <= 6 or rate < 0.1"],
)
CORNER = Space({f"x{i}": Real(0, 1) for i in range(3)}, constraints=["x0 + x1 + x2 <= 0.01"])
FACTORS = Space(x=Integer(0, 20), y=Integer(0, 20), constraints=["x * y == 36"])


@pytest.mark.parametrize(
    ("space", "fixed"),
    [
        (MIXTURE, {}),
        (MIXTURE, {"a": 0.3}),
        (MIXTURE, {"depth": 9}),
        (CORNER, {}),
        (FACTORS, {}),
    ],
)
def test_suggestions_keep_to_the_constraints(space, fixed):
    optimizer = HEBO(space, seed=0)
    for _ in range(3):
        batch = optimizer.ask(5, fixed=fixed)
        for config in batch:
            assert config in space
            assert config | fixed == config
            assert list(config) == active_names(space, config)
        optimizer.tell(batch, [sum(v for v in c.values() if not isinstance(v, str)) for c in batch])
    trials = optimizer.history.trials
    seen = {json.dumps(trial.config) for trial in trials}
    replicates = sum(trial.proposer == "replicate" for trial in trials)
    assert replicates <= 1  # it shows that there is no noise
    assert len(seen) == min(15 - replicates, space.size)
