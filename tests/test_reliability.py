"""The page on reliability: each test that it names as a proof is there."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
PROOF = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def names_in(file):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_each_proof_is_a_test():
    proofs = PROOF.findall(PAGE)
    assert len(proofs) > 30
    assert [proof for proof in proofs if proof[1] not in names_in(proof[0])] == []


def test_each_promise_has_a_proof():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "|---" not in line]
    promises = [row for row in rows if "proved by" not in row and "`tests/" in row]
    assert len(promises) > 25
    assert all(PROOF.search(row.split("|")[2]) for row in promises)
