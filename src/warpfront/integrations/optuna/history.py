"""The trials of a study as facts about one space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from warpfront.errors import ConfigurationError, NotEnoughDataError
from warpfront.history import History, State, Trial, read_value
from warpfront.integrations.optuna.space import (
    Translation,
    hull,
    parameter_of,
    show,
    shown_of,
)
from warpfront.settings import Settings
from warpfront.space import Configuration, Space
from warpfront.surrogate.opinion import Opinion, opinion

PUBLISHED = "warpfront:params"
"""System attribute in which a trial says, as JSON, what it is going to suggest: name to number."""

WITHDRAWN = "warpfront:withdrawn"
"""System attribute of a failed trial that was never evaluated, and never will be."""


def load_history(study: Study, space: Space | None = None) -> History:
    """The trials of a study as a history: losses, failures with their reasons, and pending ones.

    Parameters
    ----------
    study
        A study with one objective. If it is maximised, the losses are the negative values.
    space
        What the configurations are of; trials that lack one of its parameters, or lie outside,
        are left out. None: the parameters that all completed trials have, with ranges that hold
        all of theirs.

    Examples
    --------
    >>> import optuna
    >>> from warpfront import Real, Space
    >>> study = optuna.create_study(direction="maximize")
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    >>> history = load_history(study, Space(x=Real(0, 1)))
    >>> history.best.value == -study.best_value
    True
    """
    sign = sign_of(study)
    trials = study.get_trials(deepcopy=False)
    if space is None:
        completed = [t for t in trials if t.state == TrialState.COMPLETE]
        distributions = hull(completed or [t for t in trials if t.distributions])
        if not distributions:
            raise NotEnoughDataError(
                "the space cannot be inferred, for the trials have no parameter in common; "
                "give space=Space(...)"
            )
        shown = Space({name: shown_of(d) for name, d in distributions.items()})
        internal = {name: parameter_of(d) for name, d in distributions.items()}
        translation = Translation(distributions, internal)  # so that constants are shown
    else:
        shown, translation = space, Translation.of(space)
    known = Knowledge(translation, sign, unused=space is not None).history(trials)
    facts = (replace(t, config=show(shown, translation, t.config)) for t in known.trials)
    return History(shown, tuple(facts))


def sign_of(study: Study) -> float:
    """What makes a loss of the study's values: 1 or -1."""
    if len(study.directions) > 1:
        raise ConfigurationError(
            f"HEBO is for one objective, this study has {len(study.directions)}; use "
            "optuna.samplers.NSGAIISampler or TPESampler, or make one value of them"
        )
    return -1.0 if study.direction == StudyDirection.MAXIMIZE else 1.0


def published(trial: FrozenTrial) -> Mapping[str, Any]:
    """The internal numbers that a trial has published; whatever else stands there is ignored."""
    found = trial.system_attrs.get(PUBLISHED)
    return found if isinstance(found, Mapping) else {}


def decided(trial: FrozenTrial, translation: Translation) -> Configuration:
    """What is settled about a trial: suggested, enqueued or published, as far as in the space.

    In the order of the space.
    """
    values = {**trial.system_attrs.get("fixed_params", {}), **trial.params}
    promised = {name: n for name, n in published(trial).items() if name not in values}
    return translation.inside(translation.internal(values) | promised)


def is_withdrawn(trial: FrozenTrial) -> bool:
    """Whether a trial was taken out of the queue, and nobody has completed it all the same."""
    return WITHDRAWN in trial.system_attrs and trial.state in (TrialState.RUNNING, TrialState.FAIL)


def outcome(trial: FrozenTrial, sign: float) -> tuple[State, float | None, str | None]:
    """State, loss and reason of a trial; a pruned one counts with its last intermediate value."""
    if is_withdrawn(trial):
        return "withdrawn", None, None
    if not trial.state.is_finished():
        return "pending", None, None
    value, reason = None, "the trial failed"
    if trial.state == TrialState.COMPLETE:
        value = trial.value
    elif trial.state == TrialState.PRUNED:
        reason = "it was pruned before it reported a value"
        if trial.last_step is not None:
            value = trial.intermediate_values[trial.last_step]
    if value is None:
        return "failed", None, str(trial.user_attrs.get("reason", reason))
    loss, why = read_value(sign * value)
    return ("failed" if loss is None else "completed"), loss, why


class Knowledge:
    """What a study knows about one space; finished trials are read once.

    Parameters
    ----------
    translation
        The space. Trials that lack one of its parameters, or lie outside, are left out.
    sign
        What makes a loss of the study's values: 1 or -1.
    unused
        Whether a completed trial counts with what it published for parameters that it did not use,
        as in a space that was given: there it would have to be left out otherwise. A failed or
        pruned trial always does, for it may have ended before it came to them.
    """

    def __init__(self, translation: Translation, sign: float, unused: bool) -> None:
        self.translation = translation
        self.sign = sign
        self.unused = unused
        self._read: dict[int, tuple[FrozenTrial, Trial | None]] = {}
        self._fitted: tuple[tuple[Trial, ...], Opinion] | None = None

    def history(self, trials: Sequence[FrozenTrial], asking: int | None = None) -> History:
        """All trials but the one that is asking, if any, by its number."""
        # A worker's end says nothing about the place of a trial that was tried again.
        retried = {n for t in trials for n in t.system_attrs.get("retry_history", ())}
        facts = (self._fact(t) for t in trials if t.number not in retried and t.number != asking)
        return History(self.translation.space, tuple(fact for fact in facts if fact is not None))

    def _fact(self, trial: FrozenTrial) -> Trial | None:
        # Storages hand out the same object for a finished trial; for another one it is read anew.
        seen, fact = self._read.get(trial.number, (None, None))
        if seen is trial:
            return fact
        if trial.state == TrialState.COMPLETE and not self.unused:
            config = self.translation.internal(trial.params)
        else:
            config = decided(trial, self.translation)
        if len(config) == len(self.translation.parameters):
            fact = Trial(trial.number, config, *outcome(trial, self.sign))
        else:
            fact = None
        if trial.state.is_finished():
            self._read[trial.number] = trial, fact
        return fact

    def opinion(self, history: History, settings: Settings, seed: int) -> Opinion:
        """What the next trials rest on; the last is kept, as several may be asked for at a time."""
        if self._fitted is None or self._fitted[0] != history.outcomes:
            self._fitted = history.outcomes, opinion(history, settings, seed)
        return self._fitted[1]
