import json
import math
import os
import subprocess
import sys
from dataclasses import fields, replace

import numpy as np
import pytest

import warpfront.optimizers.hebo as hebo
from warpfront import (
    HEBO,
    Boolean,
    Categorical,
    Integer,
    Ordinal,
    Real,
    Settings,
    Space,
    WarpfrontError,
)
from warpfront.history import History
from warpfront.search.batch import MEAN_SLOT, SLOTS, UNCERTAINTY_SLOT
from warpfront.search.excursions import is_blind
from warpfront.search.nsga2 import pareto_mask
from warpfront.space.encoding import row_keys
from warpfront.surrogate.model import Model
from warpfront.surrogate.opinion import opinion

SPACE = Space(
    x=Real(0, 1),
    rate=Real(1e-5, 1e-1, scale="log"),
    n=Integer(1, 50),
    size=Ordinal(["s", "m", "l"]),
    colour=Categorical(["red", "green", "blue"]),
    deep=Boolean(),
)
PLANE = Space(x=Real(0, 1), y=Real(0, 1))
FAST = Settings(starts=1, iterations=15, population=30, generations=8)
"""The default method with a smaller search: for tests of behaviour, not of quality."""


def loss(config):
    return (
        (config["x"] - 0.3) ** 2
        + (math.log10(config["rate"]) + 3) ** 2 / 10
        + abs(config["n"] - 17) / 50
        + 0.3 * (config["colour"] != "green")
        + 0.2 * config["deep"]
    )


def bowl(config):
    return (config["x"] - 0.3) ** 2 + (config["y"] - 0.6) ** 2


def warmed_up(space=SPACE, function=loss, n=12, settings=FAST, seed=0):
    """An optimiser that has been told n quasi-random evaluations."""
    optimizer = HEBO(space, seed=seed, settings=settings)
    configs = space.sample(n, seed=99)
    optimizer.tell(configs, [function(c) for c in configs])
    return optimizer


def distinct(configs):
    return len({json.dumps(c, sort_keys=True) for c in configs}) == len(configs)


# The loop


def test_ask_and_tell_find_the_minimum_of_a_bowl():
    optimizer = HEBO(PLANE, seed=0)
    for _ in range(8):
        batch = optimizer.ask(4)
        optimizer.tell(batch, [bowl(c) for c in batch])
    assert optimizer.best.value < 1e-3
    assert len(optimizer.history) == 32


def test_the_first_points_are_quasi_random_and_then_the_model_speaks(monkeypatch):
    fitted = []
    fit = Model.fit
    monkeypatch.setattr(Model, "fit", lambda h, *rest: fitted.append(len(h)) or fit(h, *rest))
    optimizer = HEBO(PLANE, seed=4, settings=FAST)
    for _ in range(10):
        (suggestion,) = optimizer.ask()
        optimizer.tell(suggestion, bowl(suggestion))
    assert fitted == [8, 9]
    first = [dict(t.config) for t in optimizer.history.trials[:8]]
    assert first == PLANE.sample(8, seed=4)


@pytest.mark.parametrize(
    ("space", "settings", "initial"),
    [
        (PLANE, FAST, 8),
        (Space({f"x{i}": Real(0, 1) for i in range(9)}), FAST, 10),  # 1 + d
        (PLANE, replace(FAST, batch_rule="paper"), 3),
    ],
)
def test_so_many_first_points_are_asked_for_one_by_one(space, settings, initial):
    history = HEBO(space).history
    for i, config in enumerate(space.sample(initial, seed=0)):
        assert hebo.needs_initial_design(history, settings, i)
        history = history.tell([(None, config, float(i))])
    assert not hebo.needs_initial_design(history, settings, initial)


@pytest.mark.parametrize("fixed", [{}, {"c": 5}], ids=["all", "held"])
def test_first_points_end_when_all_is_tried_and_the_best_is_repeated(fixed):
    levels = Categorical(list(range(100 if fixed else 1)))
    optimizer = HEBO(Space(c=levels, b=Categorical(["p", "q", "r"])), seed=0)
    tried = []
    for _ in range(8):
        (suggestion,) = optimizer.ask(1, fixed=fixed)
        tried.append(suggestion["b"])
        optimizer.tell(suggestion, float("pqr".index(suggestion["b"])))
    assert sorted(tried[:3]) == ["p", "q", "r"]
    assert set(tried[3:]) == {"p"}


def test_first_points_that_are_asked_for_go_on_when_all_is_tried():
    space = Space(b=Categorical(["p", "q", "r"]))
    optimizer = HEBO(space, seed=0, settings=Settings(initial=16))
    for _ in range(16):
        (suggestion,) = optimizer.ask()
        optimizer.tell(suggestion, float("pqr".index(suggestion["b"])))
    late = {trial.config["b"] for trial in optimizer.history.trials[3:]}
    assert late == {"p", "q", "r"}


def test_a_branch_of_a_longer_study_needs_fewer_first_points():
    history = warmed_up(PLANE, bowl, n=3).history
    assert hebo.needs_initial_design(history, FAST, 7)
    assert not hebo.needs_initial_design(history, FAST, 8)


@pytest.mark.parametrize("initial", [1, 5])
def test_the_number_of_first_points_can_be_set(initial):
    optimizer = HEBO(PLANE, seed=0, settings=replace(FAST, initial=initial))
    sobol = PLANE.sample(8, seed=0)
    for i in range(7):
        (suggestion,) = optimizer.ask()
        assert (suggestion == sobol[i]) == (i < initial)
        optimizer.tell(suggestion, bowl(suggestion))


def test_a_warm_start_makes_the_model_speak_at_once():
    cold, warm = HEBO(SPACE, seed=0, settings=FAST), warmed_up()
    assert hebo.needs_initial_design(cold.history, FAST, len(cold.history))
    assert not hebo.needs_initial_design(warm.history, FAST, len(warm.history))
    # The model goes where it is good; quasi-random points do not.
    batch = warm.ask(8)
    assert np.median([loss(c) for c in batch]) < np.median([loss(c) for c in cold.ask(8)])


