"""The trials of a study as facts about one problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from warpfront.dataset import Dataset
from warpfront.errors import NotEnoughDataError
from warpfront.goals import Goal, Goals
from warpfront.history import History
from warpfront.integrations.optuna.conditional import shown
from warpfront.integrations.optuna.goals import goals_of, names_of, of_study
from warpfront.integrations.optuna.inferred import hull
from warpfront.integrations.optuna.outcomes import outcome_of
from warpfront.integrations.optuna.translation import Translation
from warpfront.outcomes import Outcome
from warpfront.problem import Problem
from warpfront.settings import Settings
from warpfront.space import Configuration, Space
from warpfront.surrogate.models import Models, fit_models
from warpfront.trial import State, Trial

PUBLISHED = "warpfront:params"
"""System attribute in which a trial says, as JSON, what it is going to suggest: name to number."""

PROPOSER = "warpfront:proposer"
"""System attribute with the name of who proposed the trial."""

WITHDRAWN = "warpfront:withdrawn"
"""System attribute of a failed trial that was never evaluated, and never will be."""


def load_history(
    study: Study,
    space: Space | None = None,
    goals: Goal | Sequence[Goal] | None = None,
) -> History:
    """The trials of a study as a history: outcomes, failures with their reasons, and pending ones.

    Parameters
    ----------
    study
        A study. The values of its trials stay as they are.
    space
        What the configurations are of; trials that lack one of its parameters, or lie outside,
        are left out. None: it is inferred from the completed trials, with ranges that hold all of
        theirs, and conditions on parameters that only some of them have.
    goals
        What was measured and wanted: then trials have their outcomes by name, their noise, and
        what was measured of those that lack an objective, as
        :mod:`warpfront.integrations.optuna.outcomes` stores them. None: the directions and the
        constraints of the study become the goals.

    Examples
    --------
    >>> import optuna
    >>> from warpfront import Real, Space
    >>> study = optuna.create_study(direction="maximize")
    >>> study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    >>> history = load_history(study, Space(x=Real(0, 1)))
    >>> history.best.value == study.best_value
    True
    """
    trials = study.get_trials(deepcopy=False)
    if goals is not None:
        goals = of_study(study, trials, goals)
    wanted = goals or goals_of(study, trials, names_of(study))
    if space is None:
        completed = [t for t in trials if t.state == TrialState.COMPLETE]
        some = completed or [t for t in trials if t.distributions]
        if not hull(some):
            raise NotEnoughDataError(
                "the space cannot be inferred, for the trials have no parameter in common; "
                "give space=Space(...)"
            )
        distributions, found = shown(some)
        translation = Translation(distributions, {name: found[name] for name in found}, found)
    else:
        translation = Translation.of(space)
    return Knowledge(translation, wanted, unused=space is not None).history(trials)


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
    settled = translation.numbers(translation.config(values))
    return translation.inside(settled | promised)


def is_withdrawn(trial: FrozenTrial) -> bool:
    """Whether a trial was taken out of the queue, and nobody has completed it all the same."""
    return WITHDRAWN in trial.system_attrs and trial.state in (TrialState.RUNNING, TrialState.FAIL)


def proposer_of(trial: FrozenTrial) -> str | None:
    """Who proposed a trial, if it says so; whatever else stands there is ignored."""
    found = trial.system_attrs.get(PROPOSER)
    return found if isinstance(found, str) else None


def state_of(trial: FrozenTrial, goals: Goals) -> tuple[State, Outcome]:
    """State and outcome of a trial."""
    if is_withdrawn(trial):
        return "withdrawn", Outcome()
    if not trial.state.is_finished():
        return "pending", Outcome()
    outcome = outcome_of(trial, goals)
    return "completed" if outcome.reason is None else "failed", outcome


class Knowledge:
    """What a study knows about one problem; finished trials are read once.

    Parameters
    ----------
    translation
        The space. Trials that lack one of its parameters, or lie outside, are left out.
    goals
        What is measured and wanted.
    unused
        Whether a completed trial counts with what it published for parameters that it did not use,
        as in a space that was given: there it would have to be left out otherwise. A failed or
        pruned trial always does, for it may have ended before it came to them.
    """

    def __init__(self, translation: Translation, goals: Goals, unused: bool) -> None:
        self.translation = translation
        self.goals = goals
        self.unused = unused
        self._read: dict[int, tuple[FrozenTrial, Trial | None]] = {}
        self._fitted: tuple[tuple[Trial, ...], Models] | None = None

    def history(self, trials: Sequence[FrozenTrial], asking: int | None = None) -> History:
        """All trials but the one that is asking, if any, by its number."""
        # A worker's end says nothing about the place of a trial that was tried again.
        retried = {n for t in trials for n in t.system_attrs.get("retry_history", ())}
        facts = (self._fact(t) for t in trials if t.number not in retried and t.number != asking)
        problem = Problem(self.translation.space, self.goals)
        return History(problem, tuple(fact for fact in facts if fact is not None))

    def _fact(self, trial: FrozenTrial) -> Trial | None:
        # Storages hand out the same object for a finished trial; for another one it is read anew.
        seen, fact = self._read.get(trial.number, (None, None))
        if seen is trial:
            return fact
        if trial.state == TrialState.COMPLETE and not self.unused:
            config = self.translation.config(trial.params)
        else:
            config = decided(trial, self.translation)
        if self.translation.is_whole(config):
            state, outcome = state_of(trial, self.goals)
            fact = Trial(
                number=trial.number,
                config=config,
                state=state,
                outcomes=outcome.values,
                noise=outcome.noise,
                reason=outcome.reason,
                proposer=proposer_of(trial),
            )
        else:
            fact = None
        if trial.state.is_finished():
            self._read[trial.number] = trial, fact
        return fact

    def models(self, history: History, settings: Settings, seed: int) -> Models:
        """The models of the next trials; the last are kept, as several may be asked for."""
        if self._fitted is None or self._fitted[0] != history.evaluated:
            self._fitted = history.evaluated, fit_models(Dataset.of(history), settings, seed)
        return self._fitted[1]
