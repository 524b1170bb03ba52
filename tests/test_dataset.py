"""A history as arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpfront import (
    AtLeast,
    AtMost,
    Categorical,
    Integer,
    Maximize,
    Measured,
    Minimize,
    Real,
    Space,
)
from warpfront.dataset import Dataset, Observations
from warpfront.history import History
from warpfront.problem import Problem

SPACE = Space(x=Real(0, 1))
MIXED = Space(x=Real(0, 1, step=0.25), n=Integer(1, 4), kind=Categorical(["a", "b"]))
GOALS = (Minimize("loss"), AtMost("size", 2.0), AtLeast("recall", 0.5))


def data_of(told, *goals, space=SPACE):
    history = History(Problem(space, goals)).tell([(None, {"x": x}, y) for x, y in told])
    return Dataset.of(history)


def same(one, other):
    """Whether two datasets hold the same arrays."""
    arrays = []
    for data in (one, other):
        found = [data.X, data.failed, data.pending]
        for observed in data.outcomes:
            found += [observed.row, observed.y, observed.std]
        arrays.append(found)
    return all(
        a.shape == b.shape and np.array_equal(a, b, equal_nan=True)
        for a, b in zip(*arrays, strict=True)
    )


class TestReplicates:
    data = data_of([(0.7, 5.0), (0.2, 4.0), (0.7, 1.0), (0.7, 3.0), (0.4, 2.0)])

    def test_rows_are_distinct_and_sorted(self):
        np.testing.assert_array_equal(self.data.X.ravel(), [0.2, 0.4, 0.7])

    def test_all_measurements_are_kept_with_their_rows(self):
        observed = self.data.objective
        np.testing.assert_array_equal(observed.row, [0, 1, 2, 2, 2])
        np.testing.assert_array_equal(observed.y, [4.0, 2.0, 1.0, 3.0, 5.0])
        assert len(observed) == self.data.told == 5

    def test_means_and_counts_are_those_of_each_row(self):
        observed = self.data.objective
        np.testing.assert_array_equal(observed.counts, [1, 1, 3])
        np.testing.assert_array_equal(observed.rows, [0, 1, 2])
        np.testing.assert_allclose(observed.mean_of(observed.y), [4.0, 2.0, 3.0])

    def test_configurations_are_compared_as_encoded(self):
        told = [(None, {"x": 0.25, "n": n, "kind": "a"}, 1.0) for n in (2, 2.0, np.int64(2))]
        data = Dataset.of(History(MIXED).tell(told))
        assert len(data.X) == 1
        assert data.objective.counts.tolist() == [3]

    def test_rows_without_a_measurement_have_no_mean(self):
        observed = Observations(np.array([1, 4, 4]), np.array([1.0, 2.0, 4.0]), np.zeros(3))
        np.testing.assert_array_equal(observed.rows, [1, 4])
        np.testing.assert_array_equal(observed.counts, [1, 2])
        np.testing.assert_allclose(observed.mean_of(observed.y), [1.0, 3.0])

    def test_some_of_them_stay_together(self):
        observed = self.data.objective.where(np.array([True, False, False, True, False]))
        np.testing.assert_array_equal(observed.row, [0, 2])
        np.testing.assert_array_equal(observed.y, [4.0, 3.0])
        assert len(observed.std) == 2


class TestStates:
    def history(self):
        history = History(SPACE).ask([{"x": x} for x in (0.9, 0.1, 0.5, 0.3)])
        return history.tell(
            [(2, {"x": 0.5}, None), (0, {"x": 0.9}, 2.0), (None, {"x": 0.8}, np.nan)]
        )

    def test_each_trial_stands_where_it_belongs(self):
        data = Dataset.of(self.history())
        np.testing.assert_array_equal(data.X.ravel(), [0.9])
        np.testing.assert_array_equal(data.failed.ravel(), [0.5, 0.8])
        np.testing.assert_array_equal(data.pending.ravel(), [0.1, 0.3])
        assert data.told == 3

    def test_what_was_withdrawn_is_gone_and_may_come_again(self):
        data = Dataset.of(self.history().withdraw([1]))
        np.testing.assert_array_equal(data.pending.ravel(), [0.3])
        tried = Dataset.of(self.history()).tried
        assert len(data.tried) == len(tried) - 1 == 4
        assert data.tried < tried

    def test_an_empty_history_is_empty(self):
        data = Dataset.of(History(Problem(SPACE, GOALS)))
        assert data.X.shape == data.failed.shape == data.pending.shape == (0, 1)
        assert [len(observed) for observed in data.outcomes] == [0, 0, 0]
        assert data.told == 0
        assert data.tried == frozenset()
        assert data.feasible.shape == (0,)

    def test_columns_of_one_value_cannot_vary(self):
        space = Space(fixed=Integer(3, 3), x=Real(0, 1), kind=Categorical(["only"]))
        data = Dataset.of(History(space))
        np.testing.assert_array_equal(data.columns, [False, True, False])


class TestOutcomes:
    told = (
        (0.1, {"loss": 1.0, "size": 3.0, "recall": 0.9}),
        (0.2, {"loss": 2.0, "recall": 0.4}),
        (0.3, {"size": 1.0}),
        (0.4, {"loss": Measured(4.0, std=0.5), "size": 2.0, "recall": 0.5}),
    )

    def test_what_was_not_measured_is_missing_there_alone(self):
        data = data_of(self.told, *GOALS)
        assert len(data.X) == 4
        loss, size, recall = data.outcomes
        np.testing.assert_array_equal(loss.row, [0, 1, 3])
        np.testing.assert_array_equal(size.row, [0, 2, 3])
        np.testing.assert_array_equal(recall.row, [0, 1, 3])
        np.testing.assert_array_equal(size.y, [3.0, 1.0, 2.0])

    def test_what_is_to_be_great_has_the_other_sign(self):
        loss, _, recall = data_of(self.told, *GOALS).outcomes
        np.testing.assert_array_equal(recall.y, [-0.9, -0.4, -0.5])
        np.testing.assert_array_equal(loss.y, [1.0, 2.0, 4.0])
        data = data_of([(0.1, 3.0), (0.2, -1.0)], Maximize("gain"))
        np.testing.assert_array_equal(data.objective.y, [-3.0, 1.0])

    def test_measured_noise_stands_beside_its_outcome(self):
        loss, size, _ = data_of(self.told, *GOALS).outcomes
        np.testing.assert_array_equal(loss.std, [np.nan, np.nan, 0.5])
        assert np.isnan(size.std).all()
        data = data_of([(0.1, Measured(3.0, std=0.2))], Maximize("gain"))
        np.testing.assert_array_equal(data.objective.std, [0.2])

    def test_each_has_its_goal(self):
        data = data_of(self.told, *GOALS)
        assert [data.goal_of(observed) for observed in data.outcomes] == list(GOALS)

    def test_feasible_is_what_is_within_all_bounds(self):
        data = data_of(self.told, *GOALS)
        np.testing.assert_array_equal(data.feasible, [False, False, False, True])

    def test_replicates_are_feasible_on_average(self):
        sizes = [(0.1, 1.0), (0.1, 2.9), (0.2, 1.0), (0.2, 3.1), (0.3, 2.0)]
        told = [(x, {"loss": 0.0, "size": size}) for x, size in sizes]
        data = data_of(told, *GOALS[:2])
        np.testing.assert_array_equal(data.feasible, [True, False, True])

    def test_a_bound_of_which_nothing_was_measured_is_not_looked_at(self):
        data = data_of([(0.1, {"loss": 1.0, "size": 2.0}), (0.2, {"loss": 0.5})], *GOALS[:2])
        np.testing.assert_array_equal(data.feasible, [True, False])
        data = data_of([(0.1, {"loss": 1.0}), (0.2, {"loss": 0.5})], *GOALS[:2])
        np.testing.assert_array_equal(data.feasible, [True, True])

    def test_without_bounds_all_is_feasible(self):
        assert data_of([(0.1, 1.0), (0.2, 2.0)]).feasible.tolist() == [True, True]


class TestWithFailures:
    told = (
        (0.1, {"loss": 1.0}),
        (0.2, {"loss": 2.0, "size": 5.0}),
        (0.2, {"loss": 3.0}),
        (0.3, {"loss": 4.0, "size": 6.0}),
        (0.25, None),
    )
    data = data_of(told, *GOALS[:2])

    def test_rows_move_to_the_failures_with_their_measurements(self):
        found = self.data.with_failures(np.array([False, True, False]))
        np.testing.assert_array_equal(found.X.ravel(), [0.1, 0.3])
        np.testing.assert_array_equal(found.failed.ravel(), [0.2, 0.25])
        loss, size = found.outcomes
        np.testing.assert_array_equal(loss.y, [1.0, 4.0])
        np.testing.assert_array_equal(loss.row, [0, 1])
        np.testing.assert_array_equal(size.y, [6.0])
        np.testing.assert_array_equal(size.row, [1])
        assert found.tried == self.data.tried

    def test_none_changes_nothing(self):
        assert self.data.with_failures(np.zeros(3, dtype=bool)) is self.data

    def test_all_may_fail(self):
        found = self.data.with_failures(np.ones(3, dtype=bool))
        assert len(found.X) == len(found.objective) == 0
        np.testing.assert_array_equal(found.failed.ravel(), [0.1, 0.2, 0.25, 0.3])


@st.composite
def results(draw):
    """Told results, with replicates, failures, missing outcomes and known noise."""
    xs = st.sampled_from([0.0, 0.25, 0.5, 1.0])
    values = st.sampled_from([-1.0, 0.0, 2.5, 1e9])
    measured = values | st.builds(Measured, values, st.sampled_from([None, 0.0, 0.1]))
    configs = st.fixed_dictionaries(
        {"x": xs, "n": st.integers(1, 4), "kind": st.sampled_from(["a", "b"])}
    )
    outcomes = st.none() | st.fixed_dictionaries(
        {}, optional={"loss": measured, "size": measured, "recall": measured}
    )
    return draw(st.lists(st.tuples(st.none(), configs, outcomes), max_size=10))


class TestOrder:
    @settings(max_examples=50)
    @given(st.data(), results())
    def test_of_told_results_does_not_matter(self, data, told):
        history = History(Problem(MIXED, GOALS))
        shuffled = data.draw(st.permutations(told))
        one, other = (Dataset.of(history.tell(order)) for order in (told, shuffled))
        assert same(one, other)

    @settings(max_examples=50)
    @given(st.data(), results())
    def test_of_answers_to_what_was_asked_does_not_matter(self, data, told):
        asked = History(Problem(MIXED, GOALS)).ask([config for _, config, _ in told])
        answers = [(i, config, outcome) for i, (_, config, outcome) in enumerate(told)]
        answers = answers[: data.draw(st.integers(0, len(answers)))]
        one = Dataset.of(asked.tell(answers))
        later = asked
        for answer in data.draw(st.permutations(answers)):
            later = later.tell([answer])
        assert same(one, Dataset.of(later))

    @settings(max_examples=50)
    @given(results())
    def test_nothing_is_lost_or_made_up(self, told):
        history = History(Problem(MIXED, GOALS)).tell(told)
        data = Dataset.of(history)
        assert len(data.failed) == len(history.of_state("failed"))
        for goal, observed in zip(GOALS, data.outcomes, strict=True):
            expected = []
            for trial in history.completed:
                value = trial.outcomes[goal.name]
                if value is not None:
                    row = history.encode([trial])[0]
                    std = trial.noise.get(goal.name, -1.0)
                    expected.append((*row, goal.sign * value, std))
            std = np.nan_to_num(observed.std, nan=-1.0)
            found = [
                (*data.X[row], y, s)
                for row, y, s in zip(observed.row, observed.y, std, strict=True)
            ]
            assert sorted(found) == sorted(expected)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_first_of_the_measurements_of_a_row_is_the_best(sign):
    goal = Minimize("loss") if sign > 0.0 else Maximize("gain")
    data = data_of([(0.5, 2.0), (0.5, 9.0), (0.5, 5.0)], goal)
    assert np.all(np.diff(data.objective.y) > 0.0)
