"""Where and with what a run was made: the lines at the top of its report."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import datetime, timezone

from benchmarks.processor import processor
from benchmarks.revision import revision
from benchmarks.speed.plan import Contender


def describe_run(contenders: Sequence[Contender], arguments: Sequence[str]) -> dict[str, str]:
    """Date, command, machine, revision and versions, in the order of the report."""
    facts = {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "command": " ".join(["python -m benchmarks.speed", *arguments]),
        "machine": f"{processor()}, {os.cpu_count()} cores, {platform.platform()}",
        "load before": ", ".join(f"{load:.2f}" for load in os.getloadavg()),
        "revision": revision() or "unknown (no git, or no commit)",
    }
    for contender in contenders:
        with contender.start(time_limit=120.0) as worker:
            versions: dict[str, str] = worker.request("describe")["versions"]
        facts[contender.name] = ", ".join(f"{name} {number}" for name, number in versions.items())
    return facts
