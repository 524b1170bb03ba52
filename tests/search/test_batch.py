import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from warpfront import Boolean, Categorical, Integer, Real, Space
from warpfront.search.batch import (
    ENUMERATE_UP_TO,
    MEAN_SLOT,
    OTHER_MEAN_SLOT,
    SLOTS,
    UNCERTAINTY_SLOT,
    choose,
    fill_up,
    untried,
    used_up,
)
from warpfront.search.domain import Domain
from warpfront.space.encoding import row_keys

RULES = ("paper", "slots")
SIX = Domain.of(Space(n=Integer(1, 3), deep=Boolean()), {})
PLANE = Domain.of(Space(x=Real(0, 1), y=Real(0, 1)), {})


def scene(seed, m):
    """A front of m points with its predictions; the row of a point is its index."""
    rng = np.random.default_rng(seed)
    return np.arange(float(m))[:, None], rng.normal(size=m), rng.random(m)


def chosen(seed, m, q, rule, number=0):
    front, mean, variance = scene(seed, m)
    rng = np.random.default_rng(seed + 1)
    numbers = range(number, number + q)
    rows = choose(front, mean, variance, numbers, rule, rng)[:, 0].astype(int).tolist()
    return rows, int(np.argmin(mean)), int(np.argmax(variance))


# The choice from the front


@given(
    st.integers(0, 999),
    st.integers(0, 30),
    st.integers(1, 20),
    st.sampled_from(RULES),
    st.integers(0, 99),
)
def test_a_batch_holds_distinct_points_of_the_front_as_many_as_there_are(seed, m, q, rule, number):
    front, mean, variance = scene(seed, m)
    numbers = range(number, number + q)
    rows = choose(front, mean, variance, numbers, rule, np.random.default_rng(seed))
    assert len(rows) == len(np.unique(rows)) == min(q, m)
    assert np.isin(rows, front).all()


@given(st.integers(0, 999), st.integers(3, 30), st.integers(3, 12))
def test_paper_rule_has_both_roles_in_every_batch_of_more_than_two(seed, m, q):
    rows, promising, uncertain = chosen(seed, m, q, "paper")
    assert promising in rows
    assert uncertain in rows


def test_paper_rule_takes_random_points_for_batches_of_one_and_two():
    # Otherwise a batch of one would always be the point of best mean: no exploration.
    for q in (1, 2):
        taken = [chosen(0, 10, q, "paper")[0]]
        front, mean, variance = scene(0, 10)
        for seed in range(300):
            rows = choose(front, mean, variance, range(q), "paper", np.random.default_rng(seed))
            taken.append(rows[:, 0].astype(int).tolist())
        counts = np.bincount(np.concatenate(taken), minlength=10)
        assert counts.min() > 0.5 * counts.mean()


def test_paper_rule_fills_the_other_places_with_random_points():
    front, mean, variance = scene(3, 12)
    counts = np.zeros(12)
    for seed in range(400):
        rows = choose(front, mean, variance, range(6), "paper", np.random.default_rng(seed))
        counts[rows[:, 0].astype(int)] += 1
    roles = [int(np.argmin(mean)), int(np.argmax(variance))]
    others = np.delete(counts, roles)
    assert counts[roles].tolist() == [400, 400]
    assert others.min() > 0.7 * others.mean()


@given(st.integers(0, 999), st.integers(2, 30), st.integers(1, 20), st.integers(0, 99))
def test_slots_rule_has_the_roles_that_its_numbers_call_for(seed, m, q, number):
    rows, promising, uncertain = chosen(seed, m, q, "slots", number)
    numbers = {(number + i) % SLOTS for i in range(q)}
    if MEAN_SLOT in numbers:
        assert promising in rows
    if UNCERTAINTY_SLOT in numbers:
        assert uncertain in rows


