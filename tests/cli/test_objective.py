"""One evaluation: functions and commands, their results, failures, limits and ends."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from warpfront import Categorical, Real, Space
from warpfront.cli.errors import CommandError
from warpfront.cli.objective import Evaluator, Interrupted, load_function
from warpfront.cli.spec import CommandObjective, PythonObjective, Spec

PATIENT = 120.0
"""Seconds that a machine under load may take."""


class OneValue(Evaluator):
    """An evaluator that gives the value of the only goal, or None, and the reason of a failure."""

    def evaluate(self, config, number):
        found, reason = super().evaluate(config, number)
        return found.get("loss"), reason


@pytest.fixture
def evaluator(tmp_path, monkeypatch):
    """Makes an evaluator of an objective in a folder of its own."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("WARPFRONT_TRIAL", "WARPFRONT_STUDY"):
        monkeypatch.setenv(name, "outer")
    made = []

    def make(objective):
        space = Space(x=Real(0, 1), c=Categorical(["a b", "$HOME; $(ls)"]))
        made.append(OneValue(Spec(tmp_path / "s.toml", "s", space, objective), "s"))
        return made[-1]

    yield make
    for one in made:
        one.close()


def shell(command, **options):
    return CommandObjective((command,), shell=True, **options)  # noqa: S604


def run(command, *arguments, **options):
    return CommandObjective((sys.executable, "-c", textwrap.dedent(command), *arguments), **options)


def ended(pid):
    """Whether a process is gone, or dead and not yet collected by its parent."""
    until = time.monotonic() + PATIENT
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.02)
    return False


def wait_for(path):
    until = time.monotonic() + PATIENT
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < until
        time.sleep(0.02)
    return path.read_text()


MODULE = """
import math, os, sys, time, warpfront

def loss(config):
    assert type(config) is dict
    return config["x"] + 1

def number(config):
    return int(os.environ["WARPFRONT_TRIAL"])

def nothing(config): pass
def nan(config): return math.nan
def text(config): return "good"
def leave(config): sys.exit(2)
def wrong(config): return 1 / 0
def ours(config): return warpfront.Space()
def many(rate, layers): return rate
def broken(config): raise BrokenPipeError("gone")
def interrupt(config): raise KeyboardInterrupt
class PanicException(BaseException): pass
def panic(config): raise PanicException("unwrap")
class Hostile:
    def __getattr__(self, name): raise RuntimeError("leave me alone")
    def __float__(self): sys.exit("not this way")
    __repr__ = __str__ = __bool__ = __float__
class Exits(Hostile):
    @property
    def item(self): os.kill(os.getpid(), 0) or sys.exit("nor this")
class Hangs:
    @property
    def item(self): time.sleep(600)
class Mute(Exception):
    def __str__(self): return self.args[5]
def hostile(config): return Hostile()
def exits(config): return Exits()
def hangs(config): return Hangs()
def mute(config): raise Mute
def huge(config): return 10**400
def panic_at_the_end(config):
    try:
        time.sleep(600)
    finally:
        raise PanicException("unwrap")
def slow(config):
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            pass

class Box:
    @staticmethod
    def of(config): return 2.5
"""


@pytest.fixture
def function(evaluator, tmp_path):
    module = f"objective_{os.getpid()}_{time.monotonic_ns()}"
    (tmp_path / f"{module}.py").write_text(MODULE)
    return lambda name, **options: evaluator(PythonObjective(module, name, **options))


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("loss", (1.5, None)),
        ("number", (7.0, None)),
        ("Box.of", (2.5, None)),
        ("nothing", (None, "no value was given")),
        ("nan", (None, "the value was nan")),
        ("text", (None, "the value 'good' is not a number")),
    ],
)
def test_a_function_gets_the_configuration(function, name, outcome):
    assert function(name).evaluate({"x": 0.5, "c": "a b"}, 7) == outcome


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("wrong", "ZeroDivisionError: division by zero (objective_"),
        ("leave", "SystemExit: 2 (obj"),
        ("panic", "PanicException: unwrap (objective_"),
        ("mute", "Mute: (its text cannot be read: IndexError) (objective_"),
        (
            "hostile",
            "what the objective returned cannot be read as a number: SystemExit: not this way",
        ),
        ("exits", "what the objective returned cannot be read as a number: SystemExit: nor this"),
        ("huge", "the value was beyond the range of a float"),
        ("ours", "SpaceError: the space has no parameter; give one, such as x=Real(0, 1) (obj"),
        (
            "many",
            "TypeError: many() missing 1 required positional argument: 'layers'; the function "
            "is called with one argument, the configuration as a dict: def loss(config)",
        ),
    ],
)
def test_an_exception_is_a_failure_that_says_where(function, name, says):
    value, reason = function(name).evaluate({"x": 0.5}, 0)
    assert value is None
    assert reason.startswith(says)


