"""TOML and YAML files as plain data, with limits on what a file can make us do."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from warpfront.cli.errors import SpecError
from warpfront.extras import missing_extra

LEVELS = 50
"""How deeply tables and lists may be nested."""
VALUES = 100_000
"""How many values a YAML file may have once its aliases are written out."""
_DEEP = f"is nested more than {LEVELS} levels deep; flatten its tables and lists"
_LONG = "has a whole number of thousands of digits; write it in quotes, or as 1e300"
_AT = re.compile(r"(?P<what>.*) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|.*)\)", re.S)


def load(path: Path) -> Mapping[str, Any]:
    """The table of keys in a TOML or YAML file; mistakes are errors that say where."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SpecError("there is no such file; `warpfront init` writes an example") from None
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"cannot be read: {error}") from None
    read = {".toml": _toml, ".yaml": _yaml, ".yml": _yaml}.get(path.suffix)
    if read is None:
        raise SpecError(f"the ending {path.suffix!r} is unknown; use .toml, .yaml or .yml")
    try:
        data = read(text)
    except RecursionError:
        raise SpecError(_DEEP) from None
    if not isinstance(data, Mapping):
        raise SpecError("is not a table of keys; `warpfront init` writes an example")
    _check_levels(data)
    return data


def _check_levels(data: Any) -> None:
    rows = [data]
    for _ in range(LEVELS + 1):
        tables = [one.values() if isinstance(one, Mapping) else one for one in rows]
        rows = [one for table in tables for one in table if isinstance(one, (Mapping, list))]
        if not rows:
            return
    raise SpecError(_DEEP)


def _toml(text: str) -> Any:
    name = "tomllib" if sys.version_info >= (3, 11) else "tomli"
    try:
        tomllib = import_module(name)
    except ModuleNotFoundError:
        raise missing_extra(f"TOML files need {name}", "study") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT.match(str(error))
        what = str(error) if found is None else found["what"]
        where = f"line {found['line']}, column {found['column']}" if found and found["line"] else ""
        raise _invalid("TOML", where or "at its end", what) from None
    except ValueError:
        raise SpecError(_LONG) from None


def _invalid(language: str, where: str, what: str) -> SpecError:
    what = " ".join(what.split())
    return SpecError(f"is not valid {language}: {where}, {what[:1].lower()}{what[1:]}")


def _yaml(text: str) -> Any:
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

        def get_single_node(self) -> Any:
            """Looked at before it is made into values: a few lines of aliases may stand for all."""
            node = super().get_single_node()
            if node is not None:
                _weigh(node, {})
            return node

    Loader.add_implicit_resolver(
        "tag:yaml.org,2002:float",
        re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)[eE][-+]?\d+"),
        list("-+.0123456789"),
    )
    try:
        return yaml.load(text, Loader=Loader)  # noqa: S506  (a safe loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "at its end"
        raise _invalid("YAML", where, error.problem or str(error)) from None
    except yaml.YAMLError as error:
        raise SpecError(f"is not valid YAML: {' '.join(str(error).split())}") from None
    except SpecError:  # which is a ValueError, too
        raise
    except ValueError as error:  # what looks like a number or a date
        is_long = "digits" in str(error)
        raise SpecError(_LONG if is_long else f"is not valid YAML: {error}") from None


def _weigh(node: Any, weights: dict[int, int]) -> int:
    """How many values a node stands for, aliases written out; raises for too many."""
    if id(node) in weights:
        if not weights[id(node)]:
            raise SpecError("is not valid YAML: an alias (*name) stands within what it names")
        return weights[id(node)]
    weights[id(node)], total = 0, 1  # 0 while it is looked at
    if not isinstance(node.value, str):
        pairs = [one if isinstance(one, tuple) else (one,) for one in node.value]
        total += sum(_weigh(part, weights) for pair in pairs for part in pair)
    if total > VALUES:
        raise SpecError(
            f"has more than {VALUES:,} values once its aliases (*name) are written out; use fewer"
        )
    weights[id(node)] = total
    return total
