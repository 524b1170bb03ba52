"""Commands with {parameter} placeholders."""

from __future__ import annotations

import json
import os
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


def unspeakable(value: Any) -> str | None:
    r"""What of a value no command can be given, else None.

    Examples
    --------
    >>> unspeakable("one\0two"), unspeakable("relu")
    ('a NUL character', None)
    """
    text = show_value(value)
    if "\0" in text:
        return "a NUL character"
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return "a character that is not valid Unicode"
    return None


def unsafe_placeholder(text: str) -> str | None:
    """Where a value in a shell command would not be one word, and what to do; None: nowhere.

    What ``$(...)`` runs is a command of its own, also in double quotes.

    Examples
    --------
    >>> unsafe_placeholder("train '{kind}'")
    "remove the quotes at '{kind}; values are quoted for the shell anyway"
    >>> print(unsafe_placeholder('echo "$(train {kind})"'))
    None
    """
    return _Shell(text).find()


_PLAIN, _SINGLE, _DOUBLE, _ESCAPED, _COMMAND, _GROUP = "", "'", '"', "$'", "$(", "("
_ENDS = {_SINGLE: "'", _DOUBLE: '"', _ESCAPED: "'", _COMMAND: ")", _GROUP: ")"}
_QUOTED = (_SINGLE, _DOUBLE, _ESCAPED)
_ALL = (_ESCAPED, _COMMAND, _SINGLE, _DOUBLE, _GROUP)
_OPENINGS: dict[str, tuple[str, ...]] = {_SINGLE: (), _ESCAPED: (), _DOUBLE: (_COMMAND,)}
_HERE = re.compile(r"(?<!<)<<(?!<)-?[ \t]*([^\s;|&<>()]+)")
_CASE = re.compile(r"(?<![\w$-])case(?=\s)")
_VARIABLE = "put it into a variable before, as in v={x}, and write $v there"
_ARITHMETIC = "an arithmetic expression, which may run commands; have the program compute"
_BACKQUOTES = "backquotes; write $(...) in their place"


class _Shell:
    """Reads a shell command from left to right, as far as placeholders are concerned."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._opened: list[tuple[str, int]] = []  # what is open, and where it began
        self._documents: list[str] = []  # the last lines of here-documents that begin below

    def find(self) -> str | None:
        at = 0
        while at < len(self._text):
            is_open, since = self._opened[-1] if self._opened else (_PLAIN, 0)
            escape = self._text[at] == "\\" and is_open != _SINGLE
            piece = _PIECE.match(self._text, at + escape)
            is_quoted = escape or is_open in _QUOTED
            if piece is not None and piece.group(1) is not None and is_quoted:
                begin, mark = (since, "quotes") if is_open in _QUOTED else (at, "backslash")
                found = " ".join(self._text[begin : piece.end()].split())
                return f"remove the {mark} at {found}; values are quoted for the shell anyway"
            if piece is not None:
                at = piece.end()
            elif escape:
                at += 2
            elif (region := self._region(at, is_open)) is not None:
                end, what = region
                inside = _PIECE.finditer(self._text, at, end)
                for one in (m.group() for m in inside if m.group(1) is not None):
                    return f"{one} is not safe in {what}"
                at = end
            else:
                at = self._step(at, is_open)
        return None

    def _region(self, at: int, is_open: str) -> tuple[int, str] | None:
        """Where something ends in which no value is safe, and what it is; None: none begins."""
        text = self._text
        if is_open in (_SINGLE, _ESCAPED):
            return None
        if text[at] == "`":
            return self._behind("`", at), _BACKQUOTES
        if text.startswith("$((", at):
            return self._closing(at + 1), _ARITHMETIC
        if text.startswith("$[", at):
            return self._behind("]", at), _ARITHMETIC
        if is_open == _DOUBLE:
            return None
        if text.startswith("((", at):  # a subshell in a subshell is written with a space
            return self._closing(at), _ARITHMETIC
        if here := _HERE.match(text, at):
            self._documents.append(re.sub(r"[\\'\"]", "", here.group(1)))
            return here.end(), "the end mark of a here-document; " + _VARIABLE
        if text[at] == "\n" and self._documents:
            return self._end_of_documents(at), "a here-document; " + _VARIABLE
        if self._opened and _CASE.match(text, at):
            return len(text), "or after 'case' within parentheses; put that into a script"
        return None

    def _behind(self, mark: str, at: int) -> int:
        """Behind the next mark that no backslash precedes."""
        found = re.compile(r"(?:[^\\" + re.escape(mark) + r"]|\\.)*", re.S).match(
            self._text, at + 1 + (mark == "]")
        )
        return min(found.end() + 1, len(self._text)) if found else len(self._text)

    def _closing(self, at: int) -> int:
        """Behind the parenthesis that closes the one at this place."""
        depth = 0
        for i in range(at, len(self._text)):
            depth += {"(": 1, ")": -1}.get(self._text[i], 0)
            if depth == 0:
                return i + 1
        return len(self._text)

    def _end_of_documents(self, at: int) -> int:
        documents, self._documents = self._documents, []
        for last in documents:
            end = re.compile(rf"\n\t*{re.escape(last)}(?=\n|$)").search(self._text, at)
            at = end.end() if end else len(self._text)
        return at

    def _step(self, at: int, is_open: str) -> int:
        text = self._text
        if is_open and text[at] == _ENDS[is_open]:
            self._opened.pop()
            return at + 1
        if is_open not in _QUOTED and (comment := _COMMENT.match(text, at)):
            return comment.end()
        for opening in _OPENINGS.get(is_open, _ALL):
            if text.startswith(opening, at):
                self._opened.append((opening, at))
                return at + len(opening)
        return at + 1
