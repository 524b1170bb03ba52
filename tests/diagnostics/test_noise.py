"""Noise: its share, its size, and the repeats that the best configurations deserve."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from warpfront import AtMost, Maximize, Measured, Minimize, Real, Space
from warpfront.dataset import Dataset
from warpfront.diagnostics.noise import ERROR_RATE, MOST_REPEATS, estimate_noise, repeats_needed
from warpfront.errors import NotEnoughDataError
from warpfront.history import History
from warpfront.problem import Problem
from warpfront.surrogate.options import CANDIDATES
from warpfront.surrogate.selection import fit_model
from warpfront.surrogate.transforms import BoxCox

SPACE = Space(x=Real(0.0, 1.0))
ROBUST = CANDIDATES["warped"]
PLAIN = replace(ROBUST, output_warp="none", input_warp=False)

X8 = np.linspace(0.0, 1.0, 8).tolist()


def fitted(losses, options=PLAIN, problem=SPACE):
    told = [(None, {"x": x}, loss) for x, loss in losses]
    return of_history(History(problem).tell(told), options)


def of_history(history, options):
    data = Dataset.of(history)
    return fit_model(data, data.objective, options, np.random.default_rng(0))


def line(noise, n=120, seed=0):
    rng = np.random.default_rng(seed)
    return [(x, 3.0 * x + noise * rng.normal()) for x in np.linspace(0.0, 1.0, n).tolist()]


class TestRule:
    @pytest.mark.parametrize("gap", [0.5, 1.0, 3.0])
    def test_so_many_repeats_choose_wrongly_less_often_than_5_percent(self, gap):
        n = repeats_needed(gap, 1.0)
        assert norm.cdf(-gap / math.sqrt(2.0 / n)) <= ERROR_RATE
        if n > 1:
            assert norm.cdf(-gap / math.sqrt(2.0 / (n - 1))) > ERROR_RATE

    def test_it_is_what_simulated_choices_show(self):
        rng = np.random.default_rng(0)
        n = repeats_needed(1.0, 1.0)
        better, worse = rng.normal(0.0, 1.0, (20_000, n)), rng.normal(1.0, 1.0, (20_000, n))
        wrong = np.mean(better.mean(axis=1) > worse.mean(axis=1))
        assert 0.02 < wrong < ERROR_RATE

    def test_ties_and_certainty(self):
        assert repeats_needed(0.0, 1.0) is None
        assert repeats_needed(1e-9, 1.0) is None
        assert repeats_needed(1e-200, 1.0) is None
        assert repeats_needed(np.float64(1e-200), np.float64(1e300)) is None
        assert repeats_needed(0.0, 0.0) == 1
        assert repeats_needed(1.0, 1e-9) == 1
        assert repeats_needed(math.sqrt(2.0 / MOST_REPEATS) * 1.6449, 1.0) == MOST_REPEATS


class TestEstimate:
    @pytest.mark.parametrize("noise", [0.1, 0.5, 1.5])
    def test_share_and_size_are_near_the_truth(self, noise):
        found = estimate_noise(fitted(line(noise)))
        truth = noise**2 / (noise**2 + 9.0 / 12.0)
        assert found.share == pytest.approx(truth, rel=0.5)
        assert found.std == pytest.approx(noise, rel=0.3)
        assert math.isnan(found.measured)

    def test_without_noise_the_best_need_no_repeats(self):
        found = estimate_noise(fitted(line(0.0)))
        assert found.share < 0.001
        assert found.repeats == 1
        assert found.contenders[0].config == {"x": 0.0}
        assert [c.value for c in found.contenders] == sorted(c.value for c in found.contenders)

    def test_measured_noise_is_that_of_the_repeats(self):
        rng = np.random.default_rng(0)
        groups = [level + 0.5 * rng.normal(size=8) for level in (0.0, 1.0, 2.0)]
        model = fitted(line(0.5))
        found = estimate_noise(model, [*groups, [1.0], [math.nan, 2.0]])
        expected = np.mean([g.var(ddof=1) for g in groups]) / np.var([y for _, y in line(0.5)])
        assert found.measured == pytest.approx(expected)
        few = estimate_noise(model, [[0.0, 9.0]])
        assert few.std == estimate_noise(model).std  # two losses measure nothing
        assert found.std != few.std

    def test_the_best_are_as_noisy_as_what_is_near_them(self):
        """Good ones are quiet, bad ones loud: their pool would find all contenders equal."""
        rng = np.random.default_rng(0)
        levels = np.linspace(0.1, 2.9, 10)
        groups = [y + (0.01 if y < 1.0 else 0.5) * rng.normal(size=6) for y in levels]
        model = fitted(line(0.1, 30))
        found = estimate_noise(model, rng.permutation(groups))
        assert found.source == "best"
        assert found.std == pytest.approx(0.01, rel=0.5)
        overall = np.mean([g.var(ddof=1) for g in groups]) / np.var([y for _, y in line(0.1, 30)])
        assert found.measured == pytest.approx(overall)
        assert estimate_noise(model, groups[-4:]).std == pytest.approx(0.5, rel=0.5)

    def test_where_the_best_were_repeated_too_seldom_all_repeats_count(self):
        model = fitted(line(0.5))
        quiet, loud = np.array([0.0, 0.1] * 3), np.array([2.0, 4.0] * 3)
        found = estimate_noise(model, [quiet, loud])
        assert found.source == "repeats"
        assert found.std == pytest.approx(math.sqrt((0.003 + 1.2) / 2.0), rel=0.1)
        few = estimate_noise(model, [quiet[:4], loud[:4]])
        assert few.source == "model"
        assert few.std == estimate_noise(model).std

    @pytest.mark.parametrize("last", [0.3, 0.1 + 0.2], ids=["exactly", "but for rounding"])
    def test_repeats_that_agree_are_no_noise_however_few(self, last):
        model = fitted(line(0.1))
        found = estimate_noise(model, [[2.0, 2.0], [0.3, 0.3, last]])
        assert (found.measured, found.std, found.source) == (0.0, 0.0, "repeats")
        assert found.repeats == 1
        assert all(c.repeats == 1 for c in found.contenders)

    @pytest.mark.parametrize("groups", [[[2.0, 2.0]], [[2.0] * 12], [[2.0] * 6, [2.0] * 6]])
    def test_repeats_of_one_value_may_be_a_plateau(self, groups):
        model = fitted(line(0.1))
        found = estimate_noise(model, groups)
        assert found.source == "model"
        assert found.std == estimate_noise(model).std > 0.0

    def test_losses_that_the_transform_does_not_tell_apart_do_not_agree(self):
        model = fitted([*((x, 1.0 + x) for x in X8), (0.55, 1e6)], ROBUST)
        assert model.transform.cut < 1e5
        assert estimate_noise(model, [[1e5, 2e5, 1e6]]).source == "model"

    def test_more_noise_deserves_more_repeats(self):
        losses = [(0.1, 1.0), (0.3, 1.6), (0.5, 2.0), (0.7, 3.0), (0.9, 4.0), (1.0, 5.0)]
        model = fitted(losses)
        quiet, loud = (
            estimate_noise(model, [scale * np.arange(20) / 5.0]) for scale in (0.05, 0.4)
        )
        assert quiet.contenders[0].config == loud.contenders[0].config == {"x": 0.1}
        assert len(loud.contenders) == 5
        assert 1 <= quiet.repeats < loud.repeats <= MOST_REPEATS

    def test_repeats_of_one_configuration_are_one_contender(self):
        losses = [(0.2, 1.0), (0.2, 1.1), (0.2, 0.9), (0.8, 2.0), (0.9, 2.1)]
        found = estimate_noise(fitted(losses))
        assert [c.config["x"] for c in found.contenders] == pytest.approx([0.2, 0.8, 0.9])

    def test_it_is_in_units_of_the_loss(self):
        one, other = (
            estimate_noise(fitted([(x, unit * (y + 1.0)) for x, y in line(0.3)], ROBUST))
            for unit in (1.0, 1000.0)
        )
        assert other.std == pytest.approx(1000.0 * one.std, rel=1e-3)
        assert other.share == pytest.approx(one.share)
        assert other.contenders[0].value == pytest.approx(
            1000.0 * one.contenders[0].value, rel=1e-3
        )

    @pytest.mark.parametrize("warp", ["power", "robust"])
    @pytest.mark.parametrize("broken", [0.0, -1.0, -1e300, 1e300])
    def test_one_repeat_that_the_transform_cannot_map_is_no_catastrophe(self, warp, broken):
        space = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0))
        rng = np.random.default_rng(0)

        def loss(c):
            return (1.0 / (0.05 + c["x"]) + 0.1 * c["y"]) * (1.0 + 0.02 * rng.normal())

        history = History(space).tell([(None, c, loss(c)) for c in space.sample(40, seed=0)])
        model = of_history(history, replace(ROBUST, output_warp=warp))
        assert isinstance(model.transform.power, BoxCox)
        groups = [[loss(c) for _ in range(6)] for c in space.sample(10, seed=1)]
        groups.sort(key=np.median)
        before = estimate_noise(model, groups)
        assert before.measured < 0.01
        groups[0][2] = broken
        found = estimate_noise(model, groups)
        assert before.measured < found.measured < 0.25
        assert before.std < found.std < np.std([t.value for t in history.completed])

    def test_small_steps_beyond_the_observed_losses_are_noise_like_any(self):
        """As of repeats of the best configuration, half of which are better than it was."""
        noise = np.random.default_rng(0).normal(1.0, 0.02, size=30)
        levels = np.exp(np.linspace(0.0, 3.0, 30))
        losses = zip(np.linspace(0.0, 1.0, 30), levels * noise, strict=True)
        model = fitted(losses, ROBUST)
        best = float((levels * noise).min())
        assert isinstance(model.transform.power, BoxCox)
        inside, outside = (
            estimate_noise(model, [level * np.linspace(0.98, 1.02, 12)])
            for level in (1.03 * best, best)
        )
        assert outside.measured == pytest.approx(inside.measured, rel=0.05)

    def test_the_model_s_noise_does_not_limit_what_is_measured(self):
        """As of few trials, in which the model sees no noise."""
        levels = np.exp(np.linspace(0.0, 3.0, 16))
        model = fitted(zip(np.linspace(0.0, 1.0, 16), levels, strict=True), ROBUST)
        assert isinstance(model.transform.power, BoxCox)
        assert model.gp.noise < 0.01
        inside, outside = (
            estimate_noise(model, [level * np.linspace(0.6, 1.4, 12)]) for level in (4.0, 1.0)
        )
        assert outside.measured == pytest.approx(inside.measured, rel=0.25)

    @pytest.mark.parametrize("unit", [1e-308, 1e-320])
    def test_subnormal_losses_have_noise_like_any(self, unit):
        steps = np.array([0.9, 1.0, 1.1, 1.2] * 3)
        found = []
        for scale in (1.0, unit):
            with np.errstate(all="raise", under="ignore"):
                model = fitted([(x, scale * (1.0 + 2.0 * x)) for x in X8], ROBUST)
                found.append(estimate_noise(model, [scale * steps]))
        assert found[1].measured == pytest.approx(found[0].measured, rel=0.2)
        assert found[1].std == pytest.approx(unit * found[0].std, rel=0.2)

    def test_noise_beyond_all_numbers_is_unknown(self):
        found = estimate_noise(fitted(line(0.5)), [np.array([-1e300, 1e300] * 6)])
        assert math.isnan(found.measured)
        assert found.std == estimate_noise(fitted(line(0.5))).std

    def test_repeats_of_what_seemed_constant(self):
        model = fitted([(x, 1.0) for x in np.linspace(0.0, 1.0, 8)])
        found = estimate_noise(model, [1.0 + 0.1 * np.array([-1.0, 1.0] * 6)])
        assert found.std == pytest.approx(0.1, rel=0.1)

    def test_what_is_maximised_is_in_the_user_s_sign(self):
        groups = [[0.1, 0.3, 0.2] * 4, [2.0, 2.1, 1.9] * 4]
        one = estimate_noise(fitted(line(0.3)), groups)
        turned = [(x, -y) for x, y in line(0.3)]
        model = fitted(turned, problem=Problem(SPACE, Maximize("gain")))
        other = estimate_noise(model, -np.array(groups))
        assert (other.std, other.measured, other.source) == (one.std, one.measured, one.source)
        assert [c.value for c in other.contenders] == [-c.value for c in one.contenders]
        assert [c.config for c in other.contenders] == [c.config for c in one.contenders]

    def test_contenders_are_within_the_bounds(self):
        problem = Problem(SPACE, (Minimize("loss"), AtMost("size", 0.5)))
        told = [(x, {"loss": -x, "size": x}) for x in X8]
        found = estimate_noise(fitted(told, problem=problem))
        assert max(c.config["x"] for c in found.contenders) < 0.5
        assert len(found.contenders) == 4

    def test_noise_that_was_measured_is_that_of_the_model(self):
        told = [(x, Measured(3.0 * x, std=0.6)) for x in np.linspace(0.0, 1.0, 40).tolist()]
        model = fitted(told)
        assert estimate_noise(model).std == pytest.approx(0.6, rel=1e-3)

    def test_it_needs_observations(self):
        with pytest.raises(NotEnoughDataError, match="2 observations; there are 1"):
            estimate_noise(fitted([(0.5, 1.0)]))
