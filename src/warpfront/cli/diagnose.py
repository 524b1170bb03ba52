"""`warpfront diagnose`: what a study says about its task, and repeats if they are wanted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from warpfront.cli.durations import describe_duration
from warpfront.cli.errors import CommandError
from warpfront.cli.plan import Plan, check
from warpfront.cli.repeats import Request, about, find_repeats, queue, repeats_of, request
from warpfront.cli.spec import Spec
from warpfront.cli.study import OpenStudy, has_study, open_study
from warpfront.cli.tune import Tuner
from warpfront.diagnostics import Diagnosis, Group, diagnose
from warpfront.diagnostics.conflict import why_no_pair
from warpfront.history import History
from warpfront.problem import Problem
from warpfront.settings import Settings


@dataclass(frozen=True)
class Subject:
    """What is diagnosed: a study, or the SPEC of one that has not begun.

    Attributes
    ----------
    seconds
        How long a trial takes on average; None if none has completed.
    """

    name: str
    url: str
    history: History
    settings: Settings
    seed: int
    seconds: float | None = None


def find_subject(spec: Spec | None, url: str, name: str | None, goal: str | None = None) -> Subject:
    """Read the study; for a SPEC without one there is nothing known yet."""
    wanted = name or (None if spec is None else spec.name)
    if spec is not None and wanted is not None and not has_study(url, wanted):
        history = about(History(Problem(spec.space, spec.goals)), goal)
        return Subject(wanted, url, history, spec.settings, spec.seed or 0)
    opened = open_study(spec, url, name)
    try:
        return Subject(
            name=opened.name,
            url=url,
            history=about(opened.history(), goal),
            settings=opened.settings,
            seed=opened.seed,
            seconds=_seconds(opened),
        )
    finally:
        opened.close()


def _seconds(opened: OpenStudy) -> float | None:
    took = [t.duration.total_seconds() for t in opened.trials() if t.values and t.duration]
    return sum(took) / len(took) if took else None


def check_repeats(times: int) -> None:
    """Raise for a number of repeats with which the tests find next to nothing."""
    if times % 2:
        raise CommandError(
            f"--repeats {times}: of an odd number one is the median itself, which makes the tests "
            f"insensitive; take {times - 1} or {times + 1}"
        )


def check_parameters(subject: Subject, text: str | None) -> tuple[str, str] | None:
    """The two parameters of the conflict map, before anything is spent on it."""
    if text is None:
        return None
    names, space = [name.strip() for name in text.split(",")], subject.history.space
    wrong = why_no_pair(space, names)
    if wrong is not None:
        raise CommandError(
            f"--parameters {text!r}: {wrong}; give two of {', '.join(space.names)}, with a comma "
            "in between"
        )
    return names[0], names[1]


def gather(
    subject: Subject,
    spec: Spec | None,
    *,
    configurations: int,
    times: int,
    workers: int | None,
    patience: float,
    agree: Callable[[str], bool],
    say: Callable[[str], None],
) -> list[Group]:
    """The repeats that there are; if more are wanted and agreed to, they are evaluated first.

    ``agree`` is asked whether to spend evaluations.
    """
    beside = find_repeats(spec, subject.url, subject.name)
    try:
        wanted = request(subject.history, beside, configurations, times, subject.seed)
    finally:
        if beside is not None:
            beside.close()
    if wanted.missing:
        workers = workers or (0 if spec is None else spec.workers) or 1
        cost = describe_cost(wanted, times, subject.seconds, workers)
        if spec is None or spec.objective is None:
            say(f"{cost}; for these, give a SPEC with an objective")
        elif agree(cost):
            _evaluate(subject, spec, wanted, workers, patience)
    beside = find_repeats(spec, subject.url, subject.name)
    if beside is None:
        return []
    try:
        return repeats_of(beside, subject.history.problem.objective.name)
    finally:
        beside.close()


def describe_cost(wanted: Request, times: int, seconds: float | None, workers: int) -> str:
    """How many evaluations are missing, and about how long they take."""
    total = sum(wanted.wanted.values())
    text = (
        f"the test of equal noise needs {wanted.missing} evaluations ({len(wanted.configs)} "
        f"configurations x {times} repeats"
    )
    if wanted.missing < total:
        text += f", {total - wanted.missing} of {total} done"
    took = wanted.missing * (seconds or 0.0) / workers
    if took >= 1.0:
        text += f"; about {describe_duration(took)}"
    return text + ")"


def _evaluate(subject: Subject, spec: Spec, wanted: Request, workers: int, patience: float) -> None:
    plan = Plan(spec, 0, 1, workers, spec.timeout, patience)
    check(plan)
    opened, trials = queue(spec, subject.url, subject.name, wanted)
    try:
        Tuner(opened, replace(plan, trials=trials)).run()
    finally:
        opened.close()


def examine(subject: Subject, groups: list[Group], parameters: tuple[str, str] | None) -> Diagnosis:
    """Diagnose; a study without trials is known by its repeats alone."""
    history, repeats = subject.history, groups
    if not history.completed:
        told = [(None, group.config, loss) for group in groups for loss in group.losses]
        history, repeats = History(history.problem).tell(told), []
    return diagnose(
        history, subject.settings, repeats=repeats, parameters=parameters, seed=subject.seed
    )


def describe_changes(changes: Mapping[str, Any], spec: Path | None) -> str:
    """Settings as they stand in a SPEC: a YAML file if the present one is, else a TOML file.

    Examples
    --------
    >>> print(describe_changes({"input_warp": True, "output_warp": "none"}, None))
    [settings]
    input_warp = true
    output_warp = "none"
    """
    is_yaml = spec is not None and spec.suffix in (".yaml", ".yml")
    head, form = ("settings:", "  {}: {}") if is_yaml else ("[settings]", "{} = {}")
    # Flags, numbers, plain texts and lists of them are written alike in JSON, TOML and YAML.
    lines = [form.format(name, json.dumps(value)) for name, value in changes.items()]
    return "\n".join([head, *lines])


def is_terminal() -> bool:
    """Whether somebody can be asked."""
    return sys.stdin is not None and sys.stdin.isatty()
