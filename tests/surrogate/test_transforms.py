"""The output transform against SciPy and scikit-learn, and on hostile losses."""

from typing import ClassVar

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import PowerTransformer

from warpfront.surrogate.transforms import (
    CUT_AT_MOST,
    CUT_AT_SPREADS,
    MAD_TO_SIGMA,
    ZETA_RANGES,
    BoxCox,
    Standardise,
    Transform,
    YeoJohnson,
    box_cox,
    box_cox_likelihood,
    fit_transform,
    fit_zeta,
    yeo_johnson,
    yeo_johnson_likelihood,
)

WARPS = ["power", "robust", "none"]
ZETAS = [-5.0, -2.0, -0.5, -1e-9, 0.0, 1e-9, 0.5, 1.0, 1.9, 2.0, 2.1, 5.0]


def positive_data():
    rng = np.random.default_rng(0)
    return {
        "lognormal": np.exp(rng.normal(size=60)),
        "gamma": rng.gamma(2.0, 3.0, size=80),
        "reciprocal": 1.0 / rng.uniform(0.05, 1.0, size=50),
        "left-skewed": rng.beta(5.0, 1.5, size=70),
        "large": 1e6 * np.exp(0.3 * rng.normal(size=40)),
    }


def signed_data():
    rng = np.random.default_rng(1)
    return {
        "normal": rng.normal(size=60),
        "shifted gamma": rng.gamma(2.0, 1.0, size=80) - 1.0,
        "negative": -rng.gamma(2.0, 1.0, size=80),
        "cubed": rng.normal(size=70) ** 3,
        "two humps": np.concatenate([rng.normal(-2, 0.3, 30), rng.normal(3, 1.0, 30)]),
    }


POSITIVE, SIGNED = positive_data(), signed_data()


class TestValues:
    @pytest.mark.parametrize("zeta", ZETAS)
    def test_box_cox_is_scipys(self, zeta):
        z = np.logspace(-3, 3, 41)
        np.testing.assert_allclose(box_cox(z, zeta), scipy.special.boxcox(z, zeta), rtol=1e-12)

    @pytest.mark.parametrize("zeta", [zeta for zeta in ZETAS if abs(zeta) != 1e-9])
    def test_yeo_johnson_is_scipys(self, zeta):
        z = np.concatenate([-np.logspace(-3, 3, 21), [0.0], np.logspace(-3, 3, 21)])
        expected = scipy.stats.yeojohnson(z, zeta)
        np.testing.assert_allclose(yeo_johnson(z, zeta), expected, rtol=1e-9)

    @pytest.mark.parametrize("near", [0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-5])
    @pytest.mark.parametrize("sign", [1.0, -1.0])
    def test_yeo_johnson_beside_the_logarithm_is_its_series(self, near, sign):
        # (e^x - 1) / ζ with x = ζ log(1 + |z|), as a series; SciPy 1.11 loses digits here.
        z = sign * np.logspace(-3, 3, 21)
        zeta = near if sign > 0 else 2.0 - near
        zeta_used = near if sign > 0 else 2.0 - zeta  # with the rounding of 2 - ζ
        log = np.log1p(np.abs(z))
        x = zeta_used * log
        expected = sign * log * (1.0 + x / 2.0 + x**2 / 6.0 + x**3 / 24.0)
        np.testing.assert_allclose(yeo_johnson(z, zeta), expected, rtol=1e-12)

    @pytest.mark.parametrize("zeta", [-2.0, 0.0, 0.5, 1.0, 2.0, 4.0])
    @pytest.mark.parametrize("method", ["box-cox", "yeo-johnson"])
    def test_scikit_learn_agrees(self, method, zeta):
        z = np.linspace(0.1, 4.0, 30) if method == "box-cox" else np.linspace(-3.0, 3.0, 31)
        transformer = PowerTransformer(method, standardize=False).fit(z[:, None])
        transformer.lambdas_ = np.array([zeta])
        expected = transformer.transform(z[:, None])[:, 0]
        ours = (box_cox if method == "box-cox" else yeo_johnson)(z, zeta)
        np.testing.assert_allclose(ours, expected, rtol=1e-12)

    def test_both_broadcast_over_zeta(self):
        z, zetas = np.array([0.5, 1.0, 2.0]), np.array([-1.0, 0.0, 2.0])
        for function in (box_cox, yeo_johnson):
            table = function(z, zetas[:, None])
            rows = [function(z, zeta) for zeta in zetas]
            np.testing.assert_array_equal(table, rows)

    def test_the_branch_of_the_other_sign_cannot_overflow(self):
        # (1 + z)^-3 is tiny, but (1 + z)^5, which the negative branch would take, is infinite.
        assert yeo_johnson(np.array([1e100]), -3.0) == pytest.approx(1.0 / 3.0)
        assert yeo_johnson(np.array([-1e100]), 5.0) == pytest.approx(-1.0 / 3.0)


