"""How a step is timed, the same for both packages. Standard library only."""

from __future__ import annotations

import gc
import resource
import sys
import time
from collections.abc import Callable, Sized

_MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes on macOS, kibibytes on Linux


def time_step(tell: Callable[[], object], ask: Callable[[], Sized]) -> dict[str, float]:
    """Time `tell` and then `ask` once each.

    Returns
    -------
    dict
        ``tell_cpu``, ``ask_cpu`` and ``ask_wall`` in seconds; ``count``, the number of
        suggestions; ``peak_memory``, the largest resident size of this process so far, in MB.
    """
    gc.collect()
    tell_start = time.process_time()
    tell()
    ask_start, wall_start = time.process_time(), time.perf_counter()
    suggestions = ask()
    ask_end, wall_end = time.process_time(), time.perf_counter()
    return {
        "tell_cpu": ask_start - tell_start,
        "ask_cpu": ask_end - ask_start,
        "ask_wall": wall_end - wall_start,
        "count": len(suggestions),
        "peak_memory": peak_memory(),
    }


def peak_memory() -> float:
    """Largest resident size of this process so far, in MB (1e6 bytes)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _MAXRSS_UNIT / 1e6
