"""The page: one HTML file with its style, its script and its pictures inside."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files

from warpfront import __version__
from warpfront.markup import Html, join, tag
from warpfront.report.figure import Picture


def page(title: str, sections: Mapping[str, Html]) -> str:
    """The whole page; ``sections`` by their headings."""
    style, script = (
        files(__package__).joinpath(f"page.{kind}").read_text("utf-8") for kind in ("css", "js")
    )
    # The page needs nothing from anywhere, and says so: whatever else gets into it is not run.
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}"
    )
    ids = {heading: f"section-{i}" for i, heading in enumerate(sections, 1)}
    return (
        "<!DOCTYPE html>\n"
        + tag(
            "html",
            tag(
                "head",
                tag("meta", charset="utf-8"),
                tag("meta", http_equiv="Content-Security-Policy", content=policy),
                tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
                tag("title", title),
                tag("style", Html(style)),
            ),
            tag(
                "body",
                tag(
                    "header",
                    tag("h1", title),
                    tag(
                        "nav",
                        *(tag("a", h, href=f"#{i}") for h, i in ids.items()),
                        aria_label="Sections",
                    ),
                ),
                "\n",
                tag("main", *(_section(ids[h], h, content) for h, content in sections.items())),
                tag("footer", tag("p", f"Made by warpfront {__version__}.")),
                tag("script", Html(script)),
            ),
            lang="en",
        )
        + "\n"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _section(name: str, heading: str, content: Html) -> Html:
    return join(
        tag(
            "section",
            tag("h2", heading, id=f"{name}-h"),
            content,
            id=name,
            aria_labelledby=f"{name}-h",
        ),
        "\n",
    )


def embedded(
    picture: Picture, heading: str = "", caption: str = "", coloured: bool = False
) -> Html:
    """A picture as part of the page."""
    data = base64.b64encode(picture.png).decode()
    return tag(
        "figure",
        tag("h3", heading) if heading else "",
        tag(
            "img",
            src=f"data:image/png;base64,{data}",
            alt=picture.alt,
            width=picture.width,
            height=picture.height,
        ),
        tag("figcaption", caption) if caption else "",
        class_="coloured" if coloured else None,
    )


def figures(items: Sequence[Html]) -> Html:
    """Figures side by side, as many as there is room for."""
    return tag("div", *items, class_="figures")


def note(text: str, kind: str = "note") -> Html:
    """A paragraph: a ``"note"``, a ``"caveat"``, or what is ``"missing"``."""
    return tag("p", text, class_=kind)
