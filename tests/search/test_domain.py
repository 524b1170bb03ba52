import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import configurations, discrete_parameters, spaces
from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space, WarpfrontError
from warpfront.search.domain import Domain

SPACE = Space(
    x=Real(0, 1),
    n=Integer(1, 4),
    size=Ordinal(["s", "m", "l"]),
    colour=Categorical(["red", "green", "blue"]),
    deep=Boolean(),
    one=Integer(7, 7),
)


@st.composite
def held(draw, space):
    """Some parameters of a space with values for them."""
    config = draw(configurations(space))
    names = draw(st.sets(st.sampled_from(space.names)))
    return {name: config[name] for name in names}


def test_free_columns_are_those_not_fixed_and_not_constant():
    domain = Domain.of(SPACE, {"colour": "blue", "x": 0.25})
    assert domain.free.tolist() == [False, True, True, False, True, False]
    assert domain.template[0] == 0.25
    assert domain.template[3] == 2.0


@pytest.mark.parametrize(
    ("fixed", "complaint"),
    [
        ({"colour": "pink"}, "'colour'"),
        ({"n": 5}, "'n'"),
        ({"n": 1.5}, "'n'"),
        ({"x": math.nan}, "'x'"),
        ({"depth": 3}, "'depth'"),
        ({"one": 8}, "'one'"),
        (["x"], "configuration"),
    ],
)
def test_a_bad_fixed_value_is_named(fixed, complaint):
    with pytest.raises(WarpfrontError, match=complaint):
        Domain.of(SPACE, fixed)


@pytest.mark.parametrize(
    ("fixed", "size"),
    [
        ({}, math.inf),
        ({"x": 0.5}, 4 * 3 * 3 * 2),
        ({"x": 0.5, "n": 2, "colour": "red"}, 6),
        ({"x": 0.5, "n": 2, "colour": "red", "size": "l", "deep": True}, 1),
    ],
)
def test_size_counts_the_free_configurations(fixed, size):
    assert Domain.of(SPACE, fixed).size == size


def test_the_size_of_a_huge_finite_domain_overflows_quietly():
    huge = Space({f"n{i}": Integer(0, 10**9) for i in range(200)})
    assert Domain.of(huge, {}).size == math.inf


def test_hold_writes_the_template_into_the_fixed_columns_only():
    domain = Domain.of(SPACE, {"deep": True, "n": 4})
    X = np.full((2, len(SPACE)), 0.5)
    assert domain.hold(X) is X
    assert X[0].tolist() == [0.5, 0.875, 0.5, 0.5, 1.0, 0.5]


def test_uniform_gives_every_level_the_same_weight():
    rows = Domain.of(SPACE, {}).uniform(12_000, np.random.default_rng(0))
    for column, levels in ((1, 4), (2, 3), (3, 3), (4, 2)):
        counts = np.unique(rows[:, column], return_counts=True)[1]
        assert len(counts) == levels
        assert np.all(np.abs(counts - 12_000 / levels) < 5 * math.sqrt(12_000 / levels))


def test_a_finite_corner_of_a_wide_space_can_be_listed():
    space = Space({f"x{i}": Real(0, 1) for i in range(100)} | {"n": Integer(1, 3), "b": Boolean()})
    held_at = {f"x{i}": i / 100 for i in range(100)}
    rows = Domain.of(space, held_at).enumerate()
    assert space.encoding.decode(rows) == [
        held_at | {"n": n, "b": b} for n in (1, 2, 3) for b in (False, True)
    ]
    assert len(Domain.of(space, held_at | {"n": 1, "b": True}).enumerate()) == 1


def test_enumerate_lists_log_grids_completely():
    space = Space(n=Integer(1, 50, scale="log"), x=Real(0.01, 1.01, scale="log", step=0.05))
    domain = Domain.of(space, {})
    configs = domain.decode(domain.enumerate())
    grid = [0.01 + 0.05 * k for k in range(21)]
    assert len(configs) == domain.size == 50 * 21
    expected = sorted(itertools.product(range(1, 51), grid))
    np.testing.assert_allclose(sorted((c["n"], c["x"]) for c in configs), expected, rtol=1e-9)


