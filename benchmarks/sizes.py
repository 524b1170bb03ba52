"""``python -m benchmarks sizes``: how much there is to read in the rooms that make suggestions.

Counted are the constants at the top of the modules, without aliases of types and names that begin
and end with two underscores, and for every function its lines, with its signature and docstring,
and its branches: ``if`` and ``elif``, conditional expressions, loops, comprehensions, ``except``,
``case``, and every chain of ``and`` or ``or``.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.workers.environment import REPOSITORY

PACKAGE = REPOSITORY / "src" / "warpfront"

ROOMS = ("surrogate", "acquisition", "search", "proposers", "optimizers", "portfolio.py")
"""What a suggestion passes through. Version 0.1 has no proposers and no portfolio of its own."""

BRANCHES = (
    *(ast.If, ast.IfExp, ast.For, ast.While, ast.comprehension),
    *(ast.ExceptHandler, ast.match_case, ast.BoolOp),
)


@dataclass(frozen=True)
class Function:
    """One function or method."""

    place: str
    lines: int
    branches: int


@dataclass(frozen=True)
class Sizes:
    """What was counted."""

    constants: tuple[str, ...]
    """As ``room/module.NAME``."""
    aliases: tuple[str, ...]
    """Names for types, of the same form."""
    functions: tuple[Function, ...]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parser.add_argument(
        "--package", type=Path, default=PACKAGE, help="a package of warpfront (src/warpfront)"
    )
    parser.add_argument("--list", action="store_true", help="name the constants, too")


def execute(options: argparse.Namespace) -> int:
    """Count, print, and return the exit status."""
    sizes = measure(options.package)
    longest = max(sizes.functions, key=lambda function: function.lines)
    widest = max(sizes.functions, key=lambda function: function.branches)
    print(f"constants: {len(sizes.constants)}, and {len(sizes.aliases)} names for types")
    print(f"functions: {len(sizes.functions)}")
    print(f"longest function: {longest.place}, {longest.lines} lines")
    print(f"most branches: {widest.place}, {widest.branches}")
    if options.list:
        print("\n".join(sizes.constants))
    return 0


def measure(package: Path, rooms: tuple[str, ...] = ROOMS) -> Sizes:
    """Count in those of the rooms that the package has."""
    constants: list[str] = []
    aliases: list[str] = []
    functions: list[Function] = []
    for path in _modules(package, rooms):
        place = path.relative_to(package).with_suffix("").as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        # As a mapping: a constant that is computed in two statements is one.
        for name, value in dict(_named(tree)).items():
            (aliases if _is_type(value) else constants).append(f"{place}.{name}")
        functions += _functions(tree, place)
    return Sizes(tuple(constants), tuple(aliases), tuple(functions))


def _modules(package: Path, rooms: tuple[str, ...]) -> Iterator[Path]:
    for room in rooms:
        path = package / room
        yield from [path] if path.is_file() else sorted(path.rglob("*.py"))


def _named(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Names that the module binds to values, and the values."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            targets: list[ast.expr] = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        else:
            continue
        for target in targets:
            if isinstance(target, ast.Name) and node.value and not target.id.startswith("__"):
                yield target.id, node.value


def _is_type(value: ast.expr) -> bool:
    """Whether an expression makes a type: ``NDArray[...]``, ``A | B`` or a type variable."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id == "TypeVar"
    is_union = isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr)
    return is_union or isinstance(value, ast.Subscript)


def _functions(tree: ast.Module, place: str) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            branches = sum(isinstance(part, BRANCHES) for part in ast.walk(node))
            yield Function(f"{place}.{node.name}", lines, branches)
