"""Repeats in a history, and configurations that are worth repeating."""

import math
import re

import numpy as np
import pytest

from warpfront import Boolean, Categorical, Integer, Real, Space
from warpfront.diagnostics.groups import Group, as_groups, merged, repeated, worth_repeating
from warpfront.errors import ConfigurationError, ObservationError
from warpfront.history import History

SPACE = Space(x=Real(0.0, 1.0))


def told(space, *pairs):
    return History(space).tell([(None, config, value) for config, value in pairs])


class TestRepeated:
    def test_failed_evaluations_are_repeats_too(self):
        history = told(
            SPACE,
            *(({"x": 0.5}, v) for v in (1.0, math.nan)),
            *(({"x": x}, 2.0) for x in (0.1, 0.2)),
        ).ask([{"x": 0.1}])
        (group,) = repeated(history)
        assert group.config == {"x": 0.5}
        assert group.losses[0] == 1.0
        assert math.isnan(group.losses[1])

    def test_choices_that_python_holds_equal_are_told_apart(self):
        space = Space(c=Categorical([1, True, 1.5]))
        history = told(space, *(({"c": c}, 1.0) for c in (1, True, 1.5, 1.5)))
        assert [g.config["c"] for g in repeated(history)] == [1.5]

    def test_there_are_none_in_an_empty_history(self):
        assert repeated(History(SPACE)) == []
        assert merged(SPACE) == []


@pytest.mark.parametrize("losses", [[1, 2.5], np.array([1.0, 2.5]), (1.0, 2.5)])
def test_losses_may_be_lists_and_arrays(losses):
    group = Group({"x": 0.5}, losses)
    assert group == Group({"x": 0.5}, (1.0, 2.5))
    assert merged(SPACE, [group, group]) == [Group({"x": 0.5}, (1.0, 2.5, 1.0, 2.5))]


@pytest.mark.parametrize("losses", [["a"], [[1.0], [1.0, 2.0]], {1.0, 2.0}, [1j], [10**400]])
def test_losses_that_are_no_numbers_are_named(losses):
    with pytest.raises(ObservationError, match=re.escape(f"losses={losses!r}: must be numbers")):
        Group({"x": 0.1}, losses)


def test_one_group_is_as_good_as_a_list_of_one():
    group = Group({"x": 0.5}, (1.0, 2.5))
    assert as_groups(group) == as_groups([group]) == as_groups(g for g in (group,)) == [group]
    assert as_groups(()) == []


@pytest.mark.parametrize("config", [{"x": 2.0}, {}])
def test_a_group_outside_the_space_is_named(config):
    with pytest.raises(ConfigurationError, match="parameter 'x'"):
        merged(SPACE, [Group(config, (1.0, 2.0))])


def test_merged_groups_keep_their_order():
    one = [Group({"x": 0.3}, (1.0,)), Group({"x": 0.1}, (2.0,))]
    assert merged(SPACE, one, [Group({"x": 0.1}, (3.0,))]) == [
        Group({"x": 0.3}, (1.0,)),
        Group({"x": 0.1}, (2.0, 3.0)),
    ]


class TestWorthRepeating:
    def history(self):
        return told(SPACE, *(({"x": i / 100}, float((i * 37) % 100)) for i in range(100)))

    def test_they_go_from_the_best_to_the_worst(self):
        losses = {t.config["x"]: t.value for t in self.history().trials}
        found = [losses[c["x"]] for c in worth_repeating(self.history(), 10)]
        assert found == [0.0, 11.0, 22.0, 33.0, 44.0, 55.0, 66.0, 77.0, 88.0, 99.0]

    def test_penalties_are_not_repeated(self):
        values = [float(i) if i < 60 else 1e6 for i in range(100)]
        history = told(SPACE, *(({"x": i / 100}, value) for i, value in enumerate(values)))
        assert [c["x"] for c in worth_repeating(history, 3)] == [0.0, 0.3, 0.59]

    def test_what_was_begun_comes_first(self):
        found = worth_repeating(self.history(), 3, known=[{"x": 0.123}, {"x": 0.5}, {"x": 0.123}])
        assert [c["x"] for c in found[:2]] == [0.123, 0.5]
        assert len(found) == 3
        many = [{"x": i / 7} for i in range(7)]
        assert worth_repeating(self.history(), 3, known=many) == many[:3]

    def test_without_trials_they_are_quasi_random(self):
        found = worth_repeating(History(SPACE), 5, seed=1)
        assert len({c["x"] for c in found}) == 5
        assert found == worth_repeating(History(SPACE), 5, seed=1)
        assert found != worth_repeating(History(SPACE), 5, seed=2)

    def test_a_small_space_has_no_more(self):
        space = Space(deep=Boolean(), n=Integer(1, 2))
        assert len(worth_repeating(History(space), 10)) == 4

    def test_a_choice_of_which_a_part_was_begun_stays_the_same(self):
        whole = worth_repeating(self.history(), 10)
        again = worth_repeating(self.history(), 10, known=whole[2:5])
        assert sorted(c["x"] for c in again) == sorted(c["x"] for c in whole)
