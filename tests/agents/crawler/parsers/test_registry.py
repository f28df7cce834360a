"""Which parser reads what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.crawler.parsers import parser_for
from agents.crawler.parsers.css import CssParser
from agents.crawler.parsers.html import HtmlParser
from agents.crawler.parsers.registry import media_type


@pytest.mark.parametrize(
    ("content_type", "prefix", "parser"),
    [
        ("text/html", b"", HtmlParser),
        ("Text/HTML; Charset='UTF-8'", b"", HtmlParser),
        ("application/xhtml+xml", b"", HtmlParser),
        ("image/svg+xml", b"", HtmlParser),
        ("text/css;charset=x", b"", CssParser),
        ("text/plain", b"<html>", None),
        ("image/png", b"<html>", None),
        ("", b"\n <!DOCTYPE html>", HtmlParser),
        ("", b"<html>", HtmlParser),
        ("", b"\x89PNG", None),
        ("*/*", b"<body\n", HtmlParser),
    ],
)
def test_parser_for(content_type: str, prefix: bytes, parser: type | None) -> None:
    """The media type decides; without one, the first bytes."""
    found = parser_for(content_type, prefix)
    assert found is None if parser is None else isinstance(found, parser)


@given(st.text(max_size=60), st.binary(max_size=60))
def test_any_header(content_type: str, prefix: bytes) -> None:
    """No header raises."""
    parser_for(content_type, prefix)


def test_media_type() -> None:
    """Type and charset are told apart, in lower case."""
    assert media_type('Text/HTML ; a=b; CHARSET="UTF-8"') == ("text/html", "utf-8")
    assert media_type("") == ("", None)
