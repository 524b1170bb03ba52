"""The arithmetic of expressions: from syntax trees to typed number nodes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import cast

from warpfront.space.choice import Choice
from warpfront.space.columns import Columns
from warpfront.space.nodes import Condition, Count
from warpfront.space.parameter import Parameter
from warpfront.space.quantities import Column, Constant, Number, Operation
from warpfront.space.scope import ARGUMENTS, Scope
from warpfront.space.syntax import MAX_DEPTH, parse

MAX_EXPONENT = 100
"""Larger constant exponents are a mistake."""
MAX_CONSTANT = 1e100
"""Larger numbers are a mistake."""

MAX_WORK = 20_000
"""How many nodes are compiled at most; a sum of a thousand parameters has two thousand."""

ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
}
WHOLE_RESULTS = ("+", "-", "*", "//", "%", "min", "max", "abs")
"""What gives a whole number from whole numbers."""


class Arithmetic:
    """Compiles the numbers of a text; what a condition is, a subclass says.

    Parameters
    ----------
    text
        A text in the language of :mod:`warpfront.space.expressions`.
    parameters
        The named parameters, in the order of the columns.

    Examples
    --------
    >>> from warpfront import Real
    >>> arithmetic = Arithmetic("2 * a + 1", {"a": Real(0, 1)})
    >>> arithmetic.number(arithmetic.tree).name
    '+'
    """

    def __init__(self, text: str, parameters: Mapping[str, Parameter]) -> None:
        self.source, self.tree = parse(text)
        self.scope = Scope(self.source, parameters)
        self.parameters = self.scope.parameters
        self.depth = self.work = 0

    @contextmanager
    def _inside(self, node: ast.expr) -> Iterator[None]:
        """Count how deep and how long the work is; conditions in ``count`` are compiled twice."""
        self.depth, self.work = self.depth + 1, self.work + 1
        if self.depth > MAX_DEPTH or self.work > MAX_WORK:
            raise self.scope.error(node, "is nested too deeply; split it into several constraints")
        yield
        self.depth -= 1

    def condition(self, node: ast.expr, wanted: bool) -> Condition:
        """The condition that a node, or its opposite if not wanted, stands for."""
        raise NotImplementedError

    def number(self, node: ast.expr) -> Number:
        """The number that a node stands for."""
        with self._inside(node):
            return self._number_of(node)

    def _number_of(self, node: ast.expr) -> Number:
        kind = self.scope.kind(node)
        if kind != "number":
            hint = "; count(...) turns conditions into a number" if kind == "boolean" else ""
            raise self.scope.error(
                node, f"a number is expected, not {self.scope.described(node)}{hint}"
            )
        if isinstance(node, ast.Constant):
            value = float(cast(float, node.value))
            return Constant(value, integral=value.is_integer())
        if isinstance(node, ast.Name):
            j = self.scope.column(node)
            return Column(j, columns=frozenset([j]), integral=self._is_whole(self.parameters[j]))
        if isinstance(node, ast.UnaryOp):
            inner = self.number(node.operand)
            return self._operation("-", [inner], node) if isinstance(node.op, ast.USub) else inner
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node)
        return self._call(cast(ast.Call, node))

    def _arithmetic(self, node: ast.BinOp) -> Number:
        if type(node.op) not in ARITHMETIC:
            raise self.scope.error(node, "this operator is not part of the language")
        name = ARITHMETIC[type(node.op)]
        if name not in ("+", "-", "*"):
            left, right = self.number(node.left), self.number(node.right)
            if name == "**" and isinstance(right, Constant) and abs(right.value) > MAX_EXPONENT:
                raise self.scope.error(
                    node.right, f"an exponent beyond {MAX_EXPONENT} is not allowed"
                )
            return self._operation(name, [left, right], node)
        alike = (ast.Mult,) if name == "*" else (ast.Add, ast.Sub)
        terms, first = [], cast(ast.expr, node)
        while isinstance(first, ast.BinOp) and isinstance(first.op, alike):  # however long
            term = self.number(first.right)
            negative = isinstance(first.op, ast.Sub)
            terms.append(self._operation("-", [term], first.right) if negative else term)
            first = first.left
        terms.append(self.number(first))
        return self._operation("*" if name == "*" else "+", terms[::-1], node)

    def _call(self, node: ast.Call) -> Number:
        name = self.scope.name(cast(ast.Name, node.func))
        least, most = ARGUMENTS[name]
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.scope.error(node, f"{name}(...) takes plain arguments only")
        if len(node.args) < least or (most is not None and len(node.args) > most):
            wanted = f"{least} argument{'s' * (least > 1)}" + ("" if most else " or more")
            raise self.scope.error(node, f"{name}(...) takes {wanted}, not {len(node.args)}")
        if name != "count":
            return self._operation(name, [self.number(a) for a in node.args], node)
        conditions = tuple(self.condition(a, True) for a in node.args)
        negations = tuple(self.condition(a, False) for a in node.args)
        return Count(conditions, negations, columns=columns_of(conditions), integral=True)

    def _operation(self, name: str, arguments: Sequence[Number], node: ast.expr) -> Number:
        integral = name in WHOLE_RESULTS and all(a.integral for a in arguments)
        if name == "**" and isinstance(arguments[1], Constant):
            integral = all(a.integral for a in arguments) and arguments[1].value >= 0
        operation = Operation(
            name, tuple(arguments), columns=columns_of(arguments), integral=integral
        )
        if operation.columns or any(not isinstance(a, Constant) for a in arguments):
            return operation
        value = float(operation.values(cast(Columns, SimpleNamespace(n=1)))[0])
        if not abs(value) <= MAX_CONSTANT:
            raise self.scope.error(node, "this number is undefined, or too large")
        return Constant(value, integral=value.is_integer())

    @staticmethod
    def _is_whole(parameter: Parameter) -> bool:
        if isinstance(parameter, Choice):
            return all(float(number).is_integer() for number in parameter.choices)
        return parameter.kind == "integer"


def columns_of(parts: Sequence[Condition] | Sequence[Number]) -> frozenset[int]:
    """All columns that some nodes mention."""
    return frozenset().union(*(part.columns for part in parts))
