from __future__ import annotations

import sys

from benchmarks.speed.plan import Cell, Contender, contenders
from benchmarks.speed.steps import time_steps


def test_a_step_of_warpfront_is_timed():
    default = contenders()[0]
    results = time_steps([default], [Cell(16, 2)], repeats=2, time_limit=60.0)
    step = results.find("step_cpu", default.name, 16, 2)
    assert step.repeats == 2
    assert step.minimum > 0.0
    assert results.find("tell_cpu", default.name, 16, 2) is not None
    assert results.remarks == ()


def test_who_fails_is_not_asked_for_larger_steps():
    broken = Contender("broken", sys.executable, ("benchmarks.no_such_module",))
    results = time_steps([broken], [Cell(16, 2), Cell(32, 2)], repeats=2, time_limit=60.0)
    assert results.measurements == ()
    (remark,) = results.remarks
    assert remark.startswith("broken died;")
    assert remark.endswith("at n = 16, d = 2: not asked for larger steps.")
