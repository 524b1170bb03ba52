"""The engine in one process: budgets, queues, retries, and results that come late."""

import os
import sqlite3
import time

import pytest
from optuna.exceptions import StorageInternalError
from optuna.trial import TrialState
from sqlalchemy.exc import OperationalError

from warpfront import Integer, Real, Settings, Space
from warpfront.cli.objective import Evaluator
from warpfront.cli.patience import Patience
from warpfront.cli.processes import _start, this_process
from warpfront.cli.spec import PythonObjective, Spec
from warpfront.cli.study import FIRST, OpenStudy, create_study
from warpfront.cli.trials import (
    DEATHS,
    DIED,
    HAND,
    INTERRUPTED,
    LOST,
    OWNER,
    Overview,
    lose,
    retry_of,
)
from warpfront.cli.worker import Worker
from warpfront.integrations.optuna.queue import withdraw

SPACE = Space(x=Real(0, 1), n=Integer(1, 5))
QUICK = Settings(models=["warped"], replicate=False, population=16, generations=3)
GONE = {**this_process(), "start": "long ago"}
COMPLETE, FAIL, RUNNING, WAITING = (
    TrialState.COMPLETE,
    TrialState.FAIL,
    TrialState.RUNNING,
    TrialState.WAITING,
)


class Study:
    def __init__(self, path):
        self.spec = Spec(
            path / "s.toml", "s", SPACE, PythonObjective("math", "fsum"), seed=0, settings=QUICK
        )
        self.opened = create_study(self.spec, f"sqlite:///{path}/s.db")
        self.said = []

    @property
    def trials(self):
        return self.opened.trials()

    @property
    def storage(self):
        return self.opened.study._storage

    def worker(self, budget, function=lambda config: config["x"] + config["n"], **options):
        evaluator = Evaluator(self.spec, "s")
        evaluator._function = function
        patience = Patience(self.said.append)
        return Worker(
            self.opened,
            evaluator,
            budget,
            options.pop("batch", 1),
            patience,
            self.said.append,
            **options,
        )

    def take(self, owner=GONE):
        """Take a trial as another worker."""
        worker = self.worker(10**6)
        worker.owner = owner
        return worker._take()


@pytest.fixture
def study(tmp_path, monkeypatch):
    for name in ("WARPFRONT_TRIAL", "WARPFRONT_STUDY"):
        monkeypatch.setenv(name, "")
    study = Study(tmp_path)
    yield study
    study.opened.close()


def test_a_worker_spends_the_budget_and_no_more(study):
    study.worker(5, batch=2).run()
    assert [t.state for t in study.trials] == [COMPLETE] * 5
    assert [t.value for t in study.trials] == [t.params["x"] + t.params["n"] for t in study.trials]
    assert study.said[0] == f"trial 0: loss {study.trials[0].value:.6g}"
    study.worker(5).run()
    study.worker(3).run()
    assert len(study.trials) == 5


def test_what_waits_beyond_the_budget_is_left(study):
    """As after two workers have chosen at the same time, on a database without our lock."""
    study.opened.sampler.enqueue(study.opened.study, 4)
    study.worker(3).run()
    assert [t.state for t in study.trials] == [COMPLETE] * 3 + [WAITING]
    study.worker(4).run()
    assert [t.state for t in study.trials] == [COMPLETE] * 4


def test_a_trial_of_a_dead_worker_is_tried_again_in_its_place(study):
    lost = study.take()
    study.opened.sampler.enqueue(study.opened.study, 1)  # waits, beyond the budget of 1
    study.worker(1).run()
    assert [(t.state, t.user_attrs.get(LOST)) for t in study.trials] == [
        (FAIL, DIED),
        (WAITING, None),
        (COMPLETE, None),
    ]
    retry = study.trials[2]
    assert retry.system_attrs["retry_history"] == [lost.number]
    assert retry.params == lost.params != {}
    assert study.opened.sampler is not None
    assert [t.number for t in Overview(study.trials).counted] == [1, 2]


def test_a_retry_keeps_the_attributes_that_others_have_given_a_trial(study):
    study.opened.study.enqueue_trial({"x": 0.5, "n": 3}, user_attrs={"memo": "as last year"})
    study.take()
    study.opened.repair()
    assert study.trials[1].user_attrs == {"memo": "as last year"}
    study.worker(1).run()
    done = study.trials[1]
    assert (done.value, done.user_attrs) == (3.5, {"memo": "as last year", OWNER: this_process()})


