"""Profiles of Hypothesis for all tests.

No deadlines, because the machine may be busy with something else, and fewer examples than usual.
By default the examples are the same in every run, so that one revision always gets one verdict;
`make test-random` draws other ones every time.
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "random", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("same", settings.get_profile("random"), derandomize=True, database=None)
settings.load_profile("same")