class TestLikelihood:
    @pytest.mark.parametrize("name", POSITIVE)
    def test_box_cox_is_scipys_up_to_a_constant(self, name):
        z = POSITIVE[name] / POSITIVE[name].std()
        zetas = np.linspace(-2.0, 3.0, 11)
        expected = np.array([scipy.stats.boxcox_llf(zeta, z) for zeta in zetas])
        difference = box_cox_likelihood(z, zetas) - expected
        np.testing.assert_allclose(difference, difference[0], atol=1e-8)

    @pytest.mark.parametrize("name", SIGNED)
    def test_yeo_johnson_is_scipys_up_to_a_constant(self, name):
        z, zetas = SIGNED[name], np.linspace(-2.0, 4.0, 13)
        expected = np.array([scipy.stats.yeojohnson_llf(zeta, z) for zeta in zetas])
        difference = yeo_johnson_likelihood(z, zetas) - expected
        np.testing.assert_allclose(difference, difference[0], atol=1e-8)

    def test_without_any_spread_there_is_no_likelihood(self):
        with np.errstate(divide="ignore"):
            value = box_cox_likelihood(np.ones(4), np.array([0.0, 1.0]))
        np.testing.assert_array_equal(value, [-np.inf, -np.inf])


class TestFittedParameter:
    @pytest.mark.parametrize("warp", ZETA_RANGES)
    @pytest.mark.parametrize("name", POSITIVE)
    def test_box_cox_is_scipys(self, name, warp):
        y = POSITIVE[name]
        low, high = ZETA_RANGES[warp][0]
        expected = scipy.stats.boxcox(y)[1]
        assert low < expected < high
        zeta, likelihood = fit_zeta(y / y.std(), box_cox_likelihood, low, high)
        assert zeta == pytest.approx(expected, abs=1e-5)
        assert likelihood == box_cox_likelihood(y / y.std(), np.array([zeta]))[0]

    @pytest.mark.parametrize("warp", ZETA_RANGES)
    @pytest.mark.parametrize("name", SIGNED)
    def test_yeo_johnson_is_scipys_as_far_as_it_may_go(self, name, warp):
        y = SIGNED[name]
        low, high = ZETA_RANGES[warp][1]
        expected = float(np.clip(scipy.stats.yeojohnson(y)[1], low, high))
        zeta, likelihood = fit_zeta(y, yeo_johnson_likelihood, low, high)
        assert zeta == pytest.approx(expected, abs=1e-5)
        assert likelihood == yeo_johnson_likelihood(y, np.array([zeta]))[0]

    @pytest.mark.parametrize("name", POSITIVE)
    def test_targets_of_positive_losses_are_scikit_learns_box_cox(self, name):
        y = POSITIVE[name]
        transform = fit_transform(y, "power")
        assert isinstance(transform.power, BoxCox)
        expected = PowerTransformer("box-cox").fit_transform(y[:, None])[:, 0]
        np.testing.assert_allclose(transform(y), expected, atol=1e-5)

    @pytest.mark.parametrize("name", SIGNED)
    def test_targets_of_signed_losses_are_scikit_learns_yeo_johnson(self, name):
        y = SIGNED[name]
        transform = fit_transform(y, "power")
        assert isinstance(transform.power, YeoJohnson)
        expected = PowerTransformer("yeo-johnson").fit_transform(y[:, None] / y.std())[:, 0]
        np.testing.assert_allclose(transform(y), expected, atol=1e-5)

    @pytest.mark.parametrize("warp", ZETA_RANGES)
    def test_the_optimum_beyond_the_bound_stops_at_the_bound(self, warp):
        low, high = ZETA_RANGES[warp][0]
        y = np.append(np.linspace(1.0, 1.001, 100), 3.0)
        # Its best power is far below either bound: the likelihood still rises there.
        beside = box_cox_likelihood(y, np.array([low, 0.99 * low]))
        assert beside[0] > beside[1]
        assert fit_zeta(y, box_cox_likelihood, low, high)[0] == low

    def test_the_robust_yeo_johnson_has_no_end(self):
        # Beyond its end all losses would have one target, and the GP would be sure of it.
        assert ZETA_RANGES["robust"][1] == (0.0, 2.0)
        for zeta in (0.0, 1.0, 2.0):
            transform = Transform((YeoJohnson(zeta), Standardise(0.0, 1.0)))
            assert transform.ends == (-np.inf, np.inf)

    def test_the_papers_parameter_goes_as_far_as_scipys(self):
        # 10 + lognormal needs a power of about -8, beyond the robust bound, not the paper's.
        y = 10.0 + np.exp(np.random.default_rng(0).normal(size=60))
        expected = scipy.stats.boxcox(y)[1]
        (paper, _), (robust, _) = (ZETA_RANGES[w][0] for w in ("power", "robust"))
        assert paper < expected < robust
        transform = fit_transform(y, "power")
        assert isinstance(transform.power, BoxCox)
        assert transform.power.zeta == pytest.approx(expected, abs=1e-4)