def test_a_configuration_of_which_workers_die_has_failed(study):
    for _ in range(DEATHS):
        study.take()
    study.worker(1).run()
    assert [t.state for t in study.trials] == [FAIL] * DEATHS
    assert study.trials[-1].user_attrs["reason"] == "its worker died, 3 times"
    assert [LOST in t.user_attrs for t in study.trials] == [True] * (DEATHS - 1) + [False]


def test_being_interrupted_is_no_death(study):
    for _ in range(DEATHS + 1):
        lose(study.storage, study.take(), INTERRUPTED)
    study.worker(1).run()
    assert [t.state for t in study.trials] == [FAIL] * (DEATHS + 1) + [COMPLETE]


def test_a_repair_that_was_interrupted_is_repeated(study):
    lose(study.storage, study.take(), DIED)  # and nobody put it into the queue again
    study.worker(1).run()
    assert [t.state for t in study.trials] == [FAIL, COMPLETE]


def test_a_study_is_not_over_while_a_lost_trial_waits_for_its_retry(study, monkeypatch):
    """Its worker says that it was interrupted, then repairs; in between another one looks."""
    taken = study.take({**this_process(), "host": "another machine"})
    worker = study.worker(1, timeout=60.0)
    look = worker._look

    def interrupted():
        lose(study.storage, taken, INTERRUPTED)
        return look()

    monkeypatch.setattr(worker, "_look", interrupted)
    worker.run()
    assert [t.state for t in study.trials] == [FAIL, COMPLETE]
    assert Overview(study.trials, 1).is_over


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_living_worker_keeps_its_trial(study, elsewhere):
    owner = {**this_process(), "pid": os.getppid()}
    owner["start"] = _start(os.getppid())
    if elsewhere:
        owner["host"] = "another machine"
    taken = study.take(owner)
    study.opened.repair()
    assert study.trials[0].state == RUNNING
    # Without a sign of life it is given up, but only if it cannot be seen that it lives.
    study.opened.storage._get_stale_trial_ids = lambda study_id: [taken._trial_id]
    study.opened.repair()
    assert (study.trials[0].state == FAIL) is elsewhere


def test_a_taken_trial_has_a_sign_of_life(study):
    taken = study.take()
    study.opened.storage.grace_period = 1
    time.sleep(3)
    assert study.opened.storage._get_stale_trial_ids(study.opened.study._study_id) == [
        taken._trial_id
    ]


def test_a_worker_that_lost_the_answer_finds_its_trial(study):
    owner = this_process()
    assert study.take(owner).number == study.take(owner).number == 0
    assert len(study.trials) == 1


def test_a_result_told_twice_is_told_once(study):
    worker, taken = study.worker(1), study.take(this_process())
    for _ in range(2):
        worker._tell(taken, ({"loss": 0.5}, None))
    assert [(t.state, t.value) for t in study.trials] == [(COMPLETE, 0.5)]


def test_a_result_of_a_worker_that_was_taken_for_dead_goes_to_the_retry(study):
    taken = study.take()
    study.opened.repair()
    assert [t.state for t in study.trials] == [FAIL, WAITING]
    study.worker(1)._tell(taken, ({"loss": 0.5}, None))
    assert [(t.state, t.value) for t in study.trials] == [(FAIL, None), (COMPLETE, 0.5)]
    study.worker(1)._tell(taken, ({"loss": 0.5}, None))  # by now, the retry is done
    assert len(study.trials) == 2
    assert study.said == ["trial 0: others took this worker for dead; they evaluate it again"]


def test_trials_that_somebody_has_enqueued(study):
    study.opened.study.enqueue_trial({"x": 0.25})  # the rest is suggested
    study.opened.study.enqueue_trial({"x": 7.0, "n": 1})  # outside
    study.opened.study.enqueue_trial({"x": 0.5, "n": 3})
    study.worker(3).run()
    first, outside, whole = study.trials
    assert (first.params["x"], first.state) == (0.25, COMPLETE)
    assert 1 <= first.params["n"] <= 5
    assert (outside.state, whole.value) == (FAIL, 3.5)
    assert outside.user_attrs["reason"].startswith("parameter 'x': 7.0 is outside [0.0, 1.0]")


