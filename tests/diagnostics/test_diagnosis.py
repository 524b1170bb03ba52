"""A diagnosis as a whole: its answers, the settings that follow, and what it cannot tell."""

import copy
import json
import math
import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from tests.report.parsed import Parsed
from tests.report.studies import HOSTILE_NAMES, MIXED, evaluated, mixed, told
from warpfront import Boolean, Integer, Real, Settings, Space, minimize
from warpfront.diagnostics import Group, diagnose, diagnosis, write_diagnosis
from warpfront.diagnostics.calibration import Calibration
from warpfront.diagnostics.comparison import Comparison
from warpfront.diagnostics.findings import (
    calibration_finding,
    conflict_finding,
    fit_findings,
    noise_finding,
    spread_finding,
)
from warpfront.diagnostics.fit import FitComparison
from warpfront.diagnostics.noise import Contender, Noise
from warpfront.diagnostics.spread import spread_tests
from warpfront.errors import ConfigurationError, MissingExtraError, SettingsError
from warpfront.history import History

QUICK = Settings(models=["warped"])
SPACE = Space(x=Real(0.0, 1.0), y=Real(0.0, 1.0))


def repeats(space, scale, k=10, n=6):
    rng = np.random.default_rng(0)
    return [
        Group(config, tuple(i + scale(i) * rng.normal(size=n)))
        for i, config in enumerate(space.sample(k, seed=3))
    ]


@pytest.fixture(scope="module")
def found():
    return diagnose(mixed(), QUICK, repeats=repeats(MIXED, lambda i: 0.1 + i), splits=3)


class TestAnswers:
    def test_all_questions_are_answered(self, found):
        assert all(finding.is_known for finding in found.findings)
        assert len(found.findings) == 6
        assert found.spread.is_heteroscedastic
        assert len(found.calibration.pit) == len(found.history.completed)  # no failures
        assert set(found.conflict.parameters) <= set(MIXED.names)
        assert found.changes == {}
        assert found.advised == QUICK

    def test_the_text_has_three_parts(self, found):
        text = str(found)
        assert text.startswith("WHAT WAS FOUND")
        assert "WHICH SETTINGS FOLLOW" in text
        assert "WHAT COULD NOT BE TOLD" not in text
        assert max(map(len, text.splitlines())) <= 92

    def test_it_is_plain_json(self, found):
        data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert data["spread"]["is_heteroscedastic"] is True
        assert data["fit"]["input_warp"]["verdict"] == found.fit.input_warp.verdict
        assert data["noise"]["repeats"] == found.noise.repeats
        assert set(data["conflict"]["optima"]) == {"EI", "PI", "UCB"}
        assert len(data["groups"]) == len(found.groups)

    def test_it_can_be_compared_and_be_a_key(self, found):
        other = copy.deepcopy(found)
        assert found == found != other
        assert {found: 1, other: 2}[found] == 1

    def test_the_two_parameters_can_be_chosen(self):
        found = diagnose(mixed(), QUICK, parameters=("bias", "units"), splits=2)
        assert found.conflict.parameters == ("bias", "units")
        with pytest.raises(ConfigurationError, match="'version' is a constant"):
            diagnose(mixed(), QUICK, parameters=("bias", "version"), splits=2)

    @pytest.mark.parametrize(
        ("parameters", "wrong"),
        [
            *((given, "must be two names") for given in [("x",), ("x", "y", "x"), "xy", (), 5]),
            (("x", "z"), "'z' is not in the space"),
            (("x", ["y"]), "['y'] is not in the space"),
            (["y", "y"], "'y' is given twice"),
        ],
    )
    def test_anything_but_two_parameters_is_an_error_before_a_fit(self, parameters, wrong):
        message = f"parameters={parameters!r}: {wrong}; choose two of x, y"
        with pytest.raises(ConfigurationError, match=re.escape(message)):
            diagnose(History(SPACE), parameters=parameters)

    @pytest.mark.parametrize("pack", [lambda r: r, lambda r: r.optimizer])
    def test_a_result_is_as_good_as_its_history(self, pack):
        result = minimize(lambda c: c["x"] + c["y"], SPACE, 2, seed=0)
        found = diagnose(pack(result), QUICK)
        assert found.history is result.history
        assert str(found) == str(diagnose(result.history, QUICK))

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ({"history": [1.0]}, ConfigurationError, "history=[1.0]: must be a history"),
            ({"settings": {"rho": 0.1}}, SettingsError, "settings={'rho': 0.1}: must be"),
            ({"settings": {}}, SettingsError, "settings={}: must be a warpfront.Settings"),
            ({"seed": -1}, ConfigurationError, "seed=-1: must be a whole number of at least 0"),
            ({"seed": None}, ConfigurationError, "seed=None: must be a whole number"),
            (
                {"repeats": [({"x": 0.1}, [1, 2])]},
                ConfigurationError,
                "repeats: ({'x': 0.1}, [1, 2])",
            ),
            ({"repeats": 5}, ConfigurationError, "repeats: 5 is not a Group; give a list of"),
            ({"repeats": {"x": 0.1}}, ConfigurationError, "repeats: 'x' is not a Group"),
        ],
    )
    def test_a_bad_argument_is_named(self, arguments, error, message):
        with pytest.raises(error, match=re.escape(message)):
            diagnose(**{"history": History(SPACE), **arguments})

    def test_repeats_within_the_history_count(self):
        space = Space(n=Integer(1, 3), deep=Boolean())
        rng = np.random.default_rng(0)
        configs = [{"n": 1 + i % 3, "deep": bool(i % 2)} for i in range(36)]
        history = told(space, [])
        history = history.tell(
            [(None, c, 10 * c["n"] + (9 if c["deep"] else 0.1) * rng.normal()) for c in configs]
        )
        found = diagnose(history, QUICK)
        assert len(found.groups) == 6
        assert found.spread.is_heteroscedastic
        assert not found.findings[1].is_known  # six configurations are too few for a fit
        assert found.noise.measured > 0.0