def test_a_warm_start_of_failures_only_keeps_to_quasi_random_points():
    optimizer = HEBO(SPACE, seed=0, settings=FAST)
    optimizer.tell(SPACE.sample(12, seed=99), [math.nan] * 12)
    assert hebo.needs_initial_design(optimizer.history, FAST, len(optimizer.history))
    assert all(c in SPACE for c in optimizer.ask(4))


def test_suggestions_are_numbered_distinct_and_native():
    optimizer = warmed_up()
    batch = optimizer.ask(8)
    assert [s.number for s in batch] == list(range(12, 20))
    assert distinct(batch)
    kinds = {name: type(value) for name, value in batch[0].items()}
    assert kinds == {"x": float, "rate": float, "n": int, "size": str, "colour": str, "deep": bool}


def test_tells_may_be_partial_and_out_of_order():
    optimizer = warmed_up()
    batch = optimizer.ask(5)
    optimizer.tell(batch[3], 0.5)
    optimizer.tell([batch[4], batch[0]], [0.25, math.nan])
    states = [t.state for t in optimizer.history.trials[12:]]
    assert states == ["failed", "pending", "pending", "completed", "completed"]
    assert [t.value for t in optimizer.history.trials[15:]] == [0.5, 0.25]
    more = optimizer.ask(3)
    assert distinct(more + batch)
    optimizer.tell([*more, batch[2], batch[1]], [loss(c) for c in more] + [1.0, 2.0])
    assert len(optimizer.history.pending) == 0
    assert all(c in SPACE for c in optimizer.ask(2))


def test_the_order_of_the_answers_does_not_matter():
    first, second = warmed_up(), warmed_up()
    batch = first.ask(6)
    assert second.ask(6) == batch
    values = [loss(c) for c in batch[:4]] + [math.nan]
    for i in (0, 1, 2, 3, 4):
        first.tell(batch[i], values[i])
    for i in (3, 0, 4, 2, 1):
        second.tell(batch[i], values[i])
    assert first.ask(4) == second.ask(4)


def test_settings_that_are_none_are_refused():
    with pytest.raises(WarpfrontError, match="Settings"):
        HEBO(SPACE, settings={"starts": 2})


# Held parameters


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize("settings", [FAST, replace(FAST, batch_rule="paper", seeded=0.0)])
@pytest.mark.parametrize(
    "fixed",
    [
        {"colour": "blue"},
        {"x": 0.123, "n": 9},
        {"rate": 1e-5, "deep": True, "size": "m"},
        {"x": 0.5, "rate": 1e-3, "n": 1, "colour": "red", "deep": False},
    ],
)
def test_held_parameters_are_held(warm, settings, fixed):
    optimizer = warmed_up(settings=settings) if warm else HEBO(SPACE, seed=0, settings=settings)
    batch = optimizer.ask(8, fixed=fixed)
    assert len(batch) == 8
    assert all(c in SPACE for c in batch)
    assert all(c[name] == value for c in batch for name, value in fixed.items())
    assert distinct(batch) or len(fixed) == 5  # three configurations are left then


@pytest.mark.parametrize("warm", [False, True])
def test_everything_may_be_held(warm):
    optimizer = warmed_up() if warm else HEBO(SPACE, seed=0, settings=FAST)
    wish = SPACE.sample(1, seed=5)[0]
    assert optimizer.ask(3, fixed=wish) == [wish] * 3


@pytest.mark.parametrize("warm", [False, True])
@pytest.mark.parametrize(
    ("fixed", "complaint"),
    [
        ({"colour": "pink"}, "'colour'.*'pink'"),
        ({"n": 51}, "'n'.*51"),
        ({"depth": 1}, "'depth'"),
        ({"x": math.nan}, "'x'"),
        ([("x", 0.5)], "configuration"),
    ],
)
def test_a_bad_wish_is_refused_and_changes_nothing(warm, fixed, complaint):
    optimizer = warmed_up() if warm else HEBO(SPACE, seed=0, settings=FAST)
    before = optimizer.history
    with pytest.raises(WarpfrontError, match=complaint):
        optimizer.ask(2, fixed=fixed)
    assert optimizer.history is before


@pytest.mark.parametrize("settings", [FAST, replace(FAST, acquisition="ei")], ids=["front", "ei"])
@pytest.mark.parametrize("warm", [False, True])
def test_a_held_real_comes_back_to_the_last_digit(warm, settings):
    optimizer = HEBO(SPACE, seed=0, settings=settings)
    if warm:
        optimizer = warmed_up(settings=settings)
    assert hebo.needs_initial_design(optimizer.history, settings, len(optimizer.history)) != warm
    for wish in ({"x": 1 / 3}, {"rate": 1e-3 / 3}, {"x": 0.1 + 0.2, "rate": 1.1e-5}):
        (suggestion,) = optimizer.ask(1, fixed=wish)
        assert {name: suggestion[name] for name in wish} == wish
        assert optimizer.history.trials[-1].config == suggestion


@pytest.mark.parametrize("warm", [False, True])
def test_single_asks_in_a_small_context_are_no_copies(warm):
    space = Space(x=Real(0, 1), n=Integer(1, 10))
    optimizer = HEBO(space, seed=0, settings=FAST)
    if warm:
        configs = [c for c in space.sample(12, seed=1) if c["x"] != 1 / 3]
        optimizer.tell(configs, [c["x"] + c["n"] for c in configs])
    asked = [optimizer.ask(1, fixed={"x": 1 / 3})[0] for _ in range(9)]
    assert {c["x"] for c in asked} == {1 / 3}
    assert len({c["n"] for c in asked}) == 9
    # The tenth is the only one left, and whatever comes then is a copy.
    asked += optimizer.ask(1, fixed={"x": 1 / 3})
    assert {c["n"] for c in asked} == set(range(1, 11))
    assert optimizer.ask(1, fixed={"x": 1 / 3})[0]["n"] in range(1, 11)


