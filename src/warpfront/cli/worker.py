"""The engine: take a trial, evaluate it, tell its value, until the budget is spent."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, Trial, TrialState

from warpfront.cli.measured import record
from warpfront.cli.objective import Evaluator
from warpfront.cli.outcome import Interrupted, Outcome
from warpfront.cli.overdue import Overdue, exit_late
from warpfront.cli.patience import Patience, is_passing
from warpfront.cli.processes import Owner, this_process
from warpfront.cli.shown import outcomes, plain
from warpfront.cli.storage import HEARTBEAT, flush
from warpfront.cli.study import OpenStudy
from warpfront.cli.trials import INTERRUPTED, OWNER, Overview, lose, place
from warpfront.errors import ConfigurationError
from warpfront.integrations.optuna import (
    configuration_of,
    is_settled,
    suggest_configuration,
)
from warpfront.space import Configuration

PAUSE = 0.5
"""Seconds between looks at the study while others evaluate its last trials."""


@dataclass
class Worker:
    """Evaluates trials of a study, one at a time.

    Attributes
    ----------
    opened
        The study.
    evaluator
        The objective.
    budget
        How many trials the study is to have, those of other workers included.
    batch
        How many configurations are chosen together.
    patience
        For a database that is away.
    say
        Told about each trial that ends.
    timeout
        Seconds after which no further trial begins.
    renew
        Ends this process because its function does not heed the time limit; it does not return.
    """

    opened: OpenStudy
    evaluator: Evaluator
    budget: int
    batch: int
    patience: Patience
    say: Callable[[str], None]
    timeout: float | None = None
    renew: Callable[[], None] = exit_late
    owner: Owner = field(default_factory=this_process)

    def run(self) -> None:
        """Work until the budget is spent, the time is over, or somebody asks to stop."""
        end = None if self.timeout is None else time.monotonic() + self.timeout
        while not self.evaluator.stopped and (end is None or time.monotonic() < end):
            try:
                trial = self.patience.insist(self._take)
            except Interrupted:
                return
            if trial is None:
                overview = self.patience.insist(self._look)
                if overview.is_over:
                    return
                time.sleep(PAUSE)  # a worker elsewhere may die, then its trial is ours
                continue
            self._work(trial)

    @cached_property
    def _first(self) -> int:
        """What the objective is told as the number of the first trial; read when one is taken."""
        return self.opened.first

    def _overview(self, trials: Sequence[FrozenTrial]) -> Overview:
        # A second `diagnose` may withdraw repeats that the budget of this one counts: what it
        # leaves is no room for configurations that nobody has asked for.
        return Overview(trials, self.budget, is_closed=self._first > 0)

    def _look(self) -> Overview:
        return self._overview(self.opened.trials())

    def _work(self, trial: FrozenTrial) -> None:
        try:
            config = self.patience.insist(lambda: self._settle(trial))
            with self._alive(trial), self._overdue(trial):
                outcome = self.evaluator.evaluate(config, self._first + trial.number)
        except Interrupted:
            self.patience.insist(lambda: self._give_back(trial))
            return
        except ConfigurationError as error:  # enqueued by hand, outside the space
            outcome = {}, str(error)
        found, reason = outcome
        told = f"trial {trial.number}: " + (
            outcomes(found) if reason is None else f"failed, {plain(reason)}"
        )
        self.patience.insist(
            lambda: self._tell(trial, outcome), unless=f"not stored: {told}" if found else ""
        )
        self.say(told)

    def _overdue(self, trial: FrozenTrial) -> Overdue:
        """Holds a function to its time limit from outside, while it is evaluated."""

        def give_up(reason: str) -> None:
            with suppress(Exception, Interrupted):  # the process ends in any case
                self.patience.insist(lambda: self._tell(trial, ({}, reason)))
            self.renew()

        return Overdue(self.evaluator.unenforced_limit, self.evaluator.guard, give_up)

    def _take(self) -> FrozenTrial | None:
        """Take a trial to evaluate; None if there is none now. Done twice, it gives the same."""
        with self.opened.lock():
            overview = self._overview(self.opened.repair())
            mine = [t for t in overview.running() if t.user_attrs.get(OWNER) == self.owner]
            if mine:  # taken before, but the answer was lost with the connection
                return mine[0]
            waiting = overview.waiting()
            if not waiting:
                if overview.room == 0:
                    return None
                self.opened.sampler.enqueue(self.opened.study, min(self.batch, overview.room))
                waiting = self._look().waiting()
            return next(filter(self._claim, waiting), None)

    def _claim(self, trial: FrozenTrial) -> bool:
        """Begin a waiting trial, unless somebody without our lock has, such as Optuna's own ask."""
        storage = self.opened.study._storage
        with suppress(UpdateFinishedTrialError):
            # The sign of life comes first, so that the trial is never running without one.
            storage.set_trial_user_attr(trial._trial_id, OWNER, self.owner)
            self.opened.storage.record_heartbeat(trial._trial_id)
            if storage.set_trial_state_values(trial._trial_id, TrialState.RUNNING):
                return True
            storage.set_trial_user_attr(trial._trial_id, OWNER, None)
        return False

    def _settle(self, trial: FrozenTrial) -> Configuration:
        """Write the parameters that only stand in the queue; what is missing there is asked."""
        self.opened.record(trial)
        values = self.opened.values(trial)
        if not is_settled(self.opened.space, values):
            asked = Trial(self.opened.study, trial._trial_id)
            return suggest_configuration(asked, self.opened.space)
        return configuration_of(self.opened.space, values)

    def _tell(self, trial: FrozenTrial, outcome: Outcome) -> None:
        """Record an outcome. Done twice, it is recorded once."""
        found, reason = outcome
        storage = self.opened.study._storage
        try:
            record(storage, trial._trial_id, self.opened.goals, found, reason)
            flush(self.opened.storage)
        except UpdateFinishedTrialError:
            state = self.opened.storage.get_trial(trial._trial_id).state
            if reason is None and state != TrialState.COMPLETE:
                self._tell_late(trial, found)

    def _tell_late(self, trial: FrozenTrial, found: Mapping[str, Any]) -> None:
        """Others took us for dead and gave the trial up: its retry gets the outcomes."""
        storage = self.opened.study._storage
        with self.opened.lock():
            for other in Overview(self.opened.repair()).of_state(TrialState.WAITING):
                if place(other) == place(trial) and self._claim(other):
                    record(storage, other._trial_id, self.opened.goals, found)
                    return
        self.say(f"trial {trial.number}: others took this worker for dead; they evaluate it again")

    def _give_back(self, trial: FrozenTrial) -> None:
        lose(self.opened.study._storage, trial, INTERRUPTED)
        with self.opened.lock():
            self.opened.repair()

    @contextmanager
    def _alive(self, trial: FrozenTrial) -> Iterator[None]:
        """Give signs of life while a trial is evaluated."""
        done = threading.Event()

        def beat() -> None:
            try:
                while not done.wait(HEARTBEAT):
                    try:
                        self.opened.storage.record_heartbeat(trial._trial_id)
                    except Exception as error:
                        with suppress(Exception):
                            self.opened.storage.remove_session()
                        if not is_passing(error):
                            return  # the main thread will meet the same and say it
            finally:
                self.opened.storage.remove_session()

        thread = threading.Thread(target=beat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            with suppress(KeyboardInterrupt):
                thread.join()
