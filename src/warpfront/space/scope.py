"""What the names and values of an expression stand for in one space, and of which kind they are."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Literal, cast

from warpfront.errors import SpaceError
from warpfront.space.choice import Choice
from warpfront.space.parameter import Parameter
from warpfront.space.syntax import Source

Kind = Literal["number", "boolean", "choice", "text", "none", "list"]
"""``choice`` is a parameter of listed values that are not all numbers."""

ARGUMENTS: dict[str, tuple[int, int | None]] = {
    "min": (2, None),
    "max": (2, None),
    "count": (1, None),
    "abs": (1, 1),
    "log": (1, 1),
    "exp": (1, 1),
    "sqrt": (1, 1),
}
"""The functions, with the least and the largest number of arguments."""
LITERALS = {"true": True, "True": True, "false": False, "False": False, "none": None, "None": None}
"""Names that stand for a value."""
REFUSED: dict[type[ast.expr], str] = {
    ast.Attribute: "attributes are",
    ast.Subscript: "subscripts are",
    ast.Lambda: "'lambda' is",
    ast.IfExp: "'if ... else' is",
    ast.NamedExpr: "':=' is",
    ast.Starred: "'*' before a value is",
    ast.ListComp: "comprehensions are",
    ast.GeneratorExp: "comprehensions are",
}


class Scope:
    """The names of a space, as one text uses them.

    Parameters
    ----------
    source
        The text.
    parameters
        The named parameters, in the order of the columns.

    Examples
    --------
    >>> from warpfront import Real
    >>> from warpfront.space.syntax import parse
    >>> source, tree = parse("a")
    >>> Scope(source, {"a": Real(0, 1)}).kind(tree)
    'number'
    """

    def __init__(self, source: Source, parameters: Mapping[str, Parameter]) -> None:
        self.source = source
        self.parameters = tuple(parameters.values())
        self.columns = {name: j for j, name in enumerate(parameters)}

    def error(self, node: ast.expr, message: str) -> SpaceError:
        """An error about a node, which shows its place."""
        return self.source.error(self.source.place(node), message)

    def kind(self, node: ast.expr) -> Kind:
        """What a node is: number, boolean, choice (a parameter), text, none, or list."""
        if isinstance(node, (ast.Name, ast.Constant)):
            if self.is_literal(node):
                value = self.literal(node)
                return _kind_of_value(value)
            parameter = self.parameters[self.column(node)]
            if parameter.kind == "boolean":
                return "boolean"
            return "number" if parameter.is_number else "choice"
        if isinstance(node, (ast.BoolOp, ast.Compare)):
            return "boolean"
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Invert):
            return "boolean" if isinstance(node.op, ast.Not) else "number"
        if isinstance(node, ast.BinOp):
            return "number"
        if isinstance(node, (ast.Tuple, ast.List)):
            return "list"
        if isinstance(node, ast.Call):
            self._check_function(node)
            return "number"
        what = REFUSED.get(type(node), "this is")
        raise self.error(node, f"{what} not part of the language")

    def _check_function(self, node: ast.Call) -> None:
        functions = ", ".join(sorted(ARGUMENTS))
        if not isinstance(node.func, ast.Name) or self.is_literal(node.func):
            raise self.error(node, f"only these functions can be called: {functions}")
        name = self.name(node.func)
        if name not in ARGUMENTS or self.source.place(node.func) in self.source.names:
            close = get_close_matches(name, ARGUMENTS, 1)
            meant = f"did you mean {close[0]}?" if close else f"there are {functions}"
            raise self.error(node, f"there is no function {name!r}; {meant}")

    def is_literal(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return isinstance(node.operand, ast.Constant) and self.kind(node.operand) == "number"
        if not isinstance(node, ast.Name):
            return False
        place = self.source.place(node)
        return place in self.source.texts or (
            place not in self.source.names and self.name(node) in LITERALS
        )

    def literal(self, node: ast.expr) -> Any:
        """The value of a literal; None if it is not a literal."""
        if isinstance(node, ast.UnaryOp):
            return -self.literal(node.operand)
        if isinstance(node, ast.Constant):
            if isinstance(node.value, (bool, int, float, type(None))):
                return node.value
            raise self.error(node, "this is not part of the language")
        if not isinstance(node, ast.Name):
            return None
        place = self.source.place(node)
        if place in self.source.texts:
            return self.source.texts[place]
        return LITERALS.get(self.name(node)) if place not in self.source.names else None

    def name(self, node: ast.expr) -> str:
        return self.source.name(cast(ast.Name, node))

    def column(self, node: ast.expr) -> int:
        name = self.name(node)
        if name in self.columns:
            return self.columns[name]
        choices = {
            c
            for p in self.parameters
            if isinstance(p, Choice)
            for c in p.choices
            if isinstance(c, str)
        }
        close = get_close_matches(name, self.columns, 1)
        if name in choices:
            meant = f'values need quotes: "{name}"'
        elif name in ARGUMENTS:
            meant = f"{name} is a function: {name}(...)"
        else:
            meant = f"did you mean {close[0]!r}?" if close else f"there are {_some(self.columns)}"
        raise self.error(node, f"unknown name {name!r}; {meant}")

    def described(self, node: ast.expr) -> str:
        kind = self.kind(node)
        named = {"number": "a number", "boolean": "a condition", "text": "a text", "list": "a list"}
        if kind == "choice" or (kind == "boolean" and isinstance(node, ast.Name)):
            return f"{self.name(node)!r} ({type(self.parameters[self.column(node)]).__name__})"
        return named.get(kind, "'none'")


def _kind_of_value(value: Any) -> Kind:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "text"
    return "none" if value is None else "number"


def _some(names: Mapping[str, int]) -> str:
    shown = list(names)[:10]
    return ", ".join(shown) + (", ..." if len(names) > len(shown) else "")
