"""Canonical URLs: the same text for the crawler and for a browser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents import urls
from agents.urls import LENGTH_LIMIT, canonical

PAGE = "http://example.org/a/b.html?x=1"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://EXAMPLE.org:80/./a/../b#top", "http://example.org/b"),
        ("https://example.org:443", "https://example.org/"),
        ("https://example.org:8443/", "https://example.org:8443/"),
        ("http://user:pass@example.org/a@b", "http://example.org/a@b"),
        ("http://example.org/a@b", "http://example.org/a@b"),
        ("http://u@example.org?q=a@b", "http://example.org/?q=a@b"),
        ("http://école.fr/été?é", "http://xn--cole-9oa.fr/%C3%A9t%C3%A9?%C3%A9"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("http://example.org/%7Ea", "http://example.org/%7Ea"),
        ("  http://example.org/\n", "http://example.org/"),
        ("http://a/\ud800", "http://a/%EF%BF%BD"),
        ("mailto:a@example.org", None),
        ("javascript:void(0)", None),
        ("ftp://example.org/", None),
        ("http://", None),
        ("http://a:99999/", None),
        ("relative", None),
        ("", None),
    ],
)
def test_absolute_url_has_one_form(url: str, expected: str | None) -> None:
    """An absolute URL becomes what a browser would send, or nothing."""
    assert canonical(url) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("c.html#part", "http://example.org/a/c.html"),
        ("../c", "http://example.org/c"),
        ("//other.org/x", "http://other.org/x"),
        ("?y", "http://example.org/a/b.html?y"),
        ("#top", PAGE),
        ("", PAGE),
        ("/\t\nq", "http://example.org/q"),
        ("..\\..\\q", "http://example.org/q"),
        ("data:text/plain,x", None),
    ],
)
def test_relative_url_is_resolved(url: str, expected: str | None) -> None:
    """A relative URL is resolved against the page that holds it."""
    assert canonical(url, PAGE) == expected


@pytest.mark.parametrize(
    ("url", "encoding", "expected"),
    [
        ("/é?q=é", "iso-8859-1", "http://example.org/%C3%A9?q=%E9"),
        ("/?q=é", "windows-1252", "http://example.org/?q=%E9"),
        ("/?q=日", "shift_jis", "http://example.org/?q=%93%FA"),
        ("/?q=表", "shift_jis", "http://example.org/?q=%95\\"),
        ("/?q=日é", "iso-8859-1", "http://example.org/?q=%26%2326085%3B%E9"),
        ("/?q=é#é", "utf-16", "http://example.org/?q=%C3%A9"),
        ("/?q=é", "no-such-encoding", "http://example.org/?q=%C3%A9"),
        ("/é", "iso-8859-1", "http://example.org/%C3%A9"),
    ],
)
def test_query_takes_the_encoding_of_the_page(url: str, encoding: str, expected: str) -> None:
    """Only the query depends on the encoding of the page, as in browsers."""
    assert canonical(url, PAGE, encoding) == expected


def test_length_is_bounded() -> None:
    """A URL past the limit is refused; one at the limit, or long by its fragment only, is not."""
    room = LENGTH_LIMIT - len("http://example.org/")
    assert canonical("http://example.org/" + "a" * room) is not None
    assert canonical("http://example.org/" + "a" * (room + 1)) is None
    assert canonical("http://example.org/#" + "a" * 20000) == "http://example.org/"
    assert canonical("http://example.org/#" + "a" * 100000) is None


@given(st.text(max_size=200), st.sampled_from(["utf-8", "shift_jis", "iso-2022-jp", "gbk", "x"]))
def test_any_text_gives_a_stable_url_or_none(text: str, encoding: str) -> None:
    """Whatever a page holds, the result is ASCII, bounded, and its own canonical form."""
    found = canonical(text, PAGE, encoding)
    assert found is not None or canonical(text) is None
    if found is not None:
        assert found.isascii()
        assert "#" not in found
        assert canonical(found) == found


@given(st.from_regex(r"https?://[a-z0-9.\-]{1,20}(:[0-9]{1,4})?/[!-~]{0,40}", fullmatch=True))
def test_parts_of_a_canonical_url_make_it_again(url: str) -> None:
    """Endpoint and target of a canonical URL lose nothing."""
    found = canonical(url)
    if found is None:
        return
    tls, name, port = urls.endpoint(found)
    assert name
    assert 0 <= port < 65536
    assert found == f"http{'s' * tls}://{urls.authority(found)}{urls.target(found)}"


def test_parts() -> None:
    """Host, port, target and address are told apart."""
    assert urls.endpoint("https://[::1]:8443/a?b") == (True, "::1", 8443)
    assert urls.endpoint("http://example.org/") == (False, "example.org", 80)
    assert urls.host("http://[::1]:80/") == "[::1]"
    assert urls.host("http://example.org:81/") == "example.org"
    assert urls.target("http://example.org:81/a?b/c") == "/a?b/c"
    assert urls.is_address("127.0.0.1")
    assert urls.is_address("[::1]")
    assert not urls.is_address("example.org")


def test_readable_form() -> None:
    """A person reads UTF-8; what would deceive or break a line stays encoded."""
    assert urls.readable("http://a/%C3%A9t%C3%A9") == "http://a/été"
    assert urls.readable("http://a/%20%0A") == "http://a/%20%0A"
    assert urls.readable("http://a/%FF") == "http://a/%FF"
