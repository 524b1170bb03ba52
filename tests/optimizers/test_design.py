import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import histories, spaces
from warpfront import Boolean, Categorical, Integer, Real, Space
from warpfront.dataset import Dataset
from warpfront.history import History
from warpfront.optimizers.design import initial_design, sample_beliefs
from warpfront.search.domain import Domain
from warpfront.space.encoding import row_keys

SPACE = Space(x=Real(0, 1), rate=Real(1e-4, 1, scale="log"), c=Categorical(["a", "b"]))


def design(history, n, seed=0, fixed=None):
    domain = Domain.of(history.space, fixed or {})
    return initial_design(Dataset.of(history), n, seed=seed, domain=domain, number=len(history))


def tried_keys(history):
    """Keys of all configurations that were told or are pending."""
    return Dataset.of(history).tried


def told(space, configs):
    return History(space).tell([(None, c, float(i)) for i, c in enumerate(configs)])


def test_the_first_points_are_the_sobol_sequence_of_the_seed():
    rows = design(History(SPACE), 8, seed=5)
    assert SPACE.encoding.decode(rows) == SPACE.sample(8, seed=5)
    assert not np.array_equal(rows, design(History(SPACE), 8, seed=6))


@pytest.mark.parametrize("sizes", [(8,), (3, 5), (1,) * 8, (2, 1, 4, 1)])
def test_the_sequence_does_not_depend_on_how_it_is_asked_for(sizes):
    history = History(SPACE)
    for size in sizes:
        history = history.ask(SPACE.encoding.decode(design(history, size)))
    assert [dict(t.config) for t in history.trials] == SPACE.sample(8, seed=0)


def test_every_half_of_every_parameter_gets_its_share():
    rows = design(History(SPACE), 16, seed=3)
    assert np.all((rows[:, :2] < 0.5).sum(axis=0) == 8)
    assert (rows[:, 2] == 0).sum() == 8


def test_told_pending_and_failed_configurations_count_as_tried():
    configs = SPACE.sample(3, seed=0)
    history = History(SPACE).ask(configs)
    history = history.tell([(0, configs[0], 1.0), (1, configs[1], float("nan"))])
    assert tried_keys(history) == set(row_keys(SPACE.encoding.encode(configs)))


def test_withdrawn_configurations_may_come_again():
    configs = SPACE.sample(3, seed=0)
    history = History(SPACE).ask(configs).withdraw([1])
    told = [configs[0], configs[2]]
    assert tried_keys(history) == set(row_keys(SPACE.encoding.encode(told)))


def test_tried_configurations_are_not_proposed_again():
    # The user has told the very points that would come next.
    upcoming = SPACE.encoding.decode(design(told(SPACE, SPACE.sample(4, seed=9)), 4))
    rows = design(told(SPACE, upcoming), 4)
    assert len(set(row_keys(rows))) == 4
    assert not set(row_keys(rows)) & set(row_keys(SPACE.encoding.encode(upcoming)))


def test_held_parameters_are_held():
    rows = design(History(SPACE), 9, fixed={"c": "b", "rate": 0.01})
    configs = SPACE.encoding.decode(rows)
    assert {(c["c"], c["rate"]) for c in configs} == {("b", 0.01)}
    assert len({c["x"] for c in configs}) == 9


def test_points_that_were_tried_are_made_up_for_by_quasi_random_ones():
    space = Space(x=Real(0, 1), y=Real(0, 1))
    number = 16
    upcoming = space.sample_encoded(2 * number, 0)[number:]
    history = told(space, space.encoding.decode(space.encoding.canonical(upcoming)))
    rows = design(history, 16)
    assert not set(row_keys(rows)) & tried_keys(history)
    assert (rows < 0.5).sum(axis=0).tolist() == [8, 8]


def test_every_other_point_is_drawn_from_what_the_user_believes():
    space = Space(x=Real(0, 1, likely=(0.2, 0.3)), y=Real(0, 1))
    plain = Space(x=Real(0, 1), y=Real(0, 1))
    rows, without = design(History(space), 64), design(History(plain), 64)
    assert np.array_equal(rows[0::2], without[0::2])
    assert not np.any(rows[1::2, 0] == without[1::2, 0])
    near = np.abs(rows[:, 0] - 0.25) < 0.1
    assert near[1::2].mean() > 2 * near[0::2].mean()


def test_one_by_one_every_other_point_is_believed_in():
    space = Space(x=Real(0, 1, likely=(0.2, 0.3)), y=Real(0, 1))
    sobol = [tuple(c.values()) for c in space.sample(16, seed=0)]
    history = History(space)
    for _ in range(16):
        history = history.ask(space.encoding.decode(design(history, 1)))
    asked = [tuple(t.config.values()) for t in history.trials]
    assert [a == s for a, s in zip(asked, sobol, strict=True)] == [True, False] * 8


def test_believed_points_keep_to_the_domain():
    space = Space(x=Real(0, 1, likely=(0.8, 0.9)), y=Real(0, 1), constraints=["x + y <= 1"])
    domain = Domain.of(space, {})
    rows = sample_beliefs(domain, 100, np.random.default_rng(0))
    assert rows.shape == (100, 2)
    assert domain.feasible(rows).all()
    assert rows[:, 0].mean() > domain.uniform(400, np.random.default_rng(1))[:, 0].mean() + 0.1


def test_a_small_space_is_covered_before_it_repeats():
    space = Space(n=Integer(1, 3), deep=Boolean())
    assert len(set(row_keys(design(History(space), 6)))) == 6
    rows = design(History(space), 20)
    assert len(rows) == 20
    assert len(set(row_keys(rows))) == 6


@given(st.data())
@settings(max_examples=40)
def test_designs_are_valid_untried_and_reproducible(data):
    space = data.draw(spaces(max_size=4))
    history = data.draw(histories(space, max_trials=6))
    n, seed = data.draw(st.integers(1, 9)), data.draw(st.integers(0, 2**63))
    rows = design(history, n, seed)
    assert len(rows) == n
    assert np.array_equal(rows, design(history, n, seed))
    assert all(config in space for config in space.encoding.decode(rows))
    if space.size == np.inf:
        assert len(set(row_keys(rows)) - tried_keys(history)) == n