def test_a_held_parameter_is_a_context_to_optimise_in():
    # What is known to be good in the one context must not be the measure of the other.
    space = Space(x=Real(0, 1), context=Categorical(["low", "high"]))
    optimum = {"low": 0.2, "high": 0.8}
    missed = {"low": [], "high": []}
    for seed in range(7):
        optimizer = HEBO(space, seed=seed, settings=FAST)
        for i in range(16):
            batch = optimizer.ask(2, fixed={"context": ["low", "high"][i % 2]})
            optimizer.tell(batch, [(c["x"] - optimum[c["context"]]) ** 2 for c in batch])
        for context, x in optimum.items():
            tried = [t for t in optimizer.history.trials if t.config["context"] == context]
            missed[context].append(min(abs(t.config["x"] - x) for t in tried))
    assert np.median(missed["low"]) < 0.02
    assert np.median(missed["high"]) < 0.02


# Pending points


def spacing(configs, space):
    """The smallest distance of two configurations in the unit cube."""
    X = space.encoding.encode(configs)
    gaps = np.linalg.norm(X[:, None] - X, axis=2)
    return gaps[np.triu_indices(len(X), 1)].min()


@pytest.mark.parametrize("rule", ["slots", "paper"])
def test_eight_single_suggestions_are_no_copies_of_each_other(rule):
    optimizer = warmed_up(settings=replace(FAST, batch_rule=rule))
    singles = [optimizer.ask()[0] for _ in range(8)]
    assert distinct(singles)
    assert not any(s in SPACE.sample(12, seed=99) for s in singles)


def test_single_suggestions_lie_as_far_apart_as_a_batch():
    near, together = [], []
    for seed in range(8):
        one, eight = (warmed_up(PLANE, bowl, settings=Settings(), seed=seed) for _ in range(2))
        near.append(spacing([one.ask()[0] for _ in range(8)], PLANE))
        together.append(spacing(eight.ask(8), PLANE))
    assert np.median(near) > 0.5 * np.median(together)


def test_pending_points_are_avoided():
    # Without regard to what is pending, the second request would be answered as the first.
    optimizer, forgetful = (warmed_up(PLANE, bowl, settings=Settings()) for _ in range(2))
    first = optimizer.ask(8)
    second = optimizer.ask(8)
    assert distinct(first + second)
    # The spread of the model shrinks where something is pending.
    gp = forgetful.model.gp
    pending = PLANE.encoding.encode(first)
    believed = gp.believe(pending)
    assert np.all(believed.predict(pending)[1] < gp.predict(pending)[1])


def test_eight_single_suggestions_play_the_roles_of_a_batch(monkeypatch):
    played = []

    def spy(front, mean, variance, numbers, rule, rng, other_mean):
        rows = choose(front, mean, variance, numbers, rule, rng, other_mean)
        slot = numbers[0] % SLOTS
        if slot in (MEAN_SLOT, UNCERTAINTY_SLOT):
            best = np.argmin(mean) if slot == MEAN_SLOT else np.argmax(variance)
            played.append((slot, np.array_equal(rows[0], front[best])))
        return rows

    choose = hebo.choose
    monkeypatch.setattr(hebo, "choose", spy)
    optimizer = warmed_up(n=13)
    for _ in range(8):
        optimizer.ask()
    assert sorted(played) == [(MEAN_SLOT, True), (UNCERTAINTY_SLOT, True)]


def test_a_fit_is_not_repeated_while_nothing_is_told(monkeypatch):
    fits = []
    fit = Model.fit
    monkeypatch.setattr(Model, "fit", lambda *rest: fits.append(1) or fit(*rest))
    optimizer = warmed_up()
    batch = [optimizer.ask()[0] for _ in range(3)]
    assert len(fits) == 1
    assert optimizer.model is optimizer.model
    optimizer.tell(batch[0], 1.0)
    optimizer.ask()
    assert len(fits) == 2


def test_the_kept_fit_changes_no_suggestion():
    kept = warmed_up()
    kept.ask()
    fresh = hebo.suggest(kept.history, 3, seed=0, fixed={}, settings=FAST)
    assert kept.ask(3) == fresh


# How the parts are put together


@pytest.fixture
def ensembles(monkeypatch):
    """What every ensemble of acquisitions was built from."""
    seen = []
    build = hebo.Ensemble.build

    def spy(gp, incumbent, settings, *, n, q, rng):
        seen.append({"gp": gp, "incumbent": incumbent, "settings": settings, "n": n, "q": q})
        return build(gp, incumbent, settings, n=n, q=q, rng=rng)

    monkeypatch.setattr(hebo.Ensemble, "build", spy)
    return seen


def half_told(settings=FAST):
    """12 completed, 2 failed, 3 pending and 1 withdrawn trials."""
    optimizer = warmed_up(settings=settings)
    waiting = optimizer.ask(6, fixed={"deep": True})
    optimizer.tell(waiting[:2], [math.nan, None])
    optimizer.withdraw([waiting[2]])
    return optimizer


@pytest.mark.parametrize("acquisition", ["ensemble", "lcb"])
def test_the_acquisitions_see_what_is_pending_as_predicted(ensembles, acquisition):
    optimizer = half_told(replace(FAST, acquisition=acquisition, neighbours=False))
    pending = optimizer.history.pending
    assert len(pending) == 3
    model = optimizer.model
    ensembles.clear()
    optimizer.ask(2)
    gp = ensembles[0]["gp"]
    assert np.array_equal(gp.X, np.vstack([model.gp.X, pending]))
    np.testing.assert_allclose(gp.y[len(model.gp.y) :], model.posterior(pending)[0])
    if acquisition == "lcb":  # one by one: the first of the batch is pending for the second
        first, second = (e["gp"] for e in ensembles)
        assert np.array_equal(second.X[:-1], first.X)
        chosen = SPACE.encoding.encode([optimizer.history.trials[-2].config])
        np.testing.assert_allclose(second.X[-1], chosen[0], atol=1e-9)