@pytest.mark.parametrize("at_random", [True, False])
def test_penalties_are_answered_like_failures(at_random):
    space = Space(x=Integer(1, 6), y=Integer(1, 4))
    configs = [c for c in space.sample(400, seed=0) if c["y"] < 4 or c["x"] < 4][:70]

    def answers(penalty):
        rng = np.random.default_rng(2)
        told = [
            (None, c, penalty if (rng.random() < 0.3 if at_random else c["x"] > 4) else value)
            for c, value in ((c, c["x"] * c["y"] + rng.normal()) for c in configs)
        ]
        groups = [
            Group(c, [*(c["x"] + rng.normal(size=4)), *[penalty] * (2 * c["x"] - 2)])
            for c in configs[:8]
        ]
        return diagnose(History(space).tell(told), QUICK, repeats=groups, splits=3)

    penalised, failed = answers(1e6), answers(math.nan)
    assert str(penalised.findings) == str(failed.findings)
    assert str(penalised.groups) == str(failed.groups)


def test_numpy_may_be_told_to_raise_on_every_oddity_of_floats(tmp_path):
    with np.errstate(all="raise"):
        found = diagnose(evaluated(SPACE, lambda c: 1e-320 * (1 + c["x"]), 12), QUICK, splits=2)
        write_diagnosis(found, tmp_path / "page.html")
    assert found.noise is not None


class TestUnknown:
    def test_nothing_is_known_of_nothing(self):
        found = diagnose(History(SPACE))
        assert not any(finding.is_known for finding in found.findings)
        text = " ".join(str(found).split())
        assert "Nothing yet." in text
        assert "Nothing is known yet from which settings could follow." in text
        assert "there are 0" in text
        assert found.to_dict()["noise"] is None

    def test_one_parameter_has_no_map(self):
        history = evaluated(Space(x=Real(0.0, 1.0)), lambda c: c["x"], 9)
        found = diagnose(history, QUICK, splits=2)
        assert found.conflict is None
        assert "two parameters" in str(found)

    def test_two_configurations_evaluated_often_have_noise_but_no_calibration(self):
        space = Space(n=Integer(1, 2))
        values = [(None, {"n": 1 + i % 2}, 1.0 + i % 2 + 0.1 * (i % 3)) for i in range(12)]
        found = diagnose(History(space).tell(values), QUICK, splits=2)
        assert found.calibration is None
        assert found.noise is not None
        assert "A calibration needs 3 observations; there are 2." in " ".join(str(found).split())

    def test_equal_values_change_no_setting(self):
        found = diagnose(told(SPACE, [3.0] * 12), Settings(input_warp=False), splits=2)
        assert (found.fit, found.changes) == (None, {})
        assert "all 12 have the same." in str(found).partition("WHAT COULD NOT BE TOLD")[2]

    @pytest.mark.parametrize("values", [[1.0] * 12, [math.nan] * 12, [1.0, 2.0], [1e300, 5.0] * 6])
    def test_hostile_histories_are_no_error(self, values):
        found = diagnose(told(SPACE, values), QUICK, splits=2)
        json.dumps(found.to_dict(), allow_nan=False)
        assert str(found)


