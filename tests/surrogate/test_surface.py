"""The posterior mean as a surface: the values of the model, and their slope."""

from __future__ import annotations

import numpy as np
import pytest

from tests.search.spaces import MIXED
from warpfront import Settings
from warpfront.history import History
from warpfront.surrogate.model import Model
from warpfront.surrogate.surface import MeanSurface

KERNELS = [
    {},
    {"smoothness": "matern52"},
    {"linear_kernel": True},
    {"additive_kernel": True},
    {"linear_kernel": True, "additive_kernel": True, "input_warp": False},
]


def loss(config):
    return np.sin(5 * config["x"]) + config["n"] / 50 + 0.3 * (config["c"] == "q")


@pytest.fixture(params=KERNELS, ids=lambda k: " ".join(k) or "default")
def gp(request):
    told = [(None, c, loss(c)) for c in MIXED.sample(40, seed=0)]
    return Model.fit(History(MIXED).tell(told), Settings(**request.param), 0).gp


def points(gp, n=6):
    rng = np.random.default_rng(1)
    X = gp.X[rng.integers(0, len(gp.X), n)].copy()
    X[:, ~gp.is_category] = rng.uniform(0.05, 0.95, (n, int((~gp.is_category).sum())))
    return X


def test_it_has_the_values_of_the_model(gp):
    X = points(gp)
    surfaces = [MeanSurface(gp, x) for x in X]
    np.testing.assert_allclose([s(s.start)[0] for s in surfaces], gp.mean(X), atol=1e-9)


def test_its_slope_is_that_of_finite_differences(gp):
    h = 1e-6
    for x in points(gp):
        surface = MeanSurface(gp, x)
        u = np.clip(surface.start, 0.01, 0.99)
        steps = h * np.eye(len(u))
        differences = [(surface(u + s)[0] - surface(u - s)[0]) / (2 * h) for s in steps]
        np.testing.assert_allclose(surface(u)[1], differences, atol=1e-5)


def test_a_point_is_found_again_from_its_place_on_the_surface(gp):
    x = points(gp, 1)[0]
    numbers = gp.unwarp(MeanSurface(gp, x).start)
    np.testing.assert_allclose(numbers, x[~gp.is_category], atol=1e-7)
