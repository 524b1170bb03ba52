"""Settings: every component, validated, as plain data."""

from __future__ import annotations

import json
import math
import re
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from typing import get_args, get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies as my
from warpfront import Settings
from warpfront.errors import SettingsError
from warpfront.optimizers.hebo import PROPOSERS as PROPOSED_BY
from warpfront.settings import Acquisition, ModelName, OutputWarp, ProposerName, Robustness
from warpfront.surrogate.options import CANDIDATES

HINTS = get_type_hints(Settings)
CHOICES = {
    "output_warp": (*get_args(OutputWarp), None),
    "acquisition": get_args(Acquisition),
    "robustness": get_args(Robustness),
}
MODELS, PROPOSERS = get_args(ModelName), get_args(ProposerName)
ALMOST_ONE = math.nextafter(1.0, 0.0)
SWITCHES = [name for name, hint in HINTS.items() if hint is bool]


def test_the_paper_is_a_preset_that_differs_from_the_default_where_documented():
    default, paper = Settings().to_dict(), Settings.paper().to_dict()
    assert {name for name in paper if paper[name] != default[name]} == {
        "models",
        "shares",
        "replicate",
        "population",
        "generations",
        "seeded",
    }
    assert (paper["acquisition"], paper["robustness"], paper["input_warp"]) == (
        *("ensemble", "noise", True),
    )
    assert (paper["population"], paper["generations"], paper["seeded"]) == (100, 100, 0.0)
    assert (paper["models"], paper["shares"]) == (["paper"], {"pareto": 1.0})


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, vs in CHOICES.items() for v in vs])
def test_every_documented_component_can_be_chosen(name, value):
    for settings in (Settings(**{name: value}), Settings.paper(**{name: value})):
        assert getattr(settings, name) == value
        assert ("None: " if value is None else f'``"{value}"``') in Settings.__doc__


@pytest.mark.parametrize("name", MODELS)
def test_every_documented_model_can_be_chosen_alone_or_with_others(name):
    others = [other for other in MODELS if other != name][:2]
    assert Settings(models=name) == Settings(models=[name]) == Settings(models=(name,))
    assert Settings(models=[*others, name]).models == (*others, name)
    assert f'``"{name}"``' in Settings.__doc__
    assert CANDIDATES[name].name == name


@pytest.mark.parametrize("name", PROPOSERS)
def test_every_documented_proposer_can_have_a_share(name):
    settings = Settings(shares={name: np.float32(0.5)})
    assert settings.shares == {name: 0.5}
    assert type(settings.shares[name]) is float
    assert f'``"{name}"``' in Settings.__doc__
    assert name in PROPOSED_BY


def test_there_are_components_to_choose_and_switches():
    assert SWITCHES == ["input_warp", "replicate"]
    others = {"models", "shares", "rho", "delta", "population", "generations", "seeded", "initial"}
    assert {f.name for f in fields(Settings)} == {*CHOICES, *SWITCHES, *others}
    assert set(MODELS) == set(CANDIDATES)
    assert set(PROPOSERS) == set(PROPOSED_BY)


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("value", ["", "Paper", None, 3, [], {}])
def test_an_unknown_component_is_refused_with_the_known_ones(name, value):
    if value in CHOICES[name]:
        value = "none at all"
    with pytest.raises(SettingsError) as caught:
        Settings(**{name: value})
    assert f"{name}={value!r}: must be one of " in str(caught.value)
    assert all(repr(choice) in str(caught.value) for choice in CHOICES[name])


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "models=None: name at least one"),
        ([], "models=[]: name at least one"),
        (3, "models=3: name at least one"),
        ({"paper"}, "models={'paper'}: name at least one"),
        ({"paper": 1}, "models={'paper': 1}: name at least one"),
        ("", "models='': must be one of 'warped', 'additive'"),
        ("Paper", "models='Paper': must be one of "),
        ([None], "models=None: must be one of "),
        ([["paper"]], "models=['paper']: must be one of "),
        (["paper", "warped", "paper"], "a name is given twice"),
    ],
)
def test_unknown_models_are_refused(value, message):
    with pytest.raises(SettingsError, match=re.escape(message)):
        Settings(models=value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "shares=None: must map names of proposers to their shares"),
        ({}, "shares={}: must map names"),
        (["pareto"], "shares=['pareto']: must map names"),
        ("pareto", "shares='pareto': must map names"),
        ({"exploit": 1.0}, "shares='exploit': must be one of 'improve', 'local'"),
        ({None: 1.0}, "shares=None: must be one of "),
        ({"pareto": -0.1}, "'pareto' must have a share of at least 0"),
        ({"pareto": math.inf}, "'pareto' must have a share of at least 0"),
        ({"pareto": math.nan}, "'pareto' must have a share of at least 0"),
        ({"pareto": 10**400}, "'pareto' must have a share of at least 0"),
        ({"pareto": "1"}, "'pareto' must have a share of at least 0"),
        ({"pareto": True}, "'pareto' must have a share of at least 0"),
        ({"local": 1.0, "pareto": None}, "'pareto' must have a share of at least 0"),
        ({"pareto": 0.0, "local": 0}, "at least one must be above 0"),
    ],
)
def test_bad_shares_are_refused(value, message):
    with pytest.raises(SettingsError, match=re.escape(message)):
        Settings(shares=value)