def compared(difference, p_value):
    return Comparison(difference, difference - 0.1, difference + 0.1, p_value, 20)


def fit_of(warp, output):
    return FitComparison(warp, output, warp, output, "robust")


HELPS, HARMS, NEITHER = compared(0.5, 0.001), compared(-0.5, 0.001), compared(0.5, 0.5)


class TestAdvice:
    @pytest.mark.parametrize(
        ("warp", "output", "settings", "changes"),
        [
            (HELPS, HELPS, Settings(), {}),
            (NEITHER, NEITHER, Settings(), {}),
            (NEITHER, NEITHER, Settings(input_warp=False, output_warp="none"), {}),
            (HARMS, HARMS, Settings(), {"output_warp": "none", "input_warp": False}),
            (HARMS, HARMS, Settings(input_warp=False, output_warp="none"), {}),
            (
                HELPS,
                HELPS,
                Settings(input_warp=False, output_warp="none"),
                {"output_warp": "robust", "input_warp": True},
            ),
        ],
    )
    def test_of_fits(self, warp, output, settings, changes):
        findings = fit_findings(fit_of(warp, output), settings)
        assert {k: v for f in findings for k, v in f.settings.items()} == changes

    def test_of_the_words_for_each_verdict(self):
        texts = [f.text for f in fit_findings(fit_of(HELPS, HARMS), Settings())]
        assert texts[0].startswith("No, it does harm")
        assert "1.65 times as probable without it" in texts[0]
        assert texts[1].startswith("Yes")
        assert "1.65 times as probable." in texts[1]
        (_, same) = fit_findings(fit_of(compared(0.0, 1.0), HELPS), Settings())
        assert same.text.startswith("There is no difference")

    def test_of_spread(self):
        grows = spread_tests([g.losses for g in repeats(SPACE, lambda i: 0.1 + i)])
        assert spread_finding(grows, Settings()).settings == {}
        off = spread_finding(grows, Settings(output_warp="none"))
        assert off.settings == {"output_warp": "robust"}
        assert "larger where values are worse" in off.text
        low, high = grows.spreads.min(), grows.spreads.max()
        assert (
            f"The standard deviations go from {low:.3g} to {high:.3g}; their 90 % quantile is "
            f"{grows.ratio:.3g} times their 10 % quantile" in off.text
        )
        uneven = spread_tests([g.losses for g in repeats(SPACE, lambda i: 9.0 if i % 5 else 0.1)])
        found = spread_finding(uneven, Settings(output_warp="none"))
        assert found.settings == {}
        assert "no sign that the spread follows the level of the values (rank" in found.text

    @pytest.mark.parametrize(
        ("levels", "scales"),
        [
            ([1.0, 10.0], [0.1, 3.0]),
            ([1.0, 5.0, 10.0], [0.1, 1.0, 9.0]),  # in order, as chance has it one time in three
            ([0.0] * 6, [0.1, 0.2, 0.5, 1.0, 4.0, 9.0]),
        ],
    )
    def test_of_spread_that_cannot_be_compared_with_the_level(self, levels, scales):
        steps = np.array([-3.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0])
        tests = spread_tests([a + b * steps for a, b in zip(levels, scales, strict=True)])
        assert tests.is_heteroscedastic
        found = spread_finding(tests, Settings(output_warp="none"))
        assert found.settings == {}
        assert f"cannot be told from {len(levels)} such configurations" in found.text

    def test_of_spread_does_not_contradict_that_of_fits(self, monkeypatch):
        off = Settings(models=["warped"], output_warp="none")
        groups = repeats(SPACE, lambda i: 0.1 + i)
        history = evaluated(SPACE, lambda c: c["x"], 9)
        for output, changes in ((HARMS, {}), (NEITHER, {"output_warp": "robust"})):
            fit = fit_of(NEITHER, output)
            monkeypatch.setattr(diagnosis, "compare_fits", lambda *_, fit=fit, **__: fit)
            found = diagnose(history, off, repeats=groups)
            assert found.findings[0].settings == changes
            assert ("but it does harm to the fit" in found.findings[0].text) is (not changes)

    @pytest.mark.parametrize("scale", [0.0, 9.0])
    def test_of_an_odd_number_of_repeats(self, scale):
        for n in (5, 6, 25):
            groups = repeats(SPACE, lambda i: 1.0 + scale * i, n=n)
            text = spread_finding(spread_tests([g.losses for g in groups]), QUICK).text
            assert ("repeats is odd (configurations: 10)" in text) == (n % 2 == 1)

    def test_of_a_deterministic_objective(self):
        found = spread_finding(spread_tests([[1.0] * 4, [2.0] * 4]), Settings())
        assert found.is_known
        assert "fixed seed" in found.text

    def test_of_failed_repeats(self):
        rows = [[1.0, 1.1, 0.9, 1.05, math.nan]] * 3
        assert (
            "3 failed evaluations were left out"
            in spread_finding(spread_tests(rows), Settings()).text
        )

    def test_of_noise(self):
        rivals = (Contender({}, 1.0, 1), Contender({}, 1.1, 7), Contender({}, 1.01, None))
        found = noise_finding(Noise(0.3, math.nan, 0.5, rivals), Settings.paper())
        assert found.settings == {"models": ("warped",)}
        assert "best 3 configurations 7 times" in found.text
        assert "1 of the 2 next best cannot be told" in found.text
        assert "The model cannot tell 30 % of the variance" in found.text
        assert (
            "If the model is right, one evaluation of the best varies by about ±0.5." in found.text
        )
        quiet = noise_finding(Noise(0.01, 0.02, 0.5, rivals[:1], "best"), Settings.paper())
        assert quiet.settings == {}
        assert "by the repeats 2 % is noise. One evaluation of the best varies by" in quiet.text
        surprised = noise_finding(Noise(0.01, 0.4, 0.5, rivals[:1], "best"), Settings.paper())
        assert "takes some of the noise for structure" in surprised.text
        assert surprised.settings == {"models": ("warped",)}

    @pytest.mark.parametrize(("share", "measured"), [(0.05, 0.9), (0.3, 0.01)])
    def test_of_few_repeats_is_that_of_the_model(self, share, measured):
        best = (Contender({}, 1.0, 1),)
        found = noise_finding(Noise(share, measured, 0.5, best), Settings.paper())
        alone = noise_finding(Noise(share, math.nan, 0.5, best), Settings.paper())
        assert found.settings == alone.settings
        assert "by the few repeats" in found.text
        assert "for structure" not in found.text

    @pytest.mark.parametrize("source", ["model", "repeats", "best"])
    def test_of_noise_that_is_not_the_same_everywhere(self, source):
        rivals = (Contender({}, 1.0, 1), Contender({}, 1.01, None))
        noise = Noise(0.3, 0.3, 0.5, rivals, source)
        is_average = source != "best"
        text = noise_finding(noise, Settings(), uneven=True).text
        assert ("on average over the space" in text) is is_average
        assert ("as good as equal" in text) is not is_average
        assert "as good as equal" in noise_finding(noise, Settings()).text

    def test_of_noise_when_the_loud_ones_are_bad(self):
        history = evaluated(SPACE, lambda c: c["x"] + c["y"], 12)
        groups = repeats(SPACE, lambda i: 0.01 if i < 3 else 5.0)
        found = diagnose(history, QUICK, repeats=groups, splits=2)
        assert found.spread.is_heteroscedastic
        assert found.to_dict()["noise"]["source"] == "best"
        two = diagnose(history, QUICK, repeats=groups[2:4], splits=2)
        assert two.spread.is_heteroscedastic
        assert "on average over the space" in " ".join(str(two).split())

    def test_of_a_deterministic_objective_is_the_same_everywhere(self):
        history = evaluated(SPACE, lambda c: math.sin(9.0 * c["x"]) + c["y"], 16)
        groups = [Group(t.config, (t.value,) * 3) for t in history.completed[:2]]
        text = " ".join(str(diagnose(history, QUICK, repeats=groups, splits=2)).split())
        assert "the objective is deterministic" in text
        assert "One evaluation of the best is enough: all repeats gave the same value" in text
        assert "Evaluate each of the best" not in text
        same = [Group(c, (1e6, 1e6, 1e6)) for c in SPACE.sample(2, seed=0)]
        text = " ".join(str(diagnose(history, QUICK, repeats=same, splits=2)).split())
        assert "deterministic" not in text
        assert "One evaluation of the best is enough" not in text

    def test_of_calibration(self):
        bold = Calibration(np.array([0.001] * 10 + [0.5] * 10), 0.001)
        found = calibration_finding(bold, Settings.paper(robustness="none"))
        assert found.settings == {"models": ("warped",)}
        assert "50 % fell into their 90 % intervals" in found.text
        cautious = Calibration(np.full(20, 0.5), 0.01)
        found = calibration_finding(cautious, Settings.paper(robustness="none"))
        assert found.settings == {}
        assert "too cautious" in found.text

    def test_of_conflict(self, found):
        alone = conflict_finding(found.conflict, Settings(acquisition="ei"))
        expected = {"acquisition": "ensemble"} if found.conflict.is_conflicting else {}
        assert alone.settings == expected
        assert alone.text.startswith("Yes" if expected else "Hardly")

    @pytest.mark.parametrize(
        ("place", "says"),
        [
            (0.0, "all prefer the same point or equally good ones."),
            (0.04, "each holds at most 4 % of all points better than another's best."),
        ],
    )
    def test_of_agreement_is_no_more_exact_than_the_grid(self, found, place, says):
        agreed = replace(found.conflict, places=dict.fromkeys(found.conflict.places, place))
        assert conflict_finding(agreed, Settings()).text.startswith(f"Hardly: {says}")


