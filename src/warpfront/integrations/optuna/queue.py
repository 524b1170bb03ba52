"""The queue of a study: configurations that wait for somebody to evaluate them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState, create_trial

from warpfront.integrations.optuna.history import PROPOSER, WITHDRAWN, Knowledge
from warpfront.integrations.optuna.translation import Translation


def enqueue(
    study: Study, translation: Translation, config: Mapping[str, Any], proposer: str
) -> int:
    """Add a waiting trial, and who proposed it; its id.

    Its parameters are recorded at once: ``study.enqueue_trial`` would leave that to whoever
    evaluates it, with one transaction for each parameter.
    """
    values = translation.complete(config)
    distributions = {name: translation.everything[name] for name in values}
    attrs: dict[str, Any] = {PROPOSER: proposer}
    try:
        trial = create_trial(
            state=TrialState.WAITING, params=values, distributions=distributions, system_attrs=attrs
        )
    except ValueError:  # on a very fine grid Optuna misses even the bounds of a distribution
        attrs = {"fixed_params": values, **attrs}
        trial = create_trial(state=TrialState.WAITING, system_attrs=attrs)
    return study._storage.create_new_trial(study._study_id, trial)


def late(
    study: Study,
    known: Knowledge,
    queued: Mapping[int, Mapping[str, Any]],
    before: Collection[int],
) -> list[FrozenTrial]:
    """Those of our trials in the queue whose configuration another worker has put there first.

    ``queued`` are our configurations by the id of the trial, ``before`` the numbers of the trials
    that were known when these were chosen. Of two who choose the same at the same time, the
    second sees the first here, for trials are numbered in the order in which they are added.
    """
    trials = study.get_trials(deepcopy=False)
    ours = [t for t in trials if t._trial_id in queued]
    known_to_us = {t.number for t in ours}.union(before)
    rivals = [t for t in known.history(trials).trials if t.number not in known_to_us]
    return [
        t
        for t in ours
        if any(
            r.number < t.number and known.translation.same(r.config, queued[t._trial_id])
            for r in rivals
        )
    ]


def withdraw(study: Study, trial: FrozenTrial) -> bool:
    """Take a trial out of the queue, unless somebody has it already; whether it worked.

    Optuna cannot delete a trial: it stays there as a failed one that says why. The mark comes
    first, so that it is withdrawn also if this process dies in between.
    """
    storage = study._storage
    try:
        storage.set_trial_system_attr(trial._trial_id, WITHDRAWN, True)
        if not storage.set_trial_state_values(trial._trial_id, TrialState.RUNNING):
            return False  # somebody evaluates it
        storage.set_trial_user_attr(trial._trial_id, "reason", "another worker chose the same")
        return storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)
    except RuntimeError:  # somebody has even finished it
        return False
