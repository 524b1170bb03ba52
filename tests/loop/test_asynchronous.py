"""Several workers: a suggestion whenever one is free, and a record of what was known when."""

from __future__ import annotations

import itertools
import random
import threading
import time

import pytest

from tests.loop.losses import FAST, SPACE, loss, search, states
from warpfront import HEBO, minimize
from warpfront.errors import ConfigurationError


def test_a_free_worker_gets_a_suggestion_while_others_are_busy():
    """The first evaluation ends only after ten others, which two synchronous ones never could."""
    others_done = threading.Event()
    lock, count = threading.Lock(), itertools.count()

    def slow_at_first(config):
        with lock:
            is_first = next(count) == 0
        if is_first:
            assert others_done.wait(timeout=20)
        return loss(config)

    told = []

    def watch(result, trial):
        told.append(trial.number)
        assert states(result)[0] == ("completed" if 0 in told else "pending")
        if len(told) == 10:
            others_done.set()

    result = minimize(slow_at_first, search(), 12, workers=2, callbacks=watch)
    assert told.index(0) >= 10
    assert states(result) == ["completed"] * 12


def test_workers_work_at_the_same_time():
    barrier = threading.Barrier(3)

    def meet(config):
        barrier.wait(timeout=20)  # fails unless three evaluations are under way at once
        return loss(config)

    assert states(minimize(meet, search(), 6, batch=3, workers=3)) == ["completed"] * 6


def test_threads_of_ours_end():
    before = threading.active_count()
    minimize(loss, search(), 4, workers=2)
    for thread in threading.enumerate():
        if thread.name.startswith("warpfront"):
            thread.join(timeout=20)
    assert threading.active_count() <= before


def replayed(result, values):
    """The configurations that another optimiser suggests when told the same in the same order."""
    optimizer = HEBO(SPACE, result.optimizer.seed, FAST)
    suggestions = {}
    for (_, kind), events in itertools.groupby(result.events, lambda e: (e.at, e.kind)):
        numbers = [event.number for event in events]
        if kind == "asked":
            suggestions |= zip(numbers, optimizer.ask(len(numbers)), strict=True)
        else:
            for number in numbers:
                optimizer.tell(suggestions[number], values[number])
    return [dict(suggestions[trial.number]) for trial in result.trials]


@pytest.mark.parametrize("workers", [1, 3])
def test_the_events_say_what_was_known_when_so_that_a_run_can_be_replayed(workers):
    pauses = random.Random(0)  # noqa: S311

    def irregular(config):
        time.sleep(pauses.uniform(0.0, 0.03))
        return loss(config)

    result = minimize(irregular, SPACE, 24, workers=workers, seed=5, settings=FAST)
    values = [trial.value for trial in result.trials]
    assert replayed(result, values) == [dict(trial.config) for trial in result.trials]


def test_a_suggestion_knows_all_that_was_told_before_it_was_asked_for():
    result = minimize(loss, search(), 6, batch=3)
    assert [result.known_when_asked(k) for k in (0, 2, 3, 5)] == [(), (), (0, 1, 2), (0, 1, 2)]
    one_by_one = minimize(loss, search(), 4)
    assert [len(one_by_one.known_when_asked(k)) for k in range(4)] == [0, 1, 2, 3]
    with pytest.raises(ConfigurationError, match="number=7: the run suggested no such trial"):
        result.known_when_asked(7)


def test_an_event_has_the_time_of_the_evaluation():
    result = minimize(lambda c: time.sleep(0.05) or 1.0, search(), 4, workers=2)
    seconds = [event.seconds for event in result.events if event.kind == "told"]
    assert len(seconds) == 4
    assert all(0.05 <= s < 5.0 for s in seconds)
    assert [event.at for event in result.events] == sorted(event.at for event in result.events)
    assert result.to_dataframe()["seconds"].min() >= 0.05


@pytest.mark.parametrize("workers", [2, 4, 8])
def test_only_a_few_suggestions_are_made_ahead(workers):
    most = 0

    def watch(result, trial):
        nonlocal most
        most = max(most, len(result.history.of_state("pending")))

    minimize(lambda c: time.sleep(0.002) or 1.0, SPACE, 40, workers=workers, callbacks=watch)
    assert most <= 1.5 * workers


@pytest.mark.parametrize("workers", [1, 2])
def test_callbacks_come_one_at_a_time_from_the_thread_of_the_caller(workers):
    threads = set()
    minimize(
        loss,
        search(),
        6,
        workers=workers,
        callbacks=lambda result, trial: threads.add(threading.current_thread()),
    )
    assert threads == {threading.current_thread()}
