from __future__ import annotations

import re

import numpy as np
import pytest

from warpfront.checks import whole_number
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
