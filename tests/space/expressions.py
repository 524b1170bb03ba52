"""Random expressions with a reference: written as text, and judged in plain Python.

The reference knows nothing of the parser: it looks at one configuration with Python's own numbers.
It answers True, False, or None where it cannot be sure: where rounding decides, or where an
inactive parameter is mentioned (see :func:`judge`).
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from warpfront import Boolean, Categorical, Integer, Ordinal, Real, Space

UNDEFINED = (ZeroDivisionError, OverflowError, ValueError)
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
CLOSE = 1e-7
"""Numbers that are closer, relative to what they are made of, may compare either way."""


@dataclass(frozen=True)
class Node:
    """One construct: its kind, its text, and what it is made of."""

    kind: str
    text: str
    parts: tuple[Any, ...] = ()


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def value_text(value: Any) -> str:
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"'
    return {True: "true", False: "false", None: "none"}[value]


# --- Numbers -----------------------------------------------------------------------------------


@st.composite
def numbers(draw: st.DrawFn, space: Space, depth: int = 2) -> Node:
    """Numbers over the numeric parameters of a space."""
    names = [name for name in space if space[name].is_number]
    leaves = ["constant", "name", "name"] if names else ["constant"]
    kind = draw(st.sampled_from(leaves + (["sum", "call", "operation"] if depth else [])))
    if kind == "constant":
        value = draw(st.integers(0, 5) | st.sampled_from([0.25, 0.5, 2.5, 10.0]))
        return Node("constant", repr(value), (value,))
    if kind == "name":
        name = draw(st.sampled_from(names))
        return Node("name", quoted(name), (name,))
    inner = [draw(numbers(space, depth - 1)) for _ in range(2)]
    if kind == "call":
        function = draw(st.sampled_from(["min", "max", "abs", "sqrt", "log", "exp"]))
        inner = inner if function in ("min", "max") else inner[:1]
        return Node("call", f"{function}({', '.join(n.text for n in inner)})", (function, *inner))
    symbol = draw(st.sampled_from("+-*" if kind == "sum" else ["/", "//", "%", "**"]))
    if symbol == "**":
        inner[1] = Node("constant", "2", (2,))
    return Node("operation", f"({inner[0].text} {symbol} {inner[1].text})", (symbol, *inner))


def number(node: Node, config: dict[str, Any]) -> tuple[float, float]:
    """The value of a number in a configuration, and the size of what it is made of."""
    if node.kind == "constant":
        return node.parts[0], abs(node.parts[0])
    if node.kind == "name":
        value = config[node.parts[0]]
        return value, abs(value)
    what, *inner = node.parts
    values, sizes = zip(*(number(n, config) for n in inner), strict=True)
    if what in ("min", "max", "abs"):
        value = {"min": min, "max": max, "abs": lambda x, *_: abs(x)}[what](*values, *values[:1])
    elif what in ("sqrt", "log", "exp"):
        value = getattr(math, what)(*values)
    else:
        value = {
            "+": operator.add,
            "-": operator.sub,
            "*": operator.mul,
            "/": operator.truediv,
            "//": operator.floordiv,
            "%": operator.mod,
            "**": operator.pow,
        }[what](*map(float, values))
        if what in ("//", "%") and _near_whole(float(values[0]) / float(values[1])):
            raise ArithmeticError("rounding decides")
    if not math.isfinite(value):
        raise OverflowError
    return value, max(abs(value), *sizes)


def _near_whole(x: float) -> bool:
    return abs(x - round(x)) < 1e-7 * max(1.0, abs(x)) and x != round(x)


# --- Conditions ----------------------------------------------------------------------------------


@st.composite
def conditions(draw: st.DrawFn, space: Space, depth: int = 2, *, equal: bool = False) -> Node:
    """Conditions over a space; equalities of numbers only if they may be asked for."""
    kinds = ["compare", "compare", "chain"]
    choices = [n for n in space if not space[n].is_number and space[n].kind != "boolean"]
    choices = [n for n in choices if _texts(space[n])]
    booleans = [n for n in space if space[n].kind == "boolean"]
    kinds += ["choice", "member"] if choices else []
    kinds += ["boolean"] if booleans else []
    kinds += ["and", "or", "not", "count"] if depth else []
    kind = draw(st.sampled_from(kinds))
    if kind == "boolean":
        name = draw(st.sampled_from(booleans))
        return Node("boolean", quoted(name), (name,))
    if kind in ("choice", "member"):
        return draw(_choice_conditions(space, draw(st.sampled_from(choices)), kind))
    if kind == "compare":
        left, right = draw(numbers(space)), draw(numbers(space))
        symbol = draw(st.sampled_from([*COMPARE] if equal else ["<", "<=", ">", ">=", "!="]))
        return Node("compare", f"{left.text} {symbol} {right.text}", (symbol, left, right))
    if kind == "chain":
        a, b, c = (draw(numbers(space, 1)) for _ in range(3))
        first, second = draw(st.sampled_from("<>")), draw(st.sampled_from(["<=", ">="]))
        text = f"({a.text} {first} {b.text} {second} {c.text})"
        parts = (
            Node("compare", "", (first, a, b)),
            Node("compare", "", (second, b, c)),
        )
        return Node("and", text, parts)
    if kind == "not":
        inner = draw(conditions(space, depth - 1))
        return Node("not", f"not ({inner.text})", (inner,))
    inner = tuple(draw(st.lists(conditions(space, depth - 1), min_size=2, max_size=3)))
    if kind == "count":
        symbol, most = draw(st.sampled_from([*COMPARE])), draw(st.integers(0, len(inner)))
        text = f"count({', '.join(n.text for n in inner)}) {symbol} {most}"
        return Node("count", text, (symbol, most, *inner))
    return Node(kind, "(" + f" {kind} ".join(f"({n.text})" for n in inner) + ")", inner)


@st.composite
def sums(draw: st.DrawFn, names: list[str], witness: dict[str, Any]) -> Node:
    """An equality of a sum of parameters, which a configuration satisfies."""
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True))
    total, left = 0.0, None
    for name in chosen:
        c = draw(st.sampled_from([1, 1, 1, 2, -1, 0.5]))
        total += c * witness[name]
        term = Node("name", quoted(name), (name,))
        if c != 1:
            factor = Node("constant", repr(c), (c,))
            term = Node("operation", f"{c!r} * {term.text}", ("*", factor, term))
        text = term.text if left is None else f"{left.text} + {term.text}"
        left = term if left is None else Node("operation", text, ("+", left, term))
    right = Node("constant", repr(total), (total,))
    return Node("compare", f"{left.text} == {right.text}", ("==", left, right))


@st.composite
def counts(draw: st.DrawFn, space: Space, names: list[str], witness: dict[str, Any]) -> Node:
    """A limit of how many parameters are above their lower bound, kept by a configuration."""
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True))
    inner = []
    for name in chosen:
        low = Node("constant", repr(space[name].low), (space[name].low,))
        parts = (">", Node("name", quoted(name), (name,)), low)
        inner.append(Node("compare", f"{quoted(name)} > {low.text}", parts))
    most = sum(judge(node, witness) for node in inner)
    text = f"count({', '.join(n.text for n in inner)}) <= {most}"
    return Node("count", text, ("<=", most, *inner))


def _texts(parameter: Any) -> list[Any]:
    return [c for c in parameter.choices if c is None or isinstance(c, (str, bool))]


@st.composite
def _choice_conditions(draw: st.DrawFn, space: Space, name: str, kind: str) -> Node:
    some = draw(st.lists(st.sampled_from(_texts(space[name])), min_size=1, max_size=3))
    if kind == "choice":
        symbols = [*COMPARE] if isinstance(space[name], Ordinal) else ["==", "!="]
        symbol = draw(st.sampled_from(symbols))
        text = f"{quoted(name)} {symbol} {value_text(some[0])}"
        return Node("choice", text, (space[name], name, symbol, some[0]))
    negated = draw(st.booleans())
    text = f"{quoted(name)} {'not ' * negated}in ({', '.join(map(value_text, some))},)"
    return Node("member", text, (space[name], name, negated, some))


def judge(node: Node, config: dict[str, Any], wanted: bool = True) -> bool | None:
    """Whether a condition (or its opposite) holds; a comparison without its parameter does."""
    if node.kind in ("and", "or"):
        found = [judge(part, config, wanted) for part in node.parts]
        every = (node.kind == "and") == wanted
        if (not every) in found:
            return not every
        return None if None in found else every
    if node.kind == "not":
        return judge(node.parts[0], config, not wanted)
    if node.kind == "count":
        return _judge_count(node, config, wanted)
    if not names_of(node) <= set(config):
        return True
    if node.kind == "compare":
        return _judge_compare(node, config, wanted)
    if node.kind == "boolean":
        return config[node.parts[0]] == wanted
    parameter, name, what, value = node.parts
    code = parameter.code_of(config[name])
    if node.kind == "member":
        return ((code in [parameter.code_of(v) for v in value]) != what) == wanted
    return COMPARE[what](code, parameter.code_of(value)) == wanted


def _judge_compare(node: Node, config: dict[str, Any], wanted: bool) -> bool | None:
    symbol, left, right = node.parts
    try:
        (a, size), (b, other) = number(left, config), number(right, config)
    except UNDEFINED:
        return False
    except ArithmeticError:
        return None
    plain = {left.kind, right.kind} <= {"constant", "name"}
    whole = all(isinstance(v, int) or float(v).is_integer() for v in (a, b, size, other))
    exact = whole or (plain and symbol not in ("==", "!="))
    if not exact and abs(a - b) <= CLOSE * max(size, other):
        return None
    return COMPARE[symbol](a, b) == wanted


def _judge_count(node: Node, config: dict[str, Any], wanted: bool) -> bool | None:
    symbol, most, *inner = node.parts
    found = [judge(n, config) if names_of(n) <= set(config) else False for n in inner]
    if None in found:
        return None
    return COMPARE[symbol](sum(found), most) == wanted


def names_of(node: Node) -> set[str]:
    """The parameters that a node mentions."""
    if node.kind in ("name", "boolean"):
        return {node.parts[0]}
    if node.kind in ("choice", "member"):
        return {node.parts[1]}
    return set().union(*(names_of(part) for part in node.parts if isinstance(part, Node)))


__all__ = ["Boolean", "Categorical", "Integer", "Node", "Real", "conditions", "judge", "names_of"]
