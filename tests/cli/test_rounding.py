"""Rounded suggestions: digits that mean something, within the space."""

import pytest

from warpfront import Integer, Real, Space
from warpfront.cli.rounding import round_config


@pytest.mark.parametrize(
    ("parameter", "value", "rounded"),
    [
        (Real(0, 1), 0.123456, 0.123),
        (Real(20, 80), 33.33333, 33.33),
        (Real(0, 1e6), 123456.7, 123000.0),
        (Real(0.12341, 1), 0.12342, 0.12341),  # not below the bound
        (Real(1e-9, 1e-6), 1.23456e-7, 1.235e-7),
        (Real(1e-5, 0.1, scale="log"), 0.00123456, 0.001235),
        (Real(0.001, 0.999, scale="logit"), 0.99876543, 0.998765),
        (Real(0, 1, step=1 / 3), 1 / 3, 1 / 3),
        (Real(2, 2), 2.0, 2.0),
        (Real(-1, 1, scale="linear"), -0.98765, -0.988),
    ],
)
def test_a_real_has_the_digits_of_its_range(parameter, value, rounded):
    space = Space(x=parameter, n=Integer(1, 9))
    assert round_config(space, {"x": value, "n": 3}) == {
        "x": pytest.approx(rounded, rel=1e-12),
        "n": 3,
    }


def test_what_would_violate_a_constraint_is_not_rounded():
    space = Space(x=Real(0, 1), constraints=["x >= 0.1236"])
    assert round_config(space, {"x": 0.12361}) == {"x": 0.124}
    assert round_config(space, {"x": 0.12363}) == {"x": 0.124}
    narrow = Space(x=Real(0, 1), constraints=["x >= 0.1236", "x <= 0.1237"])
    assert round_config(narrow, {"x": 0.12363}) == {"x": 0.12363}