def test_shares_are_ones_own_and_their_order_does_not_matter():
    given = {"wide": 2.0, "improve": 1.0}
    settings, same = Settings(shares=given), Settings(shares=dict(reversed(given.items())))
    given["wide"] = 7.0
    assert settings == same
    assert hash(settings) == hash(same)
    assert (
        list(settings.shares.items())
        == list(same.shares.items())
        == ([("improve", 1.0), ("wide", 2.0)])
    )
    assert list(Settings().shares) == ["improve", "local", "pareto", "wide"]


@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize("value", [1, 0, None, "yes"])
def test_a_switch_is_a_boolean(name, value):
    with pytest.raises(SettingsError, match=f"{name}={value!r}: must be True or False"):
        Settings(**{name: value})


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("population", 4),
        ("generations", 0),
        ("initial", 1),
    ],
)
def test_whole_numbers(name, least):
    for value in (least, np.int64(least), np.uint8(least + 1)):
        settings = Settings(**{name: value})
        assert getattr(settings, name) == value
        assert type(getattr(settings, name)) is int
        assert Settings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings
    for value in (least - 1, np.int64(least - 1), -5, 1.5, 10.0, True, np.True_, "3", math.nan):
        with pytest.raises(SettingsError) as caught:
            Settings(**{name: value})
        assert f"{name}={value!r}: must be a whole number of at least {least}" == str(caught.value)


@pytest.mark.parametrize(
    ("name", "where", "good", "bad"),
    [
        (
            "rho",
            "between 0 and 1, both excluded",
            [None, 5e-324, 0.1, ALMOST_ONE],
            [0, -0.0, -1.0, 1, 1.0, 5, math.inf, math.nan, "1", True, 10**400],
        ),
        (
            "delta",
            "between 0 and 1, both excluded",
            [5e-324, 0.5, ALMOST_ONE],
            [0.0, -0.1, 1, 1.0, 1.1, math.nan, None, "0.5", False],
        ),
        ("seeded", "in [0, 1]", [0, 0.5, 1.0], [-0.1, 1.1, math.nan, None, "half", True]),
    ],
)
def test_intervals(name, where, good, bad):
    for value in good:
        assert getattr(Settings(**{name: value}), name) == value
    for value in bad:
        with pytest.raises(SettingsError) as caught:
            Settings(**{name: value})
        assert str(caught.value) == f"{name}={value!r}: must lie {where}"


@pytest.mark.parametrize("value", [np.float32(0.5), np.float64(0.5), np.int64(1), Fraction(1, 4)])
def test_numbers_of_any_kind_become_floats(value):
    settings = Settings(seeded=value)
    assert type(settings.seeded) is float
    assert settings.seeded == value
    assert Settings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


