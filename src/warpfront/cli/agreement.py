"""Whether a SPEC and a study agree: a study keeps what it began with."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, Literal

from optuna.distributions import check_distribution_compatibility
from optuna.study import Study

from warpfront.cli.errors import StudyError
from warpfront.cli.measured import objectives
from warpfront.cli.spec import Spec
from warpfront.cli.storage import show
from warpfront.goals import Goals
from warpfront.integrations.optuna import distributions_of
from warpfront.integrations.optuna.space import shown_of
from warpfront.problem import Problem
from warpfront.settings import Settings

Direction = Literal["minimize", "maximize"]


def directions(goals: Goals) -> list[Direction]:
    """The directions of a study with these goals."""
    return ["maximize" if goal.sign < 0 else "minimize" for goal in objectives(goals)]


def check_direction(spec: Spec, study: Study, url: str) -> None:
    """Raise if the objectives of a study and of a SPEC differ in number or direction."""
    old, new = [d.name.lower() for d in study.directions], directions(spec.goals)
    if old != new:
        raise _different(spec, study, url, "direction", ", ".join(old), ", ".join(new))


def check_trials(spec: Spec, study: Study, url: str) -> None:
    """Raise if Optuna would not store the parameters of a SPEC beside those of a study's trials."""
    trials = study.get_trials(deepcopy=False)
    for name, new in distributions_of(spec.space).items():
        for old in (t.distributions[name] for t in trials if name in t.distributions):
            try:
                check_distribution_compatibility(old, new)
            except ValueError:
                raise StudyError(
                    f"study {study.study_name!r} in {show(url)}: parameter {name!r} of its trials "
                    f"is {shown_of(old)}, in the SPEC {spec.space[name]}; its type, scale and "
                    "choices, in their order, must be the same: change "
                    f"{spec.path.name}, or use a new --name"
                ) from None


def compare(
    spec: Spec, study: Study, url: str, problem: Problem, seed: int, settings: Settings
) -> None:
    """Raise if a SPEC says something else than the study was begun with."""
    check_direction(spec, study, url)

    def different(what: str, old: Any, new: Any) -> StudyError:
        return _different(spec, study, url, what, old, new)

    for name in [*problem.space, *spec.space]:
        old = problem.space[name] if name in problem.space.names else "not there"
        new = spec.space[name] if name in spec.space.names else "not there"
        if old != new:
            raise different(f"parameter {name!r}", old, new)
    old_texts, new_texts = ([c.text for c in s.constraints] for s in (problem.space, spec.space))
    if old_texts != new_texts:
        raise different("constraints", old_texts, new_texts)
    for i, (was, new_goal) in enumerate(zip_longest(problem.goals, spec.goals), 1):
        if was != new_goal:
            raise different(f"goal {i}", was or "not there", new_goal or "not there")
    if problem.space != spec.space:
        raise different("order", problem.space.names, spec.space.names)
    if spec.seed is not None and spec.seed != seed:
        raise different("seed", seed, spec.seed)
    for name in spec.chosen:
        old, new = getattr(settings, name), getattr(spec.settings, name)
        if old != new:
            raise different(f"setting {name!r}", old, new)


def _different(spec: Spec, study: Study, url: str, what: str, old: Any, new: Any) -> StudyError:
    return StudyError(
        f"study {study.study_name!r} in {show(url)}: {what} is {old}, in the SPEC {new}; a study "
        f"keeps what it began with: change {spec.path.name} back, or use a new --name"
    )