def test_two_free_columns_of_forty_can_be_listed():
    space = Space({f"n{i}": Integer(1, 10) for i in range(40)})
    held_at = {f"n{i}": i % 10 + 1 for i in range(40) if i not in (7, 31)}
    domain = Domain.of(space, held_at)
    rows = domain.enumerate()
    assert rows.shape == (100, 40)
    assert sorted((c["n7"], c["n31"]) for c in domain.decode(rows)) == list(
        itertools.product(range(1, 11), repeat=2)
    )
    assert all(c | held_at == c for c in domain.decode(rows))


WIDE = Space(
    x=Real(0, 1),
    rate=Real(1e-5, 1e-1, scale="log"),
    layers=Categorical([[64], [64, 32]]),
    y=Real(0, 1),
)
# More digits than suggested values have.
EXACT = {"x": math.nextafter(1 / 3, 1.0), "rate": math.pi * 1e-3, "layers": [64, 32]}


def test_decode_gives_fixed_values_to_the_last_digit():
    domain = Domain.of(WIDE, EXACT)
    rows = domain.uniform(3, np.random.default_rng(0))
    assert all(c["x"] != EXACT["x"] for c in WIDE.encoding.decode(rows))  # those are rounded
    configs = domain.decode(rows)
    assert [{name: c[name] for name in EXACT} for c in configs] == [EXACT] * 3
    assert all(list(c) == list(WIDE) for c in configs)
    assert [c["y"] for c in configs] == [c["y"] for c in WIDE.encoding.decode(rows)]
    assert domain.decode(rows[:0]) == []


def test_decoded_configurations_share_nothing_with_the_domain():
    domain = Domain.of(WIDE, EXACT)
    rows = domain.uniform(2, np.random.default_rng(0))
    first, second = domain.decode(rows)
    first["layers"].append(16)
    assert second["layers"] == domain.decode(rows)[0]["layers"] == [64, 32]


def test_canonical_keeps_the_exact_positions_of_fixed_values():
    positions = [WIDE[name].encode([EXACT[name]])[0] for name in EXACT]
    domain = Domain.of(WIDE, EXACT)
    rows = domain.uniform(5, np.random.default_rng(0))
    canonical = domain.canonical(rows)
    assert canonical[:, :3].tolist() == [positions] * 5
    assert not np.array_equal(canonical[:, 3], rows[:, 3])  # the free one is rounded
    np.testing.assert_array_equal(canonical, WIDE.encoding.encode(domain.decode(rows)))
    np.testing.assert_array_equal(domain.canonical(canonical), canonical)
    assert domain.canonical(rows[:0]).shape == (0, 4)


@pytest.mark.parametrize("n", [1, 5, 8])
def test_sobol_rows_cover_the_domain_evenly(n):
    domain = Domain.of(SPACE, {"colour": "blue", "one": 7})
    rows = domain.sobol(n, np.random.default_rng(0))
    assert rows.shape == (n, len(SPACE))
    assert all(config in SPACE and config["colour"] == "blue" for config in domain.decode(rows))
    np.testing.assert_array_equal(rows, domain.sobol(n, np.random.default_rng(0)))
    if n == 8:
        assert sorted(np.floor(rows[:, 0] * 8)) == list(range(8))
        assert np.unique(rows[:, 1], return_counts=True)[1].tolist() == [2] * 4


@pytest.mark.parametrize("sampler", [Domain.uniform, Domain.sobol])
@given(st.data())
def test_drawn_rows_belong_to_the_domain(sampler, data):
    space = data.draw(spaces())
    fixed = data.draw(held(space))
    domain = Domain.of(space, fixed)
    rows = sampler(domain, 5, np.random.default_rng(data.draw(st.integers(0, 99))))
    assert rows.shape == (5, len(space))
    np.testing.assert_array_equal(
        rows[:, ~domain.free], np.tile(domain.template[~domain.free], (5, 1))
    )
    for config in domain.decode(domain.canonical(rows)):
        assert config in space
        assert {name: config[name] for name in fixed} == space.validate(fixed, partial=True)
    for config in space.encoding.decode(space.encoding.canonical(rows)):
        assert config in space
        assert {name: config[name] for name in fixed} == space.validate(fixed, partial=True)


