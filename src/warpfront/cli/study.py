"""A study in its storage: created from a SPEC, or read without one.

The study holds its space, seed and settings as JSON in a user attribute, so that most commands need
no SPEC. The objective is never read from there: what is run comes from the SPEC on this machine.
"""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import RDBStorage
from optuna.study import Study
from optuna.trial import FrozenTrial
from sqlalchemy import URL

from warpfront.cli.agreement import check_direction, check_trials, compare, directions
from warpfront.cli.errors import StudyError
from warpfront.cli.measured import Found, objectives, outcomes_of
from warpfront.cli.spec import Spec, default_metric
from warpfront.cli.storage import exclusive, has_tables, open_storage, resolve, show
from warpfront.cli.trials import Overview, repair
from warpfront.errors import ConfigurationError, WarpfrontError
from warpfront.goals import Goals, Maximize, Minimize, goals_from_list
from warpfront.history import History
from warpfront.integrations.optuna import (
    HEBOSampler,
    configuration_of,
    distributions_of,
    load_history,
)
from warpfront.problem import Problem
from warpfront.settings import Settings
from warpfront.space import Configuration, Space

ATTRIBUTE, BUDGET = "warpfront", "warpfront:trials"
"""User attributes of a study: what it is, and how many trials it is to have."""
REPEATS, FIRST = "-repeats", "warpfront:first"
"""How the name of the study with the repeats of another one ends, and the user attribute with what
the objective is told there as the number of the first trial."""
VERSION, READABLE = 2, (1, 2)
"""The format of the former: 1 had no goals, only a direction."""


@dataclass(frozen=True)
class OpenStudy:
    """A study, ready for work."""

    study: Study
    storage: RDBStorage
    url: str
    space: Space
    goals: Goals
    settings: Settings
    seed: int
    _read: dict[int, Found] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name of the study."""
        return self.study.study_name

    @property
    def sampler(self) -> HEBOSampler:
        """The sampler of the study."""
        sampler = self.study.sampler
        if not isinstance(sampler, HEBOSampler):
            raise TypeError(sampler)
        return sampler

    @property
    def problem(self) -> Problem:
        """The space and the goals."""
        return Problem(self.space, self.goals)

    @property
    def budget(self) -> int | None:
        """How many trials the study is to have, if a tuner has said it."""
        found = self.study.user_attrs.get(BUDGET)
        return found if isinstance(found, int) else None

    @property
    def first(self) -> int:
        """What the objective is told as the number of the first trial."""
        found = self.study.user_attrs.get(FIRST)
        return found if isinstance(found, int) else 0

    def trials(self) -> Sequence[FrozenTrial]:
        """All trials, in order of number."""
        return self.study.get_trials(deepcopy=False)

    def values(self, trial: FrozenTrial) -> dict[str, Any]:
        """What is settled about a trial: its parameters, and what stands in the queue for it."""
        return {**(trial.system_attrs.get("fixed_params") or {}), **trial.params}

    def configuration(self, trial: FrozenTrial) -> Configuration:
        """What a trial tries; it raises if that is not of this space."""
        return configuration_of(self.space, self.values(trial))

    def record(self, trial: FrozenTrial) -> None:
        """Write the parameters of a trial that only stand in the queue."""
        values = self.values(trial)
        for name, distribution in distributions_of(self.space).items():
            if name in values and name not in trial.params:
                try:
                    number = distribution.to_internal_repr(values[name])
                except (TypeError, ValueError) as error:
                    raise ConfigurationError(f"parameter {name!r}: {error}") from None
                self.study._storage.set_trial_param(trial._trial_id, name, number, distribution)

    def measured(self, trials: Sequence[FrozenTrial]) -> list[Found]:
        """What was measured of finished trials; each is read once, for it does not change."""
        for trial in trials:
            if trial.number not in self._read:
                self._read[trial.number] = Found(trial, outcomes_of(trial, self.goals))
        return [self._read[trial.number] for trial in trials]

    def history(self) -> History:
        """The trials as facts about the problem, with outcomes as they were measured."""
        return load_history(self.study, self.space, self.goals)

    def repair(self) -> Sequence[FrozenTrial]:
        """Take up what dead workers have left, under the lock of the study; give all trials."""
        trials = self.trials()
        if Overview(trials).left_behind():
            stale = self.storage._get_stale_trial_ids(self.study._study_id)
            if repair(self.study, trials, stale):
                trials = self.trials()
        return trials

    def lock(self) -> Any:
        """Be the only one who gives out trials."""
        return exclusive(self.storage, self.study._study_id)

    def close(self) -> None:
        """Let go of the database."""
        self.storage.remove_session()
        self.storage.engine.dispose()


def storage_url(spec: Spec | None, given: str | None, name: str | None = None) -> str:
    """The URL of the storage: as given, from the SPEC, or NAME.db beside the SPEC."""
    if given is not None:
        return resolve(given, Path.cwd())
    if spec is None:
        raise StudyError("say which study: give its SPEC, or --storage URL")
    if name is not None:
        from warpfront.cli.schema import check_name

        try:
            check_name(name)
        except ValueError as error:
            raise StudyError(f"--name: {error}") from None
    file = URL.create("sqlite", database=f"{name or spec.name}.db")
    return resolve(spec.storage or file.render_as_string(), spec.folder)


def create_study(spec: Spec, url: str, name: str | None = None) -> OpenStudy:
    """Create the study of a SPEC, or open it if it is there and the same."""
    storage = open_storage(url)
    name = name or spec.name
    study = optuna.create_study(
        storage=storage,
        study_name=name,
        directions=directions(spec.goals),
        load_if_exists=True,
    )
    with exclusive(storage, study._study_id):
        if ATTRIBUTE not in study.user_attrs:
            # Before anything is written to a study of others.
            check_direction(spec, study, url)
            check_trials(spec, study, url)
            seed = secrets.randbits(63) if spec.seed is None else spec.seed
            _name_values(study, spec.goals)
            study.set_user_attr(
                ATTRIBUTE,
                {
                    "version": VERSION,
                    "space": spec.space.to_dict(),
                    "goals": [goal.to_dict() for goal in spec.goals],
                    "seed": seed,
                    "settings": spec.settings.to_dict(),
                },
            )
    opened = _opened(study, storage, url)
    compare(spec, opened.study, url, opened.problem, opened.seed, opened.settings)
    return opened


def _name_values(study: Study, goals: Goals) -> None:
    """Name the axes of the dashboard and of Optuna's own plots."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names are experimental in Optuna
        study.set_metric_names([goal.name for goal in objectives(goals)])


