"""A command as the objective: a process group of its own, under a time limit."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from warpfront.cli import guard
from warpfront.cli.errors import CommandError
from warpfront.cli.guarded import Guard
from warpfront.cli.outcome import Interrupted, Outcome, over
from warpfront.cli.output import last_line, outcomes_in, said, stamp
from warpfront.cli.placeholders import fill, placeholders
from warpfront.cli.spec import TRIAL, CommandObjective
from warpfront.problem import Problem
from warpfront.space import Configuration, Space


def check_program(objective: CommandObjective, folder: Path) -> None:
    """Raise if the program of a command does not exist."""
    program = objective.arguments[0]
    if objective.shell or placeholders(program):
        return
    found = shutil.which(program if os.sep not in program else str(folder / program))
    if found is None:
        raise CommandError(
            f"objective.command: {program!r} is not a program that can be started; give its path, "
            f"relative to {folder}, and make it executable"
        )


def fill_all(
    arguments: Sequence[str], values: Mapping[str, Any], space: Space, shell: bool
) -> list[str]:
    """The words of a command for a configuration.

    A word that needs an inactive parameter is left out, and so is an option before it that stands
    alone; in the text of a shell the placeholder becomes an empty word.

    Examples
    --------
    >>> from warpfront import Boolean, Integer
    >>> space = Space(deep=Boolean(), layers=Integer(1, 9, when={"deep": True}))
    >>> words = ["./train", "{deep}", "--layers", "{layers}", "--log={layers}"]
    >>> fill_all(words, {"deep": False}, space, shell=False)
    ['./train', 'false']
    """
    inactive = set(space) - set(values)
    if shell:
        return [
            fill(text, {**dict.fromkeys(inactive, ""), **values}, quote=True) for text in arguments
        ]
    kept: list[str] = []
    for text in arguments:
        names = placeholders(text)
        if not names & inactive:
            kept.append(text)
        elif kept and text == f"{{{min(names)}}}" and _is_option(kept[-1]):
            kept.pop()
    return [fill(text, values) for text in kept]


def _is_option(word: str) -> bool:
    """Whether a word is an option whose value is the next word."""
    return word.startswith("-") and "=" not in word and not placeholders(word)


class Commands:
    """Runs a command once for each configuration, one at a time.

    :meth:`stop` may be called at any moment from a signal handler.
    """

    def __init__(
        self, objective: CommandObjective, folder: Path, guard: Guard, problem: Problem
    ) -> None:
        self._objective, self._folder, self._guard = objective, folder, guard
        self._problem = problem
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def stop(self) -> None:
        """End the command; :meth:`run` raises Interrupted."""
        self._stopped = True
        if self._process is not None:
            _end_later(self._process)

    def run(self, config: Configuration, number: int, names: Mapping[str, str]) -> Outcome:
        """The value of a configuration, or why it has none; ``names`` are for the environment."""
        objective = self._objective
        values = {TRIAL: number, **config}
        arguments = fill_all(objective.arguments, values, self._problem.space, objective.shell)
        result = None
        if objective.result is not None:
            result = self._folder / fill(objective.result, {TRIAL: number})
        before = stamp(result)
        self._guard.start()  # so that there is no command without it
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                self._process = subprocess.Popen(  # noqa: S603  (the user's command)
                    arguments[0] if objective.shell else arguments,
                    shell=objective.shell,
                    cwd=self._folder,
                    env={**os.environ, **names},
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    start_new_session=True,
                )
            except OSError as error:
                return {}, f"{arguments[0]!r} cannot be started: {error.strerror}"
            except ValueError as error:  # a value that no command can be given
                return {}, f"the command cannot be started: {error}"
            code, is_late = self._wait(self._process)
            if self._stopped:
                raise Interrupted
            if is_late:
                return {}, over(objective.time_limit) + said(err)
            if code != 0:
                return {}, exit_text(code) + said(err)
            if result is not None and objective.key is not None:
                return outcomes_in(result, objective.key, before, self._problem)
            return last_line(out, err, self._problem)

    def _wait(self, process: subprocess.Popen[bytes]) -> tuple[int, bool]:
        """The exit code of the command, and whether it was ended because its time was over."""
        late = threading.Event()
        try:
            self._guard.started(process.pid)
            if self._stopped:
                _end_later(process)
            with _timer(self._objective.time_limit, partial(_end_late, late, process)):
                code = process.wait()
        finally:
            self._process = None
            guard.end(process.pid)  # whatever the command has left behind
            self._guard.ended(process.pid)
        return code, late.is_set()


def _end_late(late: threading.Event, process: subprocess.Popen[bytes]) -> None:
    late.set()
    guard.end(process.pid)


def _end_later(process: subprocess.Popen[bytes]) -> None:
    """End a process group without waiting for it here: this may run in a signal handler."""
    threading.Thread(target=guard.end, args=(process.pid,), daemon=True).start()


@contextmanager
def _timer(seconds: float | None, action: Callable[[], Any]) -> Iterator[None]:
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, action)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def exit_text(code: int) -> str:
    """How a process ended, from its exit code.

    Examples
    --------
    >>> exit_text(3), exit_text(-9)
    ('exit code 3', 'killed by SIGKILL')
    """
    if code > 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
