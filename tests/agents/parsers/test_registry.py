"""Which parser reads what."""

import sys
from importlib.metadata import EntryPoint

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.parsers import is_vague, media_type, registry
from agents.parsers.registry import GROUP, Registry

PAGE = b"\n <!DOCTYPE html><a href=x>"


@pytest.mark.parametrize(
    ("kind", "url", "beginning", "name"),
    [
        ("text/html", "http://a/b.css", b"", "html"),
        ("application/xhtml+xml", "http://a/", b"", "xhtml"),
        ("image/svg+xml", "http://a/", b"", "xhtml"),
        ("text/css", "http://a/", b"", "css"),
        ("image/png", "http://a/b.html", PAGE, ""),
        ("", "http://a/", PAGE, "html"),
        ("*/*", "http://a/", PAGE, "html"),
        ("", "http://a/", b"<body\n>", "html"),
        ("", "http://a/", b"\x89PNG<a href=x>", ""),
        ("", "http://a/b.css?c#d", b"a{}", "css"),
        ("text/plain", "http://a/b.CSS", b"a{}", "css"),
        ("application/octet-stream", "http://a/b.svg", b"", "xhtml"),
    ],
)
def test_the_parser_of_a_document(kind: str, url: str, beginning: bytes, name: str) -> None:
    """The media type decides; a vague one leaves it to the first bytes and the name."""
    chosen = registry().choose(kind, url, beginning)
    assert ("" if chosen is None else chosen.format.name) == name


@given(st.text(max_size=60), st.text(max_size=60), st.binary(max_size=60))
def test_any_document(kind: str, url: str, beginning: bytes) -> None:
    """No document raises, whatever is said of it."""
    registry().choose(media_type(kind)[0], url, beginning)


def test_a_parser_whose_library_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is left out, and the others are there."""
    sound = EntryPoint("css", "agents.parsers.css:CssParser", GROUP)
    missing = EntryPoint("pdf", "agents.parsers.no_such_module:PdfParser", GROUP)
    module = sys.modules[Registry.__module__]
    monkeypatch.setattr(module, "entry_points", lambda group: [missing, sound])
    assert set(registry.__wrapped__().by_name) == {"css"}


def test_media_type() -> None:
    """Type and charset are told apart, in lower case."""
    assert media_type('Text/HTML ; a=b; CHARSET="UTF-8"') == ("text/html", "utf-8")
    assert media_type("") == ("", None)
    assert is_vague("")
    assert not is_vague("text/html")
