"""What documents hold is found as by the crawler; nothing that the web gives does harm."""

import gzip

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.consultation.mining.extraction import LINKS_LIMIT, TEXT_LIMIT, Extracted, extract

URL = "http://a.example/folder/page.html"
HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\n\r\n"


def found(body: bytes, head: bytes = HTML, url: str = URL) -> Extracted:
    """Return what a document holds, as it comes out of a worker."""
    packed = msgspec.msgpack.encode(extract(body, head, url))
    return msgspec.msgpack.decode(packed, type=Extracted)


def urls(extracted: Extracted) -> list[tuple[str, str]]:
    """Return URLs and kinds of links."""
    return [(link.url.removeprefix("http://a.example/"), link.kind) for link in extracted.links]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"<a href=x>", [("folder/x", "page")]),
        (b"<base href=/><a href=x>", [("x", "page")]),
        (b"<a href=x><a href=x#y><img src=x>", [("folder/x", "page"), ("folder/x", "component")]),
        (b"<style>p{background:url(b.png)}</style>", [("folder/b.png", "component")]),
        (b"<script>new Image().src='/s.png'</script>", [("s.png", "component")]),
        (b"<a href=mailto:me><a href='http://['>", []),
        (b"<a href='?q=\xe9'>", [("folder/page.html?q=%E9", "page")]),
    ],
)
def test_links(body: bytes, expected: list[tuple[str, str]]) -> None:
    """Canonical, each once for each kind, from styles and scripts too."""
    assert urls(found(body)) == expected


def test_links_of_the_head() -> None:
    """A redirection without a body leads on; so do Link fields."""
    head = b"HTTP/1.1 302 Found\r\nLocation: /next\r\nLink: </s.css>; rel=stylesheet\r\n\r\n"
    assert urls(found(b"", head)) == [("next", "component"), ("s.css", "component")]


def test_text_and_title() -> None:
    """In the document's own encoding, scripts left out."""
    told = found(b"<title>Caf\xe9 &amp;\n Bar</title><script>var a</script><p>One<p>Two")
    assert told.title == "Café & Bar" and told.text.split("\n") == ["Café & Bar", "One", "Two"]
    assert (told.format, told.truncated) == ("html", False)


def test_codings_are_undone() -> None:
    """A compressed document is read; one that breaks off is read as far as it goes."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
    packed = gzip.compress(b"<a href=x>" + b"<p>text" * 5000)
    assert urls(found(packed, head)) == [("folder/x", "page")]
    assert found(packed[:-9] + b"no gzip!!", head).links


def test_a_format_that_nobody_reads() -> None:
    """A picture holds nothing."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
    assert found(b"\x89PNG", head) == Extracted()


def test_limits() -> None:
    """A page of links or of text without end is cut, and says so."""
    many = found(b"".join(b"<a href=%d>" % n for n in range(LINKS_LIMIT + 1)))
    assert len(many.links) == LINKS_LIMIT and many.truncated
    long = found(b"<p>" + b"word " * (TEXT_LIMIT // 4))
    assert len(long.text) == TEXT_LIMIT and long.truncated


@settings(max_examples=60)
@given(st.binary(max_size=300), st.binary(max_size=200), st.sampled_from(["html", "css", "json"]))
def test_any_bytes(body: bytes, head: bytes, kind: str) -> None:
    """Whatever the web gave is read, or left."""
    found(body, head)
    found(body, b"HTTP/1.1 200 OK\r\nContent-Type: text/%s\r\n\r\n" % kind.encode())
