"""What is wanted of an outcome, and its sign."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warpfront import AtLeast, AtMost, Maximize, Measured, Minimize, Real, Space
from warpfront.errors import ConfigurationError
from warpfront.goals import DEFAULT_NAME, Goal, goals_from_list, read_goals
from warpfront.problem import Problem

finite = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(min_size=1, max_size=5)
objectives = st.builds(Minimize, names, st.none() | finite) | st.builds(
    Maximize, names, st.none() | finite
)
bounds = st.builds(AtMost, names, finite) | st.builds(AtLeast, names, finite)
many_goals = st.lists(
    objectives | bounds, min_size=1, max_size=5, unique_by=lambda goal: goal.name
).filter(lambda goals: any(isinstance(goal, (Minimize, Maximize)) for goal in goals))


class TestBounds:
    @given(finite, finite)
    def test_they_hold_up_to_and_including_the_bound(self, bound, outcome):
        assert AtMost("a", bound).holds(outcome) == (outcome <= bound)
        assert AtLeast("a", bound).holds(outcome) == (outcome >= bound)
        assert AtMost("a", bound).holds(bound)
        assert AtLeast("a", bound).holds(bound)

    def test_nothing_holds_of_nan(self):
        assert not AtMost("a", 1.0).holds(math.nan)
        assert not AtLeast("a", 1.0).holds(math.nan)

    @pytest.mark.parametrize("kind", [AtMost, AtLeast])
    @pytest.mark.parametrize("bound", [math.nan, math.inf, -math.inf, "1", None, 10**400])
    def test_a_bound_must_be_a_finite_number(self, kind, bound):
        with pytest.raises(ConfigurationError, match=rf"{kind.__name__}\('a'\): the bound"):
            kind("a", bound)

    @pytest.mark.parametrize("bound", [2, np.float32(2.0), Fraction(4, 2), np.array(2)])
    def test_numbers_of_any_kind_are_floats(self, bound):
        goal = AtMost("a", bound)
        assert type(goal.bound) is float
        assert goal == AtMost("a", 2.0)


class TestObjectives:
    def test_their_signs(self):
        assert (Minimize().sign, Maximize().sign) == (1.0, -1.0)
        assert (AtMost("a", 0).sign, AtLeast("a", 0).sign) == (1.0, -1.0)

    @pytest.mark.parametrize("kind", [Minimize, Maximize])
    @pytest.mark.parametrize("reference", [math.nan, math.inf, "1", [1.0]])
    def test_a_reference_must_be_a_finite_number(self, kind, reference):
        with pytest.raises(ConfigurationError, match=r"reference .* finite number, or None"):
            kind("a", reference)

    @pytest.mark.parametrize("name", ["", None, 5, ["loss"]])
    def test_a_name_must_be_a_text(self, name):
        for make in (Minimize, Maximize, lambda n: AtMost(n, 1), lambda n: AtLeast(n, 1)):
            with pytest.raises(ConfigurationError, match="must be the name of an outcome"):
                make(name)

    def test_they_can_be_compared_and_be_keys(self):
        assert Minimize("a") == Minimize("a") != Maximize("a")
        assert len({Minimize("a"), Minimize("a"), Maximize("a"), AtMost("a", 1)}) == 3


class TestReading:
    def test_none_is_one_objective_to_be_minimised(self):
        assert read_goals(None) == (Minimize(DEFAULT_NAME),)

    def test_one_goal_is_as_good_as_a_list_of_one(self):
        assert read_goals(Maximize("a")) == read_goals([Maximize("a")]) == (Maximize("a"),)

    @settings(max_examples=30)
    @given(many_goals)
    def test_objectives_come_first_in_their_order(self, goals):
        found = read_goals(iter(goals))
        for kinds in ((Minimize, Maximize), (AtMost, AtLeast)):
            of_kind = [goal for goal in goals if isinstance(goal, kinds)]
            assert [goal for goal in found if isinstance(goal, kinds)] == of_kind
        count = sum(isinstance(goal, (Minimize, Maximize)) for goal in goals)
        assert all(isinstance(goal, (Minimize, Maximize)) for goal in found[:count])

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ("loss", "give a list such as"),
            ({"loss": "minimize"}, "give a list such as"),
            (5, "give a list such as"),
            (["loss"], "'loss' is not a goal"),
            ([Minimize], "is not a goal"),
            ([], "nothing is to be minimised or maximised"),
            ([AtMost("a", 1)], "nothing is to be minimised or maximised"),
            ([Minimize("a"), AtMost("a", 1)], "outcome 'a' is named twice"),
        ],
    )
    def test_anything_else_is_an_error(self, given, message):
        with pytest.raises(ConfigurationError, match=message):
            read_goals(given)


class TestData:
    @settings(max_examples=30)
    @given(many_goals)
    def test_goals_survive_json(self, goals):
        goals = read_goals(goals)
        data = json.loads(json.dumps([goal.to_dict() for goal in goals]))
        assert goals_from_list(data) == goals

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            ("minimize", "is not a list of goals"),
            (None, "is not a list of goals"),
            ([5], "5 is not a goal; it needs 'goal', one of minimize, maximize"),
            ([{"name": "a"}], "it needs 'goal'"),
            ([{"name": "a", "goal": "shrink"}], "it needs 'goal'"),
            ([{"name": "a", "goal": "at_most"}], "does not fit the goal 'at_most'"),
            ([{"name": "a", "goal": "minimize", "weight": 2}], "does not fit the goal 'minimize'"),
        ],
    )
    def test_anything_else_is_an_error(self, data, message):
        with pytest.raises(ConfigurationError, match=message):
            goals_from_list(data)


class TestProblem:
    SPACE = Space(x=Real(0, 1))
    PROBLEM = Problem(SPACE, (AtMost("size", 2.0), Minimize("loss"), Maximize("gain")))

    def test_it_knows_its_goals(self):
        assert self.PROBLEM.names == ("loss", "gain", "size")
        assert self.PROBLEM.objectives == (Minimize("loss"), Maximize("gain"))
        assert self.PROBLEM.bounds == (AtMost("size", 2.0),)
        assert self.PROBLEM.objective == Minimize("loss")
        assert self.PROBLEM.goal("size") == AtMost("size", 2.0)

    @pytest.mark.parametrize(
        ("outcomes", "feasible"),
        [
            ({"loss": 1.0, "size": 2.0}, True),
            ({"loss": 1.0, "size": 2.1}, False),
            ({"loss": 1.0, "size": None}, False),
            ({"loss": 1.0}, False),
            ({"size": 0.0}, True),
        ],
    )
    def test_what_is_feasible_holds_all_bounds(self, outcomes, feasible):
        assert self.PROBLEM.is_feasible(outcomes) is feasible

    def test_without_bounds_all_is_feasible(self):
        assert Problem(self.SPACE).is_feasible({})


class TestMeasured:
    @pytest.mark.parametrize("std", [0, 0.0, 1e-300, 2.5, np.float32(1.0), Fraction(1, 2)])
    def test_a_standard_deviation_is_a_float_of_at_least_0(self, std):
        assert Measured(1.0, std).std == float(std)
        assert type(Measured(1.0, std).std) is float

    @pytest.mark.parametrize("std", [-1.0, math.nan, math.inf, "1", [1.0]])
    def test_anything_else_is_an_error(self, std):
        with pytest.raises(ConfigurationError, match="must be a finite number of at least 0, or"):
            Measured(1.0, std)


@pytest.mark.parametrize("kind", [Minimize, Maximize, AtMost, AtLeast])
def test_goals_have_a_base_class_so_that_type_checkers_infer_a_list_of_goals(kind):
    assert issubclass(kind, Goal)
    assert {Minimize.sign, Maximize.sign, AtMost.sign, AtLeast.sign} == {1.0, -1.0}
