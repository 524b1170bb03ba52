"""Regions: feasible rows are found where they are rare, all over the region, and repeatably."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
from scipy import stats

from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space
from warpfront.errors import ConfigurationError, SpaceError
from warpfront.space.region import Region


def reals(count, low=0, high=1):
    return {f"x{i}": Real(low, high) for i in range(count)}


def total(count, name="x{}"):
    return " + ".join(name.format(i) for i in range(count))


def used(count, most):
    return f"count({', '.join(f'x{i} > 0' for i in range(count))}) <= {most}"


MIXED = {
    "kernel": Categorical([f"k{i}" for i in range(40)]),
    "n": Integer(1, 1000),
    "x": Real(0, 1),
    "deep": Boolean(),
    "size": Ordinal(["s", "m", "l"]),
}
HARD = {
    # name: (space, fixed values); the feasible share is about 1e-6, or nothing
    "box": (
        Space(reals(6), constraints=[f"abs(x{i} - 0.{i + 1}23) <= 0.05" for i in range(6)]),
        {},
    ),
    "corner of ten": (Space(reals(10), constraints=[f"{total(10)} <= 1"]), {}),
    "thin curve": (Space(reals(2), constraints=["abs(x0 * x1 - 0.25) <= 1e-6"]), {}),
    "thin shell": (
        Space(reals(4, -1, 1), constraints=["abs(x0**2 + x1**2 + x2**2 + x3**2 - 1) <= 1e-6"]),
        {},
    ),
    "mixed": (
        Space(
            MIXED,
            constraints=[
                'kernel == "k37" and size == "l"',
                "n % 17 == 3",
                "abs(x - 0.1) <= 0.005",
                "deep",
            ],
        ),
        {},
    ),
    "mixed, fixed": (
        Space(MIXED, constraints=['kernel == "k37"', "n % 17 == 3", "abs(x - n / 1000) <= 1e-4"]),
        {"deep": True, "n": 20},
    ),
    "mixture": (Space(reals(3), constraints=[f"{total(3)} == 1"]), {}),
    "mixture of few": (Space(reals(12), constraints=[f"{total(12)} == 1", used(12, 3)]), {}),
    "mixture of few, at least": (
        Space(
            reals(6),
            constraints=[
                f"{total(6)} == 1",
                used(6, 3),
                *(f"x{i} == 0 or x{i} >= 0.2" for i in range(6)),
            ],
        ),
        {},
    ),
    "mixture of few, zeros counted": (
        Space(
            reals(4),
            constraints=[f"{total(4)} == 1", "count(x0 == 0, x1 == 0, x2 == 0, x3 == 0) >= 2"],
        ),
        {},
    ),
    "mixture in a corner": (
        Space(
            reals(6),
            constraints=[f"{total(6)} == 1", "x0 + x1 + x2 <= 0.01", "x3 >= x4", "x1 <= x0"],
        ),
        {},
    ),
    "mixture, nearly fixed": (
        Space(reals(4), constraints=[f"{total(4)} == 1", "x0 <= x1"]),
        {"x3": 0.99999},
    ),
    "two mixtures": (
        Space(reals(6), constraints=["x0 + x1 + x2 == 1", "x2 + 2 * x3 - x4 == 0.5", "x5 < x0"]),
        {},
    ),
    "logarithmic mixture": (
        Space(
            {f"x{i}": Real(1e-4, 1, scale="log") for i in range(3)},
            constraints=[f"{total(3)} == 1"],
        ),
        {},
    ),
    "integers": (
        Space(
            {f"n{i}": Integer(0, 1000) for i in range(4)}, constraints=["n0 + n1 + n2 + n3 == 99"]
        ),
        {"n0": 33},
    ),
    "product of integers": (
        Space(
            {f"n{i}": Integer(1, 1000) for i in range(3)}, constraints=["n0 * n1 * n2 == 360360"]
        ),
        {},
    ),
    "integers and a real": (
        Space(n=Integer(0, 10), x=Real(0, 1), y=Real(0, 1), constraints=["n + x - y == 7.5"]),
        {},
    ),
    "booleans": (
        Space(
            {f"b{i}": Boolean() for i in range(20)},
            x=Real(0, 1),
            constraints=[f"b{i} == {'true' if i % 3 else 'false'}" for i in range(20)],
        ),
        {},
    ),
    "conditional": (
        Space(
            reals(3),
            booster=Categorical(["tree", "linear"]),
            depth=Integer(1, 10_000, when={"booster": "tree"}),
            constraints=[f"{total(3)} == 1", used(3, 2), 'booster == "tree"', "depth == 77"],
        ),
        {},
    ),
    "a function": (
        Space(reals(3), constraints=[lambda c: abs(c["x0"] - c["x1"] * c["x2"]) - 1e-6]),
        {},
    ),
}


@pytest.mark.parametrize("name", HARD)
def test_small_regions_are_found_in_seconds(name):
    space, fixed = HARD[name]
    region = Region.of(space, fixed)
    begin = time.process_time()
    X = region.rows(32, np.random.default_rng(0))
    assert time.process_time() - begin < 20  # two or three on a quiet machine
    assert region.feasible(X).all()
    assert not region.violation(X).any()
    configs = [{**config, **fixed} for config in space.encoding.decode(X)]
    assert all(config in space for config in configs)
    assert len(np.unique(X, axis=0)) >= (4 if name == "product of integers" else 16)
    np.testing.assert_array_equal(region.rows(32, np.random.default_rng(0)), X)
    fresh = Region(space, region.held)  # nothing kept from before
    np.testing.assert_array_equal(fresh.rows(32, np.random.default_rng(0)), X)
    np.testing.assert_array_equal(fresh.sequence(3, 5, skip=15), region.sequence(18, 5)[15:])


def test_walks_spread_over_the_region():
    # The simplex below 1 of ten parameters: each is Beta(1, 10) there.
    region = Region.of(*HARD["corner of ten"])
    X = np.vstack([region.rows(100, np.random.default_rng(seed)) for seed in range(10)])
    for column in X.T:
        assert abs(column.mean() - 1 / 11) < 0.02
        assert stats.kstest(column[::5], stats.beta(1, 10).cdf).statistic < 0.13
    box = Region.of(*HARD["box"]).rows(100, np.random.default_rng(0))
    np.testing.assert_allclose(box.std(axis=0), 0.1 / np.sqrt(12), rtol=0.25)


def test_walks_reach_both_parts_of_a_region():
    space = Space(
        reals(4), constraints=["max(x0, x1, x2, x3) <= 0.02 or min(x0, x1, x2, x3) >= 0.98"]
    )
    X = Region.of(space).rows(100, np.random.default_rng(0))
    assert 10 < (X[:, 0] < 0.5).sum() < 90


def test_rare_choices_are_as_frequent_as_they_should_be():
    space = Space(reals(3), b=Boolean(), constraints=[f"{total(3)} <= 0.1"])
    X = Region.of(space).rows(300, np.random.default_rng(0))
    assert 0.3 < X[:, 3].mean() < 0.7


def test_all_supports_of_a_mixture_of_few_are_drawn():
    space = Space(reals(4), constraints=[f"{total(4)} == 1", used(4, 2)])
    X = Region.of(space).rows(400, np.random.default_rng(0))
    supports = {tuple(np.flatnonzero(row)) for row in X}
    assert supports == {c for k in (1, 2) for c in itertools.combinations(range(4), k)}
    pairs = (X > 0).sum(axis=1) == 2
    assert pairs.mean() > 0.5


def test_mixtures_are_drawn_uniformly():
    X = Region.of(*HARD["mixture"]).rows(1000, np.random.default_rng(0))
    for column in X.T:
        assert stats.kstest(column, stats.beta(1, 2).cdf).pvalue > 1e-3


def test_quasi_random_mixtures_cover_the_simplex_better():
    region = Region.of(Space(reals(2), constraints=["x0 + x1 == 1"]))
    X = region.rows(64, np.random.default_rng(0), method="sobol")
    assert stats.kstest(X[:, 0], "uniform").statistic < 0.1


def test_rejection_keeps_the_distribution_of_the_scale():
    space = Space(rate=Real(1e-4, 1, scale="log"), x=Real(0, 1), constraints=["x <= 0.5"])
    X = Region.of(space).rows(500, np.random.default_rng(0))
    assert stats.kstest(X[:, 0], "uniform").pvalue > 1e-3
    assert stats.kstest(2 * X[:, 1], "uniform").pvalue > 1e-3


def test_a_small_finite_region_is_listed():
    space = Space(n=Integer(1, 100), m=Integer(1, 100), constraints=["n * m == 36"])
    region = Region.of(space)
    expected = [(n, 36 // n) for n in range(1, 37) if 36 % n == 0]
    assert region.size == space.size == len(expected)
    listed = space.encoding.decode(region.enumerated())
    assert [(c["n"], c["m"]) for c in listed] == expected
    first = space.sample(len(expected), seed=3)
    assert sorted((c["n"], c["m"]) for c in first) == expected  # each of them once
    drawn = Region.of(space).rows(20, np.random.default_rng(0))
    assert region.feasible(drawn).all()


def test_the_size_of_a_large_region_is_an_upper_bound():
    space = Space(n=Integer(1, 1000), m=Integer(1, 1000), constraints=["n * m == 36"])
    assert space.size == 10**6
    assert Space(reals(2), constraints=["x0 <= x1"]).size == np.inf


# --- Empty regions -------------------------------------------------------------------------------


def test_an_empty_region_names_what_is_violated():
    space = Space(
        reals(3), constraints=["x0 * x1 >= 0.9", "x1 * x2 >= 0.9", "x0 * x2 <= 0.5", "x1 <= 1"]
    )
    with pytest.raises(SpaceError) as caught:
        space.sample(1, seed=0)
    message = str(caught.value)
    for part in [
        "no configuration was found that satisfies all constraints; the closest one violates",
        "(by 0.",
        "of random configurations",
        "'x0 * x1 >= 0.9' for 0.",
        "relax a constraint or widen a range",
        "an equality is written with ==",
    ]:
        assert part in message


def test_an_empty_finite_space_is_known_to_be_empty():
    space = Space(n=Integer(1, 9), b=Boolean(), constraints=["n ** 2 == 2", "b"])
    with pytest.raises(SpaceError, match=r"violates 'n \*\* 2 == 2' \(by 1\)"):
        space.sample(1, seed=0)


@pytest.mark.parametrize(
    ("space", "fixed", "parts"),
    [
        (
            Space(reals(3), constraints=["x0 + x1 + x2 == 1"]),
            {"x0": 0.7, "x1": 0.6},
            ["satisfies 'x0 + x1 + x2 == 1'; it is missed by at least 0.3", "fix fewer values"],
        ),
        (
            Space(reals(3), constraints=["x0 <= x1"]),
            {"x0": 0.7, "x1": 0.6},
            ["satisfies 'x0 <= x1'; it is missed by at least 0.1", "fix fewer values"],
        ),
        (
            Space(reals(3), constraints=["x0 * x1 <= 0.1"]),
            {"x0": 0.7, "x1": 0.6},
            ["the closest one violates 'x0 * x1 <= 0.1' (by 0.32)", "fix fewer values"],
        ),
        (
            Space(n=Integer(1, 9), b=Boolean(), constraints=["b or n > 5"]),
            {"n": 2, "b": False},
            ["violates 'b or n > 5'", "fix fewer values"],
        ),
    ],
)
def test_contradictory_fixed_values_are_named(space, fixed, parts):
    with pytest.raises(ConfigurationError) as caught:
        Region.of(space, fixed).rows(1, np.random.default_rng(0))
    message = str(caught.value)
    assert f"fixed={fixed!r}" in message
    assert all(part in message for part in parts)


# --- Repair -------------------------------------------------------------------------------------


def test_repair_zeroes_the_smallest_of_too_many_and_restores_the_sum():
    space = Space(reals(4), constraints=[f"{total(4)} == 1", used(4, 2)])
    region = Region.of(space)
    X = np.array([[0.1, 0.4, 0.3, 0.2], [0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.2, 0.2]])
    repaired = region.repair(X)
    np.testing.assert_allclose(
        repaired, [[0, 0.55, 0.45, 0], [0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]], atol=1e-9
    )
    assert region.feasible(repaired).all()


def test_repair_sets_zeros_where_too_few_are_zero():
    space = Space(reals(3), constraints=["count(x0 == 0, x1 == 0, x2 == 0) > 1"])
    repaired = Region.of(space).repair(np.array([[0.1, 0.3, 0.2], [0.0, 0.4, 0.0]]))
    assert repaired.tolist() == [[0.0, 0.3, 0.0], [0.0, 0.4, 0.0]]


def test_repair_keeps_fixed_values_and_moves_the_others():
    space = Space(reals(3), constraints=["x0 + x1 + x2 == 1"])
    region = Region.of(space, {"x0": 0.123456789012345})
    repaired = region.repair(np.array([[0.9, 0.1, 0.1]]))
    assert repaired[0, 0] == 0.123456789012345
    assert repaired.sum() == pytest.approx(1, abs=1e-12)
    np.testing.assert_allclose(repaired[0, 1:], 0.4382716, atol=1e-6)


def test_a_sum_with_an_inactive_parameter_does_not_apply():
    space = Space(
        deep=Boolean(),
        a=Real(0, 1),
        b=Real(0, 1, when={"deep": True}),
        constraints=["a + b == 1"],
    )
    assert {"deep": False, "a": 0.2} in space
    assert {"deep": True, "a": 0.2, "b": 0.7} not in space
    region = Region.of(space)
    X = region.rows(100, np.random.default_rng(0))
    shallow = X[:, 0] == 0
    np.testing.assert_allclose(X[~shallow, 1:].sum(axis=1), 1, atol=1e-12)
    assert stats.kstest(X[shallow, 1], "uniform").pvalue > 1e-3
    repaired = region.repair(np.array([[0, 0.2, 0.1], [1, 0.2, 0.1]]))
    np.testing.assert_allclose(repaired, [[0, 0.2, 0.5], [1, 0.55, 0.45]], atol=1e-9)


def test_what_is_kept_between_calls_does_not_change_results():
    space = Space(reals(3), constraints=[f"{total(3)} == 1", "x0 * x1 * x2 >= 0.036"])
    first = Region(space, Region.of(space).held)
    second = Region(space, Region.of(space).held)
    first.rows(7, np.random.default_rng(1))
    first.sequence(5, 3)
    np.testing.assert_array_equal(
        first.rows(9, np.random.default_rng(2)), second.rows(9, np.random.default_rng(2))
    )


def test_global_random_state_and_floating_point_errors_are_left_alone():
    space = Space(reals(2), constraints=["1 / (x0 - x1) >= 1000"])
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    with np.errstate(all="raise", under="ignore"):
        assert len(space.sample(3, seed=0)) == 3
        Region.of(space).rows(3, np.random.default_rng(0))
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
