"""Where and with what a run was made: the lines at the top of its report."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from benchmarks.speed.plan import Contender
from benchmarks.workers.environment import REPOSITORY


def describe_run(contenders: Sequence[Contender], arguments: Sequence[str]) -> dict[str, str]:
    """Date, command, machine, revision and versions, in the order of the report."""
    facts = {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "command": " ".join(["python -m benchmarks.speed", *arguments]),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.platform()}",
        "load before": ", ".join(f"{load:.2f}" for load in os.getloadavg()),
        "revision": _revision(),
    }
    for contender in contenders:
        with contender.start(time_limit=120.0) as worker:
            versions: dict[str, str] = worker.request("describe")["versions"]
        facts[contender.name] = ", ".join(f"{name} {number}" for name, number in versions.items())
    return facts


def _processor() -> str:
    """Name the processor as Linux does, else the architecture."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _revision() -> str:
    """Name the commit of the checkout, with a note when files differ from it."""
    git = shutil.which("git")
    if git is None:
        return "unknown (no git)"
    command = [git, "-C", str(REPOSITORY), "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown (no commit)"
