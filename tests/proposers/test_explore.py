"""Explore: anywhere."""

from __future__ import annotations

import numpy as np
from scipy.stats import kstest

from tests.proposers.scenes import context, history_of
from warpfront import Categorical, Real, Space
from warpfront.proposers.explore import explore

SPACE = Space(x=Real(0, 1), rate=Real(1e-4, 1, scale="log"), c=Categorical(["a", "b"]))


def test_it_is_uniform_whatever_is_known():
    scene = context(history_of(SPACE, lambda c: c["x"]))
    X = explore(scene, 400, np.random.default_rng(0))
    assert len(X) == 400
    assert kstest(X[:, 0], "uniform").pvalue > 0.01
    assert kstest(X[:, 1], "uniform").pvalue > 0.01
    assert 0.4 < X[:, 2].mean() < 0.6