@pytest.mark.parametrize(
    ("rule", "asked", "q"), [("paper", 4, 3 + 4), ("slots", 4, SLOTS), ("slots", 6, 3 + 6)]
)
def test_the_weight_of_exploration_counts_what_was_told_and_what_is_in_flight(
    ensembles, rule, asked, q
):
    settings = replace(FAST, batch_rule=rule)
    optimizer = half_told(settings)
    assert len(optimizer.history) == 18
    ensembles.clear()
    optimizer.ask(asked)
    assert [(e["n"], e["q"]) for e in ensembles] == [(14, q)]
    assert ensembles[0]["settings"] is settings


def test_the_weight_of_exploration_counts_more_than_the_model_predicts_with(ensembles, monkeypatch):
    monkeypatch.setattr("warpfront.surrogate.gp.ACTIVE_POINTS", 10)
    optimizer = warmed_up(n=30)
    optimizer.ask(1)
    assert len(ensembles[0]["gp"].y) == 10
    assert ensembles[0]["n"] == 30


def test_the_threshold_of_improvement_is_at_the_best_observed_configuration(ensembles):
    for best in (0, 7, 11):
        optimizer = HEBO(SPACE, seed=0, settings=FAST)
        configs = SPACE.sample(12, seed=99)
        values = [2.0 + loss(c) for c in configs]
        values[best] = 0.5
        values[3] = math.nan
        optimizer.tell(configs, values)
        assert optimizer.best.config == configs[best]
        ensembles.clear()
        optimizer.ask(2)
        (encoded,) = SPACE.encoding.encode([configs[best]])
        assert np.array_equal(ensembles[0]["incumbent"], encoded)


def test_the_threshold_leaves_out_columns_that_cannot_vary(ensembles):
    space = Space(a=Real(0, 1), one=Integer(4, 4), b=Real(0, 1))
    optimizer = HEBO(space, seed=0, settings=FAST)
    configs = space.sample(9, seed=2)
    optimizer.tell(configs, [c["a"] + c["b"] for c in configs])
    optimizer.ask(1)
    best = optimizer.best.config
    assert ensembles[0]["incumbent"].tolist() == [best["a"], best["b"]]


@pytest.mark.parametrize("rule", ["paper", "slots"])
def test_what_was_tried_leaves_the_front_after_or_before_it_is_drawn(monkeypatch, rule):
    populations, fronts = [], []
    search, choose = hebo.nsga2, hebo.choose

    def spy_on_search(*rest):
        populations.append(search(*rest))
        return populations[-1]

    def spy_on_choice(front, *rest):
        fronts.append(front)
        return choose(front, *rest)

    monkeypatch.setattr(hebo, "nsga2", spy_on_search)
    monkeypatch.setattr(hebo, "choose", spy_on_choice)
    space = Space(n=Integer(1, 40), m=Integer(1, 3))
    plain = replace(FAST, batch_rule=rule, neighbours=False, excursions=False)
    optimizer = HEBO(space, seed=0, settings=plain)
    configs = space.sample(60, seed=1)
    optimizer.tell(configs, [abs(c["n"] - 17) + c["m"] for c in configs])
    tried = set(row_keys(space.encoding.encode(configs)))
    optimizer.ask(3)
    ((X, F),), (front,) = populations, fronts
    new = np.array([key not in tried for key in row_keys(X)])
    of_all = new & pareto_mask(F)
    of_new = np.zeros(len(X), dtype=bool)
    of_new[new] = pareto_mask(F[new])
    assert (of_all & ~of_new).sum() == 0
    assert of_new.sum() > of_all.sum()  # the scene tells the two rules apart
    expected = X[of_all if rule == "paper" else of_new]
    assert set(row_keys(front)) == set(row_keys(expected))


# Failures


@pytest.mark.parametrize(
    "settings", [Settings(), Settings.paper(starts=2, generations=30)], ids=["default", "paper"]
)
def test_a_failing_region_is_left_even_if_the_trend_points_into_it(settings):
    share = []
    for seed in range(3):
        optimizer = HEBO(PLANE, seed=seed, settings=settings)
        for round_ in range(8):
            batch = optimizer.ask(8)
            failing = [c["x"] > 0.5 for c in batch]
            losses = [1.0 - c["x"] + (c["y"] - 0.5) ** 2 for c in batch]
            optimizer.tell(
                batch, [math.nan if f else v for f, v in zip(failing, losses, strict=True)]
            )
            if round_ >= 2:
                share += failing
        assert optimizer.best.value < 0.54  # the border, which is the optimum, is found
    assert np.mean(share) < 0.35


def test_failed_configurations_are_not_proposed_again():
    space = Space(n=Integer(1, 30))
    optimizer = HEBO(space, seed=0, settings=FAST)
    for _ in range(10):
        (suggestion,) = optimizer.ask()
        n = suggestion["n"]
        optimizer.tell(suggestion, math.nan if n % 2 else float(n))
    tried = [t.config["n"] for t in optimizer.history.trials]
    assert len(set(tried)) == 10


# Finite spaces


def test_a_finite_space_is_used_up_without_repeats_and_then_repeated():
    space = Space(n=Integer(1, 3), deep=Boolean())
    optimizer = HEBO(space, seed=0, settings=FAST)
    for _ in range(3):
        batch = optimizer.ask(2)
        optimizer.tell(batch, [c["n"] + c["deep"] for c in batch])
    assert len({(t.config["n"], t.config["deep"]) for t in optimizer.history.trials}) == 6
    batch = optimizer.ask(20)
    assert len(batch) == 20
    assert all(c in space for c in batch)


@pytest.fixture(scope="module")
def pulls():
    """How often, under two seeds, eight arms of means 0 to 7 and noise 1 are tried, (2, 8)."""
    counts, arms = np.zeros((2, 8)), "abcdefgh"
    for seed in range(2):
        rng = np.random.default_rng(seed)
        optimizer = HEBO(Space(arm=Categorical(list(arms))), seed=seed)
        for _ in range(20):
            batch = optimizer.ask(4)
            optimizer.tell(batch, [arms.index(c["arm"]) + rng.normal() for c in batch])
        for trial in optimizer.history.trials:
            counts[seed, arms.index(trial.config["arm"])] += 1
    return counts


