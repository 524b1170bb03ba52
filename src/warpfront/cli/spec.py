"""The SPEC: a TOML or YAML file with the space, the objective, and defaults for the options."""

from __future__ import annotations

import difflib
import re
import shlex
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from warpfront.checks import whole_number
from warpfront.cli.durations import parse_duration
from warpfront.cli.errors import SpecError
from warpfront.cli.placeholders import placeholders, unsafe_placeholder, unspeakable
from warpfront.errors import MissingExtraError, WarpfrontError
from warpfront.extras import missing_extra
from warpfront.settings import Settings
from warpfront.space import Space

Direction = Literal["minimize", "maximize"]

TRIALS = 100
TRIAL = "trial"
"""The placeholder for the number of the trial."""
DEFAULTS = ("tune.toml", "tune.yaml", "tune.yml")
"""The files of which one is taken if no SPEC is given."""
_KINDS = {"float": "real", "int": "integer", "bool": "boolean", "category": "categorical"}
"""Other words for the types of parameters."""


@dataclass(frozen=True)
class PythonObjective:
    """A function ``module:function`` that takes a configuration and returns a number."""

    module: str
    function: str
    time_limit: float | None = None


@dataclass(frozen=True)
class CommandObjective:
    """A command that prints a number on its last line, or writes it to a JSON file.

    Attributes
    ----------
    arguments
        The program and its arguments; or the one text that a shell gets.
    shell
        Whether a shell runs it.
    result, key
        The JSON file and the key of the number in it; None: the last line of standard output.
    time_limit
        Seconds after which an evaluation is ended and has failed.
    """

    arguments: tuple[str, ...]
    shell: bool = False
    result: str | None = None
    key: str | None = None
    time_limit: float | None = None


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
    direction: Direction = "minimize"
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
        return _spec(path, _load(path))
    except MissingExtraError:
        raise
    except WarpfrontError as error:
        raise SpecError(f"{path}: {error}") from None


def _load(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SpecError("no such file; `warpfront init` writes an example") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"cannot be read: {error}") from None
    if path.suffix == ".toml":
        data = _load_toml(text)
    elif path.suffix in (".yaml", ".yml"):
        data = _load_yaml(text)
    else:
        raise SpecError(f"the ending {path.suffix!r} is unknown; use .toml, .yaml or .yml")
    if not isinstance(data, Mapping):
        raise SpecError("is no table of keys; `warpfront init` writes an example")
    return data


def _load_toml(text: str) -> Any:
    name = "tomllib" if sys.version_info >= (3, 11) else "tomli"
    try:
        tomllib = import_module(name)
    except ModuleNotFoundError:
        raise missing_extra(f"TOML files need {name}", "study") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(f"is no TOML: {error}") from None


def _load_yaml(text: str) -> Any:
    try:
        import yaml
    except ModuleNotFoundError:
        raise missing_extra("YAML files need PyYAML", "study") from None

    class Loader(yaml.SafeLoader):
        """Safe; 1e-5 is a number, which YAML 1.1 writes 1.0e-5; no key stands twice."""

        def compose_mapping_node(self, anchor: Any) -> Any:
            """Looked at before `<<` merges anything: what that brings may be overridden."""
            node = super().compose_mapping_node(anchor)
            keys = [(key.tag, str(key.value)) for key, _ in node.value]
            if len(set(keys)) < len(keys):
                raise yaml.composer.ComposerError(
                    None, None, "a key stands twice in one table", node.start_mark
                )
            return node

    Loader.add_implicit_resolver(
        "tag:yaml.org,2002:float",
        re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)[eE][-+]?\d+"),
        list("-+.0123456789"),
    )
    try:
        return yaml.load(text, Loader=Loader)  # noqa: S506  (a safe loader)
    except yaml.YAMLError as error:
        raise SpecError(f"is no YAML: {' '.join(str(error).split())}") from None


def closest(word: Any, known: Collection[str]) -> str:
    """What was probably meant, as the end of a message."""
    found = difflib.get_close_matches(str(word), known, n=1)
    return f"did you mean {found[0]!r}?" if found else f"known are {', '.join(known)}"


def _known_keys(table: Any, known: Collection[str], where: str = "") -> Mapping[str, Any]:
    if not isinstance(table, Mapping):
        raise SpecError(f"{where} = {table!r}: must be a table of keys")
    for key in table:
        if key not in known:
            name = f"{where}.{key}" if where else str(key)
            raise SpecError(f"key {name!r} is unknown; {closest(key, known)}")
    return table


def _spec(path: Path, data: Mapping[str, Any]) -> Spec:
    known = [field.name for field in fields(Spec) if field.name not in ("path", "chosen")]
    _known_keys(data, known)
    if "space" not in data:
        raise SpecError("has no 'space'; give one table [space.NAME] for each parameter")
    space = _space(data["space"])
    found: dict[str, Any] = {"path": path, "name": path.stem, "space": space}
    for name in ("name", "storage"):
        if name in data:
            found[name] = _text(name, data[name])
    for name, least in (("trials", 1), ("batch", 1), ("workers", 0), ("seed", 0)):
        if name in data:
            found[name] = whole_number(name, data[name], least)
    if "timeout" in data:
        found["timeout"] = _duration("timeout", data["timeout"])
    if "direction" in data:
        if data["direction"] not in ("minimize", "maximize"):
            raise SpecError(f"direction = {data['direction']!r}: must be 'minimize' or 'maximize'")
        found["direction"] = data["direction"]
    if "settings" in data:
        known = [field.name for field in fields(Settings)]
        found["settings"] = Settings(**_known_keys(data["settings"], known, "settings"))
        found["chosen"] = tuple(data["settings"])
    if "objective" in data:
        found["objective"] = _objective(data["objective"], space)
    return Spec(**found)


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise SpecError(f"{key} = {value!r}: must be a text that is not empty")
    return value


