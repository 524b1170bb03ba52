"""Who evaluates a trial: a process of a machine, and whether it is still there."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

Owner = dict[str, Any]
"""A process as plain JSON data: host, pid and start."""


def this_process() -> Owner:
    """The running process."""
    return {"host": _host(), "pid": os.getpid(), "start": _start(os.getpid())}


def is_alive(owner: Any) -> bool | None:
    """Whether a process still runs; None if that cannot be known from here.

    Examples
    --------
    >>> is_alive(this_process())
    True
    >>> is_alive({**this_process(), "start": "long ago"})  # its number went to another process
    False
    >>> is_alive({**this_process(), "host": "another machine"}) is None
    True
    """
    if not isinstance(owner, Mapping) or owner.get("host") != _host():
        return None
    pid = owner.get("pid")
    if not isinstance(pid, int) or pid <= 0:
        return None
    return _start(pid) == owner.get("start")


def _host() -> str:
    """The machine since its last start; containers of one name are different machines."""
    parts = [platform.node(), _read("/proc/sys/kernel/random/boot_id").strip()]
    with suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))  # noqa: PTH115  (it is no path)
    return " ".join(parts)


def _start(pid: int) -> str:
    """When a process started, in its own words; empty if there is none, or if it is dead."""
    try:
        process = psutil.Process(pid)
        with suppress(psutil.AccessDenied):
            if process.status() == psutil.STATUS_ZOMBIE:
                return ""
        # On Linux since the start of the machine, whose clock may be set back meanwhile.
        ticks = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()[19:20]
        return ticks[0] if ticks else str(process.create_time())
    except psutil.NoSuchProcess:
        return ""


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
