"""Random streams: reproducible, and none depends on another."""

import subprocess
import sys
from itertools import combinations

import numpy as np
from scipy.stats import kstest

from warpfront.streams import stream

KEYS = [
    (seed, number, component)
    for seed in (0, 1, 2**64)
    for number in (0, 1, 2**32)
    for component in ("pareto", "local", "fit value", "", "é")
]


def test_the_same_key_gives_the_same_numbers():
    for key in KEYS:
        np.testing.assert_array_equal(stream(*key).random(5), stream(*key).random(5))


def test_any_other_key_gives_others():
    drawn = [stream(*key).random(4) for key in KEYS]
    for one, other in combinations(drawn, 2):
        assert not np.any(one == other)


def test_what_one_draws_does_not_change_another():
    before = stream(0, 3, "local").random(4)
    other = stream(0, 3, "pareto")
    other.random(100)
    other.spawn(3)
    np.testing.assert_array_equal(stream(0, 3, "local").random(4), before)


def test_neighbouring_steps_are_independent():
    drawn = np.array([stream(0, number, "local").random(200) for number in range(200)])
    assert kstest(drawn[:, 0], "uniform").pvalue > 1e-3
    correlation = np.corrcoef(drawn)[np.triu_indices(200, 1)]
    assert np.abs(correlation).max() < 0.4


def test_another_process_draws_the_same():
    # A hash of a text differs from process to process; these numbers must not.
    code = "from warpfront.streams import stream; print(repr(stream(7, 8, 'local').random()))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    found = result.stdout.strip().removeprefix("np.float64(").removesuffix(")")
    assert float(found) == stream(7, 8, "local").random()