def test_failures_are_told_with_their_reason(study):
    def wrong(config):
        raise ValueError("bad")

    study.worker(2, wrong).run()
    assert [t.state for t in study.trials] == [FAIL] * 2
    assert study.trials[0].user_attrs["reason"].startswith("ValueError: bad (test_worker.py:")
    assert study.said[0].startswith("trial 0: failed, ValueError: bad")


def test_a_stop_gives_the_trial_back(study):
    worker = study.worker(3)
    worker.evaluator._function = lambda config: worker.evaluator.stop()
    worker.run()
    assert [(t.state, t.user_attrs.get(LOST)) for t in study.trials] == [
        (FAIL, INTERRUPTED),
        (WAITING, None),
    ]


def test_after_the_timeout_no_trial_begins(study):
    study.worker(10**6, lambda config: time.sleep(0.2) or 1.0, timeout=0.5).run()
    assert 1 <= len(study.trials) <= 3
    assert all(t.state == COMPLETE for t in study.trials)


def test_trials_by_hand_are_neither_taken_nor_awaited(study):
    by_hand = study.take(None)
    study.storage.set_trial_user_attr(by_hand._trial_id, HAND, True)
    study.worker(2).run()
    assert [t.state for t in study.trials] == [RUNNING, COMPLETE]


def test_trials_of_other_programs_are_not_awaited(study):
    with pytest.warns(UserWarning, match="Heartbeat of storage is supposed to be used"):
        study.opened.study.ask()
    study.worker(2).run()
    assert [t.state for t in study.trials] == [RUNNING, COMPLETE]


def test_the_owner_is_this_process(study):
    study.worker(1).run()
    assert study.trials[0].user_attrs[OWNER] == this_process()


def test_a_trial_that_somebody_takes_without_our_lock_is_left_to_them(study):
    study.opened.sampler.enqueue(study.opened.study, 2)
    first, second = study.trials
    study.storage.set_trial_state_values(first._trial_id, RUNNING)  # as Optuna's own ask does
    worker = study.worker(2)
    assert not worker._claim(first)
    assert worker._claim(second)
    assert [t.number for t in Overview(study.trials, 2).running()] == [second.number]
    study.storage.set_trial_state_values(first._trial_id, COMPLETE, [1.0])
    assert not worker._claim(first)
    assert study.trials[0].value == 1.0


def test_what_was_withdrawn_or_added_twice_takes_no_place(study):
    study.opened.sampler.enqueue(study.opened.study, 2)
    first, second = study.trials
    assert withdraw(study.opened.study, second)
    overview = Overview(study.trials, 2)
    assert overview.room == 1
    assert [t.number for t in overview.counted] == [first.number]
    lose(study.storage, study.take(), DIED)
    for _ in range(2):  # as if the answer to the first was lost with the connection
        study.opened.study.add_trial(retry_of(study.trials[first.number]))
    overview = Overview(study.trials, 2)
    assert [t.number for t in overview.waiting()] == [2]
    assert overview.room == 1


def test_in_a_study_of_repeats_nothing_is_evaluated_but_what_waits(study):
    """As after a second `diagnose` has withdrawn what the first one counted on."""
    study.opened.study.set_user_attr(FIRST, 100)
    for _ in range(3):
        study.opened.study.enqueue_trial({"x": 0.5, "n": 3})
    withdraw(study.opened.study, study.trials[2])
    study.worker(3, timeout=60.0).run()
    assert [t.state for t in Overview(study.trials).counted] == [COMPLETE] * 2
    assert len(study.trials) == 3


def test_the_first_number_is_read_once_and_with_patience(study, monkeypatch):
    reads = []

    def first(opened):
        reads.append(opened)
        if len(reads) == 1:
            error = StorageInternalError("locked")
            error.__cause__ = OperationalError("", {}, sqlite3.OperationalError("is locked"))
            raise error
        return 0

    monkeypatch.setattr(OpenStudy, "first", property(first))
    study.worker(3).run()
    assert [t.state for t in study.trials] == [COMPLETE] * 3
    assert len(reads) == 2
    assert study.said[1] == "the database answers again"
