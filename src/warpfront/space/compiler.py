"""From syntax trees to typed nodes: what a text means for the parameters of one space.

Every construct that is not named here is refused. Conditions are compiled together with whether
they should hold, so that ``not`` turns comparisons round and leaves no trace.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, cast

from warpfront.space import nodes
from warpfront.space.arithmetic import Arithmetic, columns_of
from warpfront.space.choice import Choice
from warpfront.space.linear import difference
from warpfront.space.nodes import Condition, Count
from warpfront.space.numeric import Numeric
from warpfront.space.quantities import Column, Constant

ROUNDING = 1e-12
"""What computed numbers may differ from each other by rounding, as a share of their size."""
EQUALITY = 1e-9
"""The same for ``==`` and ``!=``; also the tolerance of sums that must have a given value."""
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
OPPOSITE |= {"in": "not in", "not in": "in"}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class Compiler(Arithmetic):
    """Compiles one text for the parameters of a space.

    Parameters
    ----------
    text
        A condition in the language of :mod:`warpfront.space.expressions`.
    parameters
        The named parameters, in the order of the columns.

    Examples
    --------
    >>> from warpfront import Real
    >>> Compiler("a <= b", {"a": Real(0, 1), "b": Real(0, 1)}).compile().operator
    '<='
    """

    def compile(self) -> Condition:
        """The compiled condition; raises an error that shows the place."""
        condition = self.condition(self.tree, True)
        if not condition.columns:
            raise self.scope.error(self.tree, "no parameter is mentioned")
        return condition

    # --- Conditions ----------------------------------------------------------------------------

    def condition(self, node: ast.expr, wanted: bool) -> Condition:
        with self._inside(node):
            return self._condition_of(node, wanted)

    def _condition_of(self, node: ast.expr, wanted: bool) -> Condition:
        if isinstance(node, ast.BoolOp):
            parts = [self.condition(value, wanted) for value in node.values]
            return _joined(parts, isinstance(node.op, ast.And) == wanted)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.condition(node.operand, not wanted)
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            parts = [
                self._compare(op, left, right, wanted)
                for op, left, right in zip(node.ops, sides, sides[1:], strict=False)
            ]
            return _joined(parts, wanted)
        kind = self.scope.kind(node)
        if kind == "boolean":
            value = self.scope.literal(node)
            if value is not None:
                return nodes.ConstantCondition(bool(value) == wanted)
            return self._lookup(self.scope.column(node), [not wanted, wanted])
        if kind == "number":
            self.number(node)  # an error inside comes first
            raise self.scope.error(
                node, "this is a number; compare it with something, as in 'a > 0'"
            )
        if kind == "choice":
            raise self.scope.error(
                node, "this is not a condition; compare it with a value, as in 'c == \"x\"'"
            )
        raise self.scope.error(node, "this is a value; compare a parameter with it")

    def _compare(self, op: ast.cmpop, left: ast.expr, right: ast.expr, wanted: bool) -> Condition:
        if type(op) not in COMPARISONS:
            raise self.scope.error(left, "'is' is not part of the language; use == or !=")
        operator = COMPARISONS[type(op)]
        operator = operator if wanted else OPPOSITE[operator]
        if operator in ("in", "not in"):
            return self._membership(left, right, operator == "in")
        kinds = self.scope.kind(left), self.scope.kind(right)
        if kinds == ("number", "number"):
            return self._numbers(operator, left, right)
        if kinds == ("boolean", "boolean") and operator in ("==", "!="):
            return self._equivalent(left, right, operator == "==")
        if kinds == ("choice", "choice"):
            return self._choices(operator, left, right)
        if kinds[0] == "choice" and self.scope.is_literal(right):
            return self._choice(operator, left, right)
        if kinds[1] == "choice" and self.scope.is_literal(left):
            return self._choice(MIRRORED[operator], right, left)
        if "list" in kinds:
            raise self.scope.error(
                right if kinds[1] == "list" else left, "use 'in' with a list of values"
            )
        if kinds == ("boolean", "boolean"):
            raise self.scope.error(left, "conditions have no order; use == or !=")
        raise self.scope.error(
            right,
            f"{self.scope.described(left)} cannot be compared with {self.scope.described(right)}",
        )

    def _membership(self, left: ast.expr, right: ast.expr, inside: bool) -> Condition:
        if not isinstance(right, (ast.Tuple, ast.List)) or not right.elts:
            raise self.scope.error(
                right, 'a list of values is expected after \'in\', such as ("a", "b")'
            )
        compare: ast.cmpop = ast.Eq() if inside else ast.NotEq()
        parts = [self._compare(compare, left, element, True) for element in right.elts]
        if not all(isinstance(part, nodes.Lookup) for part in parts):
            return _joined(parts, not inside)
        tables = [cast(nodes.Lookup, part).degrees for part in parts]
        merge = min if inside else max
        first = cast(nodes.Lookup, parts[0])
        degrees = tuple(merge(column) for column in zip(*tables, strict=True))
        return nodes.Lookup(first.j, degrees, columns=first.columns)

    def _numbers(self, operator: str, left: ast.expr, right: ast.expr) -> Condition:
        a, b = self.number(left), self.number(right)
        place = self.source.place(left)
        if isinstance(b, Count) and not isinstance(a, Count):
            a, b, operator = b, a, MIRRORED[operator]
        columns = a.columns | b.columns
        if isinstance(a, Count) and not isinstance(b, Count):
            return nodes.CountBetween(a, cast(Any, operator), b, columns=columns, place=place)
        if operator in (">", ">="):
            a, b, operator = b, a, MIRRORED[operator]
        compare = nodes.Compare(cast(Any, operator), a, b, columns=columns, place=place)
        return self._with_tolerance(compare)

    def _with_tolerance(self, compare: nodes.Compare) -> nodes.Compare:
        a, b = compare.left, compare.right
        plain = isinstance(a, (Column, Constant)) and isinstance(b, (Column, Constant))
        if compare.operator in ("==", "!="):  # a real number hardly ever is another one exactly
            plain = plain and all(self.parameters[j].levels for j in compare.columns)
        if plain or (a.integral and b.integral):
            return compare
        share = EQUALITY if compare.operator in ("==", "!=") else ROUNDING
        form = difference(compare)
        absolute = 0.0 if form is None else share * form.magnitude(self._bound)
        relative = share if form is None else 0.0
        return replace(compare, absolute=absolute, relative=relative)

    def _bound(self, j: int) -> float:
        parameter = self.parameters[j]
        if isinstance(parameter, Numeric):
            return float(max(abs(parameter.low), abs(parameter.high)))
        return float(max(abs(parameter.numbers(parameter.positions()))))

    def _equivalent(self, left: ast.expr, right: ast.expr, equal: bool) -> Condition:
        both = _joined([self.condition(left, True), self.condition(right, equal)], True)
        none = _joined([self.condition(left, False), self.condition(right, not equal)], True)
        return _joined([both, none], False)

    def _choice(self, operator: str, left: ast.expr, right: ast.expr) -> Condition:
        j = self.scope.column(left)
        parameter = cast(Choice, self.parameters[j])
        value = self.scope.literal(right)
        code = parameter.code_of(value)
        if code is None:
            close = get_close_matches(str(value), [str(c) for c in parameter.choices], 1)
            choices = ", ".join(map(repr, parameter.choices[:8]))
            meant = f"did you mean {close[0]!r}?" if close else f"they are {choices}"
            raise self.scope.error(
                right, f"{value!r} is not among the choices of {self.scope.name(left)!r}; {meant}"
            )
        if operator not in ("==", "!=") and parameter.kind != "ordinal":
            raise self.scope.error(
                left, "the values of this parameter have no order; make it Ordinal"
            )
        return self._lookup(j, [_holds(operator, k, code) for k in range(parameter.levels)])

    def _lookup(self, j: int, allowed: Sequence[bool]) -> nodes.Lookup:
        """A condition that holds for some codes; elsewhere the distance to the nearest of them."""
        ordered = self.parameters[j].kind == "ordinal"
        good = [k for k, holds in enumerate(allowed) if holds]
        degrees = []
        for k, holds in enumerate(allowed):
            distance = min((abs(k - g) for g in good), default=math.inf)
            degrees.append(0.0 if holds else float(distance if ordered or not good else 1))
        return nodes.Lookup(j, tuple(degrees), columns=frozenset([j]))

    def _choices(self, operator: str, left: ast.expr, right: ast.expr) -> Condition:
        j, k = self.scope.column(left), self.scope.column(right)
        if operator not in ("==", "!="):
            raise self.scope.error(
                left, "two parameters of listed values can be compared with == and != only"
            )
        first, second = (cast(Choice, self.parameters[i]).texts for i in (j, k))
        known = {text: i for i, text in enumerate(dict.fromkeys(first + second))}
        identities = tuple(known[t] for t in first), tuple(known[t] for t in second)
        return nodes.Same(j, k, identities, operator == "==", columns=frozenset([j, k]))


def _holds(operator: str, code: int, other: int) -> bool:
    return {
        "==": code == other,
        "!=": code != other,
        "<": code < other,
        "<=": code <= other,
        ">": code > other,
        ">=": code >= other,
    }[operator]


def _joined(parts: Sequence[Condition], all_of_them: bool) -> Condition:
    """Several conditions as one; nested ones of the same sort are merged."""
    sort: type[nodes.AllOf] | type[nodes.AnyOf] = nodes.AllOf if all_of_them else nodes.AnyOf
    flat: list[Condition] = []
    for part in parts:
        flat += part.parts if isinstance(part, sort) else (part,)
    return flat[0] if len(flat) == 1 else sort(tuple(flat), columns=columns_of(flat))
