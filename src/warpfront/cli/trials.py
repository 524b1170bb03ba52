"""What the trials of a study say: who has them, which count, and what must be tried again.

Glossary
--------
lost
    a trial that its worker did not finish: it was interrupted, or the worker died.
retry
    a trial with the configuration of a lost one. It names all its predecessors in the system
    attribute ``retry_history``, as Optuna's own retries do, and takes the place of the first.
place
    the number of a trial that is no retry, or of the one that it goes back to. The budget counts
    places. How many places come before one never changes, because numbers only grow: so all
    workers agree on which trials are within the budget, whatever happens at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from optuna.exceptions import UpdateFinishedTrialError
from optuna.storages import BaseStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState, create_trial

from warpfront.cli.processes import is_alive
from warpfront.integrations.optuna.history import is_withdrawn

OWNER, LOST, HAND, REASON = "warpfront:owner", "warpfront:lost", "warpfront:hand", "reason"
"""User attributes of trials: the process that evaluates it, why it was lost, whether people
evaluate it by hand, and why it failed."""
OURS = (OWNER, LOST, HAND, REASON)
"""What a retry does not take over."""
INTERRUPTED, DIED, OTHERWISE = "interrupted", "its worker died", "something else was tried"
"""Why a trial was lost."""
DEATHS = 3
"""So many workers may die of one configuration; then it has failed."""


def predecessors(trial: FrozenTrial) -> list[int]:
    """The numbers of the lost trials that this one repeats."""
    found = trial.system_attrs.get("retry_history")
    return found if isinstance(found, list) else []


def place(trial: FrozenTrial) -> int:
    """The number of the first trial of this configuration."""
    return min(predecessors(trial), default=trial.number)


def _twins(trials: Sequence[FrozenTrial]) -> list[int]:
    """Retries of what another trial retries already: the answer to the first was lost."""
    seen, found = set[tuple[int, ...]](), []
    for trial in trials:
        history = tuple(predecessors(trial))
        if history in seen:
            found.append(trial.number)
        elif history:
            seen.add(history)
    return found


class Overview:
    """The trials of a study at one moment, seen against a budget.

    Parameters
    ----------
    trials
        All of them, in order of number.
    budget
        How many trials the study is to have, retries not counted.
    is_closed
        Whether workers evaluate only what waits, and choose nothing themselves.
    """

    def __init__(
        self, trials: Sequence[FrozenTrial], budget: int = 0, is_closed: bool = False
    ) -> None:
        self.trials = trials
        self.budget = budget
        self.is_closed = is_closed
        self._replaced = {number for t in trials for number in predecessors(t)}
        self._replaced.update(t.number for t in trials if is_withdrawn(t))
        self._replaced.update(_twins(trials))
        places = (t.number for t in trials if not predecessors(t) and not is_withdrawn(t))
        self._rank = {number: rank for rank, number in enumerate(places)}

    @property
    def counted(self) -> list[FrozenTrial]:
        """All trials that no retry has replaced, and that were not withdrawn."""
        return [t for t in self.trials if t.number not in self._replaced]

    def of_state(self, *states: TrialState) -> list[FrozenTrial]:
        """The trials that count in some states."""
        return [t for t in self.counted if t.state in states]

    @property
    def places(self) -> int:
        """How many trials there are, retries not counted."""
        return len(self._rank)

    @property
    def room(self) -> int:
        """How many more trials the budget allows; none in a closed study."""
        return 0 if self.is_closed else max(self.budget - self.places, 0)

    def waiting(self) -> list[FrozenTrial]:
        """The trials that workers evaluate next, within the budget."""
        return [t for t in self._queue() if self._rank.get(place(t), 0) < self.budget]

    def beyond(self) -> list[FrozenTrial]:
        """The trials that wait in vain: others have spent the budget before them."""
        return [t for t in self._queue() if self._rank.get(place(t), 0) >= self.budget]

    def _queue(self) -> list[FrozenTrial]:
        queue = [t for t in self.of_state(TrialState.WAITING) if not t.user_attrs.get(HAND)]
        return sorted(queue, key=place)

    def running(self) -> list[FrozenTrial]:
        """The trials that workers evaluate, as opposed to people and other programs."""
        running = self.of_state(TrialState.RUNNING)
        return [t for t in running if t.user_attrs.get(OWNER) and not t.user_attrs.get(HAND)]

    def left_behind(self) -> list[FrozenTrial]:
        """The trials that may need repair: lost, half told, or with a worker that may be dead."""
        return self.running() + self.lost() + self.half_suggested() + self.half_told()

    def half_suggested(self) -> list[FrozenTrial]:
        """The trials that `suggest` was about to give out to people when it was interrupted."""
        return [t for t in self.of_state(TrialState.WAITING) if t.user_attrs.get(HAND)]

    def half_told(self) -> list[FrozenTrial]:
        """The trials that something else was tried instead of, and that seem to run."""
        finished = {n for t in self.trials if t.state.is_finished() for n in predecessors(t)}
        return [
            t
            for t in self.trials
            if t.state == TrialState.RUNNING and t.user_attrs.get(HAND) and t.number in finished
        ]

    def lost(self) -> list[FrozenTrial]:
        """The lost trials that nothing has replaced yet."""
        return [t for t in self.of_state(TrialState.FAIL) if LOST in t.user_attrs]

    @property
    def is_over(self) -> bool:
        """Whether the budget is spent, no worker is at work, and nothing is to be tried again."""
        return self.room == 0 and not (self.waiting() or self.left_behind())


def lose(storage: BaseStorage, trial: FrozenTrial, why: str) -> None:
    """Say that a trial will not be finished; if somebody else has, leave it."""
    with suppress(UpdateFinishedTrialError):
        storage.set_trial_user_attr(trial._trial_id, LOST, why)
        storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)


def repair(study: Study, trials: Sequence[FrozenTrial], stale: Sequence[int]) -> bool:
    """Lose the trials of dead workers, and put lost trials into the queue again.

    Parameters
    ----------
    study
        The study; nobody else may repair it at the same time.
    trials
        All of its trials.
    stale
        The storage's ids of trials without a sign of life.

    Returns
    -------
    bool
        Whether anything was changed. Whatever moment this is interrupted at, it can be repeated.
    """
    storage = study._storage
    overview = Overview(trials)
    # Both are done under the lock of the study, so that what is half done was interrupted.
    unmarked, half = overview.half_suggested(), overview.half_told()
    for trial in unmarked:
        storage.set_trial_user_attr(trial._trial_id, HAND, False)
    for trial in half:
        lose(storage, trial, OTHERWISE)
    by_number = {t.number: t for t in trials}
    dead = [t for t in overview.running() if _is_dead(t, stale)]
    for trial in dead:
        deaths = sum(by_number[n].user_attrs.get(LOST) == DIED for n in predecessors(trial))
        if deaths + 1 < DEATHS:
            lose(storage, trial, DIED)
        else:
            with suppress(UpdateFinishedTrialError):
                fail(storage, trial._trial_id, f"{DIED}, {DEATHS} times")
    if dead:
        trials = study.get_trials(deepcopy=False)
    lost = Overview(trials).lost()
    for trial in lost:
        study.add_trial(retry_of(trial))
    return bool(dead or lost or unmarked or half)


def _is_dead(trial: FrozenTrial, stale: Sequence[int]) -> bool:
    alive = is_alive(trial.user_attrs[OWNER])
    return trial._trial_id in stale if alive is None else not alive


def retry_of(trial: FrozenTrial) -> FrozenTrial:
    """A waiting trial with the configuration of a lost one, in its place."""
    history = [*predecessors(trial), trial.number]
    return create_trial(
        state=TrialState.WAITING,
        params=trial.params,
        distributions=trial.distributions,
        user_attrs={key: value for key, value in trial.user_attrs.items() if key not in OURS},
        system_attrs={**trial.system_attrs, "failed_trial": history[0], "retry_history": history},
    )


def fail(storage: BaseStorage, trial_id: int, reason: str) -> None:
    """Record a failed evaluation."""
    storage.set_trial_user_attr(trial_id, REASON, reason)
    storage.set_trial_state_values(trial_id, TrialState.FAIL)
