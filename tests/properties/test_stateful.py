"""Any sequence of ask, tell, fail, withdraw and resume, over any space."""

from __future__ import annotations

import json
import math
import random
from unittest import mock

import pytest
from hypothesis import HealthCheck, assume, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from tests.strategies import (
    conditional,
    configurations,
    constrained_spaces,
    losses,
    parameters,
    user_configurations,
)
from warpfront import HEBO, Categorical, Integer, RandomSearch, Real, Settings, Space
from warpfront.errors import WarpfrontError
from warpfront.outcomes import read_value
from warpfront.space import descent, region

QUICK = {"population": 16, "generations": 2, "initial": 3}
OPTIMIZERS = [
    lambda space, seed: RandomSearch(space, seed),
    lambda space, seed: HEBO(space, seed, settings=Settings(models=["warped"], **QUICK)),
    lambda space, seed: HEBO(space, seed, settings=Settings(models=["quadratic"], **QUICK)),
]
HOSTILE_NAMES = [
    *("two words", "a.b", "it's", '"', "{x}", "{{", "}", "line\nbreak", "tab\t", "ß", "变量", "🙂"),
    *("", " ", "\\", "`", "$(ls)", "%s", "<b>", "x" * 300, "None", "__class__", "\x00", "\u202e"),
]
EXTREME = [
    *(Real(1e-300, 1e300, scale="log"), Real(-1e300, 1e300), Real(1e-300, 2e-300), Real(0, 1e-300)),
    *(Real(1e300, 1.1e300), Real(5e-324, 1.7e308, scale="log"), Real(3, 3), Integer(7, 7)),
    *(Integer(-(10**14), 10**14), Integer(1, 10**12, scale="log"), Categorical(["only"])),
    *(Categorical([f"level {i}" for i in range(500)]), Real(0, 1, step=1)),
]


@st.composite
def hostile_spaces(draw):
    """From one to fifty parameters, with names and bounds that break other packages."""
    n = draw(st.sampled_from([1, 1, 2, 3, 5, 8, 50]))
    names = draw(st.permutations([name for name in HOSTILE_NAMES if name]))[: min(n, 8)]
    names += [f"p{i}" for i in range(n - len(names))]
    kinds = st.sampled_from(EXTREME) | parameters()
    few = [draw(kinds) for _ in range(min(n, 6))]
    found = {name: few[i % len(few)] for i, name in enumerate(names)}
    return Space(draw(conditional(found)) if n <= 8 else found)


@st.composite
def plain_or_constrained(draw):
    """A space, and a configuration of it."""
    if draw(st.integers(0, 3)) == 0:
        space, _, witness = draw(constrained_spaces())
        return space, witness
    space = draw(hostile_spaces())
    return space, draw(configurations(space))


