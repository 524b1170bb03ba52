"""Tests of equal spread: their rates of error on simulated tables, and degenerate ones."""

import math

import numpy as np
import pytest
from scipy import stats

from warpfront.diagnostics.comparison import LEVEL
from warpfront.diagnostics.spread import TAILS, spread_tests
from warpfront.errors import ConfigurationError

TABLES = 200


def rejections(draw, tables=TABLES, **options):
    """Shares of simulated tables in which Levene, Fligner-Killeen, and both reject."""
    rng = np.random.default_rng(0)
    found = [spread_tests(draw(rng), **options) for _ in range(tables)]
    return (
        np.mean([f.levene_p < LEVEL for f in found]),
        np.mean([f.fligner_p < LEVEL for f in found]),
        np.mean([f.is_heteroscedastic for f in found]),
    )


def too_many(tables=TABLES):
    """A share of false positives that a test of level 5 % exceeds once in a thousand times."""
    return stats.binom.ppf(0.999, tables, LEVEL) / tables


class TestErrorRates:
    @pytest.mark.parametrize(
        ("noise", "shape"),
        [
            (lambda rng, size: rng.normal(size=size), (10, 6)),
            (lambda rng, size: rng.exponential(size=size), (20, 10)),
            (lambda rng, size: rng.standard_t(3, size=size), (10, 4)),
        ],
        ids=["normal", "exponential", "student"],
    )
    def test_equal_spreads_are_seldom_rejected(self, noise, shape):
        levels = np.linspace(0.0, 50.0, shape[0])[:, None]
        levene, _, both = rejections(lambda rng: levels + noise(rng, shape))
        assert both <= levene
        assert both <= too_many()

    def test_the_paper_s_centre_rejects_equal_spreads_far_too_often(self):
        levene, _, _ = rejections(lambda rng: rng.exponential(size=(20, 10)), 100, centre="mean")
        assert levene > 0.5

    def test_spreads_that_grow_fivefold_are_found(self):
        scales = np.geomspace(1.0, 5.0, 12)[:, None]
        *_, both = rejections(lambda rng: scales * rng.normal(size=(12, 10)), 100)
        assert both > 0.8

    def test_one_loud_configuration_among_many_is_found(self):
        scales = np.where(np.arange(20) == 7, 20.0, 1.0)[:, None]
        *_, both = rejections(lambda rng: scales * rng.normal(size=(20, 10)), 50)
        assert both > 0.9

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("noise", "documented"),
        [
            (lambda rng: rng.normal(size=(50, 10)), (0.13, 0.01, 0.01)),
            (lambda rng: rng.exponential(size=(50, 10)), (0.94, 0.06, 0.18)),
            (lambda rng: rng.standard_t(3, size=(50, 10)), (0.58, 0.02, 0.01)),
        ],
        ids=["normal", "exponential", "student"],
    )
    def test_documented_rates_of_false_alarm(self, noise, documented):
        mean, _, _ = rejections(noise, 300, centre="mean")
        levene, fligner, _ = rejections(noise, 300)
        print(f"Levene, mean {mean:.1%}, median {levene:.1%}; Fligner-Killeen {fligner:.1%}")
        np.testing.assert_allclose((mean, levene, fligner), documented, atol=0.02)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("repeats", "ratio", "documented"),
        [(6, 5.0, 0.54), (6, 10.0, 0.86), (5, 5.0, 0.02), (5, 10.0, 0.14)],
    )
    def test_documented_power(self, repeats, ratio, documented):
        scales = np.geomspace(1.0, ratio, 10)[:, None]
        *_, both = rejections(lambda rng: scales * rng.normal(size=(10, repeats)), 300)
        print(f"10 x {repeats}, standard deviations from 1 to {ratio}: {both:.0%}")
        assert both == pytest.approx(documented, abs=0.02)


class TestStatistics:
    def table(self):
        # An odd number of repeats: the middle two of an even one tie but for rounding.
        return np.random.default_rng(1).normal(size=(6, 7)) * np.arange(1, 7)[:, None]

    def test_they_are_those_of_the_paper(self):
        """The formulas of the appendix, written out."""
        Y = self.table()
        k, n = Y.shape
        N = k * n
        Z = np.abs(Y - Y.mean(axis=1, keepdims=True))
        between = n * np.sum((Z.mean(axis=1) - Z.mean()) ** 2)
        within = np.sum((Z - Z.mean(axis=1, keepdims=True)) ** 2)
        found = spread_tests(Y, centre="mean")
        assert found.levene == pytest.approx((N - k) / (k - 1) * between / within)
        assert found.levene_p == pytest.approx(stats.f.sf(found.levene, k - 1, N - k))
        ranks = stats.rankdata(np.abs(Y - np.median(Y, axis=1, keepdims=True))).reshape(k, n)
        a = stats.norm.ppf(0.5 + ranks / (2.0 * (N + 1)))
        chi2 = n * np.sum((a.mean(axis=1) - a.mean()) ** 2) / a.var(ddof=1)
        assert found.fligner == pytest.approx(chi2)
        assert found.fligner_p == pytest.approx(stats.chi2.sf(chi2, k - 1))

    def test_the_default_centre_is_the_median(self):
        Y = self.table()
        assert spread_tests(Y).levene == pytest.approx(stats.levene(*Y).statistic)

    @pytest.mark.parametrize("unit", [1e-300, 1e-12, 1e12, 1e300])
    def test_units_do_not_matter(self, unit):
        Y = self.table()
        one, other = spread_tests(Y), spread_tests(unit * Y)
        for name in ("levene_p", "fligner_p", "ratio", "correlation"):
            assert getattr(other, name) == pytest.approx(getattr(one, name))
        np.testing.assert_allclose(other.spreads / unit, one.spreads)

    def test_levels_and_spreads_are_those_of_the_groups(self):
        Y = self.table()
        found = spread_tests(Y)
        np.testing.assert_allclose(found.levels, np.median(Y, axis=1))
        np.testing.assert_allclose(found.spreads, Y.std(axis=1, ddof=1))
        assert found.repeats.tolist() == [7] * 6

    def test_the_effect_is_the_ratio_of_the_tails(self):
        Y = np.outer(np.geomspace(1.0, 100.0, 11), [-1.0, 0.0, 1.0])
        found = spread_tests(Y)
        assert found.ratio == pytest.approx(100.0**0.8)
        assert found.ratio > found.expected_ratio > 1.0

    @pytest.mark.parametrize("k", [2, 3, 5, 10, 50])
    def test_the_ratio_expected_of_equal_spreads_is_what_so_many_have(self, k):
        rng = np.random.default_rng(0)
        spreads = rng.normal(size=(2000, k, 6)).std(axis=2, ddof=1)
        low, high = np.quantile(spreads, TAILS, axis=1)
        expected = spread_tests(rng.normal(size=(k, 6))).expected_ratio
        assert np.median(high / low) == pytest.approx(expected, rel=0.08)

    def test_the_correlation_has_the_sign_of_the_trend(self):
        rng = np.random.default_rng(0)
        levels = np.arange(1.0, 21.0)[:, None]
        found = spread_tests(levels + levels * rng.normal(size=(20, 10)))
        assert found.correlation > 0.6
        assert found.correlation_p < 0.01
        assert spread_tests(-levels + levels * rng.normal(size=(20, 10))).correlation < -0.6


