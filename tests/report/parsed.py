"""A page as a list of its elements, by the standard library's parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"input", "meta"}


@dataclass
class Element:
    """One element: its name, its attributes, all text in it, and the elements around it."""

    tag: str
    attributes: dict[str, str | None]
    inside: list[Element] = field(repr=False)
    text: str = ""

    def is_in(self, tag: str) -> bool:
        return any(element.tag == tag for element in self.inside)


class Parsed(HTMLParser):
    """Parses a page; elements must be closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(page)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs), list(self._open))
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.text += data

    def all(self, tag: str, class_: str = "") -> list[Element]:
        return [
            e
            for e in self.elements
            if e.tag == tag and (not class_ or class_ in (e.attributes.get("class") or "").split())
        ]

    def section(self, heading: str) -> Element:
        """The section under a heading."""
        (found,) = [e for e in self.all("h2") if e.text == heading]
        return next(e for e in reversed(found.inside) if e.tag == "section")

    def rows(self, caption: str) -> list[list[str]]:
        """The cells of the body of the table with this caption, row by row."""
        (table,) = [e.inside[-1] for e in self.all("caption") if e.text.startswith(caption)]
        return [
            [c.text for c in self.elements if c.tag in ("td", "th") and c.inside[-1] is row]
            for row in self.all("tr")
            if row.is_in("tbody") and row.inside[-2] is table
        ]
