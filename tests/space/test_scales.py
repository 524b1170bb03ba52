"""The scales: increasing, and inverse to each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from warpfront.space.scales import SCALES

DOMAINS = {
    "linear": st.floats(-1e300, 1e300),
    "log": st.floats(1e-300, 1e300),
    "logit": st.floats(1e-300, 1 - 1e-15),
}


def test_every_scale_knows_its_name():
    assert set(SCALES) == set(DOMAINS)
    assert all(name == scale.name for name, scale in SCALES.items())


@pytest.mark.parametrize("name", SCALES)
@given(data=st.data())
def test_from_line_inverts_to_line(name, data):
    scale, x = SCALES[name], data.draw(DOMAINS[name])
    back = scale.from_line(scale.to_line(np.array(x)))
    np.testing.assert_allclose(back, x, rtol=1e-12)


@pytest.mark.parametrize("name", SCALES)
@given(data=st.data())
def test_to_line_increases(name, data):
    a, b = sorted(data.draw(st.tuples(DOMAINS[name], DOMAINS[name])))
    line = SCALES[name].to_line(np.array([a, b]))
    assert line[0] <= line[1]


@given(st.lists(st.floats(-700, 700), min_size=1))
def test_expit_is_scipys(z):
    np.testing.assert_allclose(SCALES["logit"].from_line(np.array(z)), special.expit(z), rtol=1e-14)


@given(st.lists(DOMAINS["logit"], min_size=1))
def test_logit_is_scipys(x):
    np.testing.assert_allclose(
        SCALES["logit"].to_line(np.array(x)), special.logit(x), rtol=1e-12, atol=1e-14
    )


def test_expit_saturates_without_a_warning():
    np.testing.assert_array_equal(SCALES["logit"].from_line(np.array([-800.0, 800.0])), [0.0, 1.0])


def test_half_is_the_middle_of_the_logit_scale():
    assert SCALES["logit"].to_line(np.array(0.5)) == 0.0
    assert SCALES["logit"].from_line(np.array(0.0)) == 0.5