@given(st.data())
def test_enumerate_lists_every_configuration_once(data):
    kinds = st.lists(discrete_parameters(max_levels=9), min_size=1, max_size=3)
    space = Space({f"p{i}": parameter for i, parameter in enumerate(data.draw(kinds))})
    fixed = data.draw(held(space))
    domain = Domain.of(space, fixed)
    rows = domain.enumerate()
    assert len(rows) == domain.size == len(np.unique(rows, axis=0))
    assert np.array_equal(space.encoding.canonical(rows), rows)
    for config in space.encoding.decode(rows[:50]):
        assert config in space
        assert {name: config[name] for name in fixed} == space.validate(fixed, partial=True)


# --- Constraints and conditions ------------------------------------------------------------------

TREES = Space(
    booster=Categorical(["tree", "dart", "linear"]),
    depth=Integer(1, 12, when={"booster": ["tree", "dart"]}),
    prune=Boolean(when={"booster": "tree"}),
    a=Real(0, 1),
    b=Real(0, 1),
    c=Real(0, 1),
    constraints=["a + b + c == 1", "count(a > 0, b > 0, c > 0) <= 2", "depth <= 6 or a < 0.1"],
)


def test_without_constraints_everything_is_feasible():
    domain = Domain.of(SPACE, {})
    X = domain.uniform(5, np.random.default_rng(0))
    assert domain.feasible(X).tolist() == [True] * 5
    assert domain.violation(X).tolist() == [0.0] * 5
    moved = np.full((2, len(SPACE)), 0.3)
    repaired = Domain.of(SPACE, {"deep": True}).repair(moved)
    assert repaired[0].tolist() == [0.3, 0.375, 0.16666666666666666, 0.3, 1.0, 0.5]
    assert moved[0, 4] == 0.3  # a copy was repaired


@pytest.mark.parametrize("method", ["sobol", "uniform"])
def test_a_sequence_is_that_of_the_space(method):
    for space in (SPACE, TREES):
        X = Domain.of(space, {}).sequence(5, 3, skip=2, method=method)
        np.testing.assert_array_equal(X, space.sample_encoded(7, 3, method=method)[2:])
    held = Domain.of(SPACE, {"deep": True}).sequence(5, 3, method=method)
    assert held[:, 4].tolist() == [1.0] * 5


def test_drawn_rows_satisfy_the_constraints_also_with_fixed_values():
    for fixed in ({}, {"booster": "linear"}, {"depth": 9}, {"a": 0.05, "prune": True}):
        domain = Domain.of(TREES, fixed)
        for X in (
            domain.uniform(20, np.random.default_rng(0)),
            domain.sobol(20, np.random.default_rng(0)),
        ):
            for config in domain.decode(domain.canonical(X)):
                assert config in TREES
                assert {name: config[name] for name in fixed} == fixed


def test_a_fixed_parameter_is_active():
    domain = Domain.of(TREES, {"depth": 9})
    assert domain.free.tolist() == [True, False, True, True, True, True]
    X = domain.uniform(50, np.random.default_rng(0))
    assert set(X[:, 0]) == {0.0, 1.0}
    repaired = domain.repair(np.array([[2.0, 0.9, 1.0, 0.5, 0.5, 0.0]]))
    assert domain.decode(repaired)[0] == {
        "booster": "dart",
        "depth": 9,
        "a": 0.5,
        "b": 0.5,
        "c": 0.0,
    }
    one = Domain.of(TREES, {"prune": True})
    assert one.free.tolist() == [False, True, False, True, True, True]
    assert one.template[0] == 0.0


def test_a_parameter_that_cannot_be_active_is_not_free():
    domain = Domain.of(TREES, {"booster": "linear"})
    assert domain.free.tolist() == [False, False, False, True, True, True]
    assert domain.template[1] == TREES["depth"].neutral
    assert Domain.of(TREES, {"booster": "dart"}).free.tolist() == [False, True, False] + [True] * 3