class Machine(RuleBasedStateMachine):
    """An optimiser, a model of what it must know, and now and then a resumed copy."""

    waiting = Bundle("waiting")
    gone = Bundle("gone")

    @initialize(
        found=plain_or_constrained(),
        make=st.sampled_from(OPTIMIZERS),
        seed=st.integers(0, 2**63),
    )
    def begin(self, found, make, seed):
        self.space, self.witness = found
        self.optimizer = make(self.space, seed)
        self.told = {}  # by number: what was told last
        self.pending, self.withdrawn = set(), set()
        note(f"space: {self.space}")

    @rule(target=waiting, n=st.integers(1, 4), data=st.data())
    def ask(self, n, data):
        fixed = {}
        if self.space.is_plain and data.draw(st.integers(0, 3)) == 0:
            names = data.draw(st.sets(st.sampled_from(list(self.space.names)), max_size=2))
            fixed = {name: self.witness[name] for name in names if name in self.witness}
        twin = type(self.optimizer).from_json(self.optimizer.to_json())
        try:
            batch = self.optimizer.ask(n, fixed=fixed)
        except WarpfrontError as error:
            assert "no configuration was found" in str(error)  # noqa: PT017
            assume(False)
        assert twin.ask(n, fixed=fixed) == batch  # a resumed one goes on identically
        assert len(batch) == n
        for suggestion in batch:
            config = dict(suggestion)
            assert config in self.space
            assert self.space.validate(json.loads(json.dumps(config))) == config
            assert config | fixed == config
            assert suggestion.number not in self.told
            self.pending.add(suggestion.number)
        return multiple(*batch)

    def _tell(self, config, value):
        """Tell, and find the one trial that has it: one that was pending, or a new one."""
        before = self.optimizer.history.trials
        self.optimizer.tell(config, value)
        after = self.optimizer.history.trials
        changed = [t for t in after if t not in before[t.number : t.number + 1]]
        (number,) = [trial.number for trial in changed]
        assert number in self.pending or number == len(before)
        assert dict(after[number].config) == self.space.validate(dict(config))
        self.told[number] = value
        self.pending.discard(number)
        return number

    @rule(suggestion=consumes(waiting), value=losses())
    def tell(self, suggestion, value):
        was_pending = suggestion.number in self.pending
        assert (self._tell(suggestion, value) == suggestion.number) is was_pending

    @rule(suggestion=consumes(waiting))
    def fail(self, suggestion):
        self._tell(suggestion, RuntimeError("the machine broke"))

    @rule(target=gone, suggestion=consumes(waiting))
    def withdraw(self, suggestion):
        self.optimizer.withdraw(suggestion)
        if suggestion.number in self.pending:
            self.pending.discard(suggestion.number)
            self.withdrawn.add(suggestion.number)
        return suggestion

    @rule(suggestion=consumes(gone), value=losses())
    def tell_what_was_withdrawn(self, suggestion, value):
        self._tell(suggestion, value)

    @rule(value=losses(), data=st.data())
    def tell_what_was_never_asked(self, value, data):
        config = self.witness
        if not self.space.constraints:
            config = data.draw(user_configurations(self.space))
        self._tell(config, value)

    @rule()
    def a_wrong_call_changes_nothing(self):
        before = self.optimizer.history
        for config in ({"no such name": 1}, {}):
            with pytest.raises(WarpfrontError):
                self.optimizer.tell([self.witness, config], [1.0, 2.0])
        with pytest.raises(WarpfrontError):
            self.optimizer.tell(self.witness, "good")
        assert self.optimizer.history is before

    @rule()
    def resume(self):
        text = self.optimizer.to_json()
        resumed = type(self.optimizer).from_json(text)
        assert resumed.history == self.optimizer.history
        assert resumed.to_json() == text
        self.optimizer = resumed

    @invariant()
    def nothing_is_lost(self):
        if not hasattr(self, "optimizer"):
            return
        history = self.optimizer.history
        by_number = {trial.number: trial for trial in history.trials}
        assert {t.number for t in history.of_state("pending")} == self.pending
        assert {t.number for t in history.of_state("withdrawn")} == self.withdrawn
        assert len(history) == len(self.told) + len(self.pending) + len(self.withdrawn)
        for number, given in self.told.items():
            value, reason = read_value(given)
            trial = by_number[number]
            assert trial.value == value
            assert (trial.state == "failed") == (reason is not None)
        completed = [read_value(v)[0] for v in self.told.values()]
        completed = [value for value in completed if value is not None]
        if completed:
            assert self.optimizer.best.value == min(completed)
            assert math.isfinite(self.optimizer.recommendation.value)


SHORT = [
    mock.patch.object(descent, "GENERATIONS", 40),
    mock.patch.object(descent, "MORE_GENERATIONS", 10),
    mock.patch.object(region, "MIXING", 10),
]


@pytest.fixture(autouse=True, scope="module")
def _short_searches():
    """Random regions may be single points, which a long search would not find either."""
    for patch in SHORT:
        patch.start()
    yield
    for patch in SHORT:
        patch.stop()


def go(examples, steps):
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=checks,
        ),
    )


def test_any_sequence_of_calls_keeps_every_observation():
    before = random.getstate()
    go(examples=30, steps=12)
    assert random.getstate() == before


@pytest.mark.slow
def test_many_long_sequences_of_calls_keep_every_observation():
    go(examples=300, steps=40)