def test_a_space_that_is_used_up_is_replicated_where_it_is_worth_it(pulls):
    assert pulls.min() >= 1
    # By chance the best two would be tried half as often as the worst four.
    best, worst = pulls[:, :2].sum(axis=1), pulls[:, 4:].sum(axis=1)
    assert np.all(best > worst), pulls
    assert np.all(pulls[:, :2].mean(axis=1) > 2.0 * pulls[:, 4:].mean(axis=1)), pulls


def test_the_worst_of_a_used_up_space_are_seldom_replicated(pulls):
    best, worst = pulls[:, :2].sum(axis=1), pulls[:, 4:].sum(axis=1)
    assert np.all(best > 1.5 * worst), pulls


def test_more_than_there_is_may_be_asked_at_once():
    space = Space(n=Integer(1, 3), deep=Boolean())
    batch = HEBO(space, seed=0, settings=FAST).ask(20)
    assert len(batch) == 20
    assert len({(c["n"], c["deep"]) for c in batch}) == 6


def test_the_best_of_a_finite_space_is_found_early():
    space = Space(n=Integer(1, 100), c=Categorical(list("abcd")))
    best = []
    for seed in range(3):
        optimizer = HEBO(space, seed=seed, settings=FAST)
        for _ in range(6):
            batch = optimizer.ask(8)
            optimizer.tell(batch, [abs(c["n"] - 37) + 5 * "cabd".index(c["c"]) for c in batch])
        best.append(optimizer.best.value)
    assert np.median(best) <= 1.0


# The same everywhere

SCRIPT = """
import json, sys
from warpfront import HEBO, Settings, Space
space = Space.from_dict(json.loads(sys.argv[1]))
optimizer = HEBO(space, seed=11, settings=Settings.from_dict(json.loads(sys.argv[2])))
asked = []
for number in range(4):
    batch = optimizer.ask(5)
    asked.append(batch)
    optimizer.tell(batch[:4], [c["x"] + c["n"] if c["deep"] else None for c in batch[:4]])
print(json.dumps(asked))
"""


def test_the_same_seed_gives_the_same_suggestions_in_any_process():
    arguments = [json.dumps(SPACE.to_dict()), json.dumps(FAST.to_dict())]
    printed = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, *arguments],
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    optimizer, asked = HEBO(SPACE, seed=11, settings=FAST), []
    for _ in range(4):
        batch = optimizer.ask(5)
        asked.append(batch)
        values = [c["x"] + c["n"] if c["deep"] else None for c in batch[:4]]
        optimizer.tell(batch[:4], values)
    assert [json.loads(text) for text in printed] == [asked]


def test_another_seed_gives_other_suggestions():
    assert warmed_up(seed=1).ask(4) != warmed_up(seed=2).ask(4)


def test_a_seed_is_drawn_if_none_is_given():
    optimizer = HEBO(SPACE, settings=FAST)
    again = HEBO(SPACE, seed=optimizer.seed, settings=FAST)
    assert optimizer.ask(3) == again.ask(3)
    assert optimizer.seed != HEBO(SPACE).seed


def test_the_global_random_state_is_left_alone():
    np.random.seed(5)  # noqa: NPY002
    before = np.random.get_state()  # noqa: NPY002
    optimizer = HEBO(SPACE, seed=0, settings=FAST)
    for _ in range(3):
        batch = optimizer.ask(8)
        optimizer.tell(batch, [loss(c) for c in batch])
    after = np.random.get_state()  # noqa: NPY002
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize(
    "look",
    [
        lambda optimizer: optimizer.ask(8),
        lambda optimizer: optimizer.recommendation,
        lambda optimizer: optimizer.model.predict(SPACE.sample(8, seed=9)).std.tolist(),
        lambda optimizer: optimizer.model.quantile(SPACE.sample(8, seed=9), 0.1).tolist(),
    ],
    ids=["ask", "recommendation", "predict", "quantile"],
)
def test_numpy_may_be_told_to_raise_on_every_oddity_of_floats(look):
    lenient, strict = (HEBO(SPACE, seed=0) for _ in range(2))
    for optimizer in (lenient, strict):  # losses so small that all arithmetic underflows
        optimizer.tell(SPACE.sample(16, seed=99), [5e-322 * i for i in range(16)])
    with np.errstate(all="raise"):
        found = look(strict)
        assert np.geterr() == dict.fromkeys(("divide", "over", "under", "invalid"), "raise")
    assert found == look(lenient)


def test_a_suggestion_is_a_pure_function_of_the_history():
    history = warmed_up().history
    trials = history.trials
    once = hebo.suggest(history, 4, seed=3, fixed={}, settings=FAST)
    again = hebo.suggest(History(SPACE, trials), 4, seed=3, fixed={}, settings=FAST)
    assert once == again
    assert history.trials is trials


# Resume


@pytest.mark.parametrize("settings", [FAST, Settings.paper(starts=2, iterations=20, generations=5)])
def test_a_run_may_be_interrupted_anywhere(settings):
    optimizer = HEBO(SPACE, seed=7, settings=settings)
    waiting = []
    # How many to ask, and how many of those that wait to tell, the latest first.
    for step, (asked, told) in enumerate([(3, 1), (2, 2), (4, 0), (1, 3), (8, 6), (1, 1), (5, 4)]):
        resumed = HEBO.from_json(optimizer.to_json())
        batch = optimizer.ask(asked)
        again = resumed.ask(asked)
        assert again == batch
        assert [s.number for s in again] == [s.number for s in batch]
        waiting += batch
        for suggestion in waiting[len(waiting) - told :]:
            value = math.nan if step in (1, 4) and suggestion["x"] > 0.5 else loss(suggestion)
            resumed = HEBO.from_json(optimizer.to_json())
            for one in (optimizer, resumed):
                one.tell(suggestion, value)
            assert resumed.history == optimizer.history
        waiting = waiting[: len(waiting) - told]
    states = {t.state for t in optimizer.history.trials}
    assert states == {"completed", "failed", "pending"}