class TestPage:
    def test_it_has_all_sections_and_pictures(self, found, tmp_path):
        page = write_diagnosis(found, tmp_path / "page.html", title="A task", facts={"a": "b"})
        text = page.read_text("utf-8")
        for heading in (
            "What was found",
            "Which settings follow",
            "Spread against level",
            "Fit",
            "Acquisitions",
            "The best configurations",
            "Calibration",
        ):
            assert f">{heading}</h2>" in text
        assert text.count('role="img"') == 7  # three acquisitions, two of the calibration
        assert list(tmp_path.iterdir()) == [page]
        before = page.read_bytes()
        write_diagnosis(found, page, title="A task", facts={"a": "b"})
        assert page.read_bytes() == before

    def test_values_that_are_maximised_are_the_user_s(self, found, tmp_path):
        text = write_diagnosis(found, tmp_path / "p", maximize=True).read_text("utf-8")
        loss = found.noise.contenders[0].value
        assert f"<td>{-loss:.4g}</td>" in text
        assert f"<td>{loss:.4g}</td>" not in text

    def test_facts_may_be_numbers(self, tmp_path):
        page = write_diagnosis(diagnose(History(SPACE)), tmp_path / "p.html", facts={"nodes": 12})
        assert Parsed(page.read_text("utf-8")).rows("About")[-1] == ["nodes", "12"]

    def test_an_empty_one(self, tmp_path):
        found = diagnose(History(SPACE))
        text = write_diagnosis(found, tmp_path / "p.html").read_text("utf-8")
        assert "What could not be told" in text
        assert 'role="img"' not in text
        assert len(text) < 100_000  # without figures there is no Plotly either

    @pytest.mark.parametrize("maximize", [False, True])
    def test_repeats_as_far_apart_as_numbers_can_be(self, tmp_path, maximize):
        groups = [Group(c, (-1.7e308, 1.7e308) * 2) for c in SPACE.sample(3, seed=0)]
        groups.append(Group(SPACE.sample(4, seed=0)[3], (1.0, 2.0, 3.0, 4.0)))
        found = diagnose(History(SPACE), repeats=groups)
        page = write_diagnosis(found, tmp_path / "p.html", maximize=maximize)
        assert "Spread against level" in page.read_text("utf-8")

    def test_advice_is_a_table(self, tmp_path):
        history = evaluated(SPACE, lambda c: math.sin(12.0 * c["x"] ** 4) + c["y"], 32)
        settings = Settings(models=["warped"], input_warp=False)
        found = diagnose(history, settings, splits=8)
        assert found.changes == {"input_warp": True}
        assert found.advised.input_warp
        text = write_diagnosis(found, tmp_path / "p.html").read_text("utf-8")
        assert Parsed(text).rows("Settings") == [["input_warp", "false", "true"]]
        assert "Change these settings: input_warp = true." in str(found)

    def test_hostile_names_do_no_harm(self, tmp_path):
        history = told(HOSTILE_NAMES, list(range(12)))
        text = write_diagnosis(diagnose(history, QUICK, splits=2), tmp_path / "p.html").read_text(
            "utf-8"
        )
        assert "<script>document" not in text

    def test_without_jinja_it_says_what_to_install(self, found, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "jinja2", None)
        with pytest.raises(MissingExtraError, match="reports need jinja2"):
            write_diagnosis(found, tmp_path / "p.html")
        assert not list(tmp_path.iterdir())


def test_an_optimiser_is_diagnosed_with_its_own_settings():
    used = Settings(models=["warped"], input_warp=False)
    result = minimize(lambda c: c["x"], Space(x=Real(0, 1)), 10, seed=0, settings=used)
    for given in (result, result.optimizer):
        assert diagnose(given, splits=2).settings == used
    assert diagnose(result, QUICK, splits=2).settings == QUICK
