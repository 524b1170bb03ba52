"""Profiles of Hypothesis for all tests.

No deadlines, because the machine may be busy with something else, and fewer examples than usual.
By default the examples are the same in every run, so that one revision always gets one verdict;
`make test-random` draws other ones every time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from unittest import mock

import pytest
from hypothesis import HealthCheck, settings

from warpfront.surrogate.gp import FitOptions
from warpfront.surrogate.options import CANDIDATES

settings.register_profile(
    "random", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("same", settings.get_profile("random"), derandomize=True, database=None)
settings.load_profile("same")


@pytest.fixture(scope="module")
def quick_paper() -> Iterator[None]:
    """The paper's model, fitted from fewer starts: for tests of behaviour, not of quality."""
    quick = FitOptions(starts=2, iterations=20, tolerance=2.2e-9)
    with mock.patch.dict(CANDIDATES, paper=replace(CANDIDATES["paper"], fit=quick)):
        yield
