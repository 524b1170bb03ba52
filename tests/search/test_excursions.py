"""When the search leaves its best points, and where it goes then."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.search.spaces import MIXED as SPACE
from warpfront import Real, Settings, Space
from warpfront.history import History, Trial
from warpfront.search.domain import Domain
from warpfront.search.excursions import (
    BLIND_UP_TO,
    PATIENCE,
    WATCHED,
    excursion_slots,
    excursions,
    idle_trials,
    is_blind,
)
from warpfront.surrogate.model import Model


def falling(n: int = WATCHED) -> np.ndarray:
    return np.linspace(2.0, 1.0, n)  # median 1.5, best 1


@pytest.mark.parametrize(
    ("later", "idle"),
    [
        ([], 0),
        ([1.0], 1),
        ([1.0] * 20, 20),
        ([0.5], 0),
        ([0.5, 0.5, 3.0], 2),
        ([0.5, 0.495], 1),  # a gain of 0.005 where 0.01 is one per cent of the gap
        ([0.5, 0.48], 0),
        ([0.5] + [0.5 - 0.004 * i for i in range(1, 4)], 0),  # small gains that add up to one
    ],
)
def test_idle_trials_are_those_after_the_last_gain_worth_having(later, idle):
    assert idle_trials(np.concatenate([falling(), later])) == idle


@pytest.mark.parametrize("n", range(1, WATCHED + 1))
def test_the_first_trials_are_never_idle(n):
    assert idle_trials(np.ones(n)) == 0


def test_where_the_first_losses_are_equal_any_gain_counts():
    assert idle_trials(np.append(np.ones(WATCHED), [1.0, 1.0, 1.0])) == 3
    assert idle_trials(np.append(np.ones(WATCHED), [1.0, 0.9999, 1.0])) == 1


def test_the_largest_losses_do_not_overflow():
    huge = np.append(np.full(WATCHED, 1e308), [-1e308, 0.0])
    assert idle_trials(huge) == 1


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60),
    st.sampled_from([2.0**k for k in range(-5, 6)]),
)
def test_the_unit_of_the_loss_does_not_matter(losses, factor):
    y = np.array(losses)
    assert idle_trials(y) == idle_trials(factor * y)


@pytest.mark.parametrize(
    ("idle", "tied", "blind", "slots"),
    [
        (0, 1, False, []),
        (PATIENCE - 1, PATIENCE, False, []),
        (PATIENCE, 1 + PATIENCE, False, [2, 4]),
        (2 * PATIENCE, 1, False, [2, 4, 6]),
        (100, PATIENCE - 1, False, [2, 4, 6]),
        (2 * PATIENCE, PATIENCE, False, [1, 2, 3, 4, 6]),
        (0, 1, True, [1, 2, 3, 4, 5, 6]),
        (100, 50, True, [1, 2, 3, 4, 5, 6]),
    ],
)
def test_the_less_is_gained_or_known_the_more_trials_go_away(idle, tied, blind, slots):
    # The last of the falling losses is the best; it comes again, and then worse ones.
    later = [1.0] * (tied - 1) + [3.0] * (idle - tied + 1)
    losses = np.concatenate([falling(), later])
    assert idle_trials(losses) == idle
    assert sorted(excursion_slots(losses, blind)) == slots


@dataclass
class Fitted:
    """What is_blind asks of a model."""

    y: np.ndarray
    share: float

    def explained(self, n):
        assert n <= len(self.y)
        return self.share


@pytest.mark.parametrize(
    ("completed", "failed", "explained", "blind"),
    [
        (WATCHED - 1, 0, -1.0, False),  # too few to tell
        (WATCHED - 1, 5, -1.0, False),
        (WATCHED, 0, 0.24, True),
        (WATCHED, 0, 0.26, False),
        (BLIND_UP_TO, 0, -1.0, True),
        (BLIND_UP_TO + 1, 0, -1.0, False),
        (16, 2, -1.0, True),
        (16, 3, -1.0, False),  # too many have failed
    ],
)
def test_a_model_is_blind_while_it_explains_next_to_nothing(completed, failed, explained, blind):
    model = Fitted(np.zeros(completed + failed), explained)
    assert is_blind(model, completed) == blind


def fitted(n, loss, seed):
    """A model of n losses under normal noise."""
    space, rng = Space({name: Real(0, 1) for name in "abcd"}), np.random.default_rng([n, seed])
    trials = [
        Trial(i, c, "completed", loss(c) + float(rng.normal()))
        for i, c in enumerate(space.sample(n, seed=seed))
    ]
    return Model.fit(History(space, tuple(trials)), Settings(), 0).gp


@pytest.mark.parametrize("n", [16, 64, 128])
def test_many_models_of_noise_are_blind_and_none_of_a_noisy_slope(n):
    noise = [is_blind(fitted(n, lambda c: 0.0, seed), n) for seed in range(10)]
    slope = [is_blind(fitted(n, lambda c: 6.0 * c["a"], seed), n) for seed in range(10)]
    assert np.mean(noise) >= 0.3
    assert np.mean(slope) == 0.0


def test_half_of_them_keep_all_but_one_or_two_coordinates_of_a_best_point():
    domain = Domain.of(SPACE, {})
    best = SPACE.encoding.encode(SPACE.sample(2, seed=0))
    points = excursions(best, 2000, domain, np.random.default_rng(0), blind=False)
    moved = np.min([(points != b).sum(axis=1) for b in best], axis=0)
    near = np.mean(moved <= 2)
    assert 0.45 < near < 0.6
    assert np.mean(moved == 1) > 0.1
    assert np.mean(moved == 2) > 0.1
    nearest = np.argmin([(points != b).sum(axis=1) for b in best], axis=0)
    assert 0.4 < np.mean(nearest[moved <= 2]) < 0.6


def test_all_of_them_go_anywhere_while_the_model_is_blind():
    domain = Domain.of(SPACE, {})
    best = SPACE.encoding.encode(SPACE.sample(2, seed=0))
    points = excursions(best, 2000, domain, np.random.default_rng(0), blind=True)
    assert np.mean(points[:, :3] == best[0, :3]) < 0.02
    assert abs(points[:, 0].mean() - 0.5) < 0.03


@pytest.mark.parametrize("blind", [False, True])
def test_they_are_configurations_of_the_space_with_what_is_fixed(blind):
    fixed = {"y": 10.0, "c": "q"}
    domain = Domain.of(SPACE, fixed)
    best = SPACE.encoding.encode(SPACE.sample(3, seed=1))
    points = excursions(best, 50, domain, np.random.default_rng(0), blind=blind)
    assert all(c in SPACE and c["y"] == 10.0 and c["c"] == "q" for c in domain.decode(points))


@pytest.mark.parametrize("n", [0, 1])
def test_there_are_as_many_as_wanted_even_of_one_free_parameter(n):
    domain = Domain.of(SPACE, {"y": 10.0, "c": "q", "n": 3, "b": True})
    best = SPACE.encoding.encode(SPACE.sample(1, seed=1))
    points = excursions(best, n, domain, np.random.default_rng(0), blind=False)
    assert points.shape == (n, len(SPACE))