class TestTransform:
    @pytest.mark.parametrize("warp", WARPS)
    @pytest.mark.parametrize("name", [*POSITIVE, *SIGNED])
    def test_targets_are_standardised(self, name, warp):
        y = {**POSITIVE, **SIGNED}[name]
        targets = fit_transform(y, warp)(y)
        assert targets.mean() == pytest.approx(0.0, abs=1e-9)
        assert targets.std() == pytest.approx(1.0, abs=1e-9)

    @pytest.mark.parametrize("warp", ["power", "robust"])
    @pytest.mark.parametrize("name", ["lognormal", "gamma", "reciprocal", "left-skewed"])
    def test_skewness_goes_away(self, name, warp):
        y = POSITIVE[name]
        targets = fit_transform(y, warp)(y)
        before, after = abs(scipy.stats.skew(y)), abs(scipy.stats.skew(targets))
        assert after < 0.5 * before

    def test_no_warp_only_standardises(self):
        y = POSITIVE["gamma"]
        transform = fit_transform(y, "none")
        assert transform.power is None
        np.testing.assert_allclose(transform(y), (y - y.mean()) / y.std(), atol=1e-12)

    @pytest.mark.parametrize("warp", WARPS)
    @pytest.mark.parametrize("name", [*POSITIVE, *SIGNED])
    def test_it_increases(self, name, warp):
        y = {**POSITIVE, **SIGNED}[name]
        transform = fit_transform(y, warp)
        line = np.linspace(y.min(), min(y.max(), transform.cut), 300)
        assert np.all(np.diff(transform(line)) > 0.0)

    @pytest.mark.parametrize("warp", WARPS)
    @pytest.mark.parametrize("name", [*POSITIVE, *SIGNED])
    def test_the_inverse_gives_the_losses_back(self, name, warp):
        y = {**POSITIVE, **SIGNED}[name]
        transform = fit_transform(y, warp)
        np.testing.assert_allclose(
            transform.inverse(transform(y)), np.minimum(y, transform.cut), rtol=1e-6
        )

    @pytest.mark.parametrize("zeta", [1e-17, -1e-12, 1e-8])
    @pytest.mark.parametrize("power", [BoxCox, YeoJohnson])
    def test_the_inverse_is_exact_beside_the_logarithm(self, power, zeta):
        # As 1 + ζt rounds to 1 the inverse of a tiny ζ must not become a constant.
        transform = power(zeta)
        y = np.array([0.25, 1.0, 7.0])
        np.testing.assert_allclose(transform.inverse(transform(y)), y, rtol=1e-12)

    def test_beyond_the_range_the_inverse_gives_its_end(self):
        transform = Transform((BoxCox(0.5), Standardise(0.0, 1.0)))
        assert transform.inverse(np.array([-2.5])) == pytest.approx(0.0, abs=1e-300)
        transform = Transform((Standardise(0.0, 1.0), BoxCox(-0.5)))
        assert transform.inverse(np.array([2.5])) == np.finfo(float).max

    def test_losses_below_all_that_were_seen_have_a_target(self):
        y = POSITIVE["lognormal"]
        transform = fit_transform(y, "power")
        targets = transform(np.array([-1.0, 0.0, y.min()]))
        assert np.all(np.isfinite(targets))
        assert targets[0] == targets[1] < targets[2]