def test_a_chain_of_resumed_optimisers_is_one_run():
    whole = chain = HEBO(SPACE, seed=7, settings=FAST)
    chain = HEBO.from_json(whole.to_json())
    for _ in range(4):
        for fixed in (None, {"deep": False}):
            batch = whole.ask(4, fixed=fixed)
            assert chain.ask(4, fixed=fixed) == batch
            whole.tell(batch[1:], [loss(c) for c in batch[1:]])
            chain.tell(batch[1:], [loss(c) for c in batch[1:]])
            chain = HEBO.from_json(chain.to_json())
    assert chain.history == whole.history
    assert chain.settings == FAST
    assert chain.to_json() == whole.to_json()


# Settings

SWITCHES = [
    *({"output_warp": value} for value in ("power", "robust", "none")),
    *({"input_warp": value} for value in (True, False)),
    *({"warp_prior": value} for value in ("paper", "dimension")),
    *({"smoothness": value} for value in ("matern32", "matern52")),
    *({"linear_kernel": value} for value in (True, False)),
    *({"lengthscale_prior": value} for value in ("flat", "fixed", "dimension")),
    *({"noise_prior": value} for value in ("paper", "wide")),
    *({"acquisition": value} for value in ("ensemble", "lcb", "ei", "pi")),
    *({"robustness": value} for value in ("noise", "monte-carlo", "none")),
    *({"robustness": "monte-carlo", "acquisition": a, "samples": 2} for a in ("lcb", "ei")),
    {"rho": 0.1},
    {"rho": 0.1, "delta": 0.5, "acquisition": "ei"},
    {"rho": 1e-300},
    {"rho": math.nextafter(1.0, 0.0)},
    *({"race": value, "starts": 3} for value in (True, False)),
    *({"tolerance": value} for value in (0.0, 1.0)),
    {"perturbation": 0.0, "robustness": "monte-carlo"},
    {"perturbation": 10.0, "robustness": "monte-carlo"},
    *({"batch_rule": value} for value in ("paper", "slots")),
    *({"polish": value} for value in (True, False)),
    *({"neighbours": value} for value in (True, False)),
    *({"excursions": value} for value in (True, False)),
    *({"initial": value} for value in (1, 20)),
    *({"seeded": value} for value in (0.0, 1.0)),
    {"population": 4},
    {"generations": 0},
    {"starts": 3},
    {"iterations": 1},
]


@pytest.mark.parametrize("preset", [Settings(), Settings.paper()], ids=["default", "paper"])
@pytest.mark.parametrize("changes", SWITCHES, ids=lambda c: " ".join(f"{k}={c[k]}" for k in c))
def test_every_switch_gives_valid_suggestions(preset, changes):
    small = {"starts": 1, "iterations": 15, "population": 20, "generations": 5}
    settings = replace(preset, **(small | changes))
    optimizer = warmed_up(settings=settings)
    optimizer.tell(SPACE.sample(2, seed=3), [math.nan, 1.0])
    waiting = optimizer.ask(2)
    batch = optimizer.ask(8)
    assert len(batch) == 8
    assert all(c in SPACE for c in batch)
    assert distinct(waiting + batch)


MONTE_CARLO = {"robustness": "monte-carlo", "samples": 2}
EFFECTS = {
    "output_warp": [{"output_warp": "none"}, {"output_warp": "power"}],
    "input_warp": [{"input_warp": False}],
    "warp_prior": [{"warp_prior": "paper"}],
    "smoothness": [{"smoothness": "matern52"}],
    "linear_kernel": [{"linear_kernel": True}],
    "additive_kernel": [{"additive_kernel": True}],
    "second_opinion": [{"second_opinion": False}],
    "lengthscale_prior": [{"lengthscale_prior": "flat"}, {"lengthscale_prior": "fixed"}],
    "noise_prior": [{"noise_prior": "paper"}],
    "starts": [{"starts": 6}],
    "iterations": [{"iterations": 3}],
    "tolerance": [{"tolerance": 1e-1}],
    "race": [{"race": False}],
    "acquisition": [{"acquisition": "lcb"}, {"acquisition": "ei"}, {"acquisition": "pi"}],
    "robustness": [{"robustness": "none"}, {"robustness": "monte-carlo"}],
    "rho": [{"rho": 0.5}],
    "delta": [{"delta": 0.9}],
    "perturbation": [{"perturbation": 0.5}],
    "samples": [{"samples": 3}],
    "population": [{"population": 31}],
    "generations": [{"generations": 9}],
    "seeded": [{"seeded": 0.0}],
    "batch_rule": [{"batch_rule": "paper"}],
    "polish": [{"polish": False}],
    "neighbours": [{"neighbours": False}],
    "excursions": [{"excursions": False}],
    "initial": [{"initial": 15}],
}
"""Changes of each setting, each of which must change a suggestion."""
BASES = {
    "second_opinion": {"output_warp": "none"},
    "starts": {"race": False},
    "race": {"starts": 3, "second_opinion": False},
    "delta": {"rho": 0.5},
    "perturbation": MONTE_CARLO,
    "samples": MONTE_CARLO,
}
"""Under which settings they do, where it is not FAST."""
SIZES = {
    **{"second_opinion": 48, "race": 80, "starts": 8, "output_warp": 30, "excursions": 60},
    "polish": 40,
}
"""After how many trials they do, where it is not 12."""
SPACES = {"warp_prior": Space(dict.fromkeys([*PLANE, *"abcdefgh"], Real(0, 1)))}
"""In which space they do, where it is not PLANE."""


