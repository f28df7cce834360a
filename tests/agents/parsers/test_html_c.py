"""The fast parser: what it finds, and what it is allowed to get wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import processor_seconds

from agents.parsers import Link, Source
from agents.parsers.html_c import TAG_LIMIT, FastHtmlParser


def urls(document: bytes, step: int = 65536, charset: str | None = None) -> list[str]:
    """Return the URLs of a document fed `step` bytes at a time, each once."""
    parser = FastHtmlParser(Source(charset=charset))
    found = []
    for start in range(0, len(document), step):
        found += parser.feed(document[start : start + step])
    found += parser.close()
    return list(dict.fromkeys(link.url for link in found if isinstance(link, Link)))


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ('<a href="x">', ["x"]),
        ('<a class="c" href="x#y" id="z">', ["x"]),
        ('<a href="#y">', []),
        ("<A HREF=x>", ["x"]),
        ("<a\nhref='x'>", ["x"]),
        ('<a href="x?a&amp;b">', ["x?a&b"]),
        ('<a href="javascript:x">', []),
        ("<abbr href=x><p>", []),
        ("<img src=a srcset='b 1x'><IMG SRC=c>", ["a", "b", "c"]),
        ("<link rel=stylesheet href=a><script src=b></script>", ["a", "b"]),
        ("<meta http-equiv=refresh content='0;url=a'>", ["a"]),
        ("<iframe src=a></iframe><frame src=b>", ["a", "b"]),
        ("<video src=a><source src=b></video><form action=c>", ["a", "b", "c"]),
        ("<!-- <a href=x> -->", ["x"]),
        ("<a href=x", []),
    ],
)
@pytest.mark.parametrize("step", [65536, 1])
def test_links(document: str, found: list[str], step: int) -> None:
    """Tags of elements that mostly link, wherever they are."""
    assert sorted(urls(document.encode(), step)) == found


def test_base_and_encoding() -> None:
    """They are as of the exact parser."""
    parser = FastHtmlParser(Source())
    found = [*parser.feed(b"<meta charset=koi8-r><base href=b><a href=\xca>"), *parser.close()]
    assert (parser.base, parser.encoding, found[-1].url) == ("b", "koi8-r", "й")  # type: ignore[union-attr]


def test_long_tags_are_dropped() -> None:
    """A tag that does not end costs itself only, and the parser says so."""
    parser = FastHtmlParser(Source())
    for _ in range(3):
        list(parser.feed(b"<a title='" + b"x" * TAG_LIMIT))
    found = [*parser.feed(b"'><a href=y>"), *parser.close()]
    assert [link.url for link in found if isinstance(link, Link)] == ["y"]
    assert parser.truncated


@given(st.binary(max_size=3000), st.sampled_from([None, "gbk", "utf-16", "replacement"]))
def test_any_bytes(document: bytes, charset: str | None) -> None:
    """No bytes raise."""
    urls(document, 100, charset)


TAGS = st.sampled_from(
    ["<a href=x>", '<a href="y">', "<img src='z'>", "<", ">", '"', "'", " ", "<!--", "<a ", "<b>"]
)


@given(st.lists(TAGS, max_size=20).map("".join), st.integers(1, 9))
def test_chunks_do_not_matter(document: str, step: int) -> None:
    """Any cut of any document gives the same links."""
    assert sorted(urls(document.encode(), step)) == sorted(urls(document.encode()))


@pytest.mark.parametrize("hostile", ["<", "<a ", "<a href=", '<a href="', '<a class="" ', "<img "])
def test_hostile_documents_stay_linear(hostile: str) -> None:
    """Four times the bytes take about four times the time."""

    def seconds(size: int) -> float:
        document = hostile.encode() * (size // len(hostile))
        return processor_seconds(lambda: urls(document, 32768))

    assert seconds(800_000) < 10 * max(seconds(200_000), 0.03)