class TestRobust:
    def test_one_outlier_leaves_the_others_their_spread(self):
        # The hazard: divided by the standard deviation the rest is crushed to a spread of 1e-4.
        y = np.append(np.random.default_rng(2).normal(size=40), 1e6)
        others = {warp: fit_transform(y, warp)(y)[:-1].std() for warp in WARPS}
        assert others["robust"] > 0.7
        assert others["power"] < 1e-3
        assert others["none"] < 1e-3

    @pytest.mark.parametrize("outlier", [1e6, 1e100, 1e300, 1.7e308])
    def test_the_size_of_the_outlier_does_not_matter(self, outlier):
        y = np.random.default_rng(3).normal(size=30)
        modest = fit_transform(np.append(y, 100.0), "robust")
        extreme = fit_transform(np.append(y, outlier), "robust")
        np.testing.assert_allclose(extreme(y), modest(y), atol=1e-9)

    def test_the_cut_is_at_five_robust_deviations(self):
        y = np.append(np.random.default_rng(5).normal(size=50), 50.0)
        transform = fit_transform(y, "robust")
        deviation = MAD_TO_SIGMA * np.median(np.abs(y - np.median(y)))
        assert transform.cut == pytest.approx(np.median(y) + CUT_AT_SPREADS * deviation)
        targets = transform(np.array([transform.cut, 50.0, 1e9]))
        assert targets[0] == targets[1] == targets[2]

    def test_most_losses_are_kept_however_close_together_the_best_ones_are(self):
        # Three quarters on a plateau: without a limit the cut falls between it and all others.
        rng = np.random.default_rng(6)
        plateau, others = 1.0 + 1e-9 * rng.random(75), 1.5 + rng.random(25)
        y = np.concatenate([plateau, others])
        transform = fit_transform(y, "robust")
        assert np.mean(y > transform.cut) == pytest.approx(CUT_AT_MOST, abs=0.01)
        kept = np.sort(others)[:5]
        assert np.all(np.diff(transform(kept)) > 0.0)
        assert transform(kept)[-1] - transform(kept)[0] > 1e-3

    @pytest.mark.parametrize("n", [*range(3, 21), 50])
    def test_no_more_than_a_fifth_is_cut(self, n):
        y = np.random.default_rng(n).normal(size=n) ** 9  # far tails
        assert np.sum(y > fit_transform(y, "robust").cut) <= CUT_AT_MOST * n

    @pytest.mark.parametrize(("outlier", "least"), [(-1e3, 0.5), (-1e6, 0.3), (-1e300, 0.005)])
    def test_the_better_a_good_outlier_the_less_spread_is_left_for_the_others(self, outlier, least):
        y = np.append(np.random.default_rng(4).normal(size=30), outlier)
        targets = fit_transform(y, "robust")(y)
        assert targets[-1] < targets[:-1].min() - 1.0
        assert targets[:-1].std() > least

    @pytest.mark.parametrize("better", [[], [1.0 - 1e-12]])
    def test_where_half_of_the_losses_are_equal_and_none_is_better_nothing_is_cut(self, better):
        y = np.array([*better] + [1.0] * 10 + [1.5, 2.0, 3.0])
        transform = fit_transform(y, "robust")
        assert transform.cut == np.inf
        assert len(np.unique(np.round(transform(y), 6))) == 4

    def test_where_half_of_the_losses_are_equal_the_cut_is_at_five_gains_of_the_best(self):
        y = np.array([0.2, 0.6] + [1.0] * 10 + [1.5, 4.9, 5.1, 1e6])
        transform = fit_transform(y, "robust")
        assert transform.cut == pytest.approx(1.0 + CUT_AT_SPREADS * 0.8)
        assert np.diff(transform(np.array([0.2, 0.6, 1.0]))).min() > 0.3

    def test_where_half_of_the_losses_are_equal_no_more_than_a_fifth_is_cut(self):
        y = np.array([0.99] + [1.0] * 10 + [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0])
        assert fit_transform(y, "robust").cut == 6.0

    def test_magnitudes_from_1e_minus_300_to_1e300(self):
        y = 10.0 ** np.linspace(-300, 300, 41)
        targets = fit_transform(y, "robust")(y)
        assert np.all(np.diff(targets) >= 0.0)
        assert targets.std() == pytest.approx(1.0, abs=1e-6)