def open_study(spec: Spec | None, url: str, name: str | None = None) -> OpenStudy:
    """Open a study that is there; by its name, by its SPEC, or as the only one."""
    storage = open_storage(url) if has_tables(url) else None
    names = [] if storage is None else optuna.get_all_study_names(storage)
    wanted = name or (spec.name if spec is not None else None)
    if storage is None or not names:
        raise StudyError(
            f"there is no study in {show(url)}; `warpfront tune SPEC` begins one, or by hand "
            "`warpfront suggest SPEC`"
        )
    if wanted is None:
        names = [
            n for n in names if n.removesuffix(REPEATS) == n or n[: -len(REPEATS)] not in names
        ]
        if len(names) > 1:
            raise StudyError(f"{show(url)} has several studies; add --name {' | '.join(names)}")
        wanted = names[0]
    if wanted not in names:
        raise StudyError(
            f"there is no study {wanted!r} in {show(url)}, only {', '.join(map(repr, names))}; "
            "choose one with --name, or begin it with `warpfront tune SPEC`"
        )
    opened = _opened(optuna.load_study(study_name=wanted, storage=storage), storage, url)
    if spec is not None:
        compare(spec, opened.study, url, opened.problem, opened.seed, opened.settings)
    return opened


def has_study(url: str, name: str) -> bool:
    """Whether a storage has a study of a name; looking makes neither a file nor tables."""
    if not has_tables(url):
        return False
    storage = open_storage(url)
    try:
        return name in optuna.get_all_study_names(storage)
    finally:
        storage.remove_session()
        storage.engine.dispose()


def _opened(study: Study, storage: RDBStorage, url: str) -> OpenStudy:
    data = study.user_attrs.get(ATTRIBUTE)
    if not isinstance(data, dict):
        raise StudyError(
            f"study {study.study_name!r} was not made by this command, so its space is unknown; "
            "give its SPEC to `warpfront tune`"
        )
    if data.get("version") not in READABLE:
        raise StudyError(
            f"study {study.study_name!r} was made by another version of warpfront (format "
            f"{data.get('version')!r}, here {VERSION}); use that version, or a new --name"
        )
    try:
        space, settings = Space.from_dict(data["space"]), Settings.from_dict(data["settings"])
        goals = _goals(data.get("goals"), study, space)
        sampler = HEBOSampler(int(data["seed"]), search_space=space, settings=settings, goals=goals)
    except (KeyError, TypeError, ValueError, WarpfrontError) as error:
        raise StudyError(f"study {study.study_name!r} cannot be read: {error}") from error
    study.sampler = sampler
    return OpenStudy(study, storage, url, space, goals, settings, sampler.seed)


def _goals(data: Any, study: Study, space: Space) -> Goals:
    """The goals of a study; where it has none of ours, its direction is one."""
    kinds = [direction.name.lower() for direction in study.directions]
    if data is not None:
        goals = goals_from_list(data)
        if directions(goals) == kinds:
            return goals
    elif len(kinds) == 1:
        name = default_metric(space, kinds == ["maximize"])
        return (Maximize(name) if kinds == ["maximize"] else Minimize(name),)
    raise StudyError("its goals do not fit its directions")
