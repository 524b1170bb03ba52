"""The cubic spline through the losses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpfront.surrogate.spline import Features, Spline

PLAIN = np.random.default_rng(0).random((30, 3))


def test_it_goes_through_the_values():
    y = np.sin(5 * PLAIN[:, 0]) + PLAIN[:, 1]
    assert np.allclose(Spline.fit(PLAIN, y)(PLAIN), y, atol=1e-3)


def test_a_plane_is_the_same_between_the_points_and_beyond_them():
    def plane(Z):
        return 2.0 + Z @ np.array([1.0, -3.0, 0.5])

    spline = Spline.fit(PLAIN, plane(PLAIN))
    anywhere = np.random.default_rng(1).uniform(-1, 2, (20, 3))
    assert np.allclose(spline(anywhere), plane(anywhere), atol=1e-4)


def test_it_sees_the_valley_under_the_ripples():
    rng = np.random.default_rng(2)
    Z, new = rng.random((60, 2)), rng.random((200, 2))
    valley = np.sum((new - 0.4) ** 2, axis=1)
    ripples = 0.03 * np.sin(60 * Z).sum(axis=1)
    predicted = Spline.fit(Z, np.sum((Z - 0.4) ** 2, axis=1) + ripples)(new)
    assert np.corrcoef(predicted, valley)[0, 1] > 0.9


@pytest.mark.parametrize("repeats", [1, 2, 5])
def test_repeated_points_are_averaged(repeats):
    Z = np.vstack([PLAIN] + [PLAIN[:1]] * repeats)
    y = np.append(np.zeros(len(PLAIN)), np.ones(repeats))
    assert Spline.fit(Z, y)(PLAIN[:1])[0] == pytest.approx(repeats / (repeats + 1), abs=0.02)


@given(
    st.integers(2, 30),
    st.integers(1, 4),
    st.lists(st.floats(0, 1), min_size=30, max_size=30),
    st.randoms(use_true_random=False),
)
def test_it_is_finite_whatever_the_points(n, d, y, random):
    Z = np.array([[random.choice([0.0, 0.5, random.random()]) for _ in range(d)] for _ in range(n)])
    Z[:, 0] = 0.5  # a column that says nothing
    assert np.all(np.isfinite(Spline.fit(Z, np.array(y[:n]))(Z)))


def test_categories_are_equally_far_from_one_another():
    features = Features(np.array([False, True, True]), np.array([np.inf, 3.0, 2.0]))
    Z = features(np.array([[0.5, 0.0, 1.0], [0.5, 1.0, 1.0], [0.5, 2.0, 1.0], [0.5, 2.0, 0.0]]))
    distances = np.linalg.norm(Z[:, None] - Z[None], axis=2)
    assert Z.shape == (4, features.width) == (4, 6)
    assert np.allclose(distances[:3, :3], 1.0 - np.eye(3))
    assert distances[0, 3] == pytest.approx(np.sqrt(2.0))