@pytest.mark.parametrize(
    ("name", "changes"),
    [(f.name, changes) for f in fields(Settings) for changes in EFFECTS.get(f.name, [None])],
    ids=str,
)
def test_no_switch_is_without_effect(name, changes):
    assert changes is not None, f"what does {name} change? Say so in EFFECTS"
    base = replace(FAST, **BASES.get(name, {}))
    plain, again, changed = (
        warmed_up(
            SPACES.get(name, PLANE),
            lambda c: math.exp(5 * bowl(c)),
            n=SIZES.get(name, 12),
            settings=replace(base, **more),
        ).ask(8)
        for more in ({}, {}, changes)
    )
    assert set(changes) == {name}
    assert getattr(base, name) != changes[name]
    assert plain == again
    assert plain != changed


def test_the_paper_preset_is_the_papers():
    paper = Settings.paper().to_dict()
    assert paper == {
        "output_warp": "power",
        "input_warp": True,
        "warp_prior": "paper",
        "smoothness": "matern32",
        "linear_kernel": True,
        "additive_kernel": False,
        "second_opinion": False,
        "lengthscale_prior": "flat",
        "noise_prior": "paper",
        "starts": 10,
        "iterations": 200,
        "tolerance": 2.2e-9,
        "race": False,
        "acquisition": "ensemble",
        "robustness": "noise",
        "rho": None,
        "delta": 0.05,
        "perturbation": 0.1,
        "samples": 8,
        "population": 100,
        "generations": 100,
        "seeded": 0.0,
        "batch_rule": "paper",
        "polish": False,
        "neighbours": False,
        "excursions": False,
        "initial": None,
    }


# Plateaus


def test_a_plateau_is_left_by_some_of_eight_trials():
    space = Space({name: Real(0, 1) for name in "abcdef"})
    optimizer = HEBO(space, seed=0, settings=FAST)
    for _ in range(4):  # nothing is ever gained
        batch = optimizer.ask(8)
        optimizer.tell(batch, [1.0 + max(0.0, c["a"] - 0.2) for c in batch])
    on_it = np.array([[c["a"] < 0.2 for c in optimizer.ask(8)] for _ in range(8)])
    stays, leaves = on_it[:, [0, 5, 7]], on_it[:, [1, 2, 3, 4, 6]]
    assert stays.mean() > leaves.mean() + 0.2


@pytest.mark.parametrize("settings", [FAST, replace(FAST, neighbours=False)])
def test_roles_are_shared_out_one_by_one_as_in_a_batch(settings):
    space = Space({name: Real(0, 1) for name in "abc"})
    told = sorted(space.sample(40, seed=1), key=lambda c: c["a"])  # nothing is gained any more
    optimizer = HEBO(space, seed=0, settings=settings)
    optimizer.tell(told, [c["a"] for c in told])

    def shared_out(*batches):
        gp, history = optimizer.model.gp, optimizer.history
        roles = [
            hebo.Roles.of(batch, history, gp, settings, calm=False, repeating=False)
            for batch in batches
        ]
        assert not any(r.blind for r in roles)
        return [sorted(k for r in roles for k in r[i]) for i in range(3)]

    together = shared_out(range(40, 48))
    assert together == shared_out(*(range(k, k + 1) for k in range(40, 48)))
    near = [43, 45, 47] if settings.neighbours else []
    assert together == [sorted({40, 41, 43, 45, 47} - set(near)), near, [42, 44, 46]]
    gp, history = optimizer.model.gp, optimizer.history
    repeating = hebo.Roles.of(range(3), history, gp, settings, calm=False, repeating=True)
    assert repeating == ([0, 1, 2], [], [], False)


def test_where_losses_are_calm_small_gains_after_a_bad_start_count():
    space = Space({name: Real(0, 1) for name in "abc"})
    losses = np.r_[np.linspace(1000.0, 900.0, 16), 10.0, 10.0 * 0.8 ** np.arange(1, 24)]
    downhill = sorted(space.sample(40, seed=1), key=lambda c: -c["a"])
    history = HEBO(space, seed=0).history.tell(
        [(None, c, y) for c, y in zip(downhill, losses, strict=True)]
    )
    gp = Model.fit(history, Settings(), 0).gp

    def roles(calm):
        batch = range(72, 80)
        return hebo.Roles.of(batch, history, gp, FAST, calm=calm, repeating=False)

    assert roles(calm=True) == ([72, 74, 76, 78], [73, 75, 77, 79], [], False)
    assert roles(calm=False) == ([72, 73, 78], [75, 77, 79], [74, 76], False)


def test_where_all_is_noise_most_trials_go_anywhere_until_a_signal_shows():
    space = Space({name: Real(0, 1) for name in "abcdef"})
    noise = np.random.default_rng(2)

    def chance(config):  # nine tenths of the space say nothing
        return -1.0 if config["a"] < 0.1 else float(noise.normal(0.0, 0.01))

    optimizer = HEBO(space, seed=2, settings=FAST)
    told = [c for c in space.sample(60, seed=3) if c["a"] >= 0.1]
    optimizer.tell(told, [chance(c) for c in told])
    assert is_blind(optimizer.model.gp, len(told))
    # 72 of 96 go anywhere: that none of these meets a tenth of the space happens once in 2,000.
    tried = np.array([list(c.values()) for _ in range(12) for c in optimizer.ask(8)])
    assert tried[:, 0].std() > 0.15
    assert (tried[:, 0] < 0.1).any()
    good = [{**c, "a": 0.01 * i} for i, c in enumerate(told[:6])]
    optimizer.tell(good, [chance(c) for c in good])
    assert not is_blind(optimizer.model.gp, len(told) + 6)


# Neighbours


@pytest.mark.parametrize(("sure", "slots"), [(True, [3, 5, 7]), (False, [2, 3, 5, 6, 7])])
def test_some_of_eight_trials_are_beside_the_best_points(sure, slots, monkeypatch):
    monkeypatch.setattr(hebo, "is_sure", lambda gp, completed: sure)
    optimizer = warmed_up(PLANE, bowl, n=16, settings=FAST)
    found, seek = [], hebo.neighbours
    monkeypatch.setattr(
        hebo, "neighbours", lambda *rest, **calm: found.append(seek(*rest, **calm)) or found[-1]
    )
    batch = PLANE.encoding.encode(optimizer.ask(8))
    np.testing.assert_allclose(batch[slots], found[0])


