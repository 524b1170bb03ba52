"""Objectives that misbehave, one of each kind: for threads, processes, Dask, functions, commands.

Run as a script, it is a command (``hostile.py KIND``), or one run of ``minimize`` over all kinds
(``hostile.py --minimize threads FILE``). It imports nothing of the tests, so that it can be copied
beside a SPEC.
"""

from __future__ import annotations

import ctypes
import gc
import json
import locale
import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

MEGABYTES = int(os.environ.get("HOSTILE_MEGABYTES", "8"))
"""How much is printed and taken; 100 and 1,000 in the torture."""
EVERYWHERE = ("this thread", "threads", "processes", "dask", "function", "command")
PROCESSES = ("processes", "dask", "function", "command")
CRASHES = ("function", "command", "processes")


@dataclass(frozen=True)
class Kind:
    """What an objective does, where that can be survived, and what becomes of the trial."""

    act: object
    fails: bool = True
    where: tuple[str, ...] = EVERYWHERE


class Angry:
    def _raise(self, *_):
        raise RuntimeError("leave me alone")

    __float__ = __repr__ = __str__ = __bool__ = __len__ = __eq__ = __reduce__ = _raise
    __hash__ = None

    def __getattr__(self, name):
        raise RuntimeError(f"no {name} here")


class Panic(BaseException):
    pass


class Mute(Exception):  # noqa: N818
    def __str__(self):
        return self.args[5]


def raises(error):
    raise error


def nested():
    value = []
    for _ in range(100_000):
        value = [value]
    return value


def prints():
    for _ in range(MEGABYTES):
        print("x" * 999_999)
    print(0.5)
    return 0.5


def prints_escapes():
    print("\x1b[2J\x1b]0;mine\x07\udcff".encode("utf-8", "replace").decode(), "\0\r", end="")
    print("\n0.5")
    return 0.5


def forks():
    """The child comes back from the objective, too."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return 0.5


def takes_memory():
    return 0.5 if bytearray(10 * MEGABYTES * 2**20) else None


def closes_stdout():
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stdout.close()
    return 0.5


def changes_directory():
    os.chdir("/")
    return 0.5


def changes_locale():
    for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8", "POSIX"):
        try:
            locale.setlocale(locale.LC_ALL, name)
            break
        except locale.Error:
            continue
    np.seterr(all="raise")
    np.set_printoptions(precision=1)
    return 0.5


def changes_python():
    warnings.simplefilter("error")
    gc.disable()
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    sys.setrecursionlimit(len(_frames()) + 60)
    return 0.5


def _frames():
    frame, found = sys._getframe(), []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back
    return found


def clears_the_environment():
    os.environ.clear()
    return 0.5


def child_reads():
    return float(len(subprocess.run(["/bin/cat"], stdin=0, capture_output=True, check=True).stdout))


def leaves_a_thread():
    threading.Thread(target=time.sleep, args=(3,)).start()
    return 0.5


KINDS = {
    "good": Kind(lambda: 0.5, fails=False),
    "raises": Kind(lambda: raises(ValueError("boom"))),
    "raises 50 MB": Kind(lambda: raises(ValueError("y" * 50_000_000))),
    "raises a panic": Kind(lambda: raises(Panic("unwrap"))),
    "raises what is mute": Kind(lambda: raises(Mute())),
    "None": Kind(lambda: None),
    "string": Kind(lambda: "good"),
    "array": Kind(lambda: np.zeros(3)),
    "nested": Kind(nested, where=("this thread", "threads", "processes", "dask", "function")),
    "nan": Kind(lambda: math.nan),
    "inf": Kind(lambda: math.inf),
    "-inf": Kind(lambda: -math.inf),
    "complex": Kind(lambda: 1j),
    "10**400": Kind(lambda: 10**400),
    "angry": Kind(Angry),
    "bool": Kind(lambda: True, fails=False, where=EVERYWHERE[:-1]),
    "prints": Kind(prints, fails=False),
    "prints escapes": Kind(prints_escapes, fails=False),
    "sys.exit": Kind(lambda: sys.exit(3)),
    "os._exit": Kind(lambda: os._exit(4), where=PROCESSES),
    "kills itself": Kind(lambda: os.kill(os.getpid(), signal.SIGKILL), where=PROCESSES),
    "segfault": Kind(lambda: ctypes.string_at(0), where=CRASHES),
    "forks": Kind(forks, fails=False, where=EVERYWHERE[:-1]),
    "hangs": Kind(lambda: time.sleep(600), where=("function", "command")),
    "takes memory": Kind(takes_memory, fails=False),
    "too much memory": Kind(lambda: bytearray(2**60)),
    "closes stdout": Kind(closes_stdout, fails=False, where=EVERYWHERE[:-1]),
    "changes directory": Kind(changes_directory, fails=False),
    "changes locale": Kind(changes_locale, fails=False),
    "changes Python": Kind(changes_python, fails=False, where=("processes", "function", "command")),
    "clears environment": Kind(clears_the_environment, fails=False),
    "reads": Kind(lambda: float(input()), where=("function", "command")),
    "child reads": Kind(child_reads, fails=False, where=("function", "command")),
    "leaves a thread": Kind(leaves_a_thread, fails=False),
    "still good": Kind(lambda: 0.25, fails=False),
}


def kinds_for(where):
    return [name for name, kind in KINDS.items() if where in kind.where]


def loss(config):
    return KINDS[config["kind"]].act()


def run_minimize(where, path):
    """One run over all kinds, in which each is tried once; what became of them, as JSON."""
    from concurrent.futures import ProcessPoolExecutor
    from contextlib import ExitStack

    from warpfront import Categorical, RandomSearch, Space, minimize

    names = kinds_for(where)
    search = RandomSearch(Space(kind=Categorical(names)), 0)
    with ExitStack() as stack:
        workers = {"this thread": 1, "threads": 2}.get(where)
        if where == "processes":
            workers = stack.enter_context(ProcessPoolExecutor(2))
        elif where == "dask":
            from distributed import Client, LocalCluster

            options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
            cluster = stack.enter_context(LocalCluster(silence_logs=50, **options))
            workers = stack.enter_context(Client(cluster)).get_executor()
        result = minimize(
            loss,
            search,
            len(names),
            workers=workers,
            start=[{"kind": name} for name in names],
            on_error="record",
            checkpoint="run.json",
        )
        trials = [[t.config["kind"], t.state, t.value, t.reason] for t in result.trials]
        Path(path).write_text(json.dumps({"stopped": result.stopped, "trials": trials}))


if __name__ == "__main__":
    if sys.argv[1] == "--minimize":
        sys.modules["hostile"] = sys.modules["__main__"]
        run_minimize(*sys.argv[2:])
    else:
        print(loss({"kind": sys.argv[1]}))
