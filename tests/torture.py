"""`make torture`: many faults of each kind, and one table of what was tried and what was lost.

Run as ``python -m tests.torture [--kills 100] [--only NAME ...]``. The same scenarios are run with
small numbers by ``tests/faults/test_torture.py``.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import optuna
import psutil
from optuna.trial import TrialState

from tests.cli.conftest import Folder, wait_until
from tests.postgresql import PostgreSQL
from warpfront import Categorical, Integer, RandomSearch, Real, Space, minimize
from warpfront.cli import main as warpfront_command
from warpfront.cli.spec import read_spec
from warpfront.cli.study import create_study, storage_url
from warpfront.cli.trials import REASON, Overview
from warpfront.errors import WarpfrontError

PATIENT = 600.0
FUNCTION = """
import os, time
def loss(c):
    time.sleep({seconds})
    value = (c["x"] - 0.3) ** 2 + c["n"]
    with open("journal", "a") as file:
        file.write(f"{{value!r}}\\n")
    return value
"""
CLOCK = """
import datetime, time
import optuna.storages._rdb.storage as storage

class Back(datetime.datetime):
    hours = 0
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) - datetime.timedelta(hours=cls.hours)

storage.datetime = Back
true = time.time
time.time = lambda: true() - 3600 * Back.hours

def loss(c):
    Back.hours += 1
    return (c["x"] - 0.3) ** 2 + c["n"]
