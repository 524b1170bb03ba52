"""Repeated evaluations for `warpfront diagnose`, in a study of their own.

They are no trials of the study that they are about, but of ``NAME-repeats`` in the same storage:
there, the budget of `tune` does not count them, and its model does not count ten times over what
it was told once. All else is as in any study: each outcome is stored as soon as it is there, and
what a dead worker has left is tried again. What is to be done is not stored, but follows from what
was asked for and what is there: so the same command goes on where it was killed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from optuna.trial import FrozenTrial, TrialState

from warpfront.cli.errors import CommandError, StudyError
from warpfront.cli.spec import Spec
from warpfront.cli.storage import show
from warpfront.cli.study import FIRST, REPEATS, OpenStudy, create_study, has_study, open_study
from warpfront.cli.trials import LOST, Overview
from warpfront.diagnostics.groups import Group, keys_of, repeated, worth_repeating
from warpfront.errors import ConfigurationError
from warpfront.goals import Maximize, Minimize, Objective
from warpfront.history import History
from warpfront.integrations.optuna.queue import withdraw
from warpfront.integrations.optuna.space import values_of
from warpfront.problem import Problem
from warpfront.space import Configuration

FIRST_REPEAT = 1_000_000
"""The objective is told numbers from here on, so that files which it names after the trial do not
overwrite those of the study itself."""


@dataclass(frozen=True)
class Request:
    """Which configurations are to be repeated, and how often.

    Attributes
    ----------
    configs
        The configurations, by their keys.
    wanted
        How many outcomes of each are to come from the study of the repeats.
    missing
        How many outcomes are not there yet.
    """

    configs: Mapping[bytes, Configuration]
    wanted: Mapping[bytes, int]
    missing: int


def find_repeats(spec: Spec | None, url: str, name: str) -> OpenStudy | None:
    """The study of the repeats, if there is one."""
    if not has_study(url, name + REPEATS):
        return None
    opened = open_study(spec, url, name + REPEATS)
    _refuse_another(opened)
    return opened


def _refuse_another(opened: OpenStudy) -> None:
    # In this order: another process says that they are repeats before it adds the first of them.
    if len(opened.trials()) and not opened.first:
        raise StudyError(
            f"study {opened.name!r} in {show(opened.url)} has no repeats, but trials of its own; "
            "the repeats need this name: keep the study to be diagnosed in another storage"
        )


def about(history: History, name: str | None) -> History:
    """The history of one objective; where several are wanted, the first."""
    problem = history.problem
    if name is not None and name not in problem.names:
        raise CommandError(
            f"--goal {name!r}: is not among the goals; take one of {', '.join(problem.names)}"
        )
    goal = problem.objective if name is None else problem.goal(name)
    if goal.sign > 0:
        only: Objective = Minimize(goal.name)
    else:
        only = Maximize(goal.name)
    trials = []
    for trial in history.trials:
        value = trial.outcomes.get(goal.name)
        if trial.state != "completed":
            trials.append(trial)
        elif value is not None:
            trials.append(replace(trial, outcomes={goal.name: value}))
    return History(Problem(problem.space, (only,)), tuple(trials))


def repeats_of(opened: OpenStudy, goal: str | None = None) -> list[Group]:
    """What has been evaluated there, of one goal or of the first."""
    return repeated(about(opened.history(), goal), least=1)


def request(
    history: History, repeats: OpenStudy | None, configurations: int, times: int, seed: int
) -> Request:
    """What is to be evaluated so that so many configurations have so many outcomes each.

    What was begun comes first. Where the study itself evaluated one of them several times, its
    outcomes count.
    """
    space = history.space
    before = [] if repeats is None else _configs(repeats, repeats.trials())
    own = {key: group for group in repeated(history) for key in keys_of(space, [group.config])}
    chosen = worth_repeating(history, configurations, [config for _, config in before], seed)
    configs = dict(zip(keys_of(space, chosen), chosen, strict=True))
    wanted = {key: max(0, times - (len(own[key].losses) if key in own else 0)) for key in configs}
    done: Counter[bytes] = Counter()
    for trial, config in before:
        if trial.state.is_finished():
            done.update(keys_of(space, [config]))
    missing = sum(max(0, count - done[key]) for key, count in wanted.items())
    return Request(configs, wanted, missing)


def queue(spec: Spec, url: str, name: str, wanted: Request) -> tuple[OpenStudy, int]:
    """Put what is missing into the queue of the study of the repeats, and take out all else.

    Returns
    -------
    tuple
        The study, and how many trials it has then: the budget of its workers.
    """
    opened = create_study(spec, url, name + REPEATS)
    _refuse_another(opened)
    opened.study.set_user_attr(FIRST, FIRST_REPEAT)
    with opened.lock():
        trials = _configs(opened, opened.repair())
        have: Counter[bytes] = Counter()
        # First what cannot be undone, then what waits.
        for trial, config in sorted(trials, key=lambda pair: pair[0].state == TrialState.WAITING):
            (key,) = keys_of(opened.space, [config])
            if trial.state == TrialState.WAITING and have[key] >= wanted.wanted.get(key, 0):
                withdraw(opened.study, trial)
            else:
                have[key] += 1
        # Round by round, so that an early end leaves all configurations with as many outcomes.
        for turn in range(max(wanted.wanted.values(), default=0)):
            for key, count in wanted.wanted.items():
                if have[key] == turn < count:
                    values = values_of(opened.space, wanted.configs[key])
                    opened.study.enqueue_trial(values)
                    have[key] += 1
        return opened, Overview(opened.trials()).places


def _configs(
    opened: OpenStudy, trials: Sequence[FrozenTrial]
) -> list[tuple[FrozenTrial, Configuration]]:
    """The trials that count, and what they try."""
    found = []
    for trial in Overview(trials).counted:
        if trial.state == TrialState.FAIL and LOST in trial.user_attrs:
            continue  # it is about to be tried again
        with suppress(ConfigurationError):  # enqueued by somebody else, outside the space
            found.append((trial, opened.configuration(trial)))
    return found
