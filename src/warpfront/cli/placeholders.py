"""Commands with {parameter} placeholders."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_QUOTED = re.compile(r"""["']\{[^{}]*\}|\{[^{}]*\}["']""")


def placeholders(text: str) -> set[str]:
    """The names in braces; ``{{`` and ``}}`` stand for braces themselves.

    Examples
    --------
    >>> sorted(placeholders("--rate={rate} --json={{}} {units}"))
    ['rate', 'units']
    >>> placeholders("{rate")
    Traceback (most recent call last):
    ValueError: '{rate' has a brace without its partner; write {{ or }} for a brace itself
    """
    names = set()
    for match in _PIECE.finditer(text):
        if match.group() in ("{", "}"):
            raise ValueError(
                f"{text!r} has a brace without its partner; write {{{{ or }}}} for a brace itself"
            )
        if match.group(1) is not None:
            names.add(match.group(1))
    return names


def show_value(value: Any) -> str:
    """A value as a command gets it: a text as it is, all else as JSON.

    Examples
    --------
    >>> [show_value(v) for v in ("relu", 0.001, 3, True, None, [64, 32])]
    ['relu', '0.001', '3', 'true', 'null', '[64, 32]']
    """
    return value if isinstance(value, str) else json.dumps(value)


def fill(text: str, values: Mapping[str, Any], *, quote: bool = False) -> str:
    """Put values into placeholders; ``quote`` makes each one word of a shell command.

    Examples
    --------
    >>> fill("--rate={rate}", {"rate": 1e-3})
    '--rate=0.001'
    >>> fill("train {kind} > {{log}}", {"kind": "a; b"}, quote=True)
    "train 'a; b' > {log}"
    """

    def replace(match: re.Match[str]) -> str:
        name = match.group(1)
        if name is None:
            return match.group()[0]
        shown = show_value(values[name])
        return shlex.quote(shown) if quote else shown

    return _PIECE.sub(replace, text)


def quoted_placeholder(text: str) -> str | None:
    """The first placeholder of a shell command that touches a quote, which quoting would undo.

    Examples
    --------
    >>> quoted_placeholder("train '{kind}'")
    "'{kind}"
    """
    match = _QUOTED.search(text)
    return None if match is None else match.group()
