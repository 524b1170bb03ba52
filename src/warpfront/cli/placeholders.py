"""Commands with {parameter} placeholders."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_QUOTES = ("'", '"')
_COMMENT = re.compile(r"(?<![^\s;&|()])#.*")


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
    """The first placeholder in quotes of a shell command, with its quote; quoting would undo it.

    What ``$(...)`` runs is a command of its own, also in double quotes.

    Examples
    --------
    >>> quoted_placeholder("train '{kind}'")
    "'{kind}"
    >>> print(quoted_placeholder('echo "$(train {kind})"'))
    None
    """
    opened: list[tuple[str, int]] = []  # what ends each quote and parenthesis, and where it began
    at = 0
    while at < len(text):
        end, since = opened[-1] if opened else ("", 0)
        escape = text[at] == "\\" and end != "'"
        piece = _PIECE.match(text, at + escape)
        if piece is not None:
            if piece.group(1) is not None and (escape or end in _QUOTES):
                return text[since if end in _QUOTES else at : piece.end()]
            at = piece.end()
        elif escape:
            at += 2
        elif text[at] == end:
            opened.pop()
            at += 1
        elif text.startswith("$(", at) and end != "'":
            opened.append((")", at))
            at += 2
        elif end in _QUOTES:
            at += 1
        elif comment := _COMMENT.match(text, at):
            at = comment.end()
        else:
            if text[at] in (*_QUOTES, "("):
                opened.append((")" if text[at] == "(" else text[at], at))
            at += 1
    return None
