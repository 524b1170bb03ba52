"""The page: one HTML file with its style, its scripts and the data of its figures inside."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from warpfront import __version__
from warpfront.extras import require

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
PLOT_HEIGHT = 380
"""Of a figure that has no height of its own, in CSS pixels."""


@dataclass(frozen=True, eq=False)
class Table:
    """A small table whose first column names its rows."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Panel:
    """A figure on the page.

    Attributes
    ----------
    figure
        Plotly's.
    alt
        What it shows, for those who cannot see it.
    heading, caption
        Texts above and below.
    kind
        ``"wide"``: alone in its row; ``"half"`` or ``"third"``: beside others, where there is room.
    width
        It is at least so wide, in CSS pixels; on a narrower screen it is scrolled.
    """

    figure: Figure
    alt: str
    heading: str = ""
    caption: str = ""
    kind: str = "wide"
    width: int = 0

    @property
    def height(self) -> int:
        """The room that is kept for it, in CSS pixels."""
        return int(self.figure.layout.height or PLOT_HEIGHT)


@dataclass(frozen=True, eq=False)
class Group:
    """Panels and tables under one heading; ``more`` is folded."""

    heading: str = ""
    notes: Sequence[str] = ()
    panels: Sequence[Panel] = ()
    tables: Sequence[Table] = ()
    more: Sequence[Panel] = ()


@dataclass(frozen=True, eq=False)
class Section:
    """A part of the page; ``is_folded``: the reader opens it."""

    heading: str
    groups: Sequence[Group] = ()
    is_folded: bool = False
    template: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


def needs() -> None:
    """Raise if a package is missing that pages are made with."""
    require("plotly.offline", "study", "reports need plotly")
    require("jinja2", "study", "reports need jinja2")


def page(title: str, sections: Sequence[Section], *, meta: Sequence[str] = ()) -> str:
    """The whole page; ``meta`` stands under the title."""
    style, script = (_resource(f"page.{kind}") for kind in ("css", "js"))
    panels = [p for s in sections for g in s.groups for p in (*g.panels, *g.more)]
    ids = {panel: f"figure-{number}" for number, panel in enumerate(panels, 1)}
    figures, texts = _figures(ids)
    plotly_js = require("plotly.offline", "study", "reports need plotly").get_plotlyjs()
    plotly_js = plotly_js if panels else ""
    # The page needs nothing from anywhere, and says so: whatever else gets into it is not run.
    # Plotly compiles the shaders of parallel coordinates, and sets styles of its elements.
    policy = (
        "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; "
        f"script-src {_hash(plotly_js)} {_hash(script)} 'unsafe-eval'"
    )
    return str(
        _environment()
        .get_template("page.html")
        .render(
            title=title,
            sections=sections,
            ids=ids,
            meta=meta,
            policy=policy,
            style=_safe(style),
            script=_safe(script),
            plotly_js=_safe(plotly_js),
            figures=_safe(_json({"figures": figures, "texts": texts})),
            version=__version__,
        )
    )


@cache
def _environment() -> Any:
    """Jinja's, with every value escaped that is not HTML already."""
    jinja2 = require("jinja2", "study", "reports need jinja2")
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: _resource(f"templates/{name}")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_printable,
    )


def _printable(value: Any) -> Any:
    """A text without the characters that no page may hold; HTML stays HTML."""
    if hasattr(value, "__html__") or not isinstance(value, str):
        return value
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", value)


def _safe(text: str) -> Any:
    return require("markupsafe", "study", "reports need jinja2").Markup(text)


def _resource(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _figures(ids: Mapping[Panel, str]) -> tuple[dict[str, Any], list[str]]:
    """The figures as JSON data by the id of their panel, and the texts that they share.

    The text under the mouse of a trial is the same in all figures: they hold its place only.
    """
    figures: dict[str, Any] = {}
    pool: dict[str, int] = {}
    for panel, name in ids.items():
        found = json.loads(panel.figure.to_json(validate=False))
        found["layout"].pop("template", None)  # the page has one of its own
        for trace in found["data"]:
            texts = trace.get("hovertext")
            if isinstance(texts, list):
                trace["hovertext"] = [pool.setdefault(text, len(pool)) for text in texts]
        figures[name] = found
    return figures, list(pool)


def _json(data: Any) -> str:
    """JSON that may stand inside an HTML element: nothing in it ends the element."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
