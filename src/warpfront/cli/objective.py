"""Evaluates one configuration: a Python function, or a command in a process group of its own."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import IO, Any

from warpfront.cli import guard
from warpfront.cli.durations import describe_duration
from warpfront.cli.errors import CommandError
from warpfront.cli.placeholders import fill, placeholders
from warpfront.cli.spec import TRIAL, CommandObjective, PythonObjective, Spec
from warpfront.errors import ObservationError
from warpfront.outcomes import read_value
from warpfront.space import Configuration

TAIL = 65_536
"""How many bytes of a command's output are looked at, from its end."""
FAREWELL = 1.0
"""Seconds that a stop may come later than what it makes fail."""
DISMISSAL = 10.0
"""Seconds that the guard gets to end."""
LINES, LENGTH = 5, 600
"""How much of standard error goes into the reason of a failure: last lines, and characters."""
PACKAGE = Path(__file__).parents[1]
"""The folder of our own files."""

Outcome = tuple[float | None, str | None]
"""A value, or the reason of the failure."""


class Interrupted(KeyboardInterrupt):
    """The evaluation was asked to stop."""


class _OutOfTime(BaseException):
    """The time limit of a Python function is over; no ``except Exception`` holds it up."""


def outcome_of(value: Any) -> Outcome:
    """Sort what an evaluation gave into a value or the reason of a failure.

    Examples
    --------
    >>> outcome_of(2)
    (2.0, None)
    >>> outcome_of("good")
    (None, "the value 'good' is not a number")
    """
    try:
        return read_value(value)
    except ObservationError as error:
        return None, str(error).partition(";")[0]


