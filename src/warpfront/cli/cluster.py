"""`warpfront tune --dask`: the workers of a study are tasks of a Dask cluster.

Each task keeps one `warpfront worker` running on the machine of a Dask worker. It works on the
study itself, so that the database, SPEC and objective must be there under the same name on all
machines. If a Dask worker dies, the worker on it gives its trial back, and the scheduler starts the
task elsewhere.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any, cast

from warpfront.cli.errors import INTERRUPTED, WRONG, CommandError
from warpfront.cli.plan import Plan
from warpfront.cli.study import OpenStudy
from warpfront.cli.tune import Tuner
from warpfront.cli.worker_process import WorkerProcess
from warpfront.extras import require

CONNECT = 15.0
"""Seconds to reach the scheduler."""
TICK = 0.25
"""Seconds between two looks of a task at its process."""
FAREWELL = 12.0
"""Seconds that a worker gets to give its trial back once its task is no longer wanted."""


def connect(address: str) -> Any:
    """A client of the cluster at an address such as ``tcp://host:8786``."""
    distributed = require("distributed", "dask", "tune --dask needs Dask")
    try:
        return distributed.Client(address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CommandError(
            f"--dask {address}: no Dask scheduler answers there ({error}); start one with "
            "`dask scheduler`, and workers with `dask worker`"
        ) from None


def slots(client: Any) -> int:
    """How many trials a cluster evaluates at the same time: the threads of its workers."""
    return sum(client.nthreads().values())


class ClusterTuner(Tuner):
    """Runs a study with workers on a cluster."""

    def __init__(self, opened: OpenStudy, plan: Plan, client: Any) -> None:
        super().__init__(opened, plan)
        self._client = client
        self._topic = f"warpfront-{secrets.token_hex(8)}"
        self._workers: dict[str, RemoteWorker] = {}
        client.subscribe_topic(self._topic, self._take)

    def _launch(self, name: str, words: list[str], env: dict[str, str]) -> WorkerProcess:
        key = f"{self._topic}-{len(self._workers)}"
        # With fewer retries a task would be lost with the first machine; a worker that dies of its
        # objective does not end its task by an error, and is started again by us.
        task = Task(self._client.submit(work, words, env, self._topic, key=key, pure=False))
        self._workers[key] = RemoteWorker(name, cast("Any", task))
        return self._workers[key]

    def _take(self, event: tuple[float, Any]) -> None:
        """Take what a task says; called in a thread of the client."""
        message = event[1]
        one = self._workers.get(message["key"])
        if one is None:
            return
        task = cast("Task", one.process)
        if "lines" in message:
            self._hear(one, message["lines"])
        elif "pid" in message:
            task.pid = message["pid"]
            self._names[task.pid] = one.name
        else:
            task.end(message["code"])


class RemoteWorker(WorkerProcess):
    """A worker on another machine, where a guard of its own ends what it has started."""

    def end(self, patience: float | None = None) -> None:
        cast("Task", self.process).kill()


class Task:
    """A task of the cluster, with the face of the process that it keeps running.

    Attributes
    ----------
    pid
        The number of the process on its own machine; negative as long as it is unknown.
    returncode
        Its exit code; None while it runs.
    """

    stdout = None

    def __init__(self, future: Any) -> None:
        self._future = future
        self._ended = threading.Event()
        self.pid = -1
        self.returncode: int | None = None
        self.stdin = self  # closing it tells the task to end, as with a process of ours

    def close(self) -> None:
        """Tell the task that it is no longer wanted."""
        self._future.cancel()

    def end(self, code: int) -> None:
        """Note the exit code."""
        self.returncode = code
        self._ended.set()

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        if self.returncode is None and self._future.status == "finished":
            self.end(self._future.result())
        elif self.returncode is None and self._future.status in ("error", "lost"):
            self.end(WRONG)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit code."""
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired("warpfront worker", timeout or 0.0)
        return self.returncode or 0

    def kill(self) -> None:
        """Nothing more can be done from here: the task ends its process, or the cluster does."""
        with suppress(Exception):  # the scheduler may be gone
            self._future.cancel(force=True)
        if self.returncode is None:
            self.end(INTERRUPTED)


def work(words: list[str], env: dict[str, str], topic: str) -> int:
    """Keep a worker process running; in a thread of a Dask worker."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()
    process = subprocess.Popen(  # noqa: S603  (ourselves)
        [sys.executable, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=os.environ | env,
        start_new_session=True,
    )
    worker.log_event(topic, {"key": key, "pid": process.pid})
    pump = threading.Thread(target=_pump, args=(process, worker, topic, key), daemon=True)
    pump.start()
    until = float("inf")
    while process.poll() is None:
        if until == float("inf") and not _is_wanted(worker, key):
            until = time.monotonic() + FAREWELL
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
        if time.monotonic() > until:
            process.kill()
        time.sleep(TICK)
    pump.join(FAREWELL)
    worker.log_event(topic, {"key": key, "code": process.returncode})
    return process.returncode


def _is_wanted(worker: Any, key: Any) -> bool:
    """Whether anybody waits for a task: not once it is cancelled, or the tuner has died."""
    task = worker.state.tasks.get(key)
    return task is not None and task.state != "cancelled"


def _pump(process: subprocess.Popen[str], worker: Any, topic: str, key: Any) -> None:
    for line in process.stdout or ():
        worker.log_event(topic, {"key": key, "lines": [line.rstrip("\n")]})