class TestChoiceOfTheMethod:
    OFFSETS = (45.0, 1000.0, -1000.0)

    @staticmethod
    def losses(seed):
        return np.exp(np.random.default_rng(seed).normal(size=60))

    @pytest.mark.parametrize("seed", range(3))
    def test_a_constant_added_to_the_loss_barely_changes_robust_targets(self, seed):
        losses = self.losses(seed)
        targets = {
            offset: fit_transform(offset + losses, "robust")(offset + losses)
            for offset in (0.0, *self.OFFSETS)
        }
        assert abs(scipy.stats.skew(losses)) > 1.5
        for offset in (0.0, *self.OFFSETS):
            assert abs(scipy.stats.skew(targets[offset])) < 0.6
        for offset in self.OFFSETS:
            np.testing.assert_allclose(targets[offset], targets[1000.0], atol=0.05)

    @pytest.mark.parametrize("warp", WARPS)
    @pytest.mark.parametrize("offset", [1e9, -1e10, 1e12])
    def test_beside_a_large_constant_the_digits_that_are_left_are_seen(self, offset, warp):
        losses = self.losses(0)
        targets = fit_transform(offset + losses, warp)(offset + losses)
        assert np.std(targets) == pytest.approx(1.0, abs=1e-3)
        assert np.corrcoef(scipy.stats.rankdata(losses), scipy.stats.rankdata(targets))[0, 1] > 0.99
        if warp == "robust":
            near = fit_transform(1000.0 + losses, warp)(1000.0 + losses)
            np.testing.assert_allclose(targets, near, atol=0.05)

    @pytest.mark.parametrize("warp", WARPS)
    def test_losses_that_differ_by_rounding_alone_are_the_same(self, warp):
        losses = np.array([0.1 + 0.2, 0.3, 0.3, 0.6 - 0.3])
        targets = fit_transform(losses, warp)(losses)
        assert np.ptp(losses) > 0.0
        np.testing.assert_allclose(targets, 0.0, atol=1e-7)

    @pytest.mark.parametrize("warp", ["power", "robust"])
    def test_it_is_box_cox_for_losses_that_are_log_normal(self, warp):
        assert isinstance(fit_transform(self.losses(0), warp).power, BoxCox)

    def test_the_papers_order_is_box_cox_even_where_yeo_johnson_fits_better(self):
        y = 1000.0 + self.losses(0)
        assert isinstance(fit_transform(y, "power").power, BoxCox)
        assert isinstance(fit_transform(y, "robust").power, YeoJohnson)

    @pytest.mark.parametrize("name", POSITIVE)
    def test_the_robust_choice_has_the_greater_likelihood_of_the_losses(self, name):
        # The density of a loss is that of its target times the slope of the transform there.
        for offset in (0.0, 0.3, 3.0):
            y = POSITIVE[name] / POSITIVE[name].mean() + offset
            chosen = fit_transform(y, "robust")
            y = np.minimum(y, chosen.cut)
            low, median, high = np.quantile(y, [0.25, 0.5, 0.75])
            fits = {
                BoxCox: (box_cox, y, box_cox_likelihood, 1.0),
                YeoJohnson: (
                    yeo_johnson,
                    (y - median) / (high - low),
                    yeo_johnson_likelihood,
                    high - low,
                ),
            }
            total = {}
            for method, interval in zip(fits, ZETA_RANGES["robust"], strict=True):
                power, z, likelihood, scale = fits[method]
                zeta, _ = fit_zeta(z, likelihood, *interval)
                t = power(z, zeta)
                h = 1e-6
                slope = (power(z + h, zeta) - power(z - h, zeta)) / (2 * h * scale)
                normal = scipy.stats.norm(t.mean(), t.std())
                total[method] = float((normal.logpdf(t) + np.log(slope)).sum())
            assert type(chosen.power) is max(total, key=total.__getitem__), (offset, total)

    @pytest.mark.parametrize("warp", ["power", "robust"])
    def test_where_every_power_collapses_the_line_is_left(self, warp, monkeypatch):
        y = POSITIVE["gamma"]
        for kinds, left in (((), BoxCox), ((BoxCox,), YeoJohnson), ((BoxCox, YeoJohnson), None)):
            with monkeypatch.context() as context:
                for kind in kinds:  # all outcomes get the same target
                    context.setattr(kind, "__call__", lambda power, z: np.zeros_like(z))
                power = fit_transform(y, "power").power
                assert (power is None) if left is None else type(power) is left
                assert np.ptp(fit_transform(y, warp)(y)) > 1.0


