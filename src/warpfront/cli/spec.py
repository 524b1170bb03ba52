"""The SPEC: a TOML or YAML file with the space, the objective, and defaults for the options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warpfront.cli.errors import SpecError
from warpfront.cli.formats import load
from warpfront.cli.spec_objective import (
    TRIAL,
    CommandObjective,
    PythonObjective,
    read_objective,
)
from warpfront.errors import MissingExtraError, WarpfrontError
from warpfront.goals import AtLeast, AtMost, Goal, Goals, Maximize, Minimize, read_goals
from warpfront.settings import Settings
from warpfront.space import Space

if TYPE_CHECKING:  # pydantic is slow to import
    from warpfront.cli.schema import FileTable

__all__ = [
    "DEFAULTS",
    "TRIAL",
    "CommandObjective",
    "PythonObjective",
    "Spec",
    "default_metric",
    "default_spec",
    "read_spec",
]

TRIALS = 100
DEFAULTS = ("tune.toml", "tune.yaml", "tune.yml")
"""The files of which one is taken if no SPEC is given."""
RESERVED = (TRIAL, "config", "state", "reason")
"""What no outcome may be called: other columns and keys have these names."""
_KINDS = {"float": "real", "int": "integer", "bool": "boolean", "category": "categorical"}
"""Other words for the types of parameters."""


@dataclass(frozen=True)
class Spec:
    """What a SPEC file says.

    Attributes
    ----------
    path
        The file; its folder is the working directory of the objective.
    name
        The name of the study; without one in the file, the file's own.
    objective
        None if people evaluate by hand.
    goals
        What is measured and wanted.
    seed
        None: one is drawn when the study is created.
    storage
        Where the study is kept, as it stands in the file; None: in NAME.db beside the file.
    chosen
        The settings that stand in the file. A study keeps the others as it began, also when a
        later version of warpfront has other defaults.
    """

    path: Path
    name: str
    space: Space
    objective: PythonObjective | CommandObjective | None = None
    goals: Goals = (Minimize("loss"),)
    trials: int = TRIALS
    batch: int = 1
    workers: int = 1
    seed: int | None = None
    storage: str | None = None
    timeout: float | None = None
    settings: Settings = field(default_factory=Settings)
    chosen: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return self.path.parent


def default_spec(folder: Path) -> Path | None:
    """The SPEC in a folder where none was given; None if there is none."""
    found = [Path(name) for name in DEFAULTS if (folder / name).is_file()]
    if len(found) > 1:
        raise SpecError(f"there are {' and '.join(map(str, found))} here; say which SPEC you mean")
    return found[0] if found else None


def read_spec(path: Path) -> Spec:
    """Read a SPEC file; mistakes are errors that name file, key, value and remedy."""
    path = path.absolute()
    try:
        return _spec(path, load(path))
    except MissingExtraError:
        raise
    except WarpfrontError as error:
        raise SpecError(f"{path}: {error}") from None


def _spec(path: Path, data: Mapping[str, Any]) -> Spec:
    from warpfront.cli.schema import FileTable, ObjectiveTable, check_name, closest, read

    table = read(FileTable, data)
    for name in table.settings:
        known = [one.name for one in fields(Settings)]
        if name not in known:
            raise SpecError(f"key 'settings.{name}' is unknown; {closest(name, known)}")
    space = _space(table)
    goals = _goals(table, space)
    objective = None
    if table.objective is not None:
        given = read(ObjectiveTable, table.objective, "objective")
        objective = read_objective(given, space, goals, bool(table.goals or table.metric))
    try:
        name = table.name or check_name(path.stem)
    except ValueError as error:
        raise SpecError(f"{error}: give a 'name'") from None
    return Spec(
        path=path,
        name=name,
        space=space,
        objective=objective,
        goals=goals,
        settings=Settings(**table.settings),
        chosen=tuple(table.settings),
        **table.model_dump(include={"trials", "batch", "workers", "seed", "storage", "timeout"}),
    )


def _space(table: FileTable) -> Space:
    parameters = {}
    for name, one in table.space.items():
        if isinstance(one, Mapping) and isinstance(one.get("type"), str):
            kind = one["type"].lower()
            one = {**one, "type": _KINDS.get(kind, kind)}
        parameters[name] = one
    if not table.constraints:
        return Space.from_dict(parameters)
    return Space.from_dict({"parameters": parameters, "constraints": table.constraints})


def default_metric(space: Space, maximize: bool) -> str:
    """What an outcome is called that nobody has named; no parameter has this name."""
    name = "value" if maximize else "loss"
    while name in space.names:
        name += "_"
    return name


def _goals(table: FileTable, space: Space) -> Goals:
    if table.goals is None:
        maximize = table.direction == "maximize"
        name = table.metric or default_metric(space, maximize)
        goals = read_goals(Maximize(name) if maximize else Minimize(name))
    else:
        for key in ("direction", "metric"):
            if getattr(table, key) is not None:
                raise SpecError(f"{key}: [goals] says it already; remove one of them")
        goals = read_goals([_goal(name, given) for name, given in table.goals.items()])
    for goal in goals:
        if goal.name in space.names:
            raise SpecError(f"outcome {goal.name!r}: a parameter has this name; rename one of them")
        if goal.name in RESERVED or goal.name.strip() != goal.name or not goal.name.isprintable():
            raise SpecError(f"outcome {goal.name!r}: this name cannot be used; give it another one")
    return goals


def _goal(name: str, given: Any) -> Goal:
    from warpfront.cli.schema import GoalTable, read

    where = f"goals.{name}"
    one = read(GoalTable, {"goal": given} if isinstance(given, str) else given, where)
    said = [key for key in ("goal", "at_most", "at_least") if getattr(one, key) is not None]
    if len(said) != 1:
        raise SpecError(
            f"{where}: give one of goal = 'minimize', goal = 'maximize', at_most = NUMBER and "
            "at_least = NUMBER"
        )
    if one.reference is not None and one.goal is None:
        raise SpecError(f"{where}.reference: is for 'minimize' and 'maximize' only; remove it")
    if one.at_most is not None:
        return AtMost(name, one.at_most)
    if one.at_least is not None:
        return AtLeast(name, one.at_least)
    return (Maximize if one.goal == "maximize" else Minimize)(name, one.reference)
