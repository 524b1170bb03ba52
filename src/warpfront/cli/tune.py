"""`warpfront tune`: worker processes, the display, and a clean end."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import IO

from optuna.trial import FrozenTrial, TrialState

from warpfront.cli import guard
from warpfront.cli.broken import FirstTrials
from warpfront.cli.display import Display, open_display
from warpfront.cli.durations import describe_duration
from warpfront.cli.errors import DONE, INTERRUPTED, CommandError
from warpfront.cli.join import MARK
from warpfront.cli.objective import Interrupted, exit_text
from warpfront.cli.outcome import over
from warpfront.cli.overdue import EXIT as LATE
from warpfront.cli.patience import Patience
from warpfront.cli.plan import Plan
from warpfront.cli.processes import is_alive
from warpfront.cli.progress import Progress, line_of, owner_of, progress_of
from warpfront.cli.study import BUDGET, OpenStudy
from warpfront.cli.trials import INTERRUPTED as STOPPED
from warpfront.cli.trials import OWNER, Overview, fail, lose, place
from warpfront.cli.worker_process import WorkerProcess, chunks

ENTRY = (
    "import sys; sys.path[:] = [path for path in sys.path if path]; "
    "sys.stdout.reconfigure(line_buffering=True); "
    "from warpfront.cli import main; main()"
)
"""A worker's program. Files of the current folder must not pass for packages that it needs."""
TICK = 0.25
"""Seconds between two looks at the study and the workers."""
FAREWELL = 15.0
"""Seconds that workers get to end."""
CLEAN = (DONE, INTERRUPTED)
"""Exit codes of workers that have given back what they were at."""
RESTARTS = 5
"""So often a worker may die without that a trial of its ends in between; then we give up."""