HOSTILE = {
    "single": [3.0],
    "single zero": [0.0],
    "constant": [2.5] * 6,
    "zeros": [0.0] * 5,
    "constant of 1e300": [1e300] * 4,
    "two": [1.0, 2.0],
    "two signed": [-1.0, 1.0],
    "almost constant": [1.0, 1.0 + 1e-15, 1.0 - 1e-15],
    "1e300": [1.0, 2.0, 1e300],
    "1e-300": [1e-300, 2e-300, 5e-300],
    "-1e300 to 1e300": [-1e300, 0.0, 1.0, 1e300],
    "the largest floats": [-1.7976931348623157e308, 1.7976931348623157e308],
    "the smallest floats": [5e-324, 1e-323, 0.0],
    "smallest and 1": [5e-324, 1.0],
    "mixed": [1e-300, 1e-10, 1.0, 1e10, 1e300],
    "mixed signed": [-1e300, -1e-300, 0.0, 1e-300, 1e-5, 7.0],
    "a tiny quartile range": [-1e300, 0.0, 1e-20, 2e-20, 3e-20, 4e-20],
    "one outlier": [*np.linspace(-1, 1, 20), 1e6],
}


def unit_of(y):
    """The size of the losses, which are divided by it so that no square can overflow."""
    return float(np.abs(y).max()) or 1.0


def check_hostile(y, warp):
    """Targets are finite and ordered as the losses, and the inverse is true to the targets."""
    transform = fit_transform(y, warp)
    targets = transform(y)
    assert np.all(np.isfinite(targets))
    assert np.all(np.diff(targets[np.argsort(y, kind="stable")]) >= -1e-9)
    losses = transform.inverse(np.concatenate([targets, np.linspace(-30.0, 30.0, 7)]))
    assert np.all(np.isfinite(losses))
    unit = unit_of(y)
    if transform.steps[-1].scale * unit > 1e-290:  # else the losses have no digits to spare
        back = transform(losses[: len(y)])
        kept = np.minimum(y, transform.cut) / unit
        rounding = 1e-15 / max(kept.std(), 1e-15)  # the last digit of a loss, as a target
        np.testing.assert_allclose(back, targets, atol=max(1e-6, 10.0 * rounding))