def test_a_function_has_a_time_limit_that_it_cannot_swallow(function):
    before = signal.getsignal(signal.SIGALRM)
    outcome = function("slow", time_limit=0.2).evaluate({"x": 0.5}, 0)
    assert outcome == (None, "the time limit of 0s is over")
    assert signal.getsignal(signal.SIGALRM) is before


def test_the_time_limit_holds_for_what_is_returned_too(function):
    outcome = function("hangs", time_limit=0.2).evaluate({"x": 0.5}, 0)
    assert outcome == (None, "the time limit of 0s is over")


@pytest.mark.parametrize("name", ["slow", "panic_at_the_end"])
def test_a_function_is_stopped_by_a_signal(function, name):
    slow = function(name)
    before = signal.signal(signal.SIGUSR1, lambda *_: slow.stop())
    try:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        with pytest.raises(Interrupted):
            slow.evaluate({"x": 0.5}, 0)
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_pipe_that_breaks_because_the_tuner_died_is_no_failure(function):
    one = function("broken")
    threading.Timer(0.2, one.stop).start()
    with pytest.raises(Interrupted):
        one.evaluate({"x": 0.5}, 0)
    value, reason = function("broken").evaluate({"x": 0.5}, 0)
    assert value is None
    assert reason.startswith("BrokenPipeError: ")


def test_an_interrupt_that_the_function_raises_itself_is_a_failure(function):
    value, reason = function("interrupt").evaluate({"x": 0.5}, 0)
    assert value is None
    assert reason.startswith("KeyboardInterrupt: ")


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (("no_such_module", "f"), "no module 'no_such_module'; put no_such_module.py into"),
        (("json", "nothing"), "has no attribute 'nothing'; is it defined at the top"),
        (("json", "__name__"), "'json' is not a function"),
    ],
)
def test_a_function_that_is_not_there(evaluator, target, says):
    with pytest.raises(CommandError, match=says):
        evaluator(PythonObjective(*target))


@pytest.mark.parametrize("file", ["{}.py", "{}/__init__.py"])
@pytest.mark.parametrize(
    ("module", "origin"),
    [("json", json.__file__), ("json.loss", json.__file__), ("time", "built-in")],
)
def test_a_file_that_another_module_hides(evaluator, tmp_path, monkeypatch, file, module, origin):
    monkeypatch.chdir(tmp_path)  # as workers do
    name = module.partition(".")[0]
    path = tmp_path / file.format(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("def loss(c): return 1.0\ndumps = sleep = loss\n")
    for function in ("loss", "dumps", "sleep"):
        with pytest.raises(CommandError) as caught:
            evaluator(PythonObjective(module, function))
        assert str(caught.value) == (
            f"objective.python = '{module}:{function}': another module '{name}', from {origin}, is "
            f"loaded in place of {path}; rename the file, and give its new name"
        )


def test_a_linked_file_is_the_one_that_is_meant(evaluator, tmp_path):
    name = f"linked_{time.monotonic_ns()}"
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "code.py").write_text("def loss(c): return 1.0\n")
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / f"{name}.py").symlink_to(tmp_path / "elsewhere" / "code.py")
    assert load_function(PythonObjective(name, "loss"), folder)({}) == 1.0


def test_a_module_that_cannot_be_imported(evaluator, tmp_path):
    (tmp_path / "broken_objective.py").write_text("1 / 0")
    with pytest.raises(CommandError, match=r"ZeroDivisionError: .*\(broken_objective.py:1\)"):
        evaluator(PythonObjective("broken_objective", "f"))
    (tmp_path / "needs_objective.py").write_text("import no_such_thing")
    with pytest.raises(CommandError, match="no module 'no_such_thing'; install it"):
        evaluator(PythonObjective("needs_objective", "f"))


