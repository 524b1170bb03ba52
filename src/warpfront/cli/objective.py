"""Evaluates one configuration: a Python function, or a command in a process group of its own."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any

from warpfront.cli.command import Commands, check_program, exit_text
from warpfront.cli.errors import CommandError
from warpfront.cli.function import alarm, as_it_was, load_function
from warpfront.cli.guarded import Guard
from warpfront.cli.outcome import Interrupted, Outcome, OutOfTime, outcome_of, over, reason_of
from warpfront.cli.spec import PythonObjective, Spec
from warpfront.problem import Problem
from warpfront.space import Configuration

__all__ = [
    "Evaluator",
    "Interrupted",
    "Outcome",
    "check_program",
    "exit_text",
    "load_function",
    "outcome_of",
]

FAREWELL = 1.0
"""Seconds that a stop may come later than what it makes fail."""


@dataclass
class Evaluator:
    """Evaluates configurations, one at a time, in the main thread.

    :meth:`stop` may be called at any moment from a signal handler.
    """

    spec: Spec
    study: str
    stopped: bool = False

    def __post_init__(self) -> None:
        self.guard = Guard()
        self._inside = False  # the user's function
        self._problem = Problem(self.spec.space, self.spec.goals)
        self._commands: Commands | None = None
        objective = self.spec.objective
        if objective is None:
            raise CommandError(
                f"{self.spec.path}: has no 'objective'; add one, or evaluate by hand with "
                "`warpfront suggest` and `warpfront observe`"
            )
        if isinstance(objective, PythonObjective):
            self._function = load_function(objective, self.spec.folder)
        else:
            check_program(objective, self.spec.folder)
            self._commands = Commands(objective, self.spec.folder, self.guard, self._problem)
        self._limit = objective.time_limit

    @property
    def unenforced_limit(self) -> float | None:
        """The time limit of a function, which may not heed it; a command is ended in any case."""
        return self._limit if self._commands is None else None

    def stop(self) -> None:
        """End what is being evaluated; it raises Interrupted."""
        self.stopped = True
        if self._commands is not None:
            self._commands.stop()
        if self._inside:
            raise Interrupted

    def evaluate(self, config: Configuration, number: int) -> Outcome:
        """The value of a configuration, or why it has none."""
        names = {"WARPFRONT_TRIAL": str(number), "WARPFRONT_STUDY": self.study}
        if self._commands is not None:
            return self._commands.run(config, number, names)
        os.environ.update(names)
        return self._call(config)

    def _call(self, config: Configuration) -> Outcome:
        outcome: Outcome | None = None
        process = os.getpid()
        try:
            with as_it_was(), alarm(self._limit, self._out_of_time):
                self._inside = True
                # Read here: an object may hang, or end the process, when it is looked at.
                outcome = (
                    None if self.stopped else outcome_of(self._function(config), self._problem)
                )
                self._inside = False
        except OutOfTime:
            return {}, over(self._limit)
        except BaseException as error:  # a panic in Rust, say, is no Exception
            self._inside = False
            if isinstance(error, BrokenPipeError):
                time.sleep(FAREWELL)  # if the tuner has died, we are about to be told
            if self.stopped:
                raise Interrupted from None
            return {}, reason_of(error)
        finally:
            self._inside = False
            if os.getpid() != process:  # what the function has forked must not act as a worker
                os._exit(0)
        if outcome is None or (self.stopped and outcome[1] is not None):
            raise Interrupted
        return outcome

    def _out_of_time(self, *_: Any) -> None:
        if self._inside:
            raise OutOfTime

    def protect(self) -> None:
        """Have the guard end our own process group too, should we be killed."""
        self.guard.started(os.getpgrp())

    def close(self) -> None:
        """Dismiss the guard."""
        self.guard.close()
