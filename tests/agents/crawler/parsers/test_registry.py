"""Which parser reads what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.parsers import Link, parser_for
from agents.crawler.parsers.css import CssParser
from agents.crawler.parsers.html import HtmlParser, XmlParser
from agents.crawler.parsers.registry import SniffingParser, media_type


@pytest.mark.parametrize(
    ("content_type", "parser"),
    [
        ("text/html", HtmlParser),
        ("Text/HTML; Charset='UTF-8'", HtmlParser),
        ("application/xhtml+xml", XmlParser),
        ("image/svg+xml", XmlParser),
        ("text/css;charset=x", CssParser),
        ("text/plain", type(None)),
        ("image/png", type(None)),
        ("", SniffingParser),
        ("*/*", SniffingParser),
    ],
)
def test_parser_for(content_type: str, parser: type) -> None:
    """The media type decides."""
    assert type(parser_for(content_type)) is parser


@pytest.mark.parametrize("step", [1, 7, 10_000])
@pytest.mark.parametrize(
    ("document", "found"),
    [
        (b"\n <!DOCTYPE html><a href=x>", ["x"]),
        (b"<body\n><a href=x>" + b" " * 600 + b"<a href=y>", ["x", "y"]),
        (b"\x89PNG<a href=x>", []),
        (b"", []),
    ],
)
def test_documents_that_name_no_format(document: bytes, found: list[str], step: int) -> None:
    """The first bytes decide then, however they come."""
    parser = SniffingParser()
    links: list[Link | None] = []
    for start in range(0, len(document), step):
        links += parser.feed(document[start : start + step])
    links += parser.close()
    assert [link.url for link in links if link] == found
    assert (parser.base, parser.encoding, parser.truncated) == ("", "utf-8", False)


@given(st.text(max_size=60))
def test_any_header(content_type: str) -> None:
    """No header raises."""
    parser_for(content_type)


def test_media_type() -> None:
    """Type and charset are told apart, in lower case."""
    assert media_type('Text/HTML ; a=b; CHARSET="UTF-8"') == ("text/html", "utf-8")
    assert media_type("") == ("", None)