def test_arguments_reach_a_command_as_they_are_without_a_shell(evaluator, tmp_path):
    program = """
    import json, os, sys
    print("noise")
    open("seen.json", "w").write(json.dumps([sys.argv[1:], os.environ["WARPFRONT_TRIAL"],
        os.environ["WARPFRONT_STUDY"], sys.stdin.read()]))
    print(0.25)
    print()
    """
    one = evaluator(run(program, "--x={x}", "{c}", "{trial}", "{{x}}"))
    assert one.evaluate({"x": 1e-5, "c": "$HOME; $(ls)"}, 3) == (0.25, None)
    assert (tmp_path / "seen.json").read_text() == (
        '[["--x=1e-05", "$HOME; $(ls)", "3", "{x}"], "3", "s", ""]'
    )


def test_values_are_quoted_for_a_shell(evaluator, tmp_path):
    one = evaluator(shell("printf '%s\n' {c} > seen; echo {x} | tail -1"))
    assert one.evaluate({"x": 0.5, "c": "$HOME; $(ls)"}, 0) == (0.5, None)
    assert (tmp_path / "seen").read_text() == "$HOME; $(ls)\n"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("echo one >&2; echo two >&2; exit 3", "exit code 3: one | two"),
        ("kill -9 $$", "killed by SIGKILL"),
        ("true", "no output; the last line must be the value"),
        ("echo nan", "the value was nan"),
        ("echo inf", "the value was inf"),
        (
            "echo loss: 3",
            "the last line of output is not a number: 'loss: 3'; "
            "print a number alone on the last line",
        ),
    ],
)
def test_a_command_that_fails_says_why(evaluator, command, reason):
    assert evaluator(shell(command)).evaluate({"x": 0.5}, 0) == (None, reason)


def test_only_the_end_of_a_long_output_counts(evaluator):
    program = "import sys; print('9\\n' * 200_000 + '0.5'); print('e' * 9_000, file=sys.stderr)"
    assert evaluator(run(program)).evaluate({"x": 0.5}, 0) == (0.5, None)
    value, reason = evaluator(run(program + "; sys.exit(1)")).evaluate({"x": 0.5}, 0)
    assert value is None
    assert len(reason) < 700


@pytest.mark.parametrize(
    ("write", "outcome"),
    [
        ('{"loss": 0.5}', (0.5, None)),
        ('{"loss": true}', (None, "'loss' in r1.json is True, not a number")),
        ('{"loss": "0.5"}', (None, "the value '0.5' is not a number")),
        ('{"loss": NaN}', (None, "the value was nan")),
        ('{"other": 1}', (None, "r1.json has no 'loss'")),
        ("[1]", (None, "r1.json has no 'loss'")),
        ("{", (None, "r1.json is not valid JSON: Expecting property name")),
    ],
)
def test_a_result_may_be_in_a_json_file(evaluator, write, outcome):
    text = write.replace("{", "{{").replace("}", "}}")
    objective = shell(f"printf '%s' '{text}' > r{{trial}}.json", result="r{trial}.json", key="loss")
    value, reason = evaluator(objective).evaluate({"x": 0.5}, 1)
    assert value == outcome[0]
    assert reason == outcome[1] or reason.startswith(outcome[1])


def test_a_key_may_lead_into_a_table(evaluator):
    objective = shell('echo \'{{"a": {{"b": 2}}}}\' > r.json', result="r.json", key="a.b")
    assert evaluator(objective).evaluate({"x": 0.5}, 1) == (2.0, None)


def test_an_old_result_is_not_taken_for_a_new_one(evaluator, tmp_path):
    (tmp_path / "r.json").write_text('{"loss": 1}')
    objective = shell("true", result="r.json", key="loss")
    assert evaluator(objective).evaluate({"x": 0.5}, 1) == (
        None,
        "r.json is an old file; the command did not write it",
    )
    (tmp_path / "r.json").unlink()
    assert evaluator(objective).evaluate({"x": 0.5}, 1) == (None, "the command wrote no r.json")


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        ("mkfifo r.json", "r.json cannot be read: it is not a regular file"),
        ("ln -s /dev/zero r.json", "r.json cannot be read: it is not a regular file"),
        ("mkdir r.json", "r.json cannot be read: it is not a regular file"),
        (
            "printf '%100000s' '' | tr ' ' '[' > r.json",
            "r.json is nested too deeply to be read as JSON",
        ),
        ("truncate -s 1G r.json", "r.json cannot be read: it is larger than 16 MB"),
        ("printf '\\377' > r.json", "r.json is not valid JSON: 'utf-8' codec can't decode byte"),
    ],
)
def test_a_result_file_that_cannot_be_read_is_one_failure(evaluator, write, reason):
    value, why = evaluator(shell(write, result="r.json", key="loss")).evaluate({"x": 0.5}, 1)
    assert value is None
    assert why.startswith(reason)


