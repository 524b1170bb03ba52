"""Trials in a space that has changed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import configurations, small_spaces
from warpfront import HEBO, AtMost, Boolean, Categorical, Integer, Minimize, Real, Settings, Space
from warpfront.errors import ConfigurationError, SpaceError
from warpfront.history import History
from warpfront.transfer import transfer

QUICK = Settings(models=["warped"], replicate=False, population=16, generations=3)
SPACE = Space(x=Real(0, 1), n=Integer(1, 9), c=Categorical(["a", "b"]))


def told(space=SPACE, n=12, goals=None):
    optimizer = HEBO(space, 0, QUICK, goals=goals)
    batch = optimizer.ask(n)
    names = [goal.name for goal in optimizer.goals]
    optimizer.tell(batch, [{name: c["x"] + i for i, name in enumerate(names)} for c in batch])
    return optimizer


def configs(optimizer):
    return [dict(trial.config) for trial in optimizer.history.trials]


def test_wider_ranges_keep_everything():
    old = told()
    new = old.with_space(Space(x=Real(-1, 2), n=Integer(1, 20), c=Categorical(["b", "a", "z"])))
    assert configs(new) == configs(old)
    assert new.left_out == ()
    assert [t.outcomes for t in new.history.trials] == [t.outcomes for t in old.history.trials]
    assert all(config in new.space for config in new.ask(4))
    assert old.space == SPACE


def test_narrower_ranges_leave_out_what_is_outside_and_say_why():
    old = told()
    new = old.with_space(Space(x=Real(0, 0.5), n=Integer(1, 9), c=Categorical(["a"])))
    outside = [t for t in old.history.trials if t.config["x"] > 0.5 or t.config["c"] == "b"]
    assert [one.trial for one in new.left_out] == outside
    for one in new.left_out:
        name = "x" if one.trial.config["x"] > 0.5 else "c"
        assert f"parameter {name!r}" in one.reason
    assert len(new.history) + len(new.left_out) == len(old.history)
    assert [t.number for t in new.history.trials] == list(range(len(new.history)))
    assert all(config in new.space for config in new.ask(4))


def test_removed_parameters_are_dropped_and_added_ones_have_their_default():
    old = told()
    space = Space(x=Real(0, 1), rate=Real(1e-3, 1.0, scale="log"), deep=Boolean())
    new = old.with_space(space, defaults={"rate": 0.1, "deep": True})
    assert configs(new) == [{"x": c["x"], "rate": 0.1, "deep": True} for c in configs(old)]
    with pytest.raises(ConfigurationError, match="parameter 'rate' is new: say which value it had"):
        old.with_space(space, defaults={"deep": True})
    with pytest.raises(ConfigurationError, match="defaults: parameter 'rat' is not in the new"):
        old.with_space(space, defaults={"rat": 0.1})
    with pytest.raises(ConfigurationError, match="parameter 'rate': 7"):
        old.with_space(space, defaults={"rate": 7, "deep": True})
    with pytest.raises(SpaceError, match="is not a space"):
        old.with_space(3)


def test_without_trials_no_default_is_needed():
    assert len(HEBO(SPACE, 0).with_space(Space(other=Real(0, 1))).history) == 0


def test_conditions_may_come_and_go():
    flat = told()
    space = Space(
        x=Real(0, 1),
        c=Categorical(["a", "b"]),
        n=Integer(1, 9, when={"c": "a"}),
        m=Integer(1, 9, when={"c": "b"}),
    )
    deep = flat.with_space(space, defaults={"m": 4})
    expected = [
        {"x": c["x"], "c": c["c"]} | ({"n": c["n"]} if c["c"] == "a" else {"m": 4})
        for c in configs(flat)
    ]
    assert configs(deep) == expected
    again = deep.with_space(SPACE)
    assert {one.reason for one in again.left_out} == {"parameter 'n' is missing; give it a value"}
    assert configs(deep.with_space(SPACE, defaults={"n": 5})) == [
        {"x": c["x"], "n": c["n"] if c["c"] == "a" else 5, "c": c["c"]} for c in configs(flat)
    ]
    lacking = flat.with_space(space)
    assert {one.trial.config["c"] for one in lacking.left_out} == {"b"}
    assert "it is active when 'c' is 'b'" in lacking.left_out[0].reason


def test_constraints_may_be_added_and_old_trials_that_violate_them_are_kept():
    old = told()
    space = Space({name: SPACE[name] for name in SPACE}, constraints=["x + n / 9 <= 1"])
    new = old.with_space(space)
    assert configs(new) == configs(old)
    assert all(config in space for config in new.ask(6))


def test_states_goals_and_noise_are_kept():
    goals = [Minimize("loss"), AtMost("memory", 5)]
    old = told(goals=goals)
    old.tell({"x": 0.5, "n": 3, "c": "a"}, None)
    pending = old.ask(2)
    old.withdraw(pending[:1])
    new = old.with_space(Space(x=Real(0, 2), n=Integer(1, 9), c=Categorical(["a", "b"])))
    assert [t.state for t in new.history.trials] == [t.state for t in old.history.trials]
    assert new.goals == tuple(goals)
    assert new.seed == old.seed
    assert new.settings == QUICK
    new.tell(pending[1], {"loss": 1.0, "memory": 2.0})
    assert not new.history.of_state("pending")


def test_it_can_be_saved_and_goes_on_alike():
    new = told().with_space(Space(x=Real(0, 0.7), c=Categorical(["a", "b"])))
    copy = HEBO.from_json(json.dumps(json.loads(new.to_json())))
    assert copy.history == new.history
    assert copy.ask(3) == new.ask(3)


@given(st.data())
def test_every_trial_is_kept_as_a_configuration_of_the_new_space_or_left_out(data):
    old, new = data.draw(small_spaces()), data.draw(small_spaces())
    history = History(old).tell(
        [
            (None, data.draw(configurations(old)), float(i))
            for i in range(data.draw(st.integers(0, 5)))
        ]
    )
    defaults = data.draw(configurations(new))
    kept, left_out = transfer(history, new, defaults)
    assert len(kept) + len(left_out) == len(history)
    for trial in kept.trials:
        assert new.validate(trial.config) == trial.config
        was = history.trials[int(trial.value)]
        assert all(trial.config[n] == was.config[n] for n in trial.config if n in was.config)
    assert all(one.reason for one in left_out)


def test_the_same_space_changes_nothing():
    old = told()
    same, left_out = transfer(old.history, SPACE)
    assert (same, left_out) == (old.history, ())
