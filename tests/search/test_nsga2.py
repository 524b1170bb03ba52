import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tests.search.test_domain import held
from tests.strategies import spaces
from warpfront import Categorical, Integer, Real, Space
from warpfront.search.domain import Domain
from warpfront.search.nsga2 import (
    crowding_distances,
    mutate,
    non_dominated_ranks,
    nsga2,
    pareto_mask,
)
from warpfront.space.encoding import row_keys

POPULATION = 100
GENERATIONS = 100


def objective_arrays(max_rows=24):
    """Objectives with many ties, duplicated rows and infinities."""
    return npst.arrays(
        float,
        st.tuples(st.integers(1, max_rows), st.integers(1, 4)),
        elements=st.sampled_from([0.0, 1.0, 2.0, 3.0, -np.inf, np.inf]) | st.floats(-9, 9),
    )


# Ranks, by the definition of dominance


def dominates(a, b):
    return all(x <= y for x, y in zip(a, b, strict=True)) and any(
        x < y for x, y in zip(a, b, strict=True)
    )


def plain_ranks(F):
    """Peel off the rows that no remaining row dominates, again and again."""
    rank, level, left = {}, 0, set(range(len(F)))
    while left:
        front = {i for i in left if not any(dominates(F[j], F[i]) for j in left)}
        rank.update(dict.fromkeys(front, level))
        left -= front
        level += 1
    return np.array([rank[i] for i in range(len(F))])


@given(objective_arrays())
def test_ranks_are_those_of_the_definition(F):
    assert non_dominated_ranks(F, len(F)).tolist() == plain_ranks(F).tolist()


@given(objective_arrays(), st.integers(1, 24))
def test_ranks_are_exact_as_far_as_needed_and_the_rest_share_the_next(F, needed):
    needed = min(needed, len(F))
    exact, got = plain_ranks(F), non_dominated_ranks(F, needed)
    last = np.sort(exact)[needed - 1]  # the rank within which enough rows are found
    assert got.tolist() == np.minimum(exact, last + 1).tolist()


@given(objective_arrays())
def test_the_pareto_mask_marks_what_nothing_dominates(F):
    expected = [not any(dominates(other, row) for other in F) for row in F]
    assert pareto_mask(F).tolist() == expected


def test_objectives_that_are_not_numbers_do_not_hang_the_sorting():
    F = np.array([[np.nan, 0.0], [0.0, 0.0], [np.nan, np.nan]])
    assert set(non_dominated_ranks(F, 3).tolist()) <= {0, 1}


# Crowding, by the definition of Deb and others (2002)


def plain_crowding(F, rank):
    distance = np.zeros(len(F))
    for level in set(rank.tolist()):
        rows = [i for i in range(len(F)) if rank[i] == level]
        for m in range(F.shape[1]):
            order = sorted(rows, key=lambda i: F[i, m])
            spread = F[order[-1], m] - F[order[0], m]
            distance[order[0]] = distance[order[-1]] = np.inf
            for before, i, after in zip(order, order[1:], order[2:], strict=False):
                gap = (F[after, m] - F[before, m]) / (spread if spread > 0 else 1.0)
                distance[i] += 0.0 if np.isnan(gap) else gap
    return distance


@given(objective_arrays())
def test_crowding_distances_are_those_of_the_definition(F):
    rank = plain_ranks(F)
    with np.errstate(invalid="ignore"):
        expected = plain_crowding(F, rank)
    np.testing.assert_allclose(crowding_distances(F, rank), expected, rtol=1e-12)


def test_a_crowded_point_has_a_smaller_distance_than_a_lonely_one():
    F = np.array([[0.0, 1.0], [0.1, 0.9], [0.2, 0.8], [0.6, 0.4], [1.0, 0.0]])
    distance = crowding_distances(F, np.zeros(5, dtype=int))
    assert distance[3] > distance[2] > distance[1]
    assert np.isinf(distance[[0, 4]]).all()


# The whole algorithm against pymoo's, at an equal budget