@dataclass
class Evaluator:
    """Evaluates configurations, one at a time, in the main thread.

    :meth:`stop` may be called at any moment from a signal handler.
    """

    spec: Spec
    study: str
    stopped: bool = False

    def __post_init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._inside = False  # the user's function
        self._guard: subprocess.Popen[str] | None = None
        objective = self.spec.objective
        if objective is None:
            raise CommandError(
                f"{self.spec.path}: has no 'objective'; add one, or evaluate by hand with "
                "`warpfront suggest` and `warpfront observe`"
            )
        self._objective = objective
        if isinstance(objective, PythonObjective):
            self._function = load_function(objective, self.spec.folder)
        else:
            check_program(objective, self.spec.folder)

    def stop(self) -> None:
        """End what is being evaluated; it raises Interrupted."""
        self.stopped = True
        if self._process is not None:
            _end_later(self._process)
        if self._inside:
            raise Interrupted

    def evaluate(self, config: Configuration, number: int) -> Outcome:
        """The value of a configuration, or why it has none."""
        names = {"WARPFRONT_TRIAL": str(number), "WARPFRONT_STUDY": self.study}
        if isinstance(self._objective, PythonObjective):
            os.environ.update(names)
            return self._call(config, self._objective.time_limit)
        return self._run(config, number, self._objective, names)

    def _call(self, config: Configuration, limit: float | None) -> Outcome:
        try:
            with _alarm(limit, self._out_of_time):
                self._inside = True
                value = None if self.stopped else self._function(config)
                self._inside = False
        except _OutOfTime:
            return None, _over(limit)
        except BaseException as error:  # a panic in Rust, say, is no Exception
            self._inside = False
            if isinstance(error, BrokenPipeError):
                time.sleep(FAREWELL)  # if the tuner has died, we are about to be told
            if self.stopped:
                raise Interrupted from None
            return None, _reason(error)
        finally:
            self._inside = False
        if self.stopped and value is None:
            raise Interrupted
        return outcome_of(value)

    def _out_of_time(self, *_: Any) -> None:
        if self._inside:
            raise _OutOfTime

    def _run(
        self, config: Configuration, number: int, objective: CommandObjective, names: dict[str, str]
    ) -> Outcome:
        values = {TRIAL: number, **config}
        arguments = [fill(text, values, quote=objective.shell) for text in objective.arguments]
        result = None
        if objective.result is not None:
            result = self.spec.folder / fill(objective.result, {TRIAL: number})
        before = _stamp(result)
        self._start_guard()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                self._process = process = subprocess.Popen(  # noqa: S603  (the user's command)
                    arguments[0] if objective.shell else arguments,
                    shell=objective.shell,
                    cwd=self.spec.folder,
                    env=os.environ | names,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    start_new_session=True,
                )
            except OSError as error:
                return None, f"{arguments[0]!r} cannot be started: {error.strerror}"
            late = threading.Event()
            try:
                self._watch(f"+{process.pid}")
                if self.stopped:
                    _end_later(process)
                with _timer(objective.time_limit, partial(_end_late, late, process)):
                    code = process.wait()
            finally:
                self._process = None
                guard.end(process.pid)  # whatever the command has left behind
                self._watch(f"-{process.pid}")
            if self.stopped:
                raise Interrupted
            if late.is_set():
                return None, _over(objective.time_limit) + _said(err)
            if code != 0:
                return None, exit_text(code) + _said(err)
            if result is not None and objective.key is not None:
                return _number_in(result, objective.key, before)
            return _last_number(out, err)

    def _start_guard(self) -> subprocess.Popen[str]:
        """Start the guard, once; before the first command, so that there is none without it."""
        if self._guard is None:
            self._guard = subprocess.Popen(  # noqa: S603  (our own file)
                [sys.executable, "-I", "-S", guard.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                text=True,
                start_new_session=True,
            )
            _guards.add(self._guard)
        return self._guard

    def _watch(self, line: str) -> None:
        """Tell the guard, which outlives us if we are killed."""
        pipe = self._start_guard().stdin
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.write(line + "\n")
                pipe.flush()

    def protect(self) -> None:
        """Have the guard end our own process group too, should we be killed."""
        self._watch(f"+{os.getpgrp()}")

    def close(self) -> None:
        """Dismiss the guard."""
        if self._guard is not None and self._guard.stdin is not None:
            self._watch(f"-{os.getpgrp()}")
            self._watch(guard.FAREWELL)
            with suppress(BrokenPipeError):
                self._guard.stdin.close()
            try:
                self._guard.wait(DISMISSAL)
            except subprocess.TimeoutExpired:
                self._guard.kill()
                self._guard.wait()
            self._guard = None


_guards: weakref.WeakSet[subprocess.Popen[str]] = weakref.WeakSet()


def _leave_guards() -> None:
    """In a process that a function forks: let go of the pipes, whose end is a worker's death."""
    for one in _guards:
        if one.stdin is not None and not one.stdin.closed:
            # The number stays taken, so that the file object can close no other file by it.
            with suppress(OSError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, one.stdin.fileno(), inheritable=False)
                os.close(nowhere)


os.register_at_fork(after_in_child=_leave_guards)


def load_function(objective: PythonObjective, folder: Path) -> Callable[[Configuration], Any]:
    """Import the function; its module is looked for in the folder of the SPEC first."""
    where = f"objective.python = '{objective.module}:{objective.function}'"
    sys.path.insert(0, str(folder))
    hidden = _hidden_file(objective.module.partition(".")[0], folder)
    if hidden is not None:
        raise CommandError(f"{where}: {hidden}; rename the file, and give its new name")
    try:
        found: Any = importlib.import_module(objective.module)
        for name in objective.function.split("."):
            found = getattr(found, name)
    except ModuleNotFoundError as error:
        remedy = (
            f"put {objective.module.partition('.')[0]}.py into {folder}, or install it"
            if error.name and objective.module.startswith(error.name)
            else "install it"
        )
        raise CommandError(f"{where}: there is no module {error.name!r}; {remedy}") from error
    except AttributeError as error:
        raise CommandError(
            f"{where}: importing it failed: {error}; is it defined at the top of the module?"
        ) from error
    except (Exception, SystemExit) as error:
        raise CommandError(f"{where}: importing it failed: {_reason(error)}") from error
    if not callable(found):
        raise CommandError(f"{where}: {found!r} is no function")
    return found  # type: ignore[no-any-return]


def _hidden_file(module: str, folder: Path) -> str | None:
    """What hides a module of the folder: one of the same name that is loaded before; else None."""
    files = [folder / f"{module}.py", folder / module / "__init__.py"]
    beside = next((file for file in files if file.is_file()), None)
    if beside is None:
        return None
    with suppress(ValueError):  # of what was not imported, such as __main__
        spec = importlib.util.find_spec(module)
        if spec is not None and spec.origin is not None:
            at = Path(spec.origin).parent.resolve()  # not of the file, which may be a link
            here = (folder.resolve(), (folder / module).resolve())
            if not spec.has_location or at not in here:  # built-in modules have none
                return (
                    f"another module {module!r}, from {spec.origin}, is loaded in place of {beside}"
                )
    return None


def check_program(objective: CommandObjective, folder: Path) -> None:
    """Raise if the program of a command does not exist."""
    program = objective.arguments[0]
    if objective.shell or placeholders(program):
        return
    found = shutil.which(program if os.sep not in program else str(folder / program))
    if found is None:
        raise CommandError(
            f"objective.command: {program!r} is no program that can be started; give its path, "
            f"relative to {folder}, and make it executable"
        )


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


@contextmanager
def _alarm(
    seconds: float | None, handler: Callable[[int, FrameType | None], Any]
) -> Iterator[None]:
    """Call a handler in the main thread after a while."""
    if seconds is None:
        yield
        return
    old = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def _over(limit: float | None) -> str:
    return f"the time limit of {describe_duration(limit or 0)} is over"


def _reason(error: BaseException) -> str:
    """One line: what was raised, and where; our own files are no such place."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if PACKAGE not in Path(frame.filename).parents]
    where = (
        "; the function is called with one argument, the configuration as a dict: def loss(config)"
    )
    if theirs:
        where = f" ({Path(theirs[-1].filename).name}:{theirs[-1].lineno})"
    return _shorten(f"{type(error).__name__}: {error}" + where)


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


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LENGTH else "..." + line[-LENGTH:]


def _lines(file: IO[bytes]) -> list[str]:
    """The last lines of a file, without empty ones."""
    file.seek(max(file.seek(0, os.SEEK_END) - TAIL, 0))
    text = file.read().decode(errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _said(err: IO[bytes]) -> str:
    lines = _lines(err)[-LINES:]
    return ": " + _shorten(" | ".join(lines)) if lines else ""


def _last_number(out: IO[bytes], err: IO[bytes]) -> Outcome:
    lines = _lines(out)
    if not lines:
        return None, "no output; the last line must be the value" + _said(err)
    try:
        return outcome_of(float(lines[-1]))
    except ValueError:
        return None, (
            f"the last line of output is no number: {_shorten(lines[-1])!r}; "
            "print the value alone on the last line" + _said(err)
        )


def _stamp(path: Path | None) -> tuple[int, int, int] | None:
    """What tells a file that was written anew."""
    try:
        found = None if path is None else path.stat()
    except OSError:
        return None
    return None if found is None else (found.st_ino, found.st_size, found.st_mtime_ns)


def _number_in(path: Path, key: str, before: tuple[int, int, int] | None) -> Outcome:
    if not path.exists():
        return None, f"the command wrote no {path.name}"
    if _stamp(path) == before:
        return None, f"{path.name} is an old file; the command did not write it"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return None, f"{path.name} is no JSON: {_shorten(str(error))}"
    for part in [key] if isinstance(data, dict) and key in data else key.split("."):
        if not isinstance(data, dict) or part not in data:
            return None, f"{path.name} has no {key!r}"
        data = data[part]
    if isinstance(data, bool):
        return None, f"{key!r} in {path.name} is {data}, no number"
    return outcome_of(data)
