"""`make mutation`: small changes to the numerical core, and how many of them its tests notice.

Each change is made to a copy of the source, one at a time: a comparison, an arithmetic or boolean
operator, a condition, a number or a returned value. The tests of the part that it belongs to are
run until one fails. The changes are a seeded sample; ``--changes 0`` makes all of them.

Some changes leave the behaviour as it is, such as ``<`` for ``<=`` between floats: no test can
notice these, and they count as missed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "warpfront"
PARTS = {
    "space": ["tests/space", "tests/properties/test_spaces.py"],
    "dataset.py": ["tests/test_dataset.py"],
    "surrogate": ["tests/surrogate", "tests/contracts"],
    "acquisition": ["tests/acquisition"],
    "search": ["tests/search", "tests/space/test_constraints.py"],
    "proposers": ["tests/proposers", "tests/contracts/test_proposers.py"],
}
"""The tests of each part."""
LIMIT = 600.0
"""Seconds for the tests of a change; one that makes them hang was noticed."""
SWAPS: dict[type, type] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Change:
    """One change of a file: which of those that are possible, where, and to what."""

    file: Path
    index: int
    line: int
    what: str


def places(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """The nodes that can be changed; messages of errors and annotations are left alone."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Raise, ast.JoinedStr, ast.Assert)):
            continue
        if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
            yield node, "comparison"
        elif isinstance(node, (ast.BinOp, ast.AugAssign)) and type(node.op) in SWAPS:
            yield node, "arithmetic"
        elif isinstance(node, ast.BoolOp):
            yield node, "and, or"
        elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
            yield node, "condition"
        elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
            yield node, "number"
        elif isinstance(node, ast.Return) and node.value is not None:
            yield node, "returned value"
        skipped = {"annotation", "returns", "decorator_list", "type_params"}
        for name, value in ast.iter_fields(node):
            if name not in skipped:
                children = value if isinstance(value, list) else [value]
                pending += [child for child in children if isinstance(child, ast.AST)]


def apply(node: ast.AST) -> None:
    """Change a node of a tree."""
    if isinstance(node, ast.Compare):
        node.ops[0] = SWAPS[type(node.ops[0])]()
    elif isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)):
        node.op = SWAPS[type(node.op)]()
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Constant):
        value = node.value
        node.value = not value if isinstance(value, bool) else value + 1
    elif isinstance(node, ast.Return):
        node.value = ast.Constant(None)


def changes(file: Path) -> list[Change]:
    """All changes of a file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [
        Change(file, i, getattr(node, "lineno", 0), what)
        for i, (node, what) in enumerate(places(tree))
    ]


def changed(change: Change) -> str:
    """The text of a file with one change."""
    tree = copy.deepcopy(ast.parse(change.file.read_text(encoding="utf-8")))
    for i, (node, _) in enumerate(places(tree)):
        if i == change.index:
            apply(node)
            break
    return ast.unparse(ast.fix_missing_locations(tree))


def tests_of(part: str, file: Path) -> list[str]:
    """The tests of a part, those of the file first."""
    own = ROOT / PARTS[part][0] / f"test_{file.name}"
    first = [str(own.relative_to(ROOT))] if own.is_file() else []
    return first + PARTS[part]


def passes(tests: list[str], copied: Path) -> bool:
    """Whether the tests pass with the copied source."""
    environment = {**os.environ, "PYTHONPATH": str(copied.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, check=False, capture_output=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def is_noticed(change: Change, part: str, copied: Path) -> bool:
    """Whether a test fails with this change."""
    target = copied / change.file.relative_to(SOURCE)
    before = target.read_text(encoding="utf-8")
    target.write_text(changed(change), encoding="utf-8")
    try:
        return not passes(tests_of(part, change.file), copied)
    finally:
        target.write_text(before, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", type=int, default=20, help="of each part; 0: all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", nargs="*", default=list(PARTS))
    options = parser.parse_args()
    noticed, made = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="warpfront-mutation-") as folder:
        copied = Path(folder) / "warpfront"
        shutil.copytree(SOURCE, copied, ignore=shutil.ignore_patterns("__pycache__"))
        for part in options.parts:
            path = SOURCE / part
            files = [path] if path.is_file() else sorted(path.rglob("*.py"))
            found = [change for file in files for change in changes(file)]
            if options.changes:
                rng = random.Random(options.seed)  # noqa: S311
                found = rng.sample(found, min(options.changes, len(found)))
            if not passes(PARTS[part], copied):
                sys.exit(f"the tests of {part} fail without any change")
            for change in found:
                made[part] += 1
                if is_noticed(change, part, copied):
                    noticed[part] += 1
                else:
                    where = f"{change.file.relative_to(ROOT)}:{change.line}"
                    print(f"missed: {where} ({change.what})", file=sys.stderr, flush=True)
    print("| part | changes | noticed |\n|---|---|---|")
    for part, n in [*made.items(), ("all", made.total())]:
        share = (noticed.total() if part == "all" else noticed[part]) / max(n, 1)
        print(f"| {part} | {n} | {share:.0%} |")


if __name__ == "__main__":
    main()
