"""Pages that people go to, and what they are called."""

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.archive.exporting.pages import title_of
from agents.capture import Capture
from tests.agents.archive.exporting.conftest import capture

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
PAGE = b"<html><head><title lang=fr>\n Caf\xc3\xa9 &amp; th\xc3\xa9\n </title></head>"


def page(body: bytes, head: bytes = HTML, destination: str = "", status: int = 200) -> Capture:
    """Return a capture of a page."""
    asked = f"GET / HTTP/1.1\r\nSec-Fetch-Dest: {destination}\r\n\r\n"
    origin = f"request: {json.dumps(asked)}\n" if destination else ""
    return capture("http://a/", "2026", body, head=head + b"\r\n", origin=origin, status=status)


@pytest.mark.parametrize(
    ("made", "body", "title"),
    [
        (page(PAGE), PAGE, "Café & thé"),
        (page(b"<p>"), b"<p>", None),
        (page(b"<p>", destination="document"), b"<p>", ""),
        (page(PAGE, destination="iframe"), PAGE, None),
        (page(PAGE, status=404), PAGE, None),
        (page(PAGE, HTML.replace(b"html", b"plain")), PAGE, None),
        (page(PAGE, HTML + b"Content-Encoding: gzip\r\n"), gzip.compress(PAGE), "Café & thé"),
        (page(PAGE, HTML + b"Content-Encoding: gzip\r\n"), b"no gzip", None),
        (page(PAGE, HTML.replace(b"l\r", b"l; charset=latin1\r")), PAGE, "CafÃ© & thÃ©"),
        (page(PAGE, HTML.replace(b"l\r", b"l; charset=unheard-of\r")), PAGE, "Café & thé"),
    ],
)
def test_pages_have_titles(made: Capture, body: bytes, title: str | None) -> None:
    """HTML that was asked for as a document, or has a title, is a page."""
    assert title_of(made, body) == title


@given(st.binary(max_size=300), st.binary(max_size=100))
def test_whatever_a_server_sends_has_a_title_or_none(head: bytes, body: bytes) -> None:
    """Nothing that is archived can end an export."""
    found = title_of(page(body, HTML + head), b"<title>" + body + b"</title>")
    assert found is None or isinstance(found, str)
