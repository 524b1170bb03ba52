"""When the second model is asked."""

from dataclasses import replace

import numpy as np
import pytest

from warpfront import HEBO, Categorical, Integer, Real, Settings, Space
from warpfront.history import History
from warpfront.surrogate.likelihood import LogPosterior
from warpfront.surrogate.model import Model
from warpfront.surrogate.opinion import HEARD, hears_both, log_posterior, opinion, part_heard

SPACE = Space(a=Real(0, 1), b=Real(0, 1), c=Integer(1, 9), d=Categorical(["x", "y"]))
ASKING = Settings(generations=5, population=20)


def summed(config):
    waves = np.cos(12 * config["a"]) + np.cos(9 * config["b"])
    return float(waves + 0.1 * config["c"] + (config["d"] == "x"))


def bent(config):
    return float(np.exp(9 * config["a"] * config["b"] + config["c"]))


def history(function, n, failed=0, seed=0):
    configs = SPACE.sample(n, seed=seed)
    if failed:  # in a region
        configs = sorted(configs, key=lambda c: c["a"])
    losses = [function(c) for c in configs[: n - failed]] + [float("nan")] * failed
    return History(SPACE).tell([(None, c, y) for c, y in zip(configs, losses, strict=True)])


@pytest.mark.parametrize("n", [48, 56, 96, 104])
def test_where_effects_add_up_the_second_model_is_asked(n):
    model = opinion(history(summed, n), ASKING, seed=0).model
    assert model.gp.form.additive
    assert model.transform.method == "linear"
    assert len(model.gp.y) == n


@pytest.mark.parametrize("n", [1, 16, 47])
def test_but_not_while_there_is_little_to_judge_by(n):
    assert not hears_both(history(summed, n), ASKING)
    assert not opinion(history(summed, n), ASKING, seed=0).model.gp.form.additive


@pytest.mark.parametrize(("n", "its_turn"), [(48, True), (55, True), (56, False), (63, False)])
def test_a_model_that_is_only_credible_is_asked_in_its_turn(n, its_turn, monkeypatch):
    monkeypatch.setattr("warpfront.surrogate.opinion.CREDIBLE", 1e9)
    assert opinion(history(bent, n), ASKING, seed=0).model.gp.form.additive == its_turn


@pytest.mark.parametrize(
    ("n", "behind", "asked"),
    [(48, 9.0, True), (48, 10.0, False), (56, 1.0, False), (56, -1.0, True)],
)
def test_in_its_turn_the_second_may_fall_behind_by_a_fifth_for_each_loss(
    n, behind, asked, monkeypatch
):
    monkeypatch.setattr(
        "warpfront.surrogate.opinion.log_posterior",
        lambda model, losses: -behind if model.gp.form.additive else 0.0,
    )
    assert opinion(history(bent, n), ASKING, seed=0).model.gp.form.additive == asked


@pytest.mark.parametrize(("function", "last"), [(summed, 30), (bent, 50)])
def test_fits_are_brief_until_a_model_is_chosen(function, last, monkeypatch):
    fits, fit = [], Model.fit

    def spy(history, settings, *rest, iterations=None):
        fits.append((settings.iterations if iterations is None else iterations, len(history)))
        return fit(history, settings, *rest, iterations=iterations)

    monkeypatch.setattr(Model, "fit", spy)
    views = opinion(history(function, 60), ASKING, seed=0)
    assert fits == [(20, 48), (20, 48), (last, 60)]
    views.other()
    assert fits[3:] == [(0, 60)]


@pytest.mark.parametrize("function", [summed, bent])
def test_the_other_model_is_the_one_not_chosen_and_knows_all(function):
    known = history(function, 60)
    model, other = opinion(known, ASKING, seed=0)
    other = other()
    assert other.gp.form.additive != model.gp.form.additive
    assert other.transform.method != model.transform.method
    assert len(other.gp.y) == 60
    brief = Model.fit(
        part_heard(known, seed=0),
        replace(
            ASKING,
            starts=1,
            iterations=20,
            output_warp="none" if other.gp.form.additive else ASKING.output_warp,
            additive_kernel=other.gp.form.additive,
        ),
        seed=0,
    )
    np.testing.assert_array_equal(other.gp.theta, brief.gp.theta)
    np.testing.assert_array_equal(other.gp.y, other.transform(known.observations[1]))


def test_with_fewer_trials_there_is_no_other_model():
    assert opinion(history(summed, 47), ASKING, seed=0).other is None


def test_the_log_posterior_is_of_losses_and_hyper_parameters():
    known = history(summed, 20)
    losses = known.observations[1]
    model = Model.fit(known, replace(ASKING, output_warp="none"), seed=0)
    gp = model.gp
    objective = LogPosterior(gp.form, gp.X[:, ~gp.is_category], gp.X[:, gp.is_category], gp.y)
    expected = -objective(gp.theta)[0] - len(losses) * np.log(losses.std())
    assert log_posterior(model, losses) == pytest.approx(expected)


@pytest.mark.parametrize("n", [48, 56, 96])
def test_a_model_that_explains_far_less_is_not_asked(n):
    model = opinion(history(bent, n), ASKING, seed=0).model
    assert not model.gp.form.additive
    assert len(model.gp.y) == n


def test_nobody_is_asked_who_was_not_called():
    known = history(summed, 48)
    settings = replace(ASKING, second_opinion=False)
    alone, other = opinion(known, settings, seed=0)
    assert other is None
    np.testing.assert_array_equal(alone.gp.theta, Model.fit(known, settings, seed=0).gp.theta)


def test_failures_count_as_observations():
    assert hears_both(history(summed, 48, failed=8), ASKING)
    assert opinion(history(summed, 48, failed=8), ASKING, seed=0).model.gp.form.additive


def test_where_all_that_is_heard_has_failed_the_first_is_asked():
    # Of 640 trials, few of which are heard, one has not failed.
    assert not opinion(history(summed, 640, failed=639), ASKING, seed=0).model.gp.form.additive


def test_of_many_observations_a_part_is_heard_always_the_same():
    long = history(summed, 160)
    one, again, other = (part_heard(long, seed=seed) for seed in (0, 0, 1))
    assert len(one) == len(other) == HEARD
    assert one == again
    assert one != other
    assert {t.number for t in one.trials} < {t.number for t in long.trials}
    assert part_heard(history(summed, HEARD), seed=0) == history(summed, HEARD)


def suggestions(n, settings):
    optimizer = HEBO(SPACE, seed=3, settings=settings)
    configs = SPACE.sample(n, seed=1)
    optimizer.tell(configs, [summed(c) for c in configs])
    return optimizer.ask(4)


@pytest.mark.parametrize(("n", "both"), [(40, False), (48, True), (56, True)])
def test_suggestions_rest_on_the_second_model_where_it_is_asked(n, both):
    alone = suggestions(n, replace(ASKING, second_opinion=False))
    assert (suggestions(n, ASKING) != alone) == both


def test_the_model_that_users_see_is_always_the_first():
    optimizer = HEBO(SPACE, seed=3, settings=ASKING)
    configs = SPACE.sample(48, seed=1)
    optimizer.tell(configs, [summed(c) for c in configs])
    before = optimizer.model.predict(configs[:1]).mean[0]
    optimizer.ask(4)
    assert not optimizer.model.gp.form.additive
    assert optimizer.model.predict(configs[:1]).mean[0] == before
