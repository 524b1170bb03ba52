"""The evaluations of a run that is under way, on disk, so that a killed run loses none.

A resumed run asks its method again from the start, which costs suggestions only, and takes what
was evaluated from here for as long as the method proposes the same. So methods need no way of
saving their state, and a method that is not repeatable just evaluates anew.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.records import Evaluated


class Journal:
    """The evaluations of one run, in order.

    Parameters
    ----------
    path
        Its file; one line an evaluation.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = _read(path)

    def recall(self, number: int, config: Mapping[str, Any]) -> Evaluated | None:
        """The evaluation of this number, if it was of this configuration."""
        if number < len(self._known) and self._known[number].config == config:
            return self._known[number]
        return None

    def keep(self, number: int, trial: Evaluated) -> None:
        """Write down an evaluation; whatever was known from its number on is forgotten."""
        if number < len(self._known):
            del self._known[number:]
            self._path.write_text("".join(map(_line, self._known)), encoding="utf-8")
        self._known.append(trial)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(_line(trial))

    def remove(self) -> None:
        """Remove the file: the run has its record."""
        self._path.unlink(missing_ok=True)


def _line(trial: Evaluated) -> str:
    data = asdict(trial)
    data["loss"] = trial.loss if math.isfinite(trial.loss) else None
    return json.dumps(data, allow_nan=False) + "\n"


def _read(path: Path) -> list[Evaluated]:
    if not path.is_file():
        return []
    trials: list[Evaluated] = []
    whole = ""
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if not line.endswith("\n"):  # cut short by a kill
            path.write_text(whole, encoding="utf-8")
            break
        whole += line
        data = json.loads(line)
        data["loss"] = math.inf if data["loss"] is None else data["loss"]
        trials.append(Evaluated(**data))
    return trials
