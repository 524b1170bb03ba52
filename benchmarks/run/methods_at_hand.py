"""The process of the method at hand, kept from run to run: some take seconds to start."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from benchmarks.methods.registry import find
from benchmarks.workers.worker import Worker

_at_hand = threading.local()


def worker_of(method: str, logs: Path, time_limit: float) -> Worker:
    """A running process of this method; that of another method is ended.

    There is one for each thread, since an executor may use several.
    """
    known: Worker | None = getattr(_at_hand, "worker", None)
    if known is not None and known.name == method and known.alive:
        return known
    dismiss()
    log = logs / f"{method}-{os.getpid()}-{threading.get_ident()}.log"
    worker = find(method).start(time_limit, log)
    _at_hand.worker = worker
    return worker


def dismiss() -> None:
    """End the process at hand: after a failure its state is unknown."""
    known: Worker | None = getattr(_at_hand, "worker", None)
    if known is not None:
        known.close()
        _at_hand.worker = None
