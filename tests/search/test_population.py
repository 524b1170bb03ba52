import numpy as np
import pytest

from warpfront import Boolean, Categorical, Integer, Real, Settings, Space
from warpfront.history import History
from warpfront.search.domain import Domain
from warpfront.search.population import (
    ELITE,
    LISTED_UP_TO,
    around,
    best_points,
    elite_points,
    first_population,
)
from warpfront.space.encoding import row_keys
from warpfront.surrogate.model import Model

SPACE = Space(
    x=Real(0, 1),
    n=Integer(1, 50),
    colour=Categorical(["red", "green", "blue"]),
    one=Real(3, 3),
    deep=Boolean(),
)
CHEAP = Settings(starts=1, iterations=5)


def model_of(space, n=12, failures=()):
    configs = space.sample(n, seed=1)
    values = [float("nan") if i in failures else (i - 5.2) ** 2 for i in range(n)]
    history = History(space).tell([(None, c, v) for c, v in zip(configs, values, strict=True)])
    return history, Model.fit(history, CHEAP, seed=0)


def nearest(rows, centres):
    """The largest distance in a numeric column to the nearest of the centres, (n,)."""
    return np.abs(rows[:, None, :] - centres[None, :, :]).max(axis=2).min(axis=1)


@pytest.mark.parametrize("seeded", [0.0, 0.3, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("population", [4, 37])
def test_the_population_has_its_size_and_begins_with_the_incumbent(seeded, population):
    domain, (_, model) = Domain.of(SPACE, {}), model_of(SPACE)
    settings = Settings(seeded=seeded, population=population, generations=7)
    rows, generations = first_population(
        domain, elite_points(domain, model), settings, np.random.default_rng(0)
    )
    assert rows.shape == (population, 5)
    assert generations == 7
    assert np.array_equal(rows[0], model.incumbent)
    assert all(config in SPACE for config in SPACE.encoding.decode(rows))
    assert np.array_equal(SPACE.encoding.snap(rows.copy()), rows)


def test_the_incumbent_is_the_best_completed_observation():
    history, model = model_of(SPACE, failures=(5,))
    assert SPACE.encoding.decode(model.incumbent[None, :]) == [dict(history.best.config)]


def test_seeds_lie_around_the_elite_and_the_rest_everywhere():
    space = Space(x=Real(0, 1), y=Real(0, 1), z=Real(0, 1))
    domain, (_, model) = Domain.of(space, {}), model_of(space)
    settings = Settings(seeded=0.5, population=400)
    elite = elite_points(domain, model)
    rows, _ = first_population(domain, elite, settings, np.random.default_rng(0))
    seeded, uniform = nearest(rows[1:201], elite), nearest(rows[201:], elite)
    assert np.median(seeded) < 0.1 < np.median(uniform)


def test_the_elite_are_the_best_observations_and_no_failures():
    history, model = model_of(SPACE, failures=(3, 5))
    best = sorted(history.completed, key=lambda t: t.value)[:ELITE]
    elite = elite_points(Domain.of(SPACE, {}), model)
    assert SPACE.encoding.decode(elite) == [dict(t.config) for t in best]
    assert np.array_equal(elite[0], model.incumbent)


@pytest.mark.parametrize("fixed", [{}, {"n": 3}, {"one": 3.0}])
def test_an_elite_of_one_observation_is_enough(fixed):
    _, model = model_of(SPACE, n=1)
    domain = Domain.of(SPACE, fixed)
    assert np.array_equal(elite_points(domain, model), domain.hold(model.incumbent[None, :].copy()))


def test_the_elite_of_a_context_are_those_that_the_model_likes_there():
    space = Space(x=Real(0, 1), context=Categorical(["low", "high"]))
    configs = [{"x": i / 10, "context": c} for i in range(11) for c in ("low", "high")]
    # Good at small x in the one context, at large x in the other, where all is much worse.
    values = [c["x"] if c["context"] == "low" else 9.0 - c["x"] for c in configs]
    history = History(space).tell([(None, c, v) for c, v in zip(configs, values, strict=True)])
    model = Model.fit(history, Settings(), seed=0)
    for context, good in (("low", [0.0, 0.1, 0.2]), ("high", [1.0, 0.9, 0.8])):
        elite = elite_points(Domain.of(space, {"context": context}), model)
        configs = space.encoding.decode(elite)
        assert {c["context"] for c in configs} == {context}
        assert [c["x"] for c in configs[:3]] == good
        assert len({c["x"] for c in configs}) == ELITE


def test_steps_away_from_the_elite_have_many_sizes():
    domain = Domain.of(Space({f"x{i}": Real(0, 1) for i in range(4)}), {})
    elite = np.full((1, 4), 0.5)
    rows = around(elite, 2000, domain, np.random.default_rng(0))
    step = np.abs(rows - 0.5).max(axis=1)
    assert np.quantile(step, 0.05) < 0.01
    assert np.quantile(step, 0.95) > 0.2
    moved = (rows != 0.5).sum(axis=1)
    assert set(moved.tolist()) == {0, 1, 2, 3, 4}


def test_categories_are_redrawn_around_the_elite():
    domain = Domain.of(SPACE, {})
    elite = SPACE.encoding.encode([{"x": 0.5, "n": 25, "colour": "red", "one": 3.0, "deep": True}])
    configs = SPACE.encoding.decode(around(elite, 200, domain, np.random.default_rng(0)))
    assert {c["colour"] for c in configs} == {"red", "green", "blue"}
    assert {c["deep"] for c in configs} == {True, False}
    assert all(c in SPACE for c in configs)


def test_held_parameters_are_held_in_every_row():
    _, model = model_of(SPACE)
    domain = Domain.of(SPACE, {"colour": "blue", "n": 17})
    elite = elite_points(domain, model)
    rows, _ = first_population(domain, elite, Settings(), np.random.default_rng(0))
    configs = SPACE.encoding.decode(rows)
    assert {(c["colour"], c["n"], c["one"]) for c in configs} == {("blue", 17, 3.0)}
    assert len({c["x"] for c in configs}) > 50


@pytest.mark.parametrize(
    ("fixed", "size"),
    [({"x": 0.5}, 300), ({"x": 0.5, "deep": True, "n": 9}, 3)],
)
def test_a_small_domain_is_listed_and_not_searched(fixed, size):
    _, model = model_of(SPACE)
    domain = Domain.of(SPACE, fixed)
    assert domain.size == size <= LISTED_UP_TO
    rows, generations = first_population(
        domain, elite_points(domain, model), Settings(), np.random.default_rng(0)
    )
    assert generations == 0
    assert len(set(row_keys(rows))) == len(rows) == size


def test_a_larger_finite_domain_is_searched():
    space = Space(a=Integer(1, LISTED_UP_TO + 1))
    domain, (_, model) = Domain.of(space, {}), model_of(space)
    rows, generations = first_population(
        domain, elite_points(domain, model), Settings(), np.random.default_rng(0)
    )
    assert len(rows) == Settings().population
    assert generations == Settings().generations


def tied(values, fixed):
    configs = SPACE.sample(len(values), seed=1)
    history = History(SPACE).tell([(None, c, v) for c, v in zip(configs, values, strict=True)])
    model = Model.fit(history, CHEAP, seed=0)
    domain = Domain.of(SPACE, fixed)
    best = best_points(domain, model, elite_points(domain, model))
    return configs, SPACE.encoding.decode(best)


def test_the_best_points_are_all_that_share_the_best_loss():
    configs, best = tied([2.0, 1.0, 3.0, 1.0, 1.5, float("nan"), 1.0, 4.0], {})
    assert sorted(best, key=configs.index) == [configs[i] for i in (1, 3, 6)]


def test_where_something_is_held_the_best_point_is_one_of_that_context():
    _, best = tied([2.0, 1.0, 3.0, 1.0, 1.5, float("nan"), 1.0, 4.0], {"n": 7})
    assert [c["n"] for c in best] == [7]