def front_of(problem, seed):
    domain = Domain.of(Space({f"x{i}": Real(0, 1) for i in range(problem.n_var)}), {})
    rng = np.random.default_rng(seed)
    first = domain.uniform(POPULATION, rng)
    _, F = nsga2(problem.evaluate, domain, first, GENERATIONS, rng)
    return F[pareto_mask(F)]


@pytest.mark.parametrize(
    ("name", "objectives"),
    [
        *(pytest.param(f"zdt{i}", 2, marks=pytest.mark.slow) for i in (1, 2)),
        ("zdt3", 2),
        ("dtlz2", 3),
    ],
)
def test_the_hypervolume_is_that_of_pymoo(name, objectives):
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.indicators.hv import HV
    from pymoo.optimize import minimize
    from pymoo.problems import get_problem

    problem = get_problem(name, **({"n_var": 12, "n_obj": 3} if objectives == 3 else {}))
    volume = HV(ref_point=np.full(objectives, 1.1))
    ours = [volume(front_of(problem, seed)) for seed in range(6)]
    # pymoo counts the first population as a generation.
    theirs = [
        volume(minimize(problem, NSGA2(POPULATION), ("n_gen", GENERATIONS + 1), seed=seed).F)
        for seed in range(3)
    ]
    assert np.mean(ours) >= 0.98 * np.mean(theirs)


# Mixed variables


def test_the_pareto_set_of_a_mixed_problem_is_found():
    space = Space(x=Real(0, 1), n=Integer(0, 10), c=Categorical(["dud", "slow", "middle", "fast"]))
    cost = np.array([1.0, 0.0, 1.5, 3.0])
    domain = Domain.of(space, {})

    def objectives(X):
        """Every n and every c but the dud trade one objective for the other, at x = 0.3."""
        n, code = np.floor(X[:, 1] * 11), X[:, 2].astype(int)
        loss = 20.0 * (X[:, 0] - 0.3) ** 2 + 5.0 * (code == 0)
        return np.stack([n + cost[code] + loss, 13.0 - n - cost[code] + loss], axis=1)

    rng = np.random.default_rng(0)
    X, F = nsga2(objectives, domain, domain.uniform(60, rng), 60, rng)
    front = X[pareto_mask(F)]
    found = space.encoding.decode(front)
    assert {c["n"] for c in found} == set(range(11))
    assert {c["c"] for c in found} == {"slow", "middle", "fast"}
    assert np.abs(front[:, 0] - 0.3).max() < 0.05
    assert F[:, 0].min() < 0.1
    assert F[:, 1].min() < 0.1


@given(st.data())
@settings(max_examples=50)
def test_candidates_stay_in_the_domain_on_the_grid_and_where_they_are_held(data):
    space = data.draw(spaces(max_size=6))
    fixed = data.draw(held(space))
    domain, encoding = Domain.of(space, fixed), space.encoding
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    seen = []

    def objectives(X):
        seen.append(X.copy())
        return rng.normal(size=(len(X), 2))

    nsga2(objectives, domain, domain.uniform(9, rng), 4, rng)
    X = np.vstack(seen)
    assert np.all(X[:, ~domain.free] == domain.template[~domain.free])
    assert np.array_equal(encoding.snap(X.copy()), X)
    for j, category in enumerate(encoding.is_category):
        allowed = np.arange(encoding.levels[j]) if category else X[:, j].clip(0.0, 1.0)
        assert np.isin(X[:, j], allowed).all()
    configs = encoding.decode(X)
    assert all(config in space for config in configs)
    native = space.validate(fixed, partial=True)
    assert all(config[name] == value for config in configs for name, value in native.items())


@given(st.data())
@settings(max_examples=30)
def test_mutation_reaches_free_columns_and_no_others(data):
    space = data.draw(spaces(max_size=4))
    domain = Domain.of(space, data.draw(held(space)))
    rng = np.random.default_rng(0)
    X = np.repeat(domain.uniform(1, rng), 400, axis=0)
    moved = (mutate(X, domain, rng) != X).any(axis=0)
    assert moved.tolist() == domain.free.tolist()


