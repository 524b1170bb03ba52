"""The name of the processor, on which times depend and now and then a loss."""

from __future__ import annotations

import platform
from pathlib import Path


def processor() -> str:
    """Name the processor as Linux does, else the architecture."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
