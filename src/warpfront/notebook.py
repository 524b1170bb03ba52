"""What a notebook shows of trials, spaces, results and optimisers: small tables, escaped.

They have no colours of their own, so that they can be read on a light page and on a dark one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from warpfront.failure import cut
from warpfront.markup import Html, join, tag

MOST_ROWS = 50
"""Of longer tables the first rows are shown."""
LONGEST = 200
"""Characters of a value that are shown."""
LINE = "1px solid rgba(128, 128, 128, 0.35)"
CELL = f"text-align: left; padding: 0.15em 0.8em 0.15em 0; border-bottom: {LINE}"
QUIET = "opacity: 0.7"


def card(heading: str, notes: Sequence[str], rows: Sequence[tuple[str, str]]) -> str:
    """A heading, a line of notes, and a table of names and values.

    Examples
    --------
    >>> print(card("Space", ["1 parameter"], [("x", "Real(0, 1)")]))
    <div class="warpfront"><div><b>Space</b> <span style="...">1 parameter</span></div><table ...
    """
    shown = [tag("tr", _cell("th", name), _cell("td", value)) for name, value in rows[:MOST_ROWS]]
    line = " · ".join(cut(note, LONGEST) for note in notes)
    parts = [tag("div", tag("b", heading), " ", tag("span", line, style=QUIET))]
    if shown:
        look = "border-collapse: collapse; margin: 0.3em 0; background: transparent; color: inherit"
        parts.append(tag("table", tag("tbody", *shown), style=look))
    if len(rows) > len(shown):
        parts.append(tag("div", f"and {len(rows) - len(shown)} more", style=QUIET))
    return str(tag("div", join(*parts), class_="warpfront"))


def _cell(kind: str, text: str) -> Html:
    return tag(kind, cut(text, LONGEST), style=CELL)


def config_rows(config: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The names and values of a configuration, as texts.

    Examples
    --------
    >>> config_rows({"rate": 0.1 + 0.2, "kind": "tree", "layers": [64, 32], "flag": True})
    [('rate', '0.3'), ('kind', 'tree'), ('layers', '[64, 32]'), ('flag', 'True')]
    """
    return [(name, value_text(value)) for name, value in config.items()]


def value_text(value: Any) -> str:
    """A value of a configuration, or a loss, as a short text.

    Examples
    --------
    >>> value_text(1 / 3), value_text(True), value_text("relu"), value_text({"a": [1]})
    ('0.333333', 'True', 'relu', '{"a": [1]}')
    """
    if isinstance(value, str):
        return cut(value, LONGEST)
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, (list, dict)):
        return cut(json.dumps(value, ensure_ascii=False), LONGEST)
    return cut(repr(value), LONGEST)
