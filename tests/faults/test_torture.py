"""The scenarios of `make torture`, with small numbers."""

import pytest

from tests import torture
from tests.postgresql import postgresql  # noqa: F401


def test_tampered_states_are_refused_or_valid():
    row = torture.tampered(400)
    assert row.times == 400
    assert row.lost == 0


def test_a_damaged_database_is_one_line(tmp_path):
    assert torture.databases(8, seed=2).lost == 0


def test_sixty_four_workers_lose_nothing():
    assert torture.crowd(64, 256).lost == 0


def test_a_trial_costs_the_same_memory_at_the_end():
    assert torture.memory(600).lost == 0


@pytest.mark.slow
def test_ten_thousand_ask_and_tell_in_flat_memory():
    assert torture.memory(10_000).lost == 0


@pytest.mark.slow
def test_kills_at_random_moments():
    assert torture.kills(4, None).lost == 0


@pytest.mark.slow
def test_kills_at_random_moments_on_postgresql(postgresql):  # noqa: F811
    assert torture.kills(4, postgresql.new_database()).lost == 0


@pytest.mark.slow
def test_postgresql_is_stopped_under_four_workers(postgresql):  # noqa: F811
    assert torture.restarts(2, postgresql).lost == 0


@pytest.mark.slow
def test_eight_writers_on_one_file():
    assert torture.writers(8, 24).lost == 0


@pytest.mark.slow
def test_the_clock_jumps_back():
    assert torture.clock(4).lost == 0


@pytest.mark.slow
@pytest.mark.parametrize("fault", [torture.full_disk, torture.read_only])
def test_a_disk_that_takes_nothing_more(fault):
    try:
        assert fault(1).lost == 0
    except PermissionError as error:
        pytest.skip(str(error))