class TestDegenerate:
    def test_failed_evaluations_are_left_out(self):
        Y = np.random.default_rng(0).normal(size=(3, 5))
        broken = [[*row, math.nan, math.inf, -math.inf] for row in Y]
        one, other = spread_tests(Y), spread_tests(broken)
        assert other.failed == 9
        assert other.levene_p == one.levene_p

    @pytest.mark.parametrize(
        "groups", [[], [[1.0, 2.0, 3.0]], [[1.0], [2.0], [3.0]], [[math.nan] * 4] * 3]
    )
    def test_too_few_groups_have_no_answer_and_a_reason(self, groups):
        found = spread_tests(groups)
        assert found.is_heteroscedastic is None
        assert math.isnan(found.levene_p)
        assert "2 configurations with 3 successful evaluations each; there are" in found.note

    def test_groups_of_two_are_left_out(self):
        """Both of two losses deviate by half of their difference: the tests would divide by 0."""
        Y = np.random.default_rng(0).normal(size=(4, 5))
        found = spread_tests([*Y, [1.0, 9.0], [3.0]])
        assert found.dropped == 2
        assert found.levene_p == spread_tests(Y).levene_p

    def test_a_deterministic_objective_is_homoscedastic(self):
        found = spread_tests(np.outer([0.1, 0.2, 0.7], np.ones(7)))
        assert (found.levene_p, found.fligner_p, found.ratio) == (1.0, 1.0, 1.0)
        assert found.is_heteroscedastic is False
        assert "deterministic" in found.note

    def test_one_value_everywhere_says_nothing_of_noise(self):
        found = spread_tests(np.full((3, 6), 1e6))
        assert found.is_heteroscedastic is None
        assert "plateau" in found.note

    def test_the_last_digits_are_no_noise(self):
        """As of sums in another order, whose rounding grows with the level."""
        rng = np.random.default_rng(0)
        digits = np.finfo(float).eps * rng.integers(-2, 3, size=(10, 6))
        found = spread_tests(np.geomspace(1e-3, 1e3, 10)[:, None] * (1.0 + digits))
        assert not found.spreads.any()
        assert found.is_heteroscedastic is False
        assert "deterministic" in found.note
        loud = rng.normal(size=(10, 6))
        one, other = (spread_tests([*quiet, *loud]) for quiet in (5.0 + digits, 5.0 + 0.0 * digits))
        assert one.ratio == other.ratio == math.inf
        assert (one.levene_p, one.fligner_p) == (other.levene_p, other.fligner_p)

    def test_half_of_the_groups_constant(self):
        rng = np.random.default_rng(0)
        found = spread_tests(np.vstack([np.full((8, 6), 0.1), rng.normal(size=(8, 6))]))
        assert found.is_heteroscedastic
        assert found.ratio == math.inf
        assert found.note is None

    def test_deviations_that_are_all_equal(self):
        found = spread_tests([[-1.0, 1.0] * 3] * 4)
        assert (found.levene_p, found.fligner_p) == (1.0, 1.0)
        found = spread_tests([[-1.0, 1.0] * 3, [-2.0, 2.0] * 3])
        assert found.levene_p == 0.0
        assert found.is_heteroscedastic

    def test_losses_beside_a_catastrophe_keep_their_spread(self):
        found = spread_tests([[1.0, 2.0, 3.0], [1e300, -1e300, 0.0], [4.0, 4.0, 5.0]])
        np.testing.assert_allclose(found.spreads, [1.0, 1e300, math.sqrt(1 / 3)])

    def test_spreads_beyond_all_numbers_are_the_greatest_one(self):
        found = spread_tests([[-1.7e308, 1.7e308] * 2, [1.0, 2.0, 3.0, 5.0], [1.0, 2.0, 2.0, 1.0]])
        assert found.spreads[0] == np.finfo(float).max
        assert found.correlation == pytest.approx(-0.5)
        assert found.ratio > 1e300

    def test_another_centre_is_an_error(self):
        with pytest.raises(ConfigurationError, match="centre='trimmed'"):
            spread_tests([[1.0, 2.0, 3.0]], centre="trimmed")