@pytest.mark.parametrize(
    ("fixed", "complaint"),
    [
        ({"booster": "linear", "depth": 3}, "'depth' is inactive here"),
        ({"a": 0.7, "b": 0.7}, "satisfies 'a \\+ b \\+ c == 1'; it is missed by at least 0.4"),
        ({"a": 0.2, "b": 0.2, "c": 0.6}, "violates 'count"),
        ({"depth": 9, "a": 0.5}, "violates 'depth <= 6 or a < 0.1'"),
    ],
)
def test_fixed_values_that_contradict_each_other_are_named(fixed, complaint):
    with pytest.raises(WarpfrontError, match=complaint):
        Domain.of(TREES, fixed).uniform(1, np.random.default_rng(0))


def test_two_fixed_parameters_may_need_different_parents():
    space = Space(
        b=Categorical(["x", "y"]), c=Boolean(when={"b": "x"}), d=Integer(1, 3, when={"b": "y"})
    )
    with pytest.raises(WarpfrontError, match="'c' is active when 'b' is 'x'; 'd' is active when"):
        Domain.of(space, {"c": True, "d": 2})
    assert Domain.of(space, {"d": 2}).size == 1
    assert Domain.of(space, {}).size == 5


def test_the_size_of_a_conditional_domain_counts_distinct_configurations():
    space = Space(
        booster=Categorical(["tree", "dart", "linear"]),
        depth=Integer(1, 12, when={"booster": ["tree", "dart"]}),
        prune=Boolean(when={"booster": "tree"}),
    )
    for fixed, size in (
        ({}, 24 + 12 + 1),
        ({"booster": "linear"}, 1),
        ({"depth": 3}, 2 + 1),
        ({"prune": True}, 12),
        ({"booster": "tree", "prune": True, "depth": 3}, 1),
    ):
        domain = Domain.of(space, fixed)
        assert domain.size == size
        rows = domain.enumerate()
        assert len(rows) == len(np.unique(rows, axis=0)) == size
        assert all(config in space for config in domain.decode(rows))
    constrained = Space(
        {name: space[name] for name in space}, constraints=["depth <= 3 or not prune"]
    )
    assert Domain.of(constrained, {}).size == (12 + 3) + 12 + 1


def test_violations_are_comparable_between_constraints():
    space = Space(
        n=Integer(0, 10**6), x=Real(0, 1e-6), constraints=["n <= 100000", "x <= 1e-7", "n * x >= 0"]
    )
    domain = Domain.of(space, {})
    violations = domain.violation(np.array([[0.9, 0.0], [0.0, 0.9], [0.05, 0.05]]))
    assert violations[2] == 0.0
    assert 0.5 < violations[0] / violations[1] < 2
    assert domain.feasible(np.array([[0.9, 0.0], [0.05, 0.05]])).tolist() == [False, True]


def test_rows_outside_are_pulled_to_the_border():
    domain = Domain.of(TREES, {})
    inside = domain.uniform(200, np.random.default_rng(0))
    levels = np.where(TREES.encoding.is_category, TREES.encoding.levels, 1.0)
    X = np.floor(np.random.default_rng(1).random((200, 6)) * levels * 1e6) / 1e6
    pulled = domain.pull(X, inside)
    assert domain.feasible(pulled).all()
    was_good = domain.feasible(domain.repair(X))
    assert 0 < was_good.sum() < 200
    np.testing.assert_array_equal(pulled[was_good], domain.repair(X)[was_good])
    flat = Domain.of(Space(x=Real(0, 1), constraints=["x * x <= 0.25"]), {})
    assert flat.pull(np.array([[0.9]]), np.array([[0.1]]))[0, 0] == pytest.approx(0.5, abs=1e-3)
    plain = Domain.of(Space(n=Integer(1, 4)), {})
    assert plain.pull(np.array([[0.3]]), np.array([[0.9]])).tolist() == [[0.375]]
