"""When the second model is asked."""

from dataclasses import replace

import numpy as np
import pytest

from warpfront import HEBO, Categorical, Integer, Real, Settings, Space
from warpfront.history import History
from warpfront.surrogate.opinion import HEARD, opinion

SPACE = Space(a=Real(0, 1), b=Real(0, 1), c=Integer(1, 9), d=Categorical(["x", "y"]))
ASKING = Settings(second_opinion=True, generations=5, population=20)


def summed(config):
    waves = np.cos(12 * config["a"]) + np.cos(9 * config["b"])
    return float(waves + 0.1 * config["c"] + (config["d"] == "x"))


def bent(config):
    return float(np.exp(9 * config["a"] * config["b"] + config["c"]))


def history(function, n, failed=0, seed=0):
    configs = SPACE.sample(n, seed=seed)
    losses = [function(c) for c in configs[: n - failed]] + [float("nan")] * failed
    return History(SPACE).tell([(None, c, y) for c, y in zip(configs, losses, strict=True)])


@pytest.mark.parametrize("n", [16, 23, 48, 96, 112])
def test_where_effects_add_up_the_second_model_is_asked_in_its_turn(n):
    judged = opinion(history(summed, n), ASKING, seed=0)
    assert judged == replace(ASKING, output_warp="none", additive_kernel=True)


@pytest.mark.parametrize("n", [1, 7, 8, 15, 24, 104])
def test_otherwise_the_first_is(n):
    assert opinion(history(summed, n), ASKING, seed=0) is ASKING


@pytest.mark.parametrize("n", [16, 48, 96])
def test_a_model_that_explains_far_less_is_not_asked(n):
    assert opinion(history(bent, n), ASKING, seed=0) is ASKING


def test_nobody_is_asked_who_was_not_called():
    settings = replace(ASKING, second_opinion=False)
    assert opinion(history(summed, 16), settings, seed=0) is settings


def test_failures_count_as_observations():
    assert opinion(history(summed, 32, failed=8), ASKING, seed=0).additive_kernel
    assert opinion(history(summed, 16, failed=16), ASKING, seed=0) is ASKING


def test_of_many_observations_a_part_is_heard(monkeypatch):
    from warpfront.surrogate.model import Model

    heard, fit = [], Model.fit
    monkeypatch.setattr(Model, "fit", lambda h, *rest: heard.append(h) or fit(h, *rest))
    long = history(summed, 160)
    assert opinion(long, ASKING, seed=0) == opinion(long, ASKING, seed=0)
    assert {len(h) for h in heard} == {HEARD}
    assert len({tuple(t.number for t in h.trials) for h in heard}) == 1


def suggestions(n, settings):
    optimizer = HEBO(SPACE, seed=3, settings=settings)
    configs = SPACE.sample(n, seed=1)
    optimizer.tell(configs, [summed(c) for c in configs])
    return optimizer.ask(4)


@pytest.mark.parametrize(("n", "its_turn"), [(16, True), (24, False)])
def test_suggestions_rest_on_the_second_model_in_its_turn(n, its_turn):
    alone = suggestions(n, replace(ASKING, second_opinion=False))
    assert (suggestions(n, ASKING) != alone) == its_turn


def test_the_model_that_users_see_is_always_the_first():
    optimizer = HEBO(SPACE, seed=3, settings=ASKING)
    configs = SPACE.sample(16, seed=1)
    optimizer.tell(configs, [summed(c) for c in configs])
    before = optimizer.model.predict(configs[:1]).mean[0]
    optimizer.ask(4)
    assert not optimizer.model.gp.form.additive
    assert optimizer.model.predict(configs[:1]).mean[0] == before
