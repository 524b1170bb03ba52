"""Our side of the conversation: start a worker process, ask it, notice when it dies."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.revision import revision
from benchmarks.workers.environment import CACHE, REPOSITORY

ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Without these, CPU time counts threads that spin while they wait."""


class WorkerError(RuntimeError):
    """A worker raised, died or ran out of time; the message says which."""


class Worker:
    """A process that holds one package and answers JSON lines.

    Parameters
    ----------
    name
        What it is called in errors.
    python
        The interpreter.
    module
        The module to run, with its arguments.
    time_limit
        Wall seconds after which a request is given up and the process killed.
    log
        Where its standard error goes; by default a file under ``.bench/logs`` named after it.
    """

    def __init__(
        self,
        name: str,
        python: Path | str,
        module: tuple[str, ...],
        time_limit: float,
        log: Path | None = None,
    ) -> None:
        self.name = name
        #: of the code that the process begins with, whatever is committed while it runs
        self.revision = revision()
        self._time_limit = time_limit
        self._log = log or CACHE / "logs" / f"{name.replace(' ', '-')}.log"
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

    def request(self, op: str, *, within: float | None = None, **arguments: Any) -> dict[str, Any]:
        """Send one request and wait for its reply, `within` seconds if that is given."""
        time_limit = self._time_limit if within is None else within
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise WorkerError(f"{self.name} has no pipes")
        out_of_time = threading.Event()
        timer = threading.Timer(time_limit, self._give_up, args=(out_of_time,))
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
                raise WorkerError(f"{self.name}: over {time_limit:g} s, given up")
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