@given(st.integers(0, 999), st.integers(SLOTS, 30), st.integers(0, 99))
def test_eight_batches_of_one_have_the_roles_of_one_batch_of_eight(seed, m, number):
    together, promising, uncertain = chosen(seed, m, SLOTS, "slots", number)
    assume(promising != uncertain)
    for i, row in enumerate(together):
        (single,), _, _ = chosen(seed, m, 1, "slots", number + i)
        slot = (number + i) % SLOTS
        if slot == MEAN_SLOT:
            assert single == row == promising
        elif slot == UNCERTAINTY_SLOT:
            assert single == row == uncertain
        else:
            assert row not in {promising, uncertain}


@given(st.integers(0, 999), st.sets(st.integers(0, 40), min_size=1, max_size=8))
def test_the_roles_of_the_slots_rule_do_not_need_numbers_in_a_row(seed, numbers):
    front, mean, variance = scene(seed, 30)
    rng = np.random.default_rng(seed)
    rows = choose(front, mean, variance, sorted(numbers), "slots", rng)[:, 0].astype(int)
    assert len(rows) == len(set(rows)) == len(numbers)
    for slot, special in ((MEAN_SLOT, np.argmin(mean)), (UNCERTAINTY_SLOT, np.argmax(variance))):
        if any(number % SLOTS == slot for number in numbers):
            assert special in rows


@given(st.integers(0, 999), st.integers(1, 30), st.integers(0, 99))
def test_the_other_model_has_the_point_that_it_finds_best_but_for_the_firsts(seed, m, number):
    front, mean, variance = scene(seed, m)
    other_mean = np.random.default_rng(seed + 2).normal(size=m)
    numbers = range(number, number + SLOTS)
    rows = choose(front, mean, variance, numbers, "slots", np.random.default_rng(seed), other_mean)[
        :, 0
    ].astype(int)
    assert len(rows) == len(set(rows)) == min(m, SLOTS)
    order = [i for i in np.argsort(other_mean) if i not in {np.argmin(mean), np.argmax(variance)}]
    assert set(order[:1]) <= set(rows)
    if m > SLOTS:
        assert rows[(OTHER_MEAN_SLOT - number) % SLOTS] == order[0]


@given(st.integers(0, 999), st.integers(1, 30))
def test_alone_it_has_its_best_point_whatever_the_first_finds(seed, m):
    front, mean, variance = scene(seed, m)
    rng = np.random.default_rng(seed)
    (row,) = choose(front, mean, variance, [OTHER_MEAN_SLOT], "slots", rng, mean)[:, 0]
    assert row == np.argmin(mean)


def test_a_single_trial_without_a_role_is_a_random_point_of_the_front():
    front, mean, variance = scene(0, 10)
    rows = [
        choose(front, mean, variance, [5], "slots", np.random.default_rng(seed))[0, 0]
        for seed in range(400)
    ]
    counts = np.bincount(np.array(rows, dtype=int), minlength=10)
    assert counts.min() > 0.5 * counts.mean()


@pytest.mark.parametrize("rule", RULES)
def test_one_point_may_have_both_roles(rule):
    front = np.arange(9.0)[:, None]
    mean, variance = -np.eye(9)[4], np.eye(9)[4]
    rows = choose(front, mean, variance, range(8), rule, np.random.default_rng(0))[:, 0]
    assert 4.0 in rows
    assert len(set(rows.tolist())) == 8


# Points that were not tried before


def test_untried_keeps_the_first_of_equal_rows_and_none_of_the_tried():
    X = np.array([[0.1, 0.0], [0.2, 0.0], [0.1, 0.0], [0.3, -0.0], [0.3, 0.0]])
    assert untried(X, set(row_keys(X[1:2]))).tolist() == [0, 3]
    assert untried(X[:0], set()).tolist() == []


@given(
    st.lists(st.integers(0, 4), max_size=12), st.sets(st.integers(0, 4)), st.sampled_from([1, 3])
)
def test_untried_is_what_a_set_would_say(rows, tried, d):
    X = np.repeat(np.array(rows, dtype=float).reshape(-1, 1), d, axis=1)
    keys = set(row_keys(np.repeat(np.array(sorted(tried), dtype=float).reshape(-1, 1), d, axis=1)))
    fresh = X[untried(X, keys), 0].astype(int).tolist()
    assert fresh == [r for r in dict.fromkeys(rows) if r not in tried]


# Filling up


