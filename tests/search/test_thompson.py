"""Thompson sampling: distinct candidates, each as often as it is likely to be the best."""

from __future__ import annotations

import numpy as np
import pytest

from warpfront import Real, Settings, Space
from warpfront.history import History, Trial
from warpfront.search.thompson import thompson
from warpfront.surrogate.model import Model

SPACE = Space(x=Real(0, 1))
KNOWN = (0.0, 0.1, 0.25, 0.9, 1.0)


def fitted():
    trials = tuple(Trial(i, {"x": x}, "completed", (x - 0.3) ** 2) for i, x in enumerate(KNOWN))
    return Model.fit(History(SPACE, trials), Settings(), 0).gp


@pytest.mark.parametrize(("candidates", "n"), [(5, 3), (3, 3), (2, 8), (1, 1), (0, 4), (4, 0)])
def test_they_are_distinct_and_as_many_as_there_can_be(candidates, n):
    X = np.linspace(0, 1, candidates)[:, None]
    chosen = thompson(fitted(), X, n, np.random.default_rng(0))
    assert len(chosen) == len(set(chosen)) == min(candidates, n)


def test_a_candidate_is_chosen_as_often_as_it_is_the_best_of_a_sample():
    gp, X = fitted(), np.linspace(0.05, 0.95, 19)[:, None]
    samples = gp.sample(X, 4000, np.random.default_rng(1))
    likely = np.bincount(samples.argmin(axis=1), minlength=len(X)) / 4000
    rng = np.random.default_rng(2)
    chosen = [thompson(gp, X, 1, rng)[0] for _ in range(1000)]
    found = np.bincount(chosen, minlength=len(X)) / 1000
    np.testing.assert_allclose(found, likely, atol=0.06)
    assert likely.max() < 0.9  # it is a choice at all


def test_the_same_generator_gives_the_same_choice():
    gp, X = fitted(), np.linspace(0, 1, 50)[:, None]
    first, again = (thompson(gp, X, 8, np.random.default_rng(3)) for _ in range(2))
    assert first == again