def _duration(key: str, value: Any) -> float:
    try:
        return parse_duration(value)
    except ValueError as error:
        raise SpecError(f"{key} = {error}") from None


def _space(data: Any) -> Space:
    if not isinstance(data, Mapping):
        raise SpecError(f"space = {data!r}: give one table [space.NAME] for each parameter")
    parameters = {}
    for name, table in data.items():
        if isinstance(table, Mapping) and isinstance(table.get("type"), str):
            kind = table["type"].lower()
            table = {**table, "type": _KINDS.get(kind, kind)}
        parameters[name] = table
    return Space.from_dict(parameters)


def _objective(data: Any, space: Space) -> PythonObjective | CommandObjective:
    known = ("python", "command", "shell", "result", "key", "time_limit")
    data = _known_keys(data, known, "objective")
    if ("python" in data) == ("command" in data):
        raise SpecError("objective: give either 'python' or 'command'")
    limit = None
    if "time_limit" in data:
        limit = _duration("objective.time_limit", data["time_limit"])
    if "python" in data:
        for key in ("shell", "result", "key"):
            if key in data:
                raise SpecError(f"objective.{key}: is for 'command' only; remove it")
        module, colon, function = _text("objective.python", data["python"]).partition(":")
        names = (*module.split("."), *function.split("."))
        if not colon or not all(name.isidentifier() for name in names):
            raise SpecError(
                f"objective.python = {data['python']!r}: must be 'module:function', "
                "such as 'train:loss' for the function loss in train.py"
            )
        return PythonObjective(module, function, limit)
    return _command(data, limit, space)


def _command(data: Mapping[str, Any], limit: float | None, space: Space) -> CommandObjective:
    shell = data.get("shell", False)
    if not isinstance(shell, bool):
        raise SpecError(f"objective.shell = {shell!r}: must be true or false")
    arguments = _arguments(data["command"], shell)
    result, key = data.get("result"), data.get("key")
    if result is not None:
        _text("objective.result", result)
        key = _text("objective.key", "loss" if key is None else key)
    elif key is not None:
        raise SpecError("objective.key: names a number in a file; give 'result' as well")
    if TRIAL in space.names:
        raise SpecError(
            f"parameter {TRIAL!r}: in a command, {{{TRIAL}}} is the trial's number; give the "
            "parameter another name"
        )
    used = _placeholders("command", arguments)
    for name in _placeholders("result", [result or ""]) - {TRIAL}:
        raise SpecError(
            f"objective.result = {result!r}: the placeholder {{{name}}} is unknown; "
            f"only {{{TRIAL}}}, the trial's number, may stand there"
        )
    if result is not None and TRIAL not in placeholders(result):
        raise SpecError(
            f"objective.result = {result!r}: workers would write one file; put {{{TRIAL}}} into "
            "its name, and give it to the command as well"
        )
    for name in sorted(used - set(space) - {TRIAL}):
        raise SpecError(
            f"objective.command: the placeholder {{{name}}} is no parameter; "
            f"{closest(name, [*space, TRIAL])} (write {{{{ and }}}} for braces themselves)"
        )
    for name in space:
        if name not in used:
            raise SpecError(
                f"objective.command: no placeholder uses the parameter {name!r}; "
                f"put {{{name}}} where its value belongs, or remove the parameter"
            )
    for name in space:
        for value in getattr(space[name], "choices", ()):
            if (what := unspeakable(value)) is not None:
                raise SpecError(f"parameter {name!r}: {value!r} has {what}, which no command takes")
    if shell and (unsafe := unsafe_placeholder(arguments[0])):
        raise SpecError(f"objective.command: {unsafe}")
    return CommandObjective(arguments, shell, result, key, limit)


def _placeholders(key: str, texts: Collection[str]) -> set[str]:
    try:
        return {name for text in texts for name in placeholders(text)}
    except ValueError as error:
        raise SpecError(f"objective.{key}: {error}") from None


def _arguments(command: Any, shell: bool) -> tuple[str, ...]:
    if isinstance(command, str) and command.strip():
        if shell:
            return (command,)
        try:
            return tuple(shlex.split(command))
        except ValueError as error:
            raise SpecError(f"objective.command = {command!r}: {error}") from None
    if shell:
        raise SpecError(f"objective.command = {command!r}: a shell needs one text")
    if not isinstance(command, list) or not command:
        raise SpecError(
            f"objective.command = {command!r}: must be a text, or a list of a program and its "
            "arguments"
        )
    for argument in command:
        if not isinstance(argument, str):
            raise SpecError(f"objective.command: {argument!r} is no text; put it in quotes")
    return tuple(command)
