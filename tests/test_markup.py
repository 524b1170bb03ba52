"""HTML by functions."""

import html
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import strategies  # noqa: F401  the profile
from warpfront.markup import Html, escaped, join, tag


@given(st.text())
def test_texts_come_back_as_they_were(text):
    inner = escaped(text)
    assert "<" not in inner
    assert '"' not in inner
    if not any(unicodedata.category(c) == "Cc" for c in text):
        assert html.unescape(inner) == text


@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\x7f", "\ud800"])
def test_what_no_page_may_hold_is_replaced(bad):
    assert escaped(f"a{bad}b") == "a\N{REPLACEMENT CHARACTER}b"
    escaped(f"a{bad}b").encode()


def test_html_is_not_escaped_twice():
    assert join(tag("b", "&"), "&") == "<b>&amp;</b>&amp;"
    assert isinstance(tag("p"), Html)


def test_attributes():
    built = tag("img", alt='a "quoted" <text>', data_value=3, class_="x", title=None)
    assert built == ('<img alt="a &quot;quoted&quot; &lt;text&gt;" data-value="3" class="x">')
