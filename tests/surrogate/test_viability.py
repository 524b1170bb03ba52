"""How likely evaluations are to succeed."""

import numpy as np
import pytest
from scipy.stats import norm

from warpfront import HEBO, Categorical, Real, Settings, Space
from warpfront.dataset import Dataset
from warpfront.history import History
from warpfront.surrogate.models import fit_models
from warpfront.surrogate.viability import FAILURE_TARGET, OPTIONS, Viability

WIDE = Space({f"x{i}": Real(0, 1) for i in range(5)} | {"kind": Categorical(["a", "b", "c", "d"])})


def sampled(fails, n=80, seed=0, space=WIDE):
    """Data in which some evaluations have failed."""
    rng = np.random.default_rng(seed)
    configs = space.sample(n, seed=seed)
    outcomes = [None if fails(c, rng) else float(rng.random()) for c in configs]
    told = [(None, c, y) for c, y in zip(configs, outcomes, strict=True)]
    return Dataset.of(History(space).tell(told))


def probabilities(viability, configs, space=WIDE):
    return np.exp(viability.log_probability(space.encoding.encode(configs)))


def test_without_failures_there_is_none():
    assert Viability.fit(sampled(lambda *_: False, n=10)) is None


def test_it_is_the_probability_that_the_prediction_is_below_the_border():
    data = sampled(lambda c, _: c["x0"] > 0.7)
    viability, X = Viability.fit(data), WIDE.encoding.encode(WIDE.sample(30, seed=9))
    mean, variance = viability.gp.predict(X)
    expected = norm.logcdf(FAILURE_TARGET / 2.0, mean, np.sqrt(variance + viability.gp.noise))
    np.testing.assert_allclose(viability.log_probability(X), expected, rtol=1e-9)


@pytest.mark.parametrize(
    "fails",
    [
        lambda c, _: c["x0"] > 0.7,
        lambda c, _: c["kind"] == "b",
        lambda c, rng: c["x0"] > 0.7 and rng.random() < 0.9,
    ],
    ids=["above", "one kind", "nearly always above"],
)
def test_those_of_a_region_are_told_from_the_others(fails):
    viability, configs = Viability.fit(sampled(fails, seed=3)), WIDE.sample(200, seed=77)
    truth = np.array([bool(fails(c, np.random.default_rng(0))) for c in configs])
    found = probabilities(viability, configs)
    assert found[~truth].mean() > 0.85
    assert found[truth].mean() < 0.35


@pytest.mark.parametrize("share", [0.2, 0.4])
def test_random_failures_bar_no_region(share):
    X = WIDE.encoding.encode(WIDE.sample(200, seed=77))
    for seed in range(8):
        viability = Viability.fit(sampled(lambda _, rng: rng.random() < share, seed=seed))
        found = np.exp(viability.log_probability(X))
        assert found.min() > 0.1  # 0.0001 where random failures are explained by their place
        assert found.mean() > 0.5
        assert np.mean(found > 0.25) > 0.95


def test_more_certainty_needs_more_failures():
    space = Space(x=Real(0, 1))

    def told(n):
        fine = [(None, {"x": x}, x) for x in np.linspace(0.0, 0.5, 8)]
        wrong = [(None, {"x": x}, None) for x in np.linspace(0.85, 0.95, n)]
        viability = Viability.fit(Dataset.of(History(space).tell(fine + wrong)))
        return viability.log_probability(np.array([[0.9]]))[0]

    five, one = told(5), told(1)
    assert five < one < np.log(0.8)
    assert five < np.log(0.2)


def test_where_nothing_was_tried_success_is_expected():
    space = Space(x=Real(0, 1))
    told = [(None, {"x": x}, None if x < 0.1 else x) for x in np.linspace(0.0, 0.2, 9)]
    viability = Viability.fit(Dataset.of(History(space).tell(told)))
    assert probabilities(viability, [{"x": 1.0}], space)[0] > 0.7
    assert probabilities(viability, [{"x": 0.0}], space)[0] < 0.2


def test_where_all_have_failed_distance_from_them_is_what_counts():
    space = Space(x=Real(0, 1))
    told = [(None, {"x": x}, None) for x in (0.0, 0.05, 0.1)]
    viability = Viability.fit(Dataset.of(History(space).tell(told)))
    near, far = probabilities(viability, [{"x": 0.05}, {"x": 1.0}], space)
    assert near < far


