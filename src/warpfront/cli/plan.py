"""What a run is to do, checked before it begins, and the command that goes on with it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from warpfront.cli.errors import CommandError
from warpfront.cli.objective import check_program
from warpfront.cli.spec import CommandObjective, Spec


@dataclass(frozen=True)
class Plan:
    """What a run is to do."""

    spec: Spec
    trials: int
    batch: int
    workers: int
    timeout: float | None
    patience: float
    raises: bool = True


def check(plan: Plan) -> None:
    """Raise for what would fail in every trial, before anything is begun."""
    objective = plan.spec.objective
    if objective is None and plan.workers:
        raise CommandError(
            f"{plan.spec.path}: has no 'objective'; add one, evaluate by hand with `warpfront "
            "suggest` and `warpfront observe`, or watch other workers with --workers 0"
        )
    if isinstance(objective, CommandObjective):
        check_program(objective, plan.spec.folder)


def resume_command(arguments: list[str], shown_storage: str | None) -> str:
    """The command that was called, for a shell; a password in it is left out."""
    words = []
    for word in arguments:
        if shown_storage is not None and "://" in word:
            option, equals, _ = word.partition("=")
            word = option + equals + shown_storage if option.startswith("--") else shown_storage
        words.append(word)
    return shlex.join(["warpfront", *words])
