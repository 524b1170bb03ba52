"""Portfolio: shares are kept, whatever is asked for at a time and in whatever context."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpfront import Categorical, Real, Space
from warpfront.history import History
from warpfront.portfolio import ON_BEHALF_OF, assign, past_proposers, waiting_proposers

SPACE = Space(x=Real(0, 1), context=Categorical(["a", "b", "c"]))
NAMES = ["improve", "local", "pareto", "wide", "explore"]
SHARES = st.dictionaries(st.sampled_from(NAMES), st.floats(0.05, 20.0), min_size=1)


@given(SHARES, st.integers(1, 60))
def test_shares_are_kept_to_less_than_one_trial_each_way(shares, n):
    counts, whole = Counter(assign(shares, [], n)), sum(shares.values())
    assert counts.total() == n
    for name, share in shares.items():
        assert counts[name] < n * share / whole + 1.0
        # Behind by as many at most as there are others that were even further behind.
        assert counts[name] > n * share / whole - len(shares)


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ({"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}, "abcdabcd"),
        ({"a": 2.0, "b": 1.0}, "abaabaab"),
        ({"a": 0.1, "b": 0.1, "c": 0.1}, "abcabcab"),  # 0.1 is not exact, and no one is ahead
        ({"a": 7.0, "b": 1.0}, "aaaabaaa"),
        ({"a": 0.0, "b": 3.0}, "bbbbbbbb"),
    ],
)
def test_the_order_of_the_first_eight(shares, expected):
    assert "".join(assign(shares, [], 8)) == expected


@given(SHARES, st.lists(st.integers(1, 7), min_size=1, max_size=9))
def test_batches_of_any_sizes_are_shared_out_as_one(shares, sizes):
    past: list[str | None] = []
    for size in sizes:
        past += assign(shares, past, size)
    assert past == assign(shares, [], sum(sizes))


@given(SHARES, st.permutations(["improve"] * 3 + ["local"] * 2 + ["initial", None, "told", "wide"]))
def test_only_how_many_each_proposed_counts(shares, past):
    assert assign(shares, past, 9) == assign(shares, sorted(past, key=str), 9)
    named = [name for name in past if name in shares]
    assert assign(shares, past, 9) == assign(shares, named, 9)


@given(SHARES, st.sampled_from(NAMES), st.integers(1, 9))
def test_a_share_of_nothing_proposes_nothing(shares, name, n):
    others = {**shares, "told": 1.0}
    assert name not in assign({**others, name: 0.0}, [], n)


def test_who_is_behind_catches_up():
    shares = {"a": 1.0, "b": 1.0}
    assert assign(shares, ["a"] * 3, 5) == ["b", "b", "b", "a", "b"]


def test_pending_failed_and_completed_trials_count_and_withdrawn_ones_do_not():
    configs = SPACE.sample(4, seed=0)
    history = History(SPACE).ask(configs, ["local", "pareto", "wide", "improve"])
    history = history.tell([(0, configs[0], 1.0), (1, configs[1], None)]).withdraw([3])
    assert past_proposers(history, {}) == ["local", "pareto", "wide"]
    assert waiting_proposers(history, {}) == {"wide": 1}


def test_replicates_use_up_the_share_on_whose_behalf_they_are_made():
    history = History(SPACE).ask(SPACE.sample(3, seed=0), ["replicate", "local", None])
    assert past_proposers(history, {}) == ["improve", "local", None]
    assert waiting_proposers(history, {}) == {"replicate": 1, "local": 1}
    assert set(ON_BEHALF_OF.values()) <= set(NAMES)


def test_the_context_is_what_is_held():
    configs = [{"x": x, "context": c} for x, c in ((0.1, "a"), (0.1, "b"), (0.2, "a"))]
    history = History(SPACE).ask(configs, ["local", "pareto", "wide"])
    assert past_proposers(history, {"context": "a"}) == ["local", "wide"]
    assert past_proposers(history, {"context": "b", "x": 0.1}) == ["pareto"]
    assert past_proposers(history, {"context": "c"}) == []
    assert waiting_proposers(history, {"x": 0.1}) == {"local": 1, "pareto": 1}


@given(
    SHARES,
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 5)), min_size=1, max_size=12),
    st.data(),
)
def test_contexts_that_take_turns_are_each_shared_out_as_alone(shares, steps, data):
    history, alone = History(SPACE), {"a": [], "b": []}
    for context, n in steps:
        fixed = {"context": context}
        names = assign(shares, past_proposers(history, fixed), n)
        history = history.ask([{"x": 0.5, **fixed}] * n, names)
        alone[context] += assign(shares, alone[context], n)
        if data.draw(st.booleans()):  # what becomes of a trial does not matter
            trial = data.draw(st.sampled_from(history.of_state("pending")))
            history = history.tell(
                [(trial.number, trial.config, data.draw(st.none() | st.just(1)))]
            )
    for context, names in alone.items():
        asked = [t.proposer for t in history.trials if t.config["context"] == context]
        assert asked == names
        assert names == assign(shares, [], len(names))
