"""Spaces of Ray Tune become ours, and configurations go both ways."""

from __future__ import annotations

import pytest

from warpfront import Categorical, Integer, Ordinal, Real, Space
from warpfront.errors import ConfigurationError, SpaceError

pytest.importorskip("ray.tune")

from ray import tune

from warpfront.integrations.ray.layout import Layout


@pytest.mark.parametrize(
    ("domain", "parameter"),
    [
        (lambda: tune.uniform(-1, 2), Real(-1, 2)),
        (lambda: tune.loguniform(1e-4, 1e-1), Real(1e-4, 1e-1, scale="log")),
        (lambda: tune.quniform(0.3, 0.9, 0.1), Real(0.3, 0.9, step=0.1)),
        (lambda: tune.qloguniform(0.01, 1, 0.01), Real(0.01, 1, scale="log", step=0.01)),
        (lambda: tune.randint(1, 9), Integer(1, 8)),
        (lambda: tune.lograndint(1, 101), Integer(1, 100, scale="log")),
        (lambda: tune.qrandint(3, 17, 4), Integer(4, 16, step=4)),
        (lambda: tune.qrandint(3, 17, 1), Integer(3, 16)),
        (lambda: tune.qlograndint(2, 64, 2), Integer(2, 64, scale="log", step=2)),
        (lambda: tune.randn(10, 2), Real(4, 16, likely=(8, 12))),
        (lambda: tune.qrandn(0, 1, 0.5), Real(-3, 3, step=0.5, likely=(-1, 1))),
        (lambda: tune.choice(["a", "b"]), Categorical(["a", "b"])),
        (lambda: tune.choice([16, 32, 64]), Ordinal([16, 32, 64])),
        (lambda: tune.choice([None, (1, 2)]), Categorical([0, 1])),
        (lambda: Integer(1, 3), Integer(1, 3)),
    ],
)
def test_each_domain_has_its_parameter(domain, parameter):
    assert Layout.of({"x": domain()}).space["x"] == parameter


def test_suggested_values_are_those_that_tune_itself_would_draw():
    domains = {
        "q": tune.quniform(0.3, 0.9, 0.1),
        "i": tune.qrandint(3, 17, 4),
        "r": tune.randint(1, 9),
        "l": tune.lograndint(1, 101),
    }
    space = Layout.of(domains).space
    for config in space.sample(50, seed=0):
        for name, value in config.items():
            assert domains[name].is_valid(value)
    drawn = [{name: one.sample() for name, one in domains.items()} for _ in range(50)]
    assert all(space.validate(config) for config in drawn)


def test_nested_configurations_keep_their_constants():
    data = object()
    given = {
        "net": {"width": tune.choice([8, 16]), "depth": 2},
        "rates": [tune.uniform(0, 1), 0.5],
        "data": data,
        "sizes": [1, 2],
    }
    layout = Layout.of(given)
    assert list(layout.space) == ["net/width", "rates/0"]
    config = layout.nested({"net/width": 16, "rates/0": 0.25})
    assert config == {
        "net": {"width": 16, "depth": 2},
        "rates": [0.25, 0.5],
        "data": data,
        "sizes": [1, 2],
    }
    assert config["data"] is data
    assert layout.flat({"net": {"width": 8}}) == {"net/width": 8}
    assert layout.flat({"net/width": 8, "data": 3}) == {"net/width": 8}


def test_inactive_parameters_are_not_in_the_configuration():
    given = {
        "kind": tune.choice(["tree", "line"]),
        "depth": Integer(1, 5, when={"kind": "tree"}),
    }
    layout = Layout.of(given)
    assert layout.nested({"kind": "line"}) == {"kind": "line"}
    assert layout.nested({"kind": "tree", "depth": 3}) == {"kind": "tree", "depth": 3}


def test_what_cannot_be_searched_is_refused_with_the_remedy():
    with pytest.raises(SpaceError, match=r"'x': a grid search .* give\s+tune\.choice"):
        Layout.of({"x": tune.grid_search([1, 2])})
    with pytest.raises(SpaceError, match=r"parameter 'x': tune\.sample_from"):
        Layout.of({"x": tune.sample_from(lambda spec: 1)})
    with pytest.raises(SpaceError, match="no multiple of q=7"):
        Layout.of({"x": tune.qrandint(1, 5, 7)})
    with pytest.raises(SpaceError, match="same name"):
        Layout.of({"a": {"b": tune.uniform(0, 1)}, "a/b": tune.uniform(0, 1)})
    with pytest.raises(SpaceError, match="give a dict"):
        Layout.of([1])


def test_configurations_of_another_space_are_refused():
    layout = Layout.of({"x": tune.uniform(0, 1), "c": tune.choice([(1,), (2,)])})
    with pytest.raises(ConfigurationError, match="no 'y'; it has 'x', 'c'"):
        layout.flat({"y": 1})
    with pytest.raises(ConfigurationError, match="outside"):
        layout.flat({"x": 2.0})
    with pytest.raises(ConfigurationError, match=r"\(3,\) is not one of its choices"):
        layout.flat({"c": (3,)})


def test_a_layout_survives_json_unless_values_are_objects():
    layout = Layout.of(
        {"a": [tune.choice([None, (1, 2)]), 5], "b": {"c": tune.uniform(0, 1)}, "d": print}
    )
    copy = Layout.from_json(layout.space, layout.to_json())
    config = {"a/0": 1, "b/c": 0.5}
    assert copy.nested(config) == {"a": [(1, 2), 5], "b": {"c": 0.5}}
    assert copy.flat({"a": [None]}) == {"a/0": 0}
    assert Layout.of({"f": tune.choice([print, abs])}).to_json() is None


def test_a_space_of_ours_is_taken_as_it_is():
    space = Space({"a/b": Real(0, 1), "n": Integer(1, 3)}, constraints=["n <= 2"])
    layout = Layout.of(space)
    assert layout.space is space
    assert layout.nested({"a/b": 0.5, "n": 1}) == {"a/b": 0.5, "n": 1}
