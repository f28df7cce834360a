"""Links in headers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.parsers.header_links import LINK_LIMIT, header_links


def found(location: bytes | None = None, refresh: bytes | None = None, *links: bytes) -> list[str]:
    """Return each link with a letter: p(age), r(equisite) or c(omponent that is not)."""
    return [
        f"{link.url} {'p' if link.kind == 'page' else 'r' if link.requisite else 'c'}"
        for link in header_links(location, refresh, links)
    ]


def test_redirections() -> None:
    """Location and Refresh are components; bytes that are not ASCII are the server's own."""
    assert found(b"/caf\xc3\xa9#x") == ["/caf%C3%A9 c"]
    assert found(b"/caf\xe9") == ["/caf%E9 c"]
    assert found(b"") == []
    assert found(None, b"5; url='next'") == ["next c"]
    assert found(None, b"5") == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (b"<a>; rel=preload; as=style", ["a r"]),
        (b'<a>; REL="next" , <b>;rel=stylesheet,<c>', ["a p", "b r", "c p"]),
        (b'<a,b;c>; title="x, <y>; rel=icon"; rel=prev', ["a,b;c p"]),
        (b"<a>; rel=preconnect, <b>; rel=dns-prefetch", []),
        (b'<a>; rel="original timegate", <b>; rel=timemap, <c>; rel="prev memento"', []),
        (b"nonsense, <>; rel=next, <a", []),
        (b'<a>; rel="unclosed', ["a p"]),
    ],
)
def test_link(value: bytes, expected: list[str]) -> None:
    """A Link header means what a link element does."""
    assert found(None, None, value) == expected


def test_feeds_are_told() -> None:
    """A feed says so."""
    (link,) = header_links(None, None, [b"<f>; rel=alternate; type=application/rss+xml"])
    assert link.feed


def test_links_are_bounded() -> None:
    """Too many links are cut."""
    assert len(found(None, None, b"<a>," * (LINK_LIMIT + 5))) == LINK_LIMIT


@given(st.binary(max_size=100), st.binary(max_size=100), st.binary(max_size=100))
def test_any_bytes(location: bytes, refresh: bytes, link: bytes) -> None:
    """No header raises."""
    found(location, refresh, b"<" + link, link)


def test_images_of_a_preload() -> None:
    """The candidates of a preloaded image are requisites, as those of the element are."""
    value = b'<a>; rel=preload; as=image; imagesrcset="b 1x, c 2x", <d>; rel=prefetch'
    found = list(header_links(None, None, [value]))
    assert [(link.url, link.requisite) for link in found] == [
        ("a", True), ("b", True), ("c", True), ("d", False),
    ]  # fmt: skip


def test_other_addresses() -> None:
    """What was negotiated, and what a script was made of, are pages."""
    found = list(header_links(None, None, [], others=[b" a.en.html ", b"b.js.map", b""]))
    assert [(link.url, link.kind) for link in found] == [
        ("a.en.html", "page"),
        ("b.js.map", "page"),
    ]