class Tuner:
    """Runs a study with worker processes of its own; it evaluates nothing itself."""

    def __init__(self, opened: OpenStudy, plan: Plan) -> None:
        self._opened = opened
        self._plan = plan
        self._display: Display = open_display()
        self._stopped = self._ending = False
        self._patience = Patience(
            self._display.say,
            plan.patience,
            lambda: self._stopped,
            opened.storage.remove_session,
        )
        self._processes: list[WorkerProcess] = []
        self._restarts: Counter[str] = Counter()
        self._names: dict[int | None, str] = {}  # of workers, also dead ones, by process
        self._seen: set[int] | None = None
        self._first = FirstTrials(is_on=plan.raises)
        self._mark = secrets.token_hex(16)
        self._end = None if plan.timeout is None else time.monotonic() + plan.timeout

    def run(self) -> Progress:
        """Work until the budget is spent; raises Interrupted if that was not to be."""
        with self._signals():
            try:
                self._patience.insist(self._prepare)
                if not self.look().is_over:  # a worker takes seconds to see that for itself
                    self._processes = [self._start(i + 1) for i in range(self._plan.workers)]
                while not self._stopped and not self._is_over():
                    self._show()
                    time.sleep(TICK)
            finally:
                self._ending = True
                try:
                    if self._stopped:
                        self._display.say("stopping: running trials go back into the queue")
                    self._farewell()
                    progress = self._show()
                finally:
                    self._display.close()
        if self._stopped:
            raise Interrupted
        return progress

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return self._end is not None and time.monotonic() > self._end

    @property
    def _budget(self) -> int:
        """How many trials the study is to have; one who only watches leaves that to others."""
        found = None if self._plan.workers else self._opened.budget
        return found or self._plan.trials

    def _prepare(self) -> None:
        if self._opened.budget != self._plan.trials:
            self._opened.study.set_user_attr(BUDGET, self._plan.trials)
        with self._opened.lock():
            self._opened.repair()

    def _is_over(self) -> bool:
        """Whether nothing is left to do; workers that died are started again."""
        for i, one in enumerate(self._processes):
            code = None if one.done else one.process.poll()
            if code is None:
                continue
            if one.pump is not None:
                one.pump.join(FAREWELL)
            if code == DONE:
                one.done = True
            elif code == INTERRUPTED:  # by somebody else: we have stopped nobody yet
                self._processes[i] = self._again(one, "interrupted")
            elif code in (LATE, -guard.LATE):
                if code != LATE:  # it could not say so itself
                    self._patience.insist(partial(self._fail_late, one.process.pid))
                self._processes[i] = self._again(one, "its function did not end in time")
            elif one.error is not None:
                raise CommandError(f"{one.name} gave up: {one.error}")
            else:
                self._processes[i] = self._again(one, exit_text(code))
        if self._processes:
            return all(one.done for one in self._processes)
        return self.is_late or self.look().is_over

    def _fail_late(self, pid: int) -> None:
        """The time limit of what a worker was at is over; the worker was ended by its guard."""
        objective = self._plan.spec.objective
        for trial in Overview(self._opened.trials()).running():
            is_its = owner_of(trial) == pid and is_alive(trial.user_attrs[OWNER]) is False
            if is_its and objective is not None:
                fail(self._opened.study._storage, trial._trial_id, over(objective.time_limit))

    def _again(self, one: WorkerProcess, how: str) -> WorkerProcess:
        one.end()
        self._restarts[one.name] += 1
        if self._restarts[one.name] > RESTARTS:
            raise CommandError(
                f"{one.name} died {RESTARTS} times in a row ({how}); does the objective use too "
                "much memory, or crash? Try it alone, outside warpfront"
            )
        self._display.say(f"{one.name} died ({how}); it starts again")
        return self._start(int(one.name.split()[-1]))

    def _start(self, number: int) -> WorkerProcess:
        plan = self._plan
        options = {"--name": self._opened.name, "--trials": plan.trials, "--batch": plan.batch}
        options["--patience"] = plan.patience
        if self._end is not None:
            options["--timeout"] = max(self._end - time.monotonic(), 0.001)
        words = ["-c", ENTRY, "worker", str(plan.spec.path), "--tied"]
        words += [str(word) for option in options.items() for word in option]
        # Not among the arguments: everybody may read those, and a URL may have a password.
        env = {"WARPFRONT_STORAGE": self._opened.url, MARK: self._mark}
        return self._launch(f"worker {number}", words, env)

    def _launch(self, name: str, words: list[str], env: dict[str, str]) -> WorkerProcess:
        """Start a worker: a Python with these arguments, and these variables besides."""
        process = subprocess.Popen(  # noqa: S603  (ourselves)
            [sys.executable, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=os.environ | env,
            start_new_session=True,  # Ctrl-C is for us
        )
        one = WorkerProcess(name, process)
        self._names[process.pid] = one.name
        if process.stdout is not None:
            one.pump = threading.Thread(target=self._pump, args=(one, process.stdout), daemon=True)
            one.pump.start()
        return one

    def _pump(self, one: WorkerProcess, stream: IO[str]) -> None:
        """Show what the objective prints."""
        for lines in chunks(stream):
            self._hear(one, lines)
        stream.close()

    def _hear(self, one: WorkerProcess, lines: Sequence[str]) -> None:
        """Show what a worker prints; an error of ours is kept."""
        shown = []
        for line in lines:
            printed, found, error = line.partition(self._mark)
            if found:
                one.error = error.strip()
            if printed or not found:
                shown.append(printed)
        if shown:
            self._display.say("\n".join(shown))

    def look(self) -> Overview:
        """The trials at this moment."""
        return self._patience.insist(lambda: Overview(self._opened.trials(), self._budget))

    def _show(self) -> Progress:
        overview = self.look()
        progress = progress_of(self._opened, overview, overview.budget)
        finished = overview.of_state(TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL)
        if self._seen is None:
            self._seen = {t.number for t in finished}
        new = [t for t in finished if t.number not in self._seen]
        self._seen.update(t.number for t in new)
        ended = {place(t) for t in new}
        for trial in overview.trials if ended else ():
            if place(trial) in ended:  # whoever has tried it, in vain or not, has got on
                self._restarts.pop(self._names.get(owner_of(trial), ""), None)
        running = {owner_of(t): t for t in overview.running()}
        states = {one.name: self._state(one, running) for one in self._processes}
        self._display.update(progress, states, [line_of(t, self._opened.goals) for t in new])
        if not self._ending:
            self._first.check(new, succeeded=progress.completed > 0)
        return progress

    def _state(self, one: WorkerProcess, running: dict[int | None, FrozenTrial]) -> str:
        trial = running.get(one.process.pid)
        if trial is None:
            return "done" if one.done else "choosing"
        began = trial.datetime_start.timestamp() if trial.datetime_start else time.time()
        return f"trial {trial.number} for {describe_duration(time.time() - began)}"

    def _farewell(self) -> None:
        """Have all workers give back what they are at, and end."""
        alive = [one for one in self._processes if one.process.poll() is None]
        for one in self._processes:
            one.stop()
        until = time.monotonic() + FAREWELL
        for one in self._processes:
            try:
                one.process.wait(max(until - time.monotonic(), 0.0))
            except subprocess.TimeoutExpired:
                one.end(0.0)
                one.process.wait()
        ours = {one.process.pid for one in alive if one.process.returncode not in CLEAN}
        if ours:
            self._patience.insist(lambda: self._give_back(ours))

    def _give_back(self, pids: Collection[int]) -> None:
        """Put back what workers were at whom we have ended: they have not died of it."""
        with self._opened.lock():
            for trial in Overview(self._opened.trials()).running():
                if owner_of(trial) in pids and is_alive(trial.user_attrs[OWNER]) is False:
                    lose(self._opened.study._storage, trial, STOPPED)
            self._opened.repair()

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Ctrl-C, and being asked to end, stop the run at its next look."""

        def stop(number: int, frame: FrameType | None) -> None:
            self._stopped = True

        before = {}
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
                before[number] = signal.signal(number, stop)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