def test_neighbours_know_of_the_points_of_the_front_beside_which_they_are_asked(monkeypatch):
    optimizer = warmed_up(PLANE, bowl, n=16, settings=FAST)
    monkeypatch.setattr(hebo, "is_sure", lambda gp, completed: True)
    models, seek = [], hebo.neighbours
    monkeypatch.setattr(
        hebo, "neighbours", lambda *rest, **calm: models.append(rest[3]) or seek(*rest, **calm)
    )
    batch = PLANE.encoding.encode(optimizer.ask(8))
    front = batch[[0, 1, 2, 4, 6]]
    np.testing.assert_allclose(models[0].X[-5:], front)


def test_a_model_that_is_not_sure_of_noisy_losses_has_no_more_neighbours(monkeypatch):
    monkeypatch.setattr(hebo, "is_sure", lambda gp, completed: False)
    optimizer = warmed_up(PLANE, bowl, n=16, settings=FAST)
    known = range(16, 24), optimizer.history, optimizer.model.gp, FAST
    calm, noisy = (hebo.Roles.of(*known, calm=calm, repeating=False) for calm in (True, False))
    assert calm.near == [18, 19, 21, 22, 23]
    assert noisy.near == [19, 21, 23]


# The model that was not chosen


def sum_of_waves(config):
    return math.cos(12 * config["x"]) + math.cos(9 * config["y"])


@pytest.fixture
def others_means(monkeypatch):
    """What the other model predicts for the front, or None, each time that a batch is chosen."""
    monkeypatch.setattr(hebo, "excursion_slots", lambda losses, blind: frozenset())
    seen, choose = [], hebo.choose
    monkeypatch.setattr(hebo, "choose", lambda *rest: seen.append(rest[6]) or choose(*rest))
    return seen


@pytest.mark.parametrize(
    ("n", "changes", "speaks"),
    [
        (48, {}, True),
        (47, {}, False),  # too few to hear it
        (48, {"second_opinion": False}, False),
        (48, {"batch_rule": "paper"}, False),
    ],
)
def test_where_losses_are_calm_the_other_model_has_a_trial(n, changes, speaks, others_means):
    warmed_up(PLANE, sum_of_waves, n=n, settings=replace(FAST, **changes)).ask(8)
    assert [mean is not None for mean in others_means] == [speaks]


def test_where_losses_are_noisy_it_has_none(others_means, monkeypatch):
    monkeypatch.setattr(hebo, "is_calm", lambda gp, features: False)
    warmed_up(PLANE, sum_of_waves, n=48).ask(8)
    assert others_means == [None]


def test_one_by_one_it_is_asked_for_its_trial_alone(others_means):
    optimizer = warmed_up(PLANE, sum_of_waves, n=48)
    numbers = []
    for number in range(48, 56):
        before = len(others_means)
        optimizer.ask()
        if len(others_means) > before and others_means[-1] is not None:
            numbers.append(number)
    assert numbers == [52]


def test_its_trial_is_the_bottom_of_its_mean_that_polishing_finds(monkeypatch):
    monkeypatch.setattr(hebo, "excursion_slots", lambda losses, blind: frozenset())
    found, polish = [], hebo.polish
    monkeypatch.setattr(hebo, "polish", lambda *rest: found.append(polish(*rest)) or found[-1])
    optimizer = warmed_up(PLANE, lambda c: math.exp(3 * bowl(c)), n=48, settings=Settings())
    model, other = opinion(optimizer.history, optimizer.settings, optimizer.seed)
    batch = PLANE.encoding.encode(optimizer.ask(8))
    assert [len(rows) for rows in found] == [1, 1]
    np.testing.assert_allclose(batch[[0, 4]], np.vstack(found))
    anywhere = np.random.default_rng(0).random((4000, 2))
    for view, row in ((model, 0), (other(), 4)):
        assert view.gp.mean(batch[[row]])[0] < view.gp.mean(anywhere).min()


def test_where_only_neighbours_are_wanted_no_front_is_sought(monkeypatch):
    optimizer = warmed_up(PLANE, bowl, n=16, settings=FAST)
    sought = []
    search = hebo.nsga2
    monkeypatch.setattr(
        hebo, "nsga2", lambda *rest: sought.append(len(optimizer.history)) or search(*rest)
    )
    monkeypatch.setattr(hebo, "is_sure", lambda gp, completed: True)
    for _ in range(8):
        optimizer.tell(config := optimizer.ask(1), [bowl(c) for c in config])
    assert sought == [16, 17, 18, 20, 22]


# A look at the model


def test_the_model_predicts_what_it_was_told():
    optimizer = warmed_up(PLANE, bowl, n=30, settings=Settings())
    configs = PLANE.sample(20, seed=5)
    prediction = optimizer.model.predict(configs)
    truth = np.array([bowl(c) for c in configs])
    assert np.corrcoef(prediction.mean, truth)[0, 1] > 0.98
    assert np.all(prediction.std > 0)


def test_there_is_no_model_and_no_recommendation_before_a_completed_trial():
    optimizer = HEBO(PLANE, seed=0)
    optimizer.tell({"x": 0.5, "y": 0.5}, math.nan)
    for look in ("model", "recommendation", "best"):
        with pytest.raises(WarpfrontError, match="completed"):
            getattr(optimizer, look)


def test_the_recommendation_does_not_fall_for_a_lucky_observation():
    optimizer = HEBO(PLANE, seed=0)
    rng = np.random.default_rng(0)
    configs = [c for c in PLANE.sample(64, seed=1) for _ in range(2)]
    values = [10 * bowl(c) + 0.3 * rng.normal() for c in configs]
    unlucky = max(range(len(configs)), key=lambda i: bowl(configs[i]))
    values[unlucky] = min(values) - 0.1  # one lucky draw at the worst place
    optimizer.tell(configs, values)
    assert optimizer.best.config == configs[unlucky]
    assert bowl(optimizer.recommendation.config) < 0.03
