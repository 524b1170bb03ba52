"""What evaluates configurations: the table [objective] of a SPEC."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warpfront.cli.errors import SpecError
from warpfront.cli.placeholders import placeholders, unsafe_placeholder, unspeakable
from warpfront.goals import Goals
from warpfront.space import Space

if TYPE_CHECKING:  # pydantic is slow to import
    from warpfront.cli.schema import ObjectiveTable

TRIAL = "trial"
"""The placeholder for the number of the trial."""


@dataclass(frozen=True)
class PythonObjective:
    """A function ``module:function`` that takes a configuration and returns its outcomes."""

    module: str
    function: str
    time_limit: float | None = None


@dataclass(frozen=True)
class CommandObjective:
    """A command that prints its outcomes on its last line, or writes them to a JSON file.

    Attributes
    ----------
    arguments
        The program and its arguments; or the one text that a shell gets.
    shell
        Whether a shell runs it.
    result, key
        The JSON file and the key of the number in it; None: the last line of standard output. With
        several outcomes, the key of their table, and an empty one is the whole file.
    time_limit
        Seconds after which an evaluation is ended and has failed.
    """

    arguments: tuple[str, ...]
    shell: bool = False
    result: str | None = None
    key: str | None = None
    time_limit: float | None = None


def read_objective(
    given: ObjectiveTable, space: Space, goals: Goals, named: bool
) -> PythonObjective | CommandObjective:
    """The objective of a table; mistakes are errors that name key, value and remedy."""
    if (given.python is None) == (given.command is None):
        raise SpecError("objective: give either 'python' or 'command'")
    if given.python is None:
        return _command(given, space, goals, named)
    for key in sorted(given.model_fields_set & {"shell", "result", "key"}):
        raise SpecError(f"objective.{key}: is for 'command' only; remove it")
    module, colon, function = given.python.partition(":")
    names = (*module.split("."), *function.split("."))
    if not colon or not all(name.isidentifier() for name in names):
        raise SpecError(
            f"objective.python = {given.python!r}: must be 'module:function', "
            "such as 'train:loss' for the function loss in train.py"
        )
    return PythonObjective(module, function, given.time_limit)


def _command(given: ObjectiveTable, space: Space, goals: Goals, named: bool) -> CommandObjective:
    from warpfront.cli.schema import closest

    arguments = _arguments(given.command, given.shell)
    result, key = given.result, given.key
    if result is None and key is not None:
        raise SpecError("objective.key: names a number in a file; give 'result' as well")
    if result is not None and key is None:
        key = goals[0].name if named else "loss"
        key = key if len(goals) == 1 else ""
    _check_values(space)
    used = _placeholders("command", arguments)
    for name in sorted(used - set(space) - {TRIAL}):
        raise SpecError(
            f"objective.command: the placeholder {{{name}}} is not a parameter; "
            f"{closest(name, [*space, TRIAL])} (write {{{{ and }}}} for braces themselves)"
        )
    for name in space:
        if name not in used:
            raise SpecError(
                f"objective.command: no placeholder uses the parameter {name!r}; "
                f"put {{{name}}} where its value belongs, or remove the parameter"
            )
    _check_result(result)
    if given.shell and (unsafe := unsafe_placeholder(arguments[0])):
        raise SpecError(f"objective.command: {unsafe}")
    return CommandObjective(arguments, given.shell, result, key, given.time_limit)


def _check_values(space: Space) -> None:
    """Raise for what a command cannot be given."""
    if TRIAL in space.names:
        raise SpecError(
            f"parameter {TRIAL!r}: in a command, {{{TRIAL}}} is the trial's number; give the "
            "parameter another name"
        )
    for name in space:
        for value in getattr(space[name], "choices", ()):
            if (what := unspeakable(value)) is not None:
                raise SpecError(f"parameter {name!r}: {value!r} has {what}, which no command takes")


def _check_result(result: str | None) -> None:
    used = _placeholders("result", [result or ""])
    for name in used - {TRIAL}:
        raise SpecError(
            f"objective.result = {result!r}: the placeholder {{{name}}} is unknown; "
            f"only {{{TRIAL}}}, the trial's number, may stand there"
        )
    if result is not None and TRIAL not in used:
        raise SpecError(
            f"objective.result = {result!r}: workers would write one file; put {{{TRIAL}}} into "
            "its name, and give it to the command as well"
        )


def _placeholders(key: str, texts: Collection[str]) -> set[str]:
    try:
        return {name for text in texts for name in placeholders(text)}
    except ValueError as error:
        raise SpecError(f"objective.{key}: {error}") from None


def _arguments(command: Any, shell: bool) -> tuple[str, ...]:
    if isinstance(command, str) and command.strip():
        if shell:
            return (command,)
        try:
            return tuple(shlex.split(command))
        except ValueError as error:
            raise SpecError(f"objective.command = {command!r}: {error}") from None
    if shell:
        raise SpecError(f"objective.command = {command!r}: a shell needs one text")
    if not isinstance(command, list) or not command:
        raise SpecError(
            f"objective.command = {command!r}: must be a text, or a list of a program and its "
            "arguments"
        )
    for argument in command:
        if not isinstance(argument, str):
            raise SpecError(f"objective.command: {argument!r} is not a text; put it in quotes")
    return tuple(command)