def test_mutation_changes_about_one_column_of_a_row():
    domain = Domain.of(Space({f"x{i}": Real(0, 1) for i in range(20)}), {})
    rng = np.random.default_rng(0)
    X = domain.uniform(2000, rng)
    changed = (mutate(X, domain, rng) != X).sum(axis=1)
    assert 0.9 < changed.mean() < 1.1


def test_mutation_on_a_grid_moves_by_a_tenth_or_by_a_level_if_that_is_more():
    domain = Domain.of(Space(many=Integer(1, 1000), few=Integer(1, 5)), {})
    X = np.full((4000, 2), 0.5)
    step = mutate(X, domain, np.random.default_rng(0)) - X
    assert step[step[:, 0] != 0.0, 0].std() == pytest.approx(0.1, rel=0.1)
    assert step[step[:, 1] != 0.0, 1].std() == pytest.approx(0.2, rel=0.1)


# Bookkeeping


def test_copies_of_the_population_and_of_siblings_are_never_evaluated():
    domain = Domain.of(Space(x=Real(0, 1), n=Integer(0, 3), c=Categorical(["a", "b"])), {})
    rng = np.random.default_rng(0)
    evaluated = []

    def objectives(X):
        evaluated.append(X.copy())
        return rng.normal(size=(len(X), 2))

    nsga2(objectives, domain, domain.uniform(16, rng), 1, rng)
    population, children = evaluated
    assert len(children) > 8
    assert len(set(row_keys(children))) == len(children)
    assert not set(row_keys(children)) & set(row_keys(population))


def test_no_configuration_stands_twice_in_the_population_of_a_small_domain():
    domain = Domain.of(Space(n=Integer(0, 9), c=Categorical(["a", "b", "c", "d"])), {})
    rng = np.random.default_rng(0)
    first = domain.enumerate()[::2]
    X, _ = nsga2(lambda Z: Z, domain, first, 20, rng)
    assert len(set(row_keys(X))) == len(first)


def test_a_domain_without_children_leaves_the_population_as_it_is():
    domain = Domain.of(Space(n=Integer(0, 3), c=Categorical(["a", "b"])), {})
    everything = domain.enumerate()
    X, F = nsga2(lambda Z: Z, domain, everything, 10, np.random.default_rng(0))
    assert sorted(row_keys(X)) == sorted(row_keys(everything))
    assert np.array_equal(F, X)


def test_the_size_of_the_population_and_the_budget_are_kept():
    domain = Domain.of(Space(x=Real(0, 1), y=Real(0, 1)), {})
    rng = np.random.default_rng(0)
    batches = []

    def objectives(X):
        batches.append(len(X))
        return X

    X, F = nsga2(objectives, domain, domain.uniform(21, rng), 30, rng)
    assert X.shape == F.shape == (21, 2)
    assert len(batches) == 31
    assert max(batches) <= 21
    assert np.mean(batches) > 20  # dropped copies are made up for


def test_the_best_ranks_come_first():
    domain = Domain.of(Space(x=Real(0, 1), y=Real(0, 1)), {})
    rng = np.random.default_rng(0)
    _, F = nsga2(lambda Z: Z, domain, domain.uniform(40, rng), 1, rng)
    assert np.all(np.diff(plain_ranks(F)) >= 0)
    assert plain_ranks(F).max() > 0


def test_the_best_value_of_one_objective_never_gets_lost():
    domain = Domain.of(Space(x=Real(0, 1), y=Real(0, 1)), {})
    rng = np.random.default_rng(0)
    seen = []

    def distance(X):
        seen.append(np.sum((X - 0.4) ** 2, axis=1, keepdims=True))
        return seen[-1]

    _, F = nsga2(distance, domain, domain.uniform(20, rng), 40, rng)
    assert F.min() == np.vstack(seen).min() == F[0, 0] < 1e-4


def test_the_same_generator_gives_the_same_population():
    domain = Domain.of(Space(x=Real(0, 1), n=Integer(1, 30), c=Categorical(["a", "b", "c"])), {})

    def run(seed):
        rng = np.random.default_rng(seed)
        return nsga2(lambda Z: Z[:, :2], domain, domain.uniform(10, rng), 5, rng)[0]

    assert np.array_equal(run(1), run(1))
    assert not np.array_equal(run(1), run(2))
