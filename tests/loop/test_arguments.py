"""Wrong arguments are named before anything is spent, with what is probably meant."""

from __future__ import annotations

import inspect
import math
import re

import pytest

from tests.loop.losses import SPACE, loss, search
from warpfront import Real, minimize
from warpfront.errors import ConfigurationError, SettingsError
from warpfront.loop import arguments


@pytest.mark.parametrize("given", ["loss", None, 5, {"x": 0.5}])
def test_a_loss_that_cannot_be_called_is_named_before_anything_is_spent(given):
    optimizer = search()
    with pytest.raises(ConfigurationError, match=re.escape(f"loss={given!r}: must be a function")):
        minimize(given, optimizer, 5)
    assert len(optimizer.history) == 0


@pytest.mark.parametrize("name", ["budget", "batch"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "8", math.nan])
def test_a_bad_budget_or_batch_is_named(name, value):
    given = {"budget": 4, "batch": 2, name: value}
    with pytest.raises(ConfigurationError) as caught:
        minimize(loss, search(), **given)
    assert str(caught.value) == f"{name}={value!r}: must be a whole number of at least 1"


@pytest.mark.parametrize("value", [0, -1.0, math.nan, "1h", True, -math.inf])
def test_a_bad_timeout_is_named(value):
    with pytest.raises(ConfigurationError, match="must be a positive number of seconds"):
        minimize(loss, search(), 5, timeout=value)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"direction": "max"}, "direction='max': must be 'minimize' or 'maximize'"),
        ({"direction": 1}, "direction=1: must be"),
        ({"on_error": "ignore"}, "on_error='ignore': must be 'raise' or 'record'"),
    ],
)
def test_a_bad_choice_is_named(given, message):
    with pytest.raises(ConfigurationError, match=message):
        minimize(loss, search(), 5, **given)


def test_what_is_no_space_is_named():
    with pytest.raises(ConfigurationError, match="is not a Space; wrap it"):
        minimize(loss, [Real(0, 1)], 4)
    with pytest.raises(SettingsError, match="settings='fast'"):
        minimize(loss, SPACE, 4, settings="fast")
    with pytest.raises(ConfigurationError, match="seed=-1: must be a whole number"):
        minimize(loss, SPACE, 4, seed=-1)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("maximize", "direction='maximize'"),
        ("n_jobs", "workers"),
        ("random_state", "seed"),
        ("callback", "callbacks"),
        ("bugdet", "budget"),
        ("check_point", "checkpoint"),
        ("time_out", "timeout"),
        ("on_errors", "on_error"),
    ],
)
def test_an_unknown_argument_gets_the_one_that_is_meant(name, meant):
    optimizer = search()
    with pytest.raises(ConfigurationError) as caught:
        minimize(loss, optimizer, 4, **{name: True})
    assert str(caught.value) == f"minimize has no argument {name!r}; did you mean {meant}?"
    assert len(optimizer.history) == 0


def test_one_that_resembles_nothing_gets_them_all():
    with pytest.raises(ConfigurationError, match="it takes loss, space, budget, direction, goals"):
        minimize(loss, search(), 4, zzz=1)


def test_the_names_are_those_of_the_function():
    assert set(arguments.NAMES) == set(inspect.signature(minimize).parameters) - {"unknown"}
    for meant in arguments.ELSEWHERE.values():
        assert meant.partition("=")[0] in arguments.NAMES