class TestHostileLosses:
    @pytest.mark.parametrize("warp", WARPS)
    @pytest.mark.parametrize("name", HOSTILE)
    def test_table(self, name, warp):
        check_hostile(np.array(HOSTILE[name]), warp)

    @pytest.mark.parametrize("warp", WARPS)
    @pytest.mark.parametrize("name", ["single", "single zero", "constant", "zeros"])
    def test_constants_become_zero_and_come_back(self, name, warp):
        y = np.array(HOSTILE[name])
        transform = fit_transform(y, warp)
        np.testing.assert_array_equal(transform(y), np.zeros_like(y))
        np.testing.assert_array_equal(transform.inverse(np.zeros_like(y)), y)

    @settings(max_examples=150)
    @given(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=50),
        st.sampled_from(WARPS),
    )
    @example([0.0, 1e-20, 2e-20, 3e-20, 4e-20, -1e300], "robust")
    @example([1.0, 1.0 + 1e-13, 1.0 + 3e-13], "robust")
    def test_any_finite_losses(self, losses, warp):
        check_hostile(np.array(losses), warp)

    @settings(max_examples=80)
    @given(
        st.lists(st.floats(1e-12, 1e12), min_size=2, max_size=50),
        st.sampled_from(WARPS),
        st.floats(1e-6, 1e6),
    )
    def test_the_unit_of_the_loss_does_not_matter(self, losses, warp, factor):
        y = np.array(losses)
        if y.std() < 1e-6 * y.max():
            y = np.append(y, 2.0 * y.max())
        one, other = fit_transform(y, warp), fit_transform(factor * y, warp)
        assert type(one.power) is type(other.power)
        np.testing.assert_allclose(other(factor * y), one(y), atol=1e-4)


class TestSlope:
    LOSSES: ClassVar = {
        "positive": np.exp(np.random.default_rng(0).normal(size=40)),
        "both signs": np.random.default_rng(1).normal(size=40) ** 3,
        "negative": -np.exp(np.random.default_rng(2).normal(size=40)),
        "equal": np.full(5, 2.5),
    }

    @pytest.mark.parametrize("warp", ["power", "robust", "none"])
    @pytest.mark.parametrize("name", LOSSES)
    def test_it_is_the_derivative_of_the_targets(self, name, warp):
        y = self.LOSSES[name]
        transform = fit_transform(y, warp).uncut
        step = 1e-6 * np.maximum(np.abs(y), 1e-3)
        slope = (transform(y + step) - transform(y - step)) / (2.0 * step)
        np.testing.assert_allclose(np.exp(transform.log_slope(y)), slope, rtol=1e-4)

    def test_it_is_nothing_where_losses_are_cut(self):
        transform = fit_transform(np.array([1.0, 2.0, 3.0, 4.0, 900.0]), "robust")
        found = transform.log_slope(np.array([3.0, 900.0]))
        assert np.isfinite(found[0])
        assert found[1] == -np.inf
        assert np.isfinite(transform.uncut.log_slope(np.array([900.0]))[0])

    @pytest.mark.parametrize(
        "power",
        [
            *(BoxCox(zeta) for zeta in (0.7, -0.7, 0.0)),
            *(YeoJohnson(zeta) for zeta in (-0.5, 2.5, 1.0)),
            None,
        ],
    )
    def test_no_loss_has_a_target_beyond_the_ends(self, power):
        last = Standardise(0.3, 1.7)
        transform = Transform((last,) if power is None else (power, last))
        low, high = transform.ends
        extreme = transform(np.array([1e-12 if isinstance(power, BoxCox) else -1e12, 1e12]))
        assert low <= extreme[0] < extreme[1] <= high
        for end, target in zip((low, high), extreme, strict=True):
            if np.isfinite(end):
                assert target == pytest.approx(end, abs=1e-3)
            else:
                assert abs(target) > 10.0


def test_a_bound_far_beyond_what_was_observed_has_a_finite_target():
    y = 1e-300 * np.array([1.0, 8.0, 9.0, 9.5, 9.8, 10.0])
    transform = fit_transform(y, "robust")
    target = transform.uncut(np.array([100.0]))[0]
    assert np.isfinite(target)
    assert target > transform(y).max()
