from __future__ import annotations

import pytest

from benchmarks.speed import bound


def test_the_bound_grows_until_the_posterior_is_full():
    flops = [bound.step_flops(n) for n in (16, 128, 512, 1000, 2048)]
    assert flops == sorted(flops)
    assert bound.step_flops(5000) == flops[-1]
    assert bound.bound_seconds(128, rate=2.0) == pytest.approx(bound.step_flops(128) / 2)
