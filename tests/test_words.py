"""The words of messages, docstrings and pages: those of the field, and plain English."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRIVATE = re.compile(
    r"\b(calm|excursions?|polish(ed)?|second opinion|clear of (zero|chance)"
    r"|(is|are) no (valid|suggestion|TOML|YAML|JSON|number|space|goal|configuration|constants?))\b",
    re.IGNORECASE,
)
"""Words of version 0.1 that nobody outside knew, and "is no X" for "is not an X"."""
FILES = [
    *(ROOT / "src").rglob("*.py"),
    *(ROOT / "examples").rglob("*.py"),
    *(page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "appendix"),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
]


@pytest.mark.parametrize("folder", ["src", "examples", "docs", "."])
def test_no_private_words(folder):
    mine = [f for f in FILES if (f.relative_to(ROOT).parts[:-1] or (".",))[0] == folder]
    assert mine
    found = {
        f"{file.relative_to(ROOT)}: {match[0]}"
        for file in mine
        for match in PRIVATE.finditer(file.read_text(encoding="utf-8"))
    }
    assert found == set()
