"""Studies of the command line: a folder with a SPEC, the command in a process, and looks inside."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import optuna
import pytest

from tests.databases import quick_databases  # noqa: F401
from tests.postgresql import postgresql  # noqa: F401
from warpfront.cli.spec import read_spec
from warpfront.cli.study import open_study, storage_url

PATIENT = 240.0
"""Seconds that a machine under load may take for anything."""
SPEC = """
name = "study"
seed = 0
{extra}
[space]
x = {{ type = "real", low = 0.0, high = 1.0 }}
n = {{ type = "integer", low = 1, high = 5 }}
[settings]
models = ["warped"]
replicate = false
population = 16
generations = 3
[objective]
{objective}
"""
FUNCTION = "def loss(c):\n    return (c['x'] - 0.3) ** 2 + c['n']\n"
BLOCKING = """
import os, sys, time
from pathlib import Path
trial = os.environ["WARPFRONT_TRIAL"]
Path(f"started-{os.getpid()}").write_text(trial)
while int(trial) >= 2 and not Path("go").exists():
    time.sleep(0.05)
print(float(sys.argv[1]) + float(sys.argv[2]))
"""
"""A command whose first two trials end at once; all others wait for a file."""


def wait_until(condition):
    """Poll until a condition gives something true, and return that."""
    until = time.monotonic() + PATIENT
    while time.monotonic() < until:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


def is_running(pid):
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # the latter if it ends between open and read
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def heed_ctrl_c():
    """In a child: SIGINT as on a terminal, also where the tests run in a shell's background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Folder:
    """A folder with a SPEC, and the command called from there."""

    def __init__(self, path):
        self.path = path
        self.spec = path / "spec.toml"
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("WARPFRONT")}

    def write(self, objective='python = "objective:loss"', extra="", function=FUNCTION):
        (self.path / "objective.py").write_text(function)
        (self.path / "blocking.py").write_text(BLOCKING)
        self.spec.write_text(SPEC.format(objective=objective, extra=extra))

    def write_blocking(self):
        self.write(f"command = ['{sys.executable}', 'blocking.py', '{{x}}', '{{n}}']")

    def command(self, *words):
        return [sys.executable, "-m", "warpfront", *map(str, words)]

    def run(self, *words, **changes):
        """The command, run to its end; the hint at its end is left out."""
        done = subprocess.run(
            self.command(*words),
            cwd=self.path,
            env=self.environment | changes,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENT,
        )
        done.hint = "".join(re.findall(r"^next: .*\n", done.stderr, re.M))
        done.stderr = done.stderr.removesuffix(done.hint)
        return done

    @contextlib.contextmanager
    def started(self, *words, **changes):
        """The command, running; it is ended afterwards if it has not ended itself."""
        with (self.path / "stderr").open("a") as stderr, (self.path / "stdout").open("a") as out:
            process = subprocess.Popen(
                self.command(*words),
                cwd=self.path,
                env=self.environment | changes,
                stdout=out,
                stderr=stderr,
                stdin=subprocess.DEVNULL,
                preexec_fn=heed_ctrl_c,
            )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            process.wait(PATIENT)

    @property
    def said(self):
        return (self.path / "stderr").read_text()

    @contextlib.contextmanager
    def opened(self, storage=None):
        spec = read_spec(self.spec)
        study = open_study(spec, storage_url(spec, storage))
        try:
            yield study
        finally:
            study.close()

    def trials(self, storage=None):
        with self.opened(storage) as study:
            return study.trials()

    def started_commands(self):
        """Trial numbers by the pid of the command that evaluates or evaluated them."""
        found = {}
        for file in self.path.glob("started-*"):
            with contextlib.suppress(ValueError):
                found[int(file.name.partition("-")[2])] = int(file.read_text())
        return found

    def waiting_commands(self, n):
        """The pids of so many commands that wait for `go`."""

        def enough():
            pids = [p for p, trial in self.started_commands().items() if trial >= 2]
            alive = [p for p in pids if is_running(p)]
            return alive if len(alive) == n else None

        return wait_until(enough)


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


@pytest.fixture(autouse=True)
def _quiet():
    """What the command does to Optuna's logger must not reach other tests."""
    before = optuna.logging.get_verbosity()
    yield
    optuna.logging.set_verbosity(before)
