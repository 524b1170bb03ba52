"""Hooks of MkDocs: a tolerant navigation, the gallery, and links that leave the folder docs/."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(\]\()((?:(?:\.\./)+|gallery/)[^)#\s]*)(#[^)\s]*)?(\))")

ROLE = re.compile(r":(?:class|func|meth|attr|data|mod|exc):<code>(?:~[\w.]*?)?(\w+|[\w.]+)</code>")


def on_config(config: Any) -> Any:
    """Leave out what the navigation names and what is not there, and put the gallery in."""
    config.nav = [entry for entry in map(_kept, config.nav) if entry]
    return config


def _kept(entry: Any) -> Any:
    if isinstance(entry, str):
        return entry if (ROOT / "docs" / entry).is_file() else None
    ((title, where),) = entry.items()
    if isinstance(where, list):
        where = [inner for inner in map(_kept, where) if inner]
    elif where == "gallery":
        where = sorted(
            (path.relative_to(ROOT / "docs").as_posix() for path in _gallery()),
            key=lambda name: (not name.endswith("index.md"), name),
        )
    elif not (ROOT / "docs" / where).is_file():
        return None
    return {title: where} if where else None


def _gallery() -> list[Path]:
    return list((ROOT / "docs" / "gallery").glob("*.md"))


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Links to files outside docs/ become links to the repository."""
    folder = posixpath.dirname(page.file.src_uri)

    def link(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join("docs", folder, match[2]))
        if target.startswith("docs/gallery/") and not (ROOT / target).exists():
            target = target.replace("docs/", "examples/").replace(".md", ".py")
        if target.startswith("docs/") or not (ROOT / target).exists():
            return match[0]  # MkDocs checks those
        kind = "tree" if (ROOT / target).is_dir() else "blob"
        return f"{match[1]}{config.repo_url}/{kind}/main/{target}{match[3] or ''}{match[4]}"

    return LINK.sub(link, markdown)


def on_page_content(html: str, **_: Any) -> str:
    """Roles of reStructuredText in docstrings become plain code."""
    return ROLE.sub(r"<code>\1</code>", html)
