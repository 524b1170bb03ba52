"""The text of an expression: its tokens, its syntax tree, and errors that show the place.

Texts are read in two steps. Our own scanner admits numbers, names, quoted names and values, and a
few operators, and replaces what is quoted by underscores of the same length. What is left goes to
``ast.parse``; it is never compiled or run.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field

from warpfront.errors import SpaceError

MAX_LENGTH = 10_000
"""Characters; a sum of a thousand parameters is shorter."""
MAX_DEPTH = 40
"""How deeply brackets, and operations inside each other, may be nested."""
MAX_PREFIXES = 4
"""How many signs or ``not`` may follow each other."""
QUOTES = "`\"'"
"""Backticks are for names, the others for values."""
SHOWN = 76
"""How much of a long text an error shows."""

_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_NAME = re.compile(r"[^\W\d]\w*")
_OPERATORS = re.compile(r"\*\*|//|<=|>=|==|!=|[-+*/%<>(),\[\]]")
_HINTS = {
    "=": "use == to compare",
    "&": "use 'and'",
    "|": "use 'or'",
    "!": "use 'not', or != to compare",
    "~": "use 'not'",
    "^": "use ** for a power",
    ".": "attributes are not part of the language",
    "#": "comments are not part of the language",
    ":": "only an expression is expected",
    ";": "give several constraints in a list",
    "{": "use round brackets",
    "}": "use round brackets",
    "\\": "it is not part of the language",
    "@": "it is not part of the language",
}


@dataclass
class Source:
    """A text with what its quotes hold, by where they start.

    Examples
    --------
    >>> source = scan('`learning rate` < 0.1 or kernel == "rbf"')
    >>> source.names, source.texts
    ({0: 'learning rate'}, {35: 'rbf'})
    >>> source.masked
    '_______________ < 0.1 or kernel == _____'
    """

    text: str
    masked: str = ""
    names: dict[int, str] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)

    def error(self, place: int, message: str) -> SpaceError:
        """An error about the character at a place."""
        text = "".join(c if c.isprintable() else " " for c in self.text)
        start = 0 if len(text) <= SHOWN else max(0, min(place - SHOWN // 2, len(text) - SHOWN))
        window = text[start : start + SHOWN]
        name = text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
        return SpaceError(
            f"constraint {name!r}: {message}\n    {window}\n    {' ' * (place - start)}^"
        )

    def place(self, node: ast.expr) -> int:
        """Where a node of the syntax tree starts, in characters."""
        return len(self.masked.encode()[: node.col_offset].decode())

    def name(self, node: ast.Name) -> str:
        """The name as it was written; Python would normalise unusual letters."""
        place = self.place(node)
        if place in self.names:
            return self.names[place]
        end = len(self.masked.encode()[: node.end_col_offset].decode())
        return self.masked[place:end]


def parse(text: str) -> tuple[Source, ast.expr]:
    """Read a text as far as its syntax goes, or raise an error that shows the place.

    Examples
    --------
    >>> source, tree = parse("a + b <= 1")
    >>> type(tree).__name__
    'Compare'
    >>> parse("a + b = 1")
    Traceback (most recent call last):
    warpfront.errors.SpaceError: constraint 'a + b = 1': unexpected '='; use == to compare
        a + b = 1
              ^
    """
    source = scan(text)
    try:
        tree = ast.parse(source.masked, mode="eval").body
    except SyntaxError as error:
        end = len(source.text)
        place = min(error.offset - 1, end) if error.offset else end
        raise source.error(place, "cannot be read from here on") from None
    except (ValueError, MemoryError, RecursionError, OverflowError):
        raise source.error(0, "is too long; split it into several constraints") from None
    return source, tree


def scan(text: str) -> Source:
    """Split a text into tokens and mask what is quoted."""
    source = Source(text.strip())
    text = source.text
    if len(text) > MAX_LENGTH:
        raise source.error(
            0, f"is longer than {MAX_LENGTH} characters; split it into several constraints"
        )
    if not text:
        raise source.error(0, "is empty; give a condition, such as 'a + b <= 1'")
    place, depth, prefixes = 0, 0, 0
    masked: list[str] = []
    while place < len(text):
        token = _token(source, place)
        if token.isspace():
            masked.append(" ")
        else:
            masked.append("_" * len(token) if token[0] in QUOTES else token)
            depth += (token in ("(", "[")) - (token in (")", "]"))
            prefixes = prefixes + 1 if token in ("not", "-", "+") else 0
        if depth > MAX_DEPTH or prefixes > MAX_PREFIXES:
            raise source.error(place, "is nested too deeply; split it into several constraints")
        place += len(token)
    source.masked = "".join(masked)
    return source


def _token(source: Source, place: int) -> str:
    text = source.text
    character = text[place]
    if character.isspace():
        return character
    if character in QUOTES:
        return _quoted(source, place)
    if found := _NUMBER.match(text, place):
        following = text[found.end() : found.end() + 1]
        if following and (following.isalnum() or following in "_." + QUOTES):
            raise source.error(place, "this is not a number; put unusual names in `backticks`")
        if len(found.group()) > 40 or not abs(float(found.group())) <= 1e100:
            raise source.error(place, "this number is too large")
        return found.group()
    if found := _NAME.match(text, place):
        if found.end() < len(text) and text[found.end()] in QUOTES:
            raise source.error(place, "a quote must stand by itself, without letters before it")
        if not found.group().isidentifier():
            raise source.error(place, "put unusual names in `backticks`")
        return found.group()
    if found := _OPERATORS.match(text, place):
        return found.group()
    hint = _HINTS.get(character, "put unusual names in `backticks`")
    raise source.error(place, f"unexpected {character!r}; {hint}")


def _quoted(source: Source, place: int) -> str:
    """A quoted name or value; the quote itself is written twice inside."""
    text, quote, end = source.text, source.text[place], place + 1
    while True:
        end = text.find(quote, end)
        if end < 0:
            raise source.error(place, f"the quote {quote} is not closed")
        if text[end + 1 : end + 2] != quote:
            break
        end += 2
    following = text[end + 1 : end + 2]
    if following and (following.isalnum() or following in "_" + QUOTES):
        raise source.error(end + 1, "an operator is missing after the quote")
    inner = text[place + 1 : end].replace(quote * 2, quote)
    (source.names if quote == "`" else source.texts)[place] = inner
    return text[place : end + 1]
