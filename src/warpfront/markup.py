"""HTML by functions: whatever is not HTML already is escaped."""

from __future__ import annotations

import html
import re

VOID = {"img", "meta"}
"""Elements without content."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Html(str):
    """A text that is HTML already, and goes into the page as it is."""

    __slots__ = ()


def escaped(text: str) -> Html:
    """``text`` as HTML; characters that no page may hold become a replacement character.

    Examples
    --------
    >>> escaped("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    >>> escaped(Html("<b>"))
    '<b>'
    """
    if isinstance(text, Html):
        return text
    return Html(html.escape(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)))


def join(*parts: str) -> Html:
    """Parts one after the other."""
    return Html("".join(map(escaped, parts)))


def tag(name: str, /, *children: str, **attributes: str | int | None) -> Html:
    """An element. Attributes of None are left out; ``class_`` and ``data_x`` mean what they say.

    Examples
    --------
    >>> tag("p", "1 < 2", tag("b", "!"), class_="note", id=None)
    '<p class="note">1 &lt; 2<b>!</b></p>'
    """
    inner = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    opening = f"<{name}{inner}>"
    return Html(opening if name in VOID else f"{opening}{join(*children)}</{name}>")