@pytest.mark.parametrize("value", ["a\0b", "\ud800"])
def test_a_value_that_no_command_takes_is_one_failure(evaluator, value):
    found, why = evaluator(CommandObjective(("echo", "{c}"))).evaluate({"c": value}, 1)
    assert found is None
    assert why.startswith("the command cannot be started: ")


def test_a_time_limit_ends_the_command_and_its_children(evaluator, tmp_path):
    objective = shell("sleep 600 & echo $! > child; wait", time_limit=0.5)
    assert evaluator(objective).evaluate({"x": 0.5}, 0) == (None, "the time limit of 0s is over")
    assert ended(int((tmp_path / "child").read_text()))


def test_a_stop_ends_the_command_and_its_children(evaluator, tmp_path):
    one = evaluator(shell("trap '' TERM; sleep 600 & echo $! > child; wait; echo 1"))
    threading.Thread(target=lambda: (wait_for(tmp_path / "child"), one.stop())).start()
    with pytest.raises(Interrupted):
        one.evaluate({"x": 0.5}, 0)
    assert ended(int((tmp_path / "child").read_text()))


def test_a_stop_before_the_command_ends_it_too(evaluator):
    one = evaluator(shell("sleep 600"))
    one.stop()
    with pytest.raises(Interrupted):
        one.evaluate({"x": 0.5}, 0)


def test_the_guard_ends_the_command_of_a_worker_that_was_killed(tmp_path):
    """Also if a process that the worker has forked lives on."""
    code = f"""
    import os, time
    from pathlib import Path
    from warpfront import Real, Space
    from warpfront.cli.objective import Evaluator
    from warpfront.cli.spec import CommandObjective, Spec
    objective = CommandObjective(("sleep 1; sleep 600 & echo $! > child; wait",), shell=True)
    spec = Spec(Path({str(tmp_path / "s.toml")!r}), "s", Space(x=Real(0, 1)), objective)
    evaluator = Evaluator(spec, "s")
    evaluator.guard.start()
    forked = os.fork()
    if forked == 0:
        time.sleep(600)
    Path({str(tmp_path / "forked")!r}).write_text(str(forked))
    evaluator.evaluate({{"x": 0.5}}, 0)
    """
    worker = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)])
    child = int(wait_for(tmp_path / "child"))
    worker.kill()
    worker.wait(PATIENT)
    forked = int((tmp_path / "forked").read_text())
    try:
        assert ended(child)
    finally:
        for pid in (child, forked):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def test_the_guard_is_dismissed_even_if_its_pipe_stays_open(evaluator):
    one = evaluator(shell("echo 1"))
    guard = one.guard.start()
    held = os.dup(guard.stdin.fileno())
    try:
        one.close()
        assert guard.returncode == 0
    finally:
        os.close(held)


@pytest.mark.parametrize("program", ["./none", "no-such-program"])
def test_a_program_that_is_not_there_is_said_at_once(evaluator, program):
    with pytest.raises(CommandError, match=f"'{program}' is not a program that can be started"):
        evaluator(CommandObjective((program, "{x}")))


def test_a_program_of_the_folder_is_found(evaluator, tmp_path):
    (tmp_path / "t").write_text("#!/bin/sh\necho $1\n")
    (tmp_path / "t").chmod(0o755)
    assert evaluator(CommandObjective(("./t", "{x}"))).evaluate({"x": 0.5}, 0) == (0.5, None)


def test_a_program_that_is_chosen_and_not_there_is_a_failure(evaluator):
    one = evaluator(CommandObjective(("./{c}",)))
    assert one.evaluate({"c": "none"}, 0) == (
        None,
        "'./none' cannot be started: No such file or directory",
    )


def test_without_an_objective_there_is_nothing_to_evaluate(evaluator):
    with pytest.raises(CommandError, match="has no 'objective'; add one, or evaluate by hand"):
        evaluator(None)