def test_a_configuration_that_failed_and_succeeded_is_in_between():
    space = Space(x=Real(0, 1))
    told = [(None, {"x": 0.5}, y) for y in (None, 1.0)]
    told += [(None, {"x": x}, x) for x in (0.0, 0.1, 0.2)]
    told += [(None, {"x": x}, None) for x in (0.8, 0.9, 1.0)]
    viability = Viability.fit(Dataset.of(History(space).tell(told)))
    low, middle, high = probabilities(viability, [{"x": x} for x in (0.9, 0.5, 0.1)], space)
    assert low < middle < high


def test_a_space_in_which_nothing_varies_has_one_probability():
    space = Space(only=Categorical(["one"]))
    told = [(None, {"only": "one"}, None if i % 3 else 1.0) for i in range(12)]
    viability = Viability.fit(Dataset.of(History(space).tell(told)))
    (found,) = probabilities(viability, [{"only": "one"}], space)
    assert 0.0 < found < 1.0


def test_the_order_of_telling_does_not_matter():
    told = [(None, c, None if c["x0"] > 0.6 else c["x1"]) for c in WIDE.sample(40, seed=2)]
    X = WIDE.encoding.encode(WIDE.sample(20, seed=5))
    one, other = (
        Viability.fit(Dataset.of(History(WIDE).tell(t))).log_probability(X)
        for t in (told, told[::-1])
    )
    np.testing.assert_array_equal(one, other)


def test_pending_trials_do_not_matter():
    history = History(WIDE).tell(
        [(None, c, None if c["x0"] > 0.6 else c["x1"]) for c in WIDE.sample(20, seed=2)]
    )
    X = WIDE.encoding.encode(WIDE.sample(20, seed=5))
    one, other = (
        Viability.fit(Dataset.of(h)).log_probability(X)
        for h in (history, history.ask(WIDE.sample(3, seed=8)))
    )
    np.testing.assert_array_equal(one, other)


def test_many_are_judged_by_a_part_of_them():
    data = sampled(lambda c, _: c["x0"] > 0.7, n=1100)
    gp = Viability.fit(data).gp
    assert len(gp.t) == OPTIONS.fit.active < 1100
    assert set(gp.t) == {0.0, FAILURE_TARGET}


def test_failures_raise_the_penalty_around_them_and_leave_the_model_alone():
    space = Space(x=Real(0, 1), y=Real(0, 1))
    pairs = [(None, c, 5.0 + c["x"]) for c in space.sample(20, seed=7) if c["x"] < 0.5]
    wrong = [(None, c, float("nan")) for c in space.sample(20, seed=7) if c["x"] >= 0.5]
    without, with_them = (
        fit_models(Dataset.of(History(space).tell(told)), Settings(models="warped"), seed=0)
        for told in (pairs, pairs + wrong)
    )
    X = space.encoding.encode([{"x": x, "y": 0.5} for x in (0.1, 0.2, 0.8, 0.9)])
    np.testing.assert_array_equal(without.penalty(X), np.zeros(4))
    penalty = with_them.penalty(X)
    assert penalty[:2].max() < 0.3
    assert penalty[2:].min() > 1.0
    assert not without.is_constrained
    assert with_them.is_constrained
    good = [c for _, c, _ in pairs]
    truth = np.array([5.0 + c["x"] for c in good])
    assert np.abs(with_them.model.predict(good).mean - truth).max() < 0.03


def test_most_suggestions_keep_away_from_where_evaluations_fail():
    space = Space(x=Real(0, 1), y=Real(0, 1))
    optimizer = HEBO(space, seed=0, settings=Settings(models="warped"))
    configs = space.sample(30, seed=0)
    optimizer.tell(configs, [None if c["x"] < 0.5 else c["x"] + c["y"] for c in configs])
    chosen = optimizer.ask(8)
    assert sum(c["x"] >= 0.45 for c in chosen) >= 7


def test_failed_configurations_are_not_suggested_again():
    space = Space(kind=Categorical(list("abcdefghijkl")), other=Categorical(list("123456")))
    rng = np.random.default_rng(1)
    optimizer = HEBO(space, seed=0, settings=Settings(models="warped"))
    configs = list({str(c): c for c in space.sample(400, seed=0)}.values())[:60]
    optimizer.tell(configs, [None if rng.random() < 0.3 else rng.random() for _ in configs])
    chosen = optimizer.ask(6)
    assert len(chosen) == 6
    assert not [c for c in chosen if dict(c) in configs]
