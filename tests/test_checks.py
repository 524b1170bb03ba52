from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest

from warpfront.checks import real_number, whole_number
from warpfront.errors import ConfigurationError


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers_become_ints(value):
    number = whole_number("n", value, 1)
    assert number == 3
    assert type(number) is int


@pytest.mark.parametrize("value", [0, -1, True, 1.0, np.float64(2), "2", None, np.bool_(True)])
def test_others_are_refused_by_name(value):
    message = f"n={value!r}: must be a whole number of at least 1, or else"
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        whole_number("n", value, 1, otherwise=", or else")


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), np.array(0.5), Fraction(1, 2)])
def test_real_numbers_become_floats(value):
    number = real_number(value)
    assert number == 0.5
    assert type(number) is float


@pytest.mark.parametrize("value", [True, np.True_, "0.5", None, 1j, [0.5], np.ones(2), 10**400])
def test_what_is_no_real_number_becomes_nan(value):
    assert math.isnan(real_number(value))