def test_a_full_batch_is_left_as_it_is():
    batch = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    assert np.array_equal(fill_up(batch, 2, PLANE, set(), np.random.default_rng(0)), batch[:2])


def test_too_few_points_are_filled_up_with_other_ones():
    batch = np.array([[0.25, 0.75]])
    filled = fill_up(batch, 8, PLANE, set(row_keys(batch)), np.random.default_rng(0))
    assert np.array_equal(filled[:1], batch)
    assert len(set(row_keys(filled))) == 8
    assert np.array_equal(PLANE.encoding.canonical(filled), filled)


def test_what_is_filled_in_is_quasi_random():
    for seed in range(5):
        filled = fill_up(np.empty((0, 2)), 16, PLANE, set(), np.random.default_rng(seed))
        assert (filled < 0.5).sum(axis=0).tolist() == [8, 8]
        quarters = np.floor(4 * filled).astype(int)
        assert all((np.bincount(column, minlength=4) == 4).all() for column in quarters.T)
    # Another generator, another sequence.
    again = fill_up(np.empty((0, 2)), 16, PLANE, set(), np.random.default_rng(99))
    assert not set(row_keys(filled)) & set(row_keys(again))


@given(st.integers(1, 6), st.integers(0, 6), st.integers(0, 99))
def test_a_small_domain_is_used_up_before_anything_is_repeated(q, used, seed):
    everything = SIX.enumerate()
    tried = set(row_keys(everything[:used]))
    filled = fill_up(everything[:0], q, SIX, tried, np.random.default_rng(seed))
    assert len(filled) == q
    assert set(row_keys(filled)) <= set(row_keys(everything))
    left = min(q, 6 - used)
    assert len(set(row_keys(filled[:left])) - tried) == left


def test_an_exhausted_domain_repeats_itself_and_terminates():
    everything = SIX.enumerate()
    filled = fill_up(everything[:2], 20, SIX, set(row_keys(everything)), np.random.default_rng(0))
    assert len(filled) == 20
    assert set(row_keys(filled)) <= set(row_keys(everything))


def test_a_large_domain_that_is_used_up_terminates_too():
    space = Space(a=Integer(0, 99), b=Categorical(list(range(50))))
    domain = Domain.of(space, {})
    assert domain.size > ENUMERATE_UP_TO
    everything = domain.enumerate()
    filled = fill_up(everything[:0], 7, domain, set(row_keys(everything)), np.random.default_rng(0))
    assert len(filled) == 7
    assert set(row_keys(filled)) <= set(row_keys(everything))


def test_a_held_domain_is_filled_up_where_it_is_held():
    domain = Domain.of(Space(x=Real(0, 1), n=Integer(1, 3)), {"n": 3})
    filled = fill_up(np.empty((0, 2)), 5, domain, set(), np.random.default_rng(0))
    assert [c["n"] for c in domain.encoding.decode(filled)] == [3] * 5
    assert len(set(row_keys(filled))) == 5


# Whether anything is left


@given(st.sets(st.integers(0, 5)))
def test_a_domain_is_used_up_when_every_row_was_tried(indices):
    everything = SIX.enumerate()
    assert used_up(SIX, set(row_keys(everything[sorted(indices)]))) == (len(indices) == 6)


def test_a_held_domain_may_be_used_up_where_the_space_is_not():
    space = Space(x=Real(0, 1), n=Integer(1, 3))
    held = Domain.of(space, {"x": 0.25})
    tried = set(row_keys(held.enumerate()))
    assert used_up(held, tried)
    assert not used_up(Domain.of(space, {"x": 0.5}), tried)
    assert not used_up(Domain.of(space, {}), tried)
    assert used_up(Domain.of(space, {"x": 0.25, "n": 2}), tried)


def test_an_infinite_domain_is_never_used_up_and_a_large_one_is_not_listed():
    assert not used_up(PLANE, set(row_keys(PLANE.uniform(50, np.random.default_rng(0)))))
    large = Domain.of(Space(a=Integer(0, ENUMERATE_UP_TO)), {})
    assert not used_up(large, set(row_keys(large.enumerate())))