"""


@dataclass(frozen=True)
class Row:
    """What was tried, how often, what came of it, and how much was lost, which must be nothing."""

    tried: str
    times: int
    found: str
    lost: int


@contextlib.contextmanager
def study(
    trials: int, storage: str | None = None, function: str = "", seconds: float = 0.1
) -> Iterator[Folder]:
    """A folder with a SPEC and an empty study."""
    with tempfile.TemporaryDirectory(
        prefix="warpfront-torture-", ignore_cleanup_errors=True
    ) as name:
        folder = Folder(Path(name))
        folder.write(
            function=function or FUNCTION.format(seconds=seconds),
            extra=f"trials = {trials}\nbatch = 4",
        )
        if storage is not None:
            folder.environment["WARPFRONT_STORAGE"] = storage
        spec = read_spec(folder.spec)
        create_study(spec, storage_url(spec, storage)).close()
        yield folder


def told(folder: Folder, storage: str | None) -> dict[int, float]:
    return {t.number: t.value for t in folder.trials(storage) if t.state == TrialState.COMPLETE}


def losses(folder: Folder, storage: str | None, trials: int, seen: dict[int, float]) -> int:
    """How many told results are missing or changed, trials stuck, and places too many or few."""
    final = folder.trials(storage)
    values = {t.number: t.value for t in final if t.state == TrialState.COMPLETE}
    missing = sum(values.get(number) != value for number, value in seen.items())
    counted = Overview(final, trials).counted
    died = "its worker died, 3 times"
    ended = [
        t for t in counted if t.state == TrialState.COMPLETE or t.user_attrs.get(REASON) == died
    ]
    return missing + len(counted) - len(ended) + abs(len(ended) - trials)


def kills(times: int, storage: str | None, seed: int = 0, trials: int | None = None) -> Row:
    """kill -9 of the tuner or one of its workers at random moments, until the budget is spent."""
    rng = random.Random(seed)  # noqa: S311
    trials = trials or max(8 * times, 12)
    done = tuners = 0
    seen: dict[int, float] = {}
    with study(trials, storage, seconds=0.25) as folder:
        command = ("tune", "spec.toml", "--workers", 2)
        while True:
            with folder.started(*command) as tuner:
                while tuner.poll() is None and done < times:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        tuner.wait(rng.uniform(0.5, 4.0))
                    now = folder.trials(storage)
                    seen |= {t.number: t.value for t in now if t.state == TrialState.COMPLETE}
                    victims = [tuner.pid]
                    if rng.random() < 0.8:
                        with contextlib.suppress(psutil.NoSuchProcess):
                            victims = [one.pid for one in psutil.Process(tuner.pid).children()]
                    if tuner.poll() is None and victims:
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(rng.choice(victims), signal.SIGKILL)
                            done += 1
                            tuners += victims == [tuner.pid]
                code = tuner.wait(PATIENT)
            if code == 0:
                break
        lost = losses(folder, storage, trials, seen)
        if storage is None:
            with contextlib.closing(sqlite3.connect(folder.path / "study.db")) as connection:
                (whole,) = connection.execute("PRAGMA integrity_check").fetchone()
                lost += whole != "ok"
    where = "SQLite" if storage is None else "PostgreSQL"
    return Row(
        f"kill -9 of tuner and workers, {where}", done, f"{tuners} tuners, {trials} trials", lost
    )


def restarts(times: int, server: PostgreSQL, seed: int = 0) -> Row:
    """PostgreSQL stopped in immediate mode, and started again, under four workers."""
    rng = random.Random(seed)  # noqa: S311
    storage, trials = server.new_database(), 20 * times
    seen: dict[int, float] = {}
    done = 0
    with study(trials, storage, seconds=0.2) as folder:
        with folder.started("tune", "spec.toml", "--workers", 4) as tuner:
            wait_until(lambda: told(folder, storage))
            while tuner.poll() is None and done < times:
                seen |= told(folder, storage)
                server.kill(signal.SIGQUIT)
                done += 1
                time.sleep(rng.uniform(0.0, 2.0))
                server.start()
                time.sleep(rng.uniform(0.5, 2.0))
            code = tuner.wait(PATIENT)
        lost = losses(folder, storage, trials, seen) + (code != 0)
    return Row("PostgreSQL stopped (immediate), 4 workers", done, f"{trials} trials", lost)


def writers(n: int, trials: int) -> Row:
    """Workers of their own on one SQLite file, all at once."""
    with study(trials, seconds=0.0) as folder, contextlib.ExitStack() as stack:
        processes = [stack.enter_context(folder.started("worker", "spec.toml")) for _ in range(n)]
        codes = [process.wait(PATIENT) for process in processes]
        lost = losses(folder, None, trials, {}) + sum(code != 0 for code in codes)
        retried = len(folder.trials()) - trials
    return Row(f"{n} writers on one SQLite file", trials, f"{retried} tried twice", lost + retried)


def clock(trials: int) -> Row:
    """The clock of the worker goes back by an hour at every trial."""
    with study(trials, function=CLOCK) as folder:
        code = folder.run("tune", "spec.toml").returncode
        lost = losses(folder, None, trials, {}) + (code != 0)
    return Row("the clock jumps back by an hour", trials, "", lost)


@contextlib.contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """A file system of its own; needs the right to mount."""
    folder = Path(tempfile.mkdtemp(prefix="warpfront-disk-"))
    options = f"size={megabytes}m"
    mount = ["/bin/mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, stderr=subprocess.DEVNULL).returncode:
        folder.rmdir()
        raise PermissionError("no right to mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["/bin/umount", "-l", str(folder)], check=False)
        folder.rmdir()


def full_disk(times: int) -> Row:
    """The disk of the SQLite file is full for some seconds, several times."""
    trials = 30 * times
    with small_disk(8) as disk, study(trials, f"sqlite:///{disk}/study.db", seconds=0.3) as folder:
        storage = f"sqlite:///{disk}/study.db"
        ballast, done, seen = disk / "ballast", 0, dict[int, float]()
        with folder.started("tune", "spec.toml", "--workers", 2) as tuner:
            wait_until(lambda: told(folder, storage))
            while tuner.poll() is None and done < times:
                with contextlib.suppress(Exception):
                    seen |= told(folder, storage)
                with contextlib.suppress(OSError), ballast.open("wb") as file:
                    while True:
                        file.write(bytes(4096))
                        file.flush()
                time.sleep(3.0)
                ballast.unlink()
                done += 1
                time.sleep(2.0)
            code = tuner.wait(PATIENT)
        lost = losses(folder, storage, trials, seen) + (code != 0)
    return Row("the disk of the SQLite file is full", done, f"{trials} trials", lost)


def read_only(times: int) -> Row:
    """The file system becomes read-only: one line, nothing lost, and the same command goes on."""
    lost, trials = 0, 4
    for _ in range(times):
        with small_disk(8) as disk, study(trials, f"sqlite:///{disk}/study.db") as folder:
            storage = f"sqlite:///{disk}/study.db"
            folder.run("tune", "spec.toml", "--trials", 2)
            seen = told(folder, storage)
            lost += len(seen) != 2
            remount = ["/bin/mount", "-o"]
            subprocess.run([*remount, "remount,ro", str(disk)], check=True)
            stopped = folder.run("tune", "spec.toml", "--patience", "2s")
            lost += stopped.returncode != 1 or "Traceback" in stopped.stderr
            subprocess.run([*remount, "remount,rw", str(disk)], check=True)
            lost += folder.run("tune", "spec.toml").returncode != 0
            lost += losses(folder, storage, trials, seen)
    return Row("the file system becomes read-only", times, "", lost)


def mutated(rng: random.Random, data: object) -> object:
    """The data with one thing in it replaced, removed or repeated."""
    hostile = [None, -1, 1e308, "", "__class__", [], {}, [[[]]], True, 10**400, "\x00", {"a": {}}]
    if isinstance(data, dict) and data and rng.random() < 0.85:
        key = rng.choice(sorted(data))
        if rng.random() < 0.15:
            return {k: v for k, v in data.items() if k != key}
        return {**data, key: mutated(rng, data[key])}
    if isinstance(data, list) and data and rng.random() < 0.85:
        i = rng.randrange(len(data))
        return [*data[:i], mutated(rng, data[i]), *data[i + rng.choice([0, 1]) :]]
    return rng.choice(hostile)


def tampered(times: int, seed: int = 0) -> Row:
    """Saved states with something wrong in them: an error that says so, or a valid optimiser."""
    rng = random.Random(seed)  # noqa: S311
    space = Space(
        x=Real(0, 1),
        n=Integer(1, 9, when={"c": ["a"]}),
        c=Categorical(["a", "b"]),
        constraints=["x < 0.9"],
    )
    optimizer = RandomSearch(space, 0)
    optimizer.tell(optimizer.ask(4), [1.0, float("nan"), 3.0, 4.0])
    optimizer.ask(1)
    state = json.loads(optimizer.to_json())
    refused = lost = 0
    for _ in range(times):
        text = json.dumps(mutated(rng, state))
        try:
            resumed = RandomSearch.from_json(text)
            lost += resumed.ask(1)[0] not in resumed.space
        except WarpfrontError:
            refused += 1
        except Exception as error:
            print(f"not refused: {type(error).__name__}: {error}: {text}", file=sys.stderr)
            lost += 1
    return Row("saved states with something wrong", times, f"{refused} refused", lost)


CELLS = [
    ("study_user_attributes", "value_json"),
    ("study_system_attributes", "value_json"),
    ("trial_user_attributes", "value_json"),
    ("trial_system_attributes", "value_json"),
    ("trial_params", "distribution_json"),
    ("trial_params", "param_value"),
    ("trial_params", "param_name"),
    ("trial_values", "value"),
    ("trials", "state"),
]
"""What somebody may write into a database, by table and column."""
COMMANDS = [("best",), ("status",), ("export",), ("suggest", "-n", "1")]


def cell(rng: random.Random, before: object) -> object:
    """Something else in the place of a cell of a database."""
    if isinstance(before, str) and rng.random() < 0.7:
        with contextlib.suppress(ValueError):
            return json.dumps(mutated(rng, json.loads(before)))
    return rng.choice(["", "{", "[" * 100_000, "null", "-1", "1e999", "__class__", b"\xff", 10**15])


def databases(times: int, seed: int = 0) -> Row:
    """SQLite files that somebody has changed: one line that says what is wrong, or it works."""
    rng = random.Random(seed)  # noqa: S311
    refused = lost = 0
    with study(4, seconds=0.0) as folder:
        folder.run("tune", "spec.toml")
        good = (folder.path / "study.db").read_bytes()
        for _ in range(times):
            for file in folder.path.glob("study.db*"):
                file.unlink()
            (folder.path / "study.db").write_bytes(good)
            table, column = rng.choice(CELLS)
            with contextlib.closing(sqlite3.connect(folder.path / "study.db")) as connection:
                rows = connection.execute(f"SELECT rowid, {column} FROM {table}").fetchall()  # noqa: S608
                if not rows:
                    continue
                row, before = rng.choice(rows)
                after = cell(rng, before)
                change = f"UPDATE {table} SET {column} = ? WHERE rowid = ?"  # noqa: S608
                with contextlib.suppress(sqlite3.IntegrityError):
                    connection.execute(change, (after, row))
                connection.commit()
            command, *options = rng.choice(COMMANDS)
            words = [command, str(folder.spec), *options]
            code, said = called(*words)
            refused += code == 1
            if code not in (0, 1, 3) or "unexpected" in said:
                print(
                    f"{words} {table}.{column} = {str(after)[:80]!r}: {said[:300]}", file=sys.stderr
                )
                lost += 1
    return Row("databases that somebody has changed", times, f"{refused} refused", lost)


def called(*words: str) -> tuple[int, str]:
    """The exit code of a command, called in this process, and what it said."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        try:
            warpfront_command(list(words))
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        except BaseException as error:
            code = -1
            said.write(f"raised {type(error).__name__}: {error}")
    return code, said.getvalue()


