"""Our side of the conversation: start a worker process, ask it, notice when it dies."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.speed.environment import CACHE, REPOSITORY

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Without these, CPU time counts threads that spin while they wait."""


class WorkerError(RuntimeError):
    """A worker raised, died or ran out of time; the message says which."""


@dataclass(frozen=True)
class Step:
    """The reply to a timed step: seconds, and megabytes for the memory."""

    tell_cpu: float
    ask_cpu: float
    ask_wall: float
    count: int
    peak_memory: float


class Worker:
    """A process that holds one package and answers JSON lines.

    Parameters
    ----------
    name
        Names the log of the worker's standard error under ``.bench/logs``.
    python
        The interpreter.
    module
        The module to run, with its arguments.
    time_limit
        Wall seconds after which a request is given up and the process killed.
    """

    def __init__(
        self, name: str, python: Path | str, module: tuple[str, ...], time_limit: float
    ) -> None:
        self.name = name
        self._time_limit = time_limit
        self._log = CACHE / "logs" / f"{name.replace(' ', '-')}.log"
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("w", encoding="utf-8") as stderr:
            self._process = subprocess.Popen(
                [str(python), "-m", *module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env={**os.environ, **ONE_THREAD},
                cwd=REPOSITORY,
                text=True,
                encoding="utf-8",
            )

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def step(self, data: Mapping[str, Any], seed: int, batch: int) -> Step:
        """Time one suggestion of `batch` points after telling `data`."""
        step = Step(**self.request("step", **data, seed=seed, batch=batch))
        if step.count != batch:
            raise WorkerError(f"{self.name} suggested {step.count} points instead of {batch}")
        return step

    def request(self, op: str, **arguments: Any) -> dict[str, Any]:
        """Send one request and wait for its reply."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise WorkerError(f"{self.name} has no pipes")
        out_of_time = threading.Event()
        timer = threading.Timer(self._time_limit, self._give_up, args=(out_of_time,))
        timer.start()
        try:
            stdin.write(json.dumps({"op": op, **arguments}) + "\n")
            stdin.flush()
            line = stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            self._process.wait()
            if out_of_time.is_set():
                raise WorkerError(f"{self.name}: over {self._time_limit:g} s, given up")
            raise WorkerError(f"{self.name} died; {self._last_words()}")
        reply: dict[str, Any] = json.loads(line)
        if "error" in reply:
            raise WorkerError(f"{self.name}: {reply['error']} (traceback in {self._log})")
        return reply

    def close(self) -> None:
        """Close the conversation and wait for the process to end."""
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):  # it died before; there is nobody to tell
                self._process.stdin.close()
        try:
            self._process.wait(timeout=10.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _give_up(self, out_of_time: threading.Event) -> None:
        out_of_time.set()
        self._process.kill()

    def _last_words(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1] if lines else f"status {self._process.returncode}"
