"""Losses, spaces and executors that the tests of the loop share; processes can import them."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import Executor, Future
from pathlib import Path

from warpfront import Categorical, Integer, Maximize, RandomSearch, Real, Settings, Space

SPACE = Space(x=Real(-1, 1), n=Integer(1, 8), layers=Categorical([[64], [64, 32]]))
FAST = Settings(models=["warped"], generations=4, population=20)


def loss(config):
    return (config["x"] - 0.3) ** 2 + config["n"] + len(config["layers"])


def sometimes_fails(config):
    if config["n"] > 4:
        raise ValueError(f"n = {config['n']} does not fit")
    return loss(config)


def die_beyond(config):
    """A worker process that is killed, as by the kernel when memory runs out."""
    if config["x"] > 0.7:
        os.kill(os.getpid(), signal.SIGKILL)
    return config["x"]


class DieOnce:
    """Kills its process at the first evaluation of one configuration, not at the second."""

    def __init__(self, folder, most=1):
        self.folder, self.most = str(folder), most

    def __call__(self, config):
        if config["x"] > 0.7:
            seen = sum(1 for _ in Path(self.folder).iterdir())
            if seen < self.most:
                (Path(self.folder) / f"died-{os.getpid()}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.01)
        return config["x"]


class Mute(Exception):  # noqa: N818
    """It fails at saying what it is."""

    def __str__(self):
        return self.args[5]

    __repr__ = __str__


def search(seed=0, goals=None):
    return RandomSearch(SPACE, seed, goals=goals)


UP = Maximize()


def states(result):
    return [trial.state for trial in result.trials]


class Recorder(Executor):
    """Any executor will do: this one works at once, and keeps a record."""

    max_workers = 4

    def __init__(self):
        self.submitted = []
        self.closed = False

    def submit(self, fn, /, *args, **kwargs):
        self.submitted.append(args)
        future = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self.closed = True