def crowd(workers: int, evaluations: int) -> Row:
    """Many asynchronous workers."""
    space = Space(x=Real(0, 1), n=Integer(1, 9))

    def loss(config):
        time.sleep(random.uniform(0.0, 0.05))  # noqa: S311
        return (config["x"] - 0.3) ** 2 + config["n"]

    with ThreadPoolExecutor(workers) as pool:
        result = minimize(loss, RandomSearch(space, 0), evaluations, workers=pool)
    lost = evaluations - len(result.history.completed) + len(result.history.of_state("pending"))
    return Row(f"{workers} asynchronous workers", evaluations, "", lost)


def memory(steps: int) -> Row:
    """Ask and tell: what a trial takes in memory stays the same."""
    optimizer = RandomSearch(Space(x=Real(0, 1), n=Integer(1, 9)), 0)
    used = []
    tracemalloc.start()
    for _ in range(2):
        for _ in range(steps // 2):
            suggestion = optimizer.ask()[0]
            optimizer.tell(suggestion, suggestion["x"])
        used.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    first, second = used[0], used[1] - used[0]
    lost = steps - len(optimizer.history.completed) + (second > 1.25 * first)
    found = f"{first / (steps // 2):.0f}, then {second / (steps // 2):.0f} bytes a trial"
    return Row("ask and tell, memory", steps, found, lost)


def large_study(trials: int) -> Row:
    """Many trials in one study, and then some more by `tune`."""
    with study(trials + 5, seconds=0.0) as folder:
        with folder.opened() as opened:
            configs = opened.space.sample(trials, 0)
            opened.study.add_trials(
                opened_trial(opened, config, float(i)) for i, config in enumerate(configs)
            )
        seen = told(folder, None)
        began = time.monotonic()
        code = folder.run("tune", "spec.toml").returncode
        seconds = (time.monotonic() - began) / 5
        lost = losses(folder, None, trials + 5, seen) + (code != 0) + trials - len(seen)
    return Row("trials in one study", trials, f"then {seconds:.1f} s for each more", lost)


def opened_trial(opened, config, value):
    from optuna.trial import create_trial

    from warpfront.integrations.optuna import distributions_of

    return create_trial(params=config, distributions=distributions_of(opened.space), value=value)


@contextlib.contextmanager
def server() -> Iterator[PostgreSQL]:
    """A PostgreSQL of our own."""
    folder = Path(tempfile.mkdtemp(prefix="warpfront-pg-"))
    found = PostgreSQL(folder)
    try:
        yield found
    finally:
        found.stop()
        shutil.rmtree(folder, ignore_errors=True)


def hostile(_: int) -> Row:
    """The table of hostile objectives, everywhere; see tests/faults/hostile.py."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-m",
        "slow or not slow",
        "-p",
        "no:cacheprovider",
    ]
    tests = ["tests/faults/test_hostile_objectives.py", "tests/faults/test_hangs.py"]
    environment = {**os.environ, "HOSTILE_MEGABYTES": "100"}
    done = subprocess.run(
        [*command, *tests], check=False, capture_output=True, text=True, env=environment
    )
    words = done.stdout.split()
    passed = int(words[words.index("passed") - 1]) if "passed" in words else 0
    if done.returncode:
        print(done.stdout[-3000:], file=sys.stderr)
    return Row("hostile and hanging objectives", passed, "test runs", int(done.returncode != 0))


def scenarios(n: int) -> dict[str, Callable[[], Row]]:
    """All of them, with as many kills as are wanted of each kind."""

    def kills_on_postgresql() -> Row:
        with server() as postgresql:
            return kills(n, postgresql.new_database())

    def postgresql_restarts() -> Row:
        with server() as postgresql:
            return restarts(max(n // 8, 2), postgresql)

    return {
        "kills-sqlite": lambda: kills(n, None),
        "kills-postgresql": kills_on_postgresql,
        "restarts": postgresql_restarts,
        "writers": lambda: writers(8, n),
        "clock": lambda: clock(max(n // 5, 4)),
        "full-disk": lambda: full_disk(max(n // 20, 1)),
        "read-only": lambda: read_only(max(n // 50, 1)),
        "tampered": lambda: tampered(20 * n),
        "databases": lambda: databases(3 * n),
        "crowd": lambda: crowd(64, 10 * n),
        "memory": lambda: memory(100 * n),
        "large-study": lambda: large_study(50 * n),
        "hostile": lambda: hostile(n),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    every = scenarios(options.kills)
    rows, broken = [], False
    for name in options.only or every:
        began = time.monotonic()
        try:
            row = every[name]()
        except PermissionError as error:
            row = Row(name, 0, f"not tried: {error}", 0)
        except Exception as error:
            row = Row(name, 1, f"{type(error).__name__}: {error}"[:80], 1)
        rows.append(row)
        broken = broken or row.lost != 0
        seconds = time.monotonic() - began
        known = f"{row.tried}: {row.times} times, {row.found}, {row.lost} lost, in {seconds:.0f} s"
        print(known, file=sys.stderr, flush=True)
    print("| what was tried | how often | and | lost |\n|---|---|---|---|")
    for row in rows:
        print(f"| {row.tried} | {row.times:,} | {row.found} | {row.lost} |")
    sys.exit(int(broken))


if __name__ == "__main__":
    main()