@pytest.mark.parametrize("value", [np.float32(0.0), np.float32(1.0)])
def test_the_ends_of_an_open_interval_are_excluded_in_single_precision(value):
    with pytest.raises(SettingsError, match="both excluded"):
        Settings(delta=value)


@pytest.mark.parametrize("robustness", [v for v in CHOICES["robustness"] if v != "noise"])
def test_rho_needs_noise_to_scale(robustness):
    assert Settings(rho=0.1, robustness="noise").rho == 0.1
    assert Settings(robustness=robustness, delta=0.3).rho is None
    for build in (Settings, Settings.paper):
        with pytest.raises(SettingsError) as caught:
            build(rho=0.1, robustness=robustness)
        assert str(caught.value) == (
            f"rho=0.1: says how much noise to add, which robustness={robustness!r} does not; "
            "choose robustness='noise', or leave it out"
        )


def test_settings_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Settings().population = 8


def test_settings_compare_by_content_and_can_be_keys():
    assert Settings() == Settings(population=Settings().population) != Settings.paper()
    assert len({Settings(), Settings(), Settings.paper()}) == 2


def valid_settings() -> st.SearchStrategy[Settings]:
    whole = st.integers(4, 1000)
    share = st.floats(0, 1)
    inside = st.floats(0, 1, exclude_min=True, exclude_max=True)
    components = {name: st.sampled_from(values) for name, values in CHOICES.items()}
    robustness = st.tuples(components.pop("robustness"), st.none()) | st.tuples(
        st.just("noise"), inside
    )  # rho needs noise
    return st.builds(
        lambda robust, **others: Settings(robustness=robust[0], rho=robust[1], **others),
        robustness,
        **components,
        **{name: st.booleans() for name in SWITCHES},
        models=st.lists(st.sampled_from(MODELS), min_size=1, unique=True),
        shares=st.dictionaries(st.sampled_from(PROPOSERS), st.floats(0.5, 9), min_size=1),
        population=whole,
        generations=st.integers(0, 1000),
        initial=st.none() | whole,
        delta=inside,
        seeded=share,
    )


@given(valid_settings())
def test_every_setting_survives_real_json_text(settings):
    assert Settings.from_dict(json.loads(json.dumps(settings.to_dict(), allow_nan=False))) == (
        settings
    )


def test_a_shorter_description_leaves_the_rest_at_the_default():
    assert Settings.from_dict({}) == Settings()
    assert Settings.from_dict({"acquisition": "ei"}) == Settings(acquisition="ei")


@pytest.mark.parametrize(
    ("garbage", "message"),
    [
        (None, "None: settings must be a mapping of names to values"),
        ([], "[]: settings must be a mapping"),
        ("paper", "'paper': settings must be a mapping"),
        ({"optimism": 1}, "setting 'optimism' is unknown to this version of warpfront"),
        ({"starts": 3}, "setting 'starts' is unknown to this version of warpfront"),
        ({"population": 0}, "population=0: must be a whole number of at least 4"),
    ],
)
def test_garbage_is_not_settings(garbage, message):
    with pytest.raises(SettingsError, match=re.escape(message)):
        Settings.from_dict(garbage)


@given(st.dictionaries(st.sampled_from([f.name for f in fields(Settings)]), my.json_values()))
def test_any_values_are_settings_or_a_settings_error(data):
    outcome = {}
    try:
        outcome["settings"] = Settings.from_dict(data).to_dict()
    except SettingsError as error:
        outcome["refused"] = str(error).split("=")[0]
    assert outcome in [
        {"settings": Settings().to_dict() | data},
        *({"refused": name} for name in data),
    ]


def test_every_setting_is_documented():
    attributes = Settings.__doc__.split("Attributes")[1].split("Examples")[0]
    for field in fields(Settings):
        assert re.search(rf"^ *(\w+, )*{field.name}(, \w+)*$", attributes, re.MULTILINE)


def test_a_misspelt_name_gets_the_right_one():
    with pytest.raises(SettingsError, match="Settings has no 'populaton'; did you mean 'popul"):
        Settings(populaton=50)
    with pytest.raises(SettingsError, match="has no 'zzz'; it has models, output_warp"):
        Settings.paper(zzz=1)
