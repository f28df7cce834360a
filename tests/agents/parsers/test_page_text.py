"""The text of a whole page is the one that is found chunk by chunk."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.parsers import Source
from agents.parsers.html import HtmlParser
from agents.parsers.page_text import page_text

PIECES = st.sampled_from(
    ["a", "b ", " c", "\n", "&eacute;", "&amp;lt;", "<p>", "</p>", "<br/>", "<b>", "</b>",
     "<LI class=x>", '<span class="x">', "<div title='d e'>", '<img alt="f&amp;g" src=h>',
     "<a href='i'>", "</a>", "<title>j</title>", "<textarea>k &lt;</textarea>",
     "<script>l<p></script>", "<!-- m --> "]
)  # fmt: skip


def in_chunks(page: str) -> str:
    """Return the text that the parser finds."""
    parser = HtmlParser(Source(charset="utf-8", text=True))
    found = [*parser.feed(page.encode()), *parser.close()]
    return "".join(piece for piece in found if type(piece) is str)


@given(st.lists(PIECES, max_size=30))
def test_same_text(pieces: list[str]) -> None:
    """Pages of common markup have the same text both ways."""
    page = "".join(pieces)
    assert page_text(page) == in_chunks(page)


@pytest.mark.parametrize(
    "page", ["<svg><style/></svg><p>a", "<title>a <b></title>b", "<textarea><i>a</i></textarea>",
             "<p>&#" + 5000 * "9" + ";</p>"]
)  # fmt: skip
def test_other_rules(page: str) -> None:
    """What only the tokenizer can tell is left to it."""
    assert page_text(page) is None


@pytest.mark.parametrize(
    "piece",
    ["<", "<a ", "<a b=", '<a b="', "<!--", "<script", "<script>", "<title>", "</", "<p>", "<b>",
     "<title", '<title a="', "<svg><style", "&", "<p title='a'", "\0", "<b <p "],
)  # fmt: skip
def test_hostile_pages_are_quick(piece: str) -> None:
    """A megabyte takes seconds at most, whatever it is."""
    start = time.process_time()
    page_text(piece * (1_000_000 // len(piece)))
    assert time.process_time() - start < 5
